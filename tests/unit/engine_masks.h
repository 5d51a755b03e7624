/*
 * Generated PNGs for the tests of the fast path: every colour type, depth, filter, size of window and of IDATs. Each is
 * a good file. Deterministic: the same seed (and zlib), the same file.
 */
#pragma once

#include "pictures.h"

/* In one IDAT or in many, packed in any way. Frees the samples. */
struct bytes random_png(struct picture *p, unsigned filter, uint64_t *s);

/* A mask, grey or with a palette: made of regions, or of the shapes of random_masks.h. */
struct bytes mask_png(uint64_t seed, unsigned depth);

/* A picture of several channels, in few colours. */
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
struct bytes painted_png(const struct paint *paint, const struct mask *m, unsigned filter, uint64_t *s);
/* order: of the palette: 0 of the table, then others, 1 reversed, 2 random, with the same colours many times. */
struct bytes palette_png(const struct mask *m, unsigned depth, unsigned order, uint64_t *s);
