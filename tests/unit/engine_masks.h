/*
 * Generated PNGs for the tests of the fast path: every colour type, depth, filter, size of window and of IDATs. Each is
 * a good file. Deterministic: the same seed (and zlib), the same file.
 */
#pragma once

#include "png_bytes.h"
#include "random_masks.h"

/* IHDR: colour is PNG_GREY or PNG_PALETTE. */
struct image {
	uint32_t width, height;
	unsigned depth, colour;
};

/* samples: packed as the file has them, without filter bytes. filter: 0..4, or 5: another one each row. */
struct bytes image_png(const struct image *im, const uint8_t *samples, size_t row_bytes, unsigned filter, uint64_t *s);

/* A mask, grey or with a palette: made of regions, or of the shapes of random_masks.h. */
struct bytes mask_png(uint64_t seed, unsigned depth);

/* ---- several channels ------------------------------------------------------------------------------------------- */

struct picture {
	uint32_t width, height;
	unsigned channels; /* 2..4 */
	bool deep;
	size_t pixel_bytes, row_bytes;
	uint8_t *samples; /* owned; as PNG has them, without filter bytes */
};

struct picture picture_new(uint32_t width, uint32_t height, unsigned channels, bool deep);
/* filter: 0..4, or 5: another one each row. transparency: with a tRNS, of RGB. */
struct bytes picture_png(const struct picture *p, unsigned filter, bool transparency, uint64_t *s);
struct bytes random_picture_png(uint64_t seed);

/* ---- colours that have ids -------------------------------------------------------------------------------------- */

enum { COLOURS = 24 };

/* The colours of a table: those of even numbers below COLOURS have an id. */
uint32_t colour_at(unsigned i);

struct paint {
	unsigned channels, depth; /* 3 or 4; 8 or 16 */
	unsigned colours;         /* the first of colour_at() */
	bool known_only, grey, alpha_varies;
};

/* A mask in RGB or RGBA. */
struct bytes painted_png(const struct paint *p, const struct mask *m, unsigned filter, uint64_t *s);
/* order: of the palette: 0 of the table, then others, 1 reversed, 2 random, with the same colours many times. */
struct bytes palette_png(const struct mask *m, unsigned depth, unsigned order, uint64_t *s);
