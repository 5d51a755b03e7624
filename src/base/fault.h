/*
 * struct fault: why one file could not be read whole, or what is wrong with it though it could.
 *
 * Filled once, where the trouble is seen (find, read, png). It names a kind of trouble, never a rule: the
 * rules of category `file` (src/rules) turn kinds into findings. Owner: the struct that holds it.
 */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

enum fault_kind {
	FAULT_NONE = 0,
	FAULT_UNREADABLE,  /* open, read, permission, no memory, changed while read: audit incomplete */
	FAULT_NOT_A_LABEL, /* the first bytes say that it is something else */
	FAULT_LFS_POINTER, /* a git-lfs pointer instead of the file */
	FAULT_EMPTY,       /* 0 bytes */
	FAULT_TRUNCATED,   /* the data end early */
	FAULT_CORRUPT,     /* checksum, zlib stream, chunk order, filter byte ... */
	FAULT_LIMIT,       /* over a resource limit; the text names it and its option */
	FAULT_MALFORMED,   /* breaks its specification, readable whole all the same (never fatal) */
	FAULT_LABELS,      /* a text, CSV, JSON, NumPy or IDX file that cannot be parsed */
	FAULT_OBJECTS,     /* a NumPy array of Python objects, which only unpickling could read */
	FAULT_LOSSY,       /* a picture in a lossy format where a mask is expected */
	FAULT_UNSUPPORTED, /* encrypted, or packed in a way that is not read */
};

enum { FAULT_TEXT = 384 };
#define FAULT_NO_OFFSET UINT64_MAX

struct fault {
	enum fault_kind kind;
	uint64_t offset;       /* byte of the file where it was seen, or FAULT_NO_OFFSET */
	uint64_t line, column; /* text files, 1-based; 0 elsewhere */
	char text[FAULT_TEXT]; /* printable; says what was expected and what was found */
	char advice[128];      /* what mends it, or "" */
};

static inline void fault_clear(struct fault *f)
{
	f->kind = FAULT_NONE;
	f->offset = FAULT_NO_OFFSET;
	f->line = f->column = 0;
	f->text[0] = f->advice[0] = '\0';
}

/* Fills f unless it is filled already (the first fault is the cause, later ones are its consequences). */
void fault_set(struct fault *f, enum fault_kind kind, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * The same for a file that memory ran out for. FAULT_UNREADABLE: the machine's fault, not the file's, so the audit is
 * not complete.
 */
void fault_no_memory(struct fault *f, uint64_t offset, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
