/*
 * struct array_mask: an array [H, W] of ids, measured as the mask that it is.
 *
 * Its rows go through the delta engine (delta.h), like those of a PNG, which gives the neighbourhood counters, the
 * boxes of offenders and the content key. Axes of length 1 are ignored. Ids must be in 0..65535; arrays with other ids,
 * and noise, are only counted. If the ids form no regions, there are no neighbourhood counters.
 *
 * An array in Fortran order is measured transposed, since its columns lie in memory where rows would, and the
 * statistics are transposed back. It has no content key, which depends on the order of rows; and of several equally bad
 * pixels the one in the first column is reported, not the one in the first row.
 */
#ifndef MEASURE_ARRAY_MASK_H
#define MEASURE_ARRAY_MASK_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/array/array_rows.h"
#include "measure/backend.h"
#include "measure/engine/delta.h"
#include "measure/id_counter.h"

/* For all arrays that may hold masks or images. */
enum {
	/* Narrower arrays are lists of columns, whose neighbours mean nothing. */
	ARRAY_SIDE_MIN = 16,
	/*
	 * An array with at least this many pixels, in which more than half of the neighbours in rows differ, is noise
	 * or a table: not a mask, and slow to measure. In the worst masks, a tenth differ.
	 */
	ARRAY_NOISE_PIXELS = 1 << 16,
};

struct array_mask {
	struct delta *delta; /* owned */
	struct array_rows rows;
	bool alive;      /* it may still be a mask */
	bool no_memory;  /* alive is false because memory ran out: the array fails */
	bool begun;      /* rows and the engine have begun: the first elements have decided whether ids are wide */
	bool transposed; /* width, height and the engine's state are those of the transposed mask */
	uint32_t width, height;
};

void array_mask_init(struct array_mask *m, const struct class_set *classes);
void array_mask_release(struct array_mask *m);

/* Begins with an array, and forgets the last one. */
void array_mask_begin(struct array_mask *m, const struct array_header *array);
/* Adds the next elements. They are integers, and ids has counted them and all before them. */
void array_mask_add(struct array_mask *m, const struct id_counter *ids, struct array_elements next);
/* After the last element: fills stats and appends id rows to batch. Returns false if it is no mask. */
bool array_mask_end(struct array_mask *m, const struct id_counter *ids, struct label_stats *stats, struct batch *batch);

/*
 * Returns whether the ids, apart from the most frequent one, form regions: fewer than half of their labels are thin.
 * Tags of words, one sentence per row, do not, nor does a table; their neighbours mean nothing.
 */
bool array_has_regions(const struct id_stats *rows, uint64_t n);

#endif
