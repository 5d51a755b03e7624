/*
 * struct array_mask: an array [H, W] of ids, measured as the mask that it is.
 *
 * Besides being counted, its rows go through the fast strip (delta.h), as those of a PNG do, which gives the
 * neighbourhood counters, the boxes of offenders and the content key. Axes of length 1 do not count. This works as long
 * as all ids are in 0..65535; other arrays, and noise, are only counted. Where the ids form no regions, the
 * neighbourhood counters are left out.
 *
 * In Fortran order, columns lie in memory where rows would. The strip then measures the transposed mask, and what it
 * gives is turned back. There is no content key in that case, because it depends on the order of rows; and of several
 * equally bad places the one in the first column is reported, not the one in the first row.
 */
#ifndef MEASURE_ARRAY_MASK_H
#define MEASURE_ARRAY_MASK_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/array/array_kernels.h"
#include "measure/backend.h"
#include "measure/engine/delta.h"
#include "measure/id_counter.h"

/* Of all arrays that may hold masks or pictures. */
enum {
	/* Narrower ones are lists of columns, with nothing to see between neighbours. */
	ARRAY_SIDE_MIN = 16,
	/*
	 * From so many pixels on, an array of which more than half of the neighbours in a row differ is noise, or a
	 * table: no mask, and slow to look at. Of masks of the worst kind, a tenth differ.
	 */
	ARRAY_NOISE_PIXELS = 1 << 16,
};

struct array_mask {
	struct delta *delta; /* owned */
	uint8_t *rows;       /* two rows of ids, each with DELTA_SLACK behind it; owned */
	size_t rows_cap;
	bool alive;      /* it may be a mask, by what was seen so far */
	bool no_memory;  /* alive is false because there was none: the array is not measured then */
	bool begun;      /* the strip has begun, because the first ids have told how wide ids are */
	bool wide;       /* ids are uint16_t */
	bool transposed; /* width, height and all that the strip has are those of the transposed mask */
	uint32_t width, height, y;
	size_t filled; /* elements of the row in hand */
};

void array_mask_init(struct array_mask *m, const struct class_set *classes);
void array_mask_release(struct array_mask *m);

/* Forgets the last array and begins with this one. */
void array_mask_begin(struct array_mask *m, const struct array_header *array);
/* Takes the next elements. They are integers, and have been counted in ids already, as have all before them. */
void array_mask_add(struct array_mask *m, const struct id_counter *ids, struct array_elements next);
/* After the last element: fills stats and appends the rows to batch. False: it is no mask, and nothing was changed. */
bool array_mask_end(struct array_mask *m, const struct id_counter *ids, struct label_stats *stats, struct batch *batch);

/*
 * Whether the ids, apart from the most frequent one, form regions: fewer than half of their labels are thin. Tags of
 * words, one sentence a row, do not, nor does a table; what lies between what means nothing in those.
 */
bool array_has_regions(const struct id_stats *rows, uint64_t n);

#endif
