/*
 * struct fault: why a file cannot be read completely, or what is wrong with a file that can.
 *
 * Set once, where the problem is detected (find, read, png). It names a kind of problem, not a rule: rules of category
 * `file` (src/rules) turn kinds into findings. Owner: the struct that holds it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum fault_kind {
	FAULT_NONE = 0,
	FAULT_UNREADABLE,  /* open, read, permission, no memory, changed while read: audit incomplete */
	FAULT_NOT_A_LABEL, /* its first bytes show another format */
	FAULT_LFS_POINTER, /* a git-lfs pointer instead of the file */
	FAULT_EMPTY,       /* 0 bytes */
	FAULT_TRUNCATED,   /* the data end early */
	FAULT_CORRUPT,     /* checksum, zlib stream, chunk order, filter byte ... */
	FAULT_LIMIT,       /* over a resource limit; the text names it and its option */
	FAULT_MALFORMED,   /* breaks its specification but is readable (never fatal) */
	FAULT_LABELS,      /* a text, CSV, JSON, NumPy or IDX file that cannot be parsed */
	FAULT_AMBIGUOUS,   /* a list that can be read, if the user says which column holds the labels */
	FAULT_OBJECTS,     /* a NumPy array of Python objects, which only unpickling could read */
	FAULT_LOSSY,       /* an image in a lossy format where a mask is expected */
	FAULT_UNSUPPORTED, /* encrypted, or compressed by an unsupported method */
	FAULT_UNREAD,      /* labels in a format that is known and not read (read/unread_kind.h) */
};

enum { FAULT_TEXT = 384 };
#define FAULT_NO_OFFSET UINT64_MAX

struct fault {
	enum fault_kind kind;
	uint64_t offset;       /* byte of the file, or FAULT_NO_OFFSET */
	uint64_t line, column; /* text files, 1-based; 0 elsewhere */
	char text[FAULT_TEXT]; /* printable; says what was expected and what was found */
	char advice[128];      /* how to mend it, or "" */
};

#define FAULT_INIT                        \
	{                                 \
		.offset = FAULT_NO_OFFSET \
	}

static inline void fault_clear(struct fault *f)
{
	f->kind = FAULT_NONE;
	f->offset = FAULT_NO_OFFSET;
	f->line = f->column = 0;
	f->text[0] = f->advice[0] = '\0';
}

/* Sets f unless it is set: later faults are consequences of the first. Returns false, for the caller to return. */
bool fault_set(struct fault *f, enum fault_kind kind, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The same in a text, at a line and column. */
bool fault_set_at(struct fault *f, enum fault_kind kind, uint64_t line, uint64_t column, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* The same if there was no memory for the file: FAULT_UNREADABLE, since then the audit is incomplete. */
bool fault_no_memory(struct fault *f, uint64_t offset, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Sets how to mend the fault. Returns false. */
bool fault_advise(struct fault *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
