/*
 * The image data of a PNG: rows of one pass over the image or, interlaced, of the seven of Adam7 (PNG specification,
 * section 8.2), one after the other. Pure.
 */
#ifndef PNG_PASSES_H
#define PNG_PASSES_H

#include <stddef.h>
#include <stdint.h>

#include "read/sample.h"

enum { ADAM7_PASSES = 7 };

/* Where the pixels of a pass are: the first one, and how far apart they are. */
struct adam7_pass {
	uint8_t x0, y0, dx, dy;
};

extern const struct adam7_pass adam7[ADAM7_PASSES];

/* Pixels of a row, and rows. A pass that has none of either has no rows in the file. */
static inline uint32_t pass_width(const struct png_header *h, const struct adam7_pass *p)
{
	return h->width <= p->x0 ? 0 : (h->width - p->x0 - 1) / p->dx + 1;
}

static inline uint32_t pass_height(const struct png_header *h, const struct adam7_pass *p)
{
	return h->height <= p->y0 ? 0 : (h->height - p->y0 - 1) / p->dy + 1;
}

/* Bytes that a row of width pixels inflates to, with its filter byte. */
static inline uint64_t filtered_row_bytes(const struct png_header *h, uint32_t width)
{
	return ((uint64_t)width * h->channels * h->bit_depth + 7) / 8 + 1;
}

/* What the filters call bpp: bytes from a pixel to the one that predicts it. */
static inline size_t png_pixel_bytes(const struct png_header *h)
{
	return h->bit_depth < 8 ? 1 : h->channels * (h->bit_depth / 8u);
}

/* Bytes that the image data inflate to; UINT64_MAX if they are more. rows: of all passes. */
uint64_t filtered_bytes(const struct png_header *h, uint64_t *rows);

#endif
