/*
 * struct text_spool: bytes that are written once and read later, in a temporary file without a name (in TMPDIR, else
 * /tmp) instead of memory. They are read through a mapping, so that callers keep plain pointers; of our own file, which
 * nobody can make shorter. Mapped pages count as resident memory only until text_spool_relax().
 *
 * Errors are kept in `error`: the file cannot be made, is full, or has no addresses left (ulimit -v). Owner: the
 * caller; one thread at a time.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

struct text_spool {
	int fd;          /* -1: not open */
	char *map;       /* addresses for `reserved` bytes of the file, more than it has; NULL: not open */
	size_t reserved; /* bytes */
	size_t size;     /* bytes added so far */
	char *pending;   /* the last bytes of these, which are not in the file yet; owned */
	size_t pending_len;
	struct error error;
};

void text_spool_init(struct text_spool *s);
void text_spool_release(struct text_spool *s);
/*
 * Appends n bytes at a multiple of 8. Returns where they will be after the next text_spool_flush(); NULL if `error` is
 * set. Opens the file first.
 */
void *text_spool_add(struct text_spool *s, const void *bytes, size_t n);
/* Makes all that was added readable. */
void text_spool_flush(struct text_spool *s);
/* Gives back the memory of what was read; pointers stay valid. */
void text_spool_relax(const struct text_spool *s);
