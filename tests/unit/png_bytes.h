/* For tests: builds PNG files in memory from their parts, so that any part can be wrong. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "random_masks.h"

struct bytes {
	uint8_t *p; /* owned; exactly n bytes, so that a sanitizer sees a read past its end */
	size_t n;
};

static inline void bytes_add(struct bytes *b, const void *p, size_t n)
{
	b->p = xrealloc(b->p, b->n + n);
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

/*
 * Moves the bytes of `some` to the end of b if there are more than `most`. Chunks are collected there first, since
 * bytes_add copies all of b, and there may be 10^5 chunks of one byte.
 */
static inline void bytes_drain(struct bytes *b, struct bytes *some, size_t most)
{
	if (some->n <= most)
		return;
	bytes_add(b, some->p, some->n);
	some->n = 0;
}

static inline void put_be32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static inline void bytes_be32(struct bytes *b, uint32_t v)
{
	uint8_t four[4];

	put_be32(four, v);
	bytes_add(b, four, 4);
}

static inline void bytes_chunk(struct bytes *b, const char *type, const void *data, size_t n)
{
	uint8_t *chunk;

	b->p = xrealloc(b->p, b->n + n + 12);
	chunk = b->p + b->n;
	put_be32(chunk, (uint32_t)n);
	memcpy(chunk + 4, type, 4);
	if (n)
		memcpy(chunk + 8, data, n);
	put_be32(chunk + 8 + n, (uint32_t)crc32(0, chunk + 4, (uInt)n + 4));
	b->n += n + 12;
}

/* Signature and IHDR. */
static inline void png_begin(struct bytes *b, uint32_t width, uint32_t height, unsigned depth, unsigned colour,
			     unsigned interlace)
{
	uint8_t rest[] = { (uint8_t)depth, (uint8_t)colour, 0, 0, (uint8_t)interlace };
	struct bytes ihdr = { 0 };

	bytes_be32(&ihdr, width);
	bytes_be32(&ihdr, height);
	bytes_add(&ihdr, rest, sizeof(rest));
	bytes_add(b, "\x89PNG\r\n\x1a\n", 8);
	bytes_chunk(b, "IHDR", ihdr.p, ihdr.n);
	free(ihdr.p);
}

/* Makes the CRCs right again, so that damage in front of them is not seen by them. */
static inline void png_mend_crcs(struct bytes *b)
{
	for (size_t at = 8; at + 12 <= b->n;) {
		size_t n = be32(b->p + at);

		if (n > b->n - at - 12)
			return;
		uint32_t crc = (uint32_t)crc32(0, b->p + at + 4, (uInt)n + 4);

		for (unsigned i = 0; i < 4; i++)
			b->p[at + 8 + n + i] = (uint8_t)(crc >> (24 - 8 * i));
		at += n + 12;
	}
}

/* A copy that is cut, has a tail, or a few flipped bits. */
static inline struct bytes bytes_damaged(const struct bytes *whole, uint64_t *s)
{
	struct bytes b = { 0 };
	uint32_t kind = random_below(s, 8);

	bytes_add(&b, whole->p, whole->n);
	if (kind == 0)
		b.n = random_below(s, (uint32_t)b.n);
	else if (kind == 1)
		bytes_add(&b, "tail", 4);
	else
		for (uint32_t flips = 1 + random_below(s, 3); flips; flips--)
			b.p[random_below(s, (uint32_t)b.n)] ^= (uint8_t)(1u << random_below(s, 8));
	return b;
}

/*
 * Returns the value that a filter (PNG 9.2) subtracts from byte i of a row. above: NULL for the first row; bpp: bytes
 * of a pixel, at least 1.
 */
static inline unsigned filter_predicts(unsigned filter, const uint8_t *row, const uint8_t *above, size_t i, size_t bpp)
{
	int a = i >= bpp ? row[i - bpp] : 0, b = above ? above[i] : 0, c = above && i >= bpp ? above[i - bpp] : 0;
	int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);

	switch (filter) {
	case 1:
		return (unsigned)a;
	case 2:
		return (unsigned)b;
	case 3:
		return (unsigned)(a + b) / 2;
	case 4:
		return (unsigned)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
	default:
		return 0;
	}
}
