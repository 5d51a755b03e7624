/*
 * struct inflate: inflates DEFLATE (RFC 1951) with input and output in pieces, tuned for masks: few symbols, long
 * matches.
 *
 * Before a symbol or a block's header, inflate_step returns INFLATE_WAITS if the piece of input, which is not the last,
 * may not hold all of it. The caller moves the few bytes that are left in front of the next piece (inflate_go_on).
 *
 * Why not a library: libdeflate inflates all at once, so that a large mask has left the caches before it is measured,
 * and it accepts codes that zlib refuses (length symbols 286 and 287, more than 30 distances, some incomplete codes);
 * zlib is slow. This one stops between symbols, and accepts LESS than zlib does, never more: the caller then uses zlib.
 * One thread each; plain data without memory of its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "png/fast_huffman.h"

enum {
	INFLATE_WINDOW = 1 << 15, /* the longest distance of a match */
	/* Readable bytes after the input, and writable bytes after the limit of a step. */
	INFLATE_READ_AHEAD = 16,
	INFLATE_COPY_MAX = 3 * 128, /* bytes that are written for a match at most; the longest match has 258 */
	INFLATE_WRITE_AHEAD = 3 + INFLATE_COPY_MAX,
	/*
	 * The most bytes that are left of a piece, unless it is the last: the header of a block with codes. That is 3 +
	 * 14 bits, 19 times 3, 286 + 30 lengths of at most 7 + 7 bits, and the rest of the word that loads them.
	 */
	INFLATE_LEFT_MAX = (17 + 19 * 3 + (286 + 30) * 14) / 8 + 2 * 8,
};

enum inflate_result {
	INFLATE_MORE,  /* the limit is reached, and the stream goes on */
	INFLATE_WAITS, /* it needs the next piece of input */
	INFLATE_END,   /* the last block has ended */
	INFLATE_BAD,   /* refused: zlib decides */
};

enum inflate_state {
	INFLATE_HEADER, /* at the header of a block */
	INFLATE_STORED,
	INFLATE_CODES,
};

struct inflate {
	const uint8_t *in, *in_end; /* next byte to load; end of the piece of input */
	const uint8_t *in_last;     /* the last value of `in` before a symbol; beyond it the input is exhausted */
	bool last_piece;
	uint64_t bits;      /* loaded but not consumed, from bit 0 on */
	uint64_t bits_used; /* 63 minus the number of these bits */
	enum inflate_state state;
	bool last_block;
	uint32_t stored; /* bytes left of a stored block */
	bool fixed;      /* the tables are those of the fixed code, kept from stream to stream */
	uint64_t litlen[LITLEN_TABLE_SIZE];
	uint64_t distance[DISTANCE_TABLE_SIZE];
};

/*
 * Begins a stream; *z must be all zero before its first one. in: the first piece of input, n bytes, followed by
 * INFLATE_READ_AHEAD readable bytes. A piece that is not the last has more than INFLATE_LEFT_MAX bytes.
 */
void inflate_begin(struct inflate *z, const uint8_t *in, size_t n, bool last_piece);
/*
 * Inflates to *out until it reaches or passes `limit` (writing at most INFLATE_WRITE_AHEAD bytes beyond it, garbage
 * after the new *out included). first: the beginning of the output, or of its last INFLATE_WINDOW bytes at least.
 */
enum inflate_result inflate_step(struct inflate *z, const uint8_t *first, uint8_t **out, const uint8_t *limit);
/*
 * Returns how many bytes of the piece are not consumed; *rest: the first of them. After INFLATE_WAITS at most
 * INFLATE_LEFT_MAX; after INFLATE_END those after the stream, or SIZE_MAX if the stream is longer than the input.
 */
size_t inflate_left(const struct inflate *z, const uint8_t **rest);
/* Continues with the next piece, which begins with the bytes of inflate_left: n bytes in all. Else as inflate_begin. */
void inflate_go_on(struct inflate *z, const uint8_t *in, size_t n, bool last_piece);
