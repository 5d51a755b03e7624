/*
 * Generated one-channel PNGs for the tests of the fast path: every depth, filter, size of window and of IDATs. Each is
 * a good file. Deterministic: the same seed (and zlib), the same file.
 */
#pragma once

#include "png_bytes.h"

/* IHDR: colour is PNG_GREY or PNG_PALETTE. */
struct image {
	uint32_t width, height;
	unsigned depth, colour;
};

/* samples: packed as the file has them, without filter bytes. filter: 0..4, or 5: another one each row. */
struct bytes image_png(const struct image *im, const uint8_t *samples, size_t row_bytes, unsigned filter, uint64_t *s);

/* A mask, grey or with a palette: made of regions, or of the shapes of random_masks.h. */
struct bytes mask_png(uint64_t seed, unsigned depth);
