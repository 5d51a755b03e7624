/*
 * Sizes of the image data of a PNG: rows of one pass or, if interlaced, of the seven passes of Adam7 in order (PNG
 * specification, section 8.2). Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "read/sample.h"

enum { ADAM7_PASSES = 7 };

/* Position of the first pixel of a pass, and the distances between its pixels. */
struct adam7_pass {
	uint8_t x0, y0, dx, dy;
};

extern const struct adam7_pass adam7[ADAM7_PASSES];

/* Return the pixels of a row and the rows of a pass. If either is 0, the file has no rows of the pass. */
static inline uint32_t pass_width(const struct png_header *h, const struct adam7_pass *p)
{
	return h->width <= p->x0 ? 0 : (h->width - p->x0 - 1) / p->dx + 1;
}

static inline uint32_t pass_height(const struct png_header *h, const struct adam7_pass *p)
{
	return h->height <= p->y0 ? 0 : (h->height - p->y0 - 1) / p->dy + 1;
}

/* Returns the bytes of a filtered row of width pixels, with its filter byte. */
static inline uint64_t filtered_row_bytes(const struct png_header *h, uint32_t width)
{
	return ((uint64_t)width * h->channels * h->bit_depth + 7) / 8 + 1;
}

/* Returns bpp of the PNG specification: the distance in bytes of a byte and the one to its left that predicts it. */
static inline size_t png_pixel_bytes(const struct png_header *h)
{
	return h->bit_depth < 8 ? 1 : h->channels * (h->bit_depth / 8u);
}

/*
 * libpng's own default for a chunk that it would hold in memory, and so part of what it accepts; said so that no build
 * differs.
 */
#define CHUNK_BYTES_MAX 8000000

/* Returns the length of the longest IDAT that libpng accepts without a warning, as png_check_chunk_length does. */
uint64_t idat_bytes_max(const struct png_header *h);

/* Returns the bytes of all filtered rows, at most UINT64_MAX; *rows: of all passes. */
uint64_t filtered_bytes(const struct png_header *h, uint64_t *rows);
