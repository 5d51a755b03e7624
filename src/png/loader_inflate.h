/* struct loader_inflater: a zlib stream and a buffer for what it makes, allocated once and used for many streams. */
#pragma once

#include <stdint.h>
#include <zlib.h>

enum { LOADER_INFLATE_BYTES = 16 << 10 };

struct loader_inflater {
	z_stream z;
	uint8_t out[LOADER_INFLATE_BYTES];
};

/* Begins a stream; allocates *i if it is NULL. */
void loader_inflate_begin(struct loader_inflater **i);
void loader_inflate_free(struct loader_inflater *i);
