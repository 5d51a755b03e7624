/*
 * Begins zlib's streams with memory from xcalloc, so that they cannot fail: what a file is taken for must not depend on
 * free memory. Owner: the caller; one thread.
 */
#pragma once

#include <zlib.h>

enum { INFLATE_RAW = -15, INFLATE_ZLIB = 15 }; /* the format, with the largest window */

/* For zalloc and zfree. */
void *zlib_alloc(void *unused, unsigned count, unsigned size);
void zlib_free(void *unused, void *p);

/* The caller ends it with inflateEnd. */
static inline void zlib_inflate_begin(z_stream *z, int format)
{
	*z = (z_stream){ .zalloc = zlib_alloc, .zfree = zlib_free };
	inflateInit2(z, format);
}
