/*
 * What a list of labels, or a file of boxes, has that is wrong, in counts: a part of struct label_stats. Integers only.
 */
#ifndef MEASURE_LIST_STATS_H
#define MEASURE_LIST_STATS_H

#include <stdint.h>

#include "read/list.h"
#include "read/yolo.h"

/* How many rows, and where the first of them is: PLACE_OF_TEXT, see label_stats.h. */
struct row_tally {
	uint64_t rows, first;
};

static inline void row_tally_add(struct row_tally *tally, uint64_t place)
{
	if (!tally->rows++)
		tally->first = place;
}

struct list_stats {
	uint64_t rows;                        /* without header and blank lines */
	struct row_tally faults[LIST_FAULTS]; /* by enum list_fault */
	uint64_t entries_full;                /* 1: more paths than are compared */
};

struct box_stats {
	uint64_t rows;
	uint64_t types[BOX_TYPES];           /* rows, by enum box_type */
	struct row_tally faults[BOX_FAULTS]; /* by enum box_fault */
	struct row_tally other_type;         /* rows of another type than the first */
	uint64_t lacks_image;                /* 1: its image is missing, see read/yolo_layout.h */
};

#endif
