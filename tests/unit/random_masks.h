/*
 * Small random masks for tests: the shapes that border cases hide in. Deterministic: the same seed, the same mask.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "random.h"

struct mask {
	uint32_t width, height;
	uint16_t *ids; /* owned; ids below `ids_end` */
	uint32_t ids_end;
};

/* ids_end: 256 or 65536. side_max: of either side; warps have 32 lanes, so more than 64 is worth it. */
static inline struct mask mask_random(uint64_t seed, uint32_t ids_end, uint32_t side_max)
{
	uint64_t s = seed;
	struct mask m = { .width = 1 + random_below(&s, side_max), .height = 1 + random_below(&s, side_max) };
	uint32_t shape = random_below(&s, 8), style = random_below(&s, 6), few, palette[8];

	m.ids_end = ids_end;
	if (shape == 0)
		m.height = 1;
	else if (shape == 1)
		m.width = 1;
	else if (shape == 2)
		m.width = 32 * (1 + random_below(&s, MAX(side_max / 32, 1u)));
	m.ids = xmalloc((size_t)m.width * m.height * sizeof(*m.ids));

	few = 1 + random_below(&s, ARRAY_SIZE(palette));
	for (uint32_t i = 0; i < ARRAY_SIZE(palette); i++)
		palette[i] = random_below(&s, 3) ? random_below(&s, 24) : random_below(&s, ids_end);
	for (uint32_t y = 0; y < m.height; y++) {
		for (uint32_t x = 0; x < m.width; x++) {
			uint16_t *id = &m.ids[(size_t)y * m.width + x];
			uint32_t v;

			switch (style) {
			case 0: /* noise of all ids */
				v = random_below(&s, ids_end);
				break;
			case 1: /* noise of a few */
				v = palette[random_below(&s, few)];
				break;
			case 2: /* runs along rows */
				v = x > 0 && random_below(&s, 5) ? id[-1] : palette[random_below(&s, few)];
				break;
			case 3: /* blobs: mostly the left or the upper neighbour */
				if (x > 0 && random_below(&s, 2))
					v = id[-1];
				else if (y > 0 && random_below(&s, 8))
					v = *(id - m.width);
				else
					v = palette[random_below(&s, few)];
				break;
			case 4: /* two areas and a border between them whose id lies between: what interpolation leaves
				 */
				v = x + y / 2 < m.width / 2 ? palette[0] : palette[1];
				if (x + y / 2 == m.width / 2)
					v = (palette[0] + palette[1]) / 2;
				break;
			default: /* thin lines on a ground */
				v = x % 7 == 3 || y % 5 == 2 ? palette[(x / 7 + y / 5) % few] : palette[0];
				break;
			}
			*id = (uint16_t)v;
		}
	}
	return m;
}

static inline void mask_release(struct mask *m)
{
	free(m->ids);
	m->ids = NULL;
}

/* The ids as bytes, in a block of exactly that size, so that a sanitizer sees a read past its end. */
static inline uint8_t *mask_bytes(const struct mask *m)
{
	size_t n = (size_t)m->width * m->height;
	uint8_t *bytes = xmalloc(n);

	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)m->ids[i];
	return bytes;
}
