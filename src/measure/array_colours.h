/*
 * An array [H, W, 3] or [N, H, W, 3] of bytes may be a picture, or a stack of them: masks that hold colours, or equal
 * channels, saved as np.array(Image.open(f)) gives them. With 4 the last channel is alpha, if it is the same
 * everywhere. Such an array is measured as a picture besides (fast_colour.h), and its ids are forgotten if it is one:
 *
 *   - all channels are equal, so that one of them would do; or
 *   - they are not, and some value is neither a class nor ignored, so that they are no ids; or
 *   - they are not, and all values are 0 and 1: classes side by side.
 *
 * In C order; sides of 16 and more.
 */
#ifndef MEASURE_ARRAY_COLOURS_H
#define MEASURE_ARRAY_COLOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/backend.h"
#include "measure/fast_colour.h"
#include "measure/id_counter.h"

struct array_colours {
	struct colour_meter *meter; /* NULL until the first one comes; owned */
	uint8_t *rows;              /* two, each with COLOUR_SLACK behind it; owned */
	size_t rows_cap, row_bytes, filled;
	bool alive;     /* what was seen so far fits */
	bool no_memory; /* so that it is not; the array is not measured then */
	bool stacked;
	uint32_t width, height, y; /* height: of all pictures */
	unsigned channels;
};

void array_colours_release(struct array_colours *c);

void array_colours_begin(struct array_colours *c, const struct array_header *array);
/* As array_mask_add. */
void array_colours_add(struct array_colours *c, const struct id_counter *ids, const void *v, unsigned bytes,
		       bool is_float, bool is_bool, size_t n);
/*
 * After the last element, before id_counter_end. True: the array holds a picture; stats are what colour_meter_end
 * gives, and its rows are in batch. False: nothing is done. may_be_classes: elements are on or off, and an axis is as
 * long as there are classes, or nearly; then it is a picture in the first case alone, and if it is not all zeros.
 */
bool array_colours_end(struct array_colours *c, const struct id_counter *ids, bool may_be_classes,
		       struct label_stats *stats, struct batch *batch);

#endif
