/*
 * Writes DEFLATE (RFC 1951) from literals and matches that the caller chose: blocks with Huffman codes of their own, or
 * with the fixed ones where these take fewer bits. One thread each; the memory is reused.
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
};

struct deflate_blocks {
	struct strbuf *out; /* borrowed */
	uint64_t bits;      /* not yet written, from bit 0 on */
	unsigned bits_count;
	uint8_t bytes[4096]; /* that are not yet in out */
	size_t bytes_count;
	size_t count; /* symbols of the block */
	uint32_t litlen_uses[DEFLATE_LITLEN], distance_uses[DEFLATE_DISTANCES];
	uint32_t symbols[DEFLATE_BLOCK]; /* see pack() */
};

/* Begins a stream, which is appended to out. */
void deflate_begin(struct deflate_blocks *d, struct strbuf *out);
void deflate_literal(struct deflate_blocks *d, uint8_t byte);
/* length: DEFLATE_MATCH_MIN to DEFLATE_MATCH_MAX; distance: 1 to DEFLATE_WINDOW. */
void deflate_match(struct deflate_blocks *d, unsigned length, unsigned distance);
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
