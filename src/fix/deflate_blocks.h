/*
 * Writes DEFLATE (RFC 1951) from symbols that the caller chose: blocks with Huffman codes of their own, or with the
 * fixed ones where these take fewer bits. One thread each; the memory is reused.
 *
 * A symbol is a literal, or a length with a distance, in 32 bits: 9 of the literal or length, 5 of the distance, and
 * the extra bits of both, 5 and 13.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum {
	DEFLATE_WINDOW = 1 << 15, /* the longest distance */
	DEFLATE_MATCH_MIN = 3,
	DEFLATE_MATCH_MAX = 258,
	DEFLATE_BLOCK = 1 << 14, /* symbols of a block: zlib's number */
	DEFLATE_LITLEN = 286,
	DEFLATE_DISTANCES = 30,
	DEFLATE_NO_DISTANCE = 31, /* of a literal: it takes no bits */
};

struct deflate_blocks {
	struct strbuf *out; /* borrowed */
	uint64_t bits;      /* not yet written, from bit 0 on */
	unsigned bits_count;
	uint8_t bytes[4096]; /* that are not yet in out */
	size_t bytes_count;
	size_t count; /* symbols of the block */
	uint32_t litlen_uses[DEFLATE_LITLEN], distance_uses[DEFLATE_NO_DISTANCE + 1];
	uint32_t symbols[DEFLATE_BLOCK];
};

/* Begins a stream, which is appended to out. */
void deflate_begin(struct deflate_blocks *d, struct strbuf *out);
/* Writes the block, which is full. */
void deflate_next_block(struct deflate_blocks *d);
static inline void deflate_add(struct deflate_blocks *d, uint32_t symbol)
{
	if (d->count == DEFLATE_BLOCK)
		deflate_next_block(d);
	d->symbols[d->count++] = symbol;
}
/* Writes the last block, up to a whole byte. */
void deflate_end(struct deflate_blocks *d);

/* Returns the extra bits of a length or distance, beside its symbol. */
static inline unsigned deflate_length_extra(unsigned length)
{
	unsigned n = length - DEFLATE_MATCH_MIN;

	return n < 8 || length == DEFLATE_MATCH_MAX ? 0 : 29 - (unsigned)__builtin_clz(n);
}

static inline unsigned deflate_distance_extra(unsigned distance)
{
	return distance <= 4 ? 0 : 30 - (unsigned)__builtin_clz(distance - 1);
}

static inline uint32_t deflate_literal(uint8_t byte)
{
	return byte | DEFLATE_NO_DISTANCE << 9;
}

/* Returns the length of a match, of DEFLATE_MATCH_MIN to DEFLATE_MATCH_MAX bytes; the distance is to be added. */
static inline uint32_t deflate_length(unsigned length)
{
	enum { FIRST = 257, LAST = 285 /* which has no extra bits */ };
	unsigned n = length - DEFLATE_MATCH_MIN, extra = deflate_length_extra(length);
	/* symbols go up by one each 2^extra, from a multiple of four lengths on */
	unsigned symbol = length == DEFLATE_MATCH_MAX ? LAST : FIRST + 4 * extra + (n >> extra);

	return symbol | (n & ((1u << extra) - 1)) << 14;
}

/* Returns a distance, of 1 to DEFLATE_WINDOW bytes. */
static inline uint32_t deflate_distance(unsigned distance)
{
	unsigned n = distance - 1, extra = deflate_distance_extra(distance);

	return (2 * extra + (n >> extra)) << 9 | (n & ((1u << extra) - 1)) << 19;
}
