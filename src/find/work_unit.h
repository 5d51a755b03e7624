/*
 * struct work_unit: a piece of work that a source hands out: a run of entries, each a file, or a member of an archive
 * with its bytes. Owner: the worker that draws it and uses it again for the next draw; one thread.
 */
#ifndef FIND_WORK_UNIT_H
#define FIND_WORK_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/strbuf.h"

struct archive_facts;
struct archive_reader;
struct dir_handle;
struct format;
struct work_unit_members;

/* Bytes. Members of archives up to this size are handed out whole, in the unit's memory; larger ones as a stream. */
enum { UNIT_MEMBER_MAX = 8 << 20 };

/* One file to audit, one member of an archive, or an archive of which something is to be said. */
struct entry {
	const char *path;    /* as reported; in the unit's memory */
	const char *name;    /* what to open below dirfd: the end of path, or all of it */
	int dirfd;           /* or AT_FDCWD */
	bool is_explicit;    /* typed by the user or listed by --files-from: must be a label file */
	bool standard_input; /* "-": read descriptor 0; its first bytes_len bytes were read already and are in bytes */
	bool failed;         /* it could not be read (a folder without permission ...): fault says why */
	uint8_t split;       /* see source_split */
	size_t rel_offset;   /* where the part of path begins that is below the PATH typed; 0: path itself was typed */
	struct fault fault;  /* only if failed */
	/* Members only. The bytes are in the unit's memory, too, and 64 zero bytes follow them. */
	const char *member;   /* its name in the archive `path`; NULL: a file */
	const uint8_t *bytes; /* all of it; if it is read as a stream, its beginning */
	size_t bytes_len;
	uint64_t size;                 /* of the member */
	struct archive_reader *stream; /* gives what follows `bytes`, by archive_stream_read; NULL: bytes are all */
	bool skipped;                  /* a link, a device, or not wanted: nothing of it was read */
	bool is_wanted;                /* find_options' wants_member decided so from its first bytes */
	const struct format *format;   /* what wants_member recognised; or NULL */
	bool repeated;                 /* an earlier member has the same name */
	bool name_cut;                 /* its name has a NUL in it, and `member` ends there */
	/*
	 * Not NULL: this entry is an archive, and here is what is to be said of it; its members are entries of their
	 * own. `skipped` then means that, with heads_only, not all of it was looked at.
	 */
	const struct archive_facts *archive;
};

struct work_unit {
	uint64_t number; /* 0, 1, 2 ... in the order of the walk */
	struct entry *entries;
	size_t count, cap;
	struct strbuf text;       /* the paths */
	struct dir_handle **dirs; /* referenced; one reference each */
	size_t dirs_count, dirs_cap;
	struct work_unit_members *members; /* memory of what came from archives; NULL until the first; owned */
};

void work_unit_init(struct work_unit *u);
void work_unit_release(struct work_unit *u);
/* Forgets the entries, closes their folders and keeps the memory. While a unit has a stream, other threads' draws wait.
 */
void work_unit_clear(struct work_unit *u);

#endif
