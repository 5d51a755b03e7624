/*
 * struct gunzip: unpacks a gzip file (RFC 1952) by base/fast_inflate.h, in less than half the time of zlib. It accepts
 * less than zlib, never more, and has no messages: it refuses whatever is odd, and then its caller reads the file again
 * with zlib (find/unpacker.h), which owns every verdict. Streams may follow each other, and zeros the last one; each
 * CRC-32 and length is checked.
 *
 * Memory: the struct, 90 KiB. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fast_inflate.h"
#include "find/unpacker.h"

enum {
	GUNZIP_HEADER_MAX = 512, /* with the name of a file; longer ones are zlib's */
	GUNZIP_LEFT_MAX = GUNZIP_HEADER_MAX + INFLATE_LEFT_MAX,
};

struct gunzip {
	struct packed_source source; /* borrowed */
	struct inflate inflate;
	bool inflating;          /* within a stream: `inflate` knows what is unread */
	bool ended;              /* the file has */
	const uint8_t *at, *end; /* the unread input, in `bytes` */
	bool input_ended;        /* nothing follows `end` */
	uint64_t drawn;          /* bytes read from the source */
	uint64_t stream_bytes;   /* unpacked, of the current stream */
	uint32_t crc;            /* of these */
	uint8_t bytes[GUNZIP_LEFT_MAX + PACKED_BUFFER + INFLATE_READ_AHEAD];
};

/* source: from the first byte of the file on; a read that gives fewer bytes than asked for is the last one. */
void gunzip_begin(struct gunzip *g, struct packed_source source);
/*
 * Unpacks n bytes to out, or up to INFLATE_WRITE_AHEAD more; *got of them: fewer than n only at the end. The
 * INFLATE_WINDOW bytes before `out` are the last ones that it gave, as far as there are as many. Returns false if it
 * refuses the file; then it is not used again, and what is in `out` does not count.
 */
bool gunzip_read(struct gunzip *g, uint8_t *out, size_t n, size_t *got);
/* Returns how many bytes of the file were used: as many as zlib reads for the same output, or up to 8 more. */
uint64_t gunzip_used(const struct gunzip *g);
