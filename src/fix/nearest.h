/*
 * Colours that are in no table, as JPEG and smoothing make them, by the nearest colour of the table: with --nearest.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/settings.h"
#include "read/input.h"

/* Says what a colour becomes. */
struct nearest_id {
	int32_t id;
	uint32_t distance; /* its square; 0: the table has the colour, or it is ignored by --ignore */
};

/* The last answers, since neighbouring pixels have few colours. One thread; all zero: empty. */
struct nearest_memory {
	struct {
		uint32_t colour; /* plus 1; 0: empty */
		struct nearest_id answer;
	} slots[1 << 12];
};

struct nearest_id nearest_of(struct nearest_memory *m, const struct settings *settings, uint32_t colour);
/*
 * Counts the pixels of a mask that are in no colour of the table, and fills the square of the largest distance. path:
 * NULL if it can only be read from memory. Returns why that cannot be, or NULL.
 */
const char *nearest_count(const struct settings *settings, const struct input *input, const char *path,
			  uint64_t *guessed, uint32_t *farthest);
