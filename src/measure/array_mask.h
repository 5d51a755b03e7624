/*
 * An array [H, W] of ids is a mask, as a PNG may hold it: its rows also go through the fast strip (fast_strip.h), which
 * gives the neighbourhood counters, the boxes of offenders and the content key. Axes of length 1 do not count. Possible
 * as long as all ids are of 0..65535; other arrays, and noise, are just counted. Where ids form no regions, the
 * counters of neighbours are left out.
 *
 * In Fortran order the columns lie in memory as rows would: the strip sees the mask transposed, and its counters are
 * turned back. Then there is no content key, since that depends on the order of the rows, and of equally bad places
 * the first column's is told.
 */
#ifndef MEASURE_ARRAY_MASK_H
#define MEASURE_ARRAY_MASK_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/backend.h"
#include "measure/fast_strip.h"
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
	struct strip *strip; /* owned */
	const struct strip_code *code;
	uint8_t *rows; /* two rows of ids, each with STRIP_SLACK behind it; owned */
	size_t rows_cap;
	bool alive;      /* what was seen so far fits */
	bool no_memory;  /* so that it is not; the array is not measured then */
	bool begun;      /* the strip has begun, when the first ids told how wide they are */
	bool wide;       /* uint16_t */
	bool transposed; /* what follows, and what the strip has, is of the transposed mask */
	uint32_t width, height, y;
	size_t filled; /* elements of the row in hand */
};

void array_mask_init(struct array_mask *m, const struct class_set *classes);
void array_mask_release(struct array_mask *m);

/* Begins with an array. */
void array_mask_begin(struct array_mask *m, const struct array_header *array);
/*
 * The next n elements of `bytes` bytes, native byte order, all of which are integers and counted in ids already, as are
 * all before them.
 */
void array_mask_add(struct array_mask *m, const struct id_counter *ids, const void *v, unsigned bytes, bool is_float,
		    bool is_bool, size_t n);
/* After the last: fills the counts of stats and appends the rows to batch. False: not alive, nothing is done. */
bool array_mask_end(struct array_mask *m, const struct id_counter *ids, struct label_stats *stats, struct batch *batch);

/*
 * Whether ids other than the most frequent one form regions: fewer of their labels than not are thin. Tags of words,
 * one sentence a row, are none, and neither is a table: what lies between what means nothing there.
 */
bool array_has_regions(const struct id_stats *rows, uint64_t n);

#endif
