/*
 * struct array_colours: an array that may be a picture, measured as one.
 *
 * An array of bytes of shape [H, W, 3] or [N, H, W, 3] may hold masks in colours, or masks whose channels are equal,
 * saved as np.array(Image.open(f)) gives them; or the same with a fourth channel, alpha, if that is the same
 * everywhere. While its elements are counted as ids, it is also measured as a picture (colour.h), and it is taken
 * for one, so that the ids are forgotten, if
 *
 *   - all channels are equal, so that one of them would do; or
 *   - they are not, and some value is neither a class nor ignored, so that the values are no ids; or
 *   - they are not, and all values are 0 and 1: classes side by side.
 *
 * Only arrays in C order with sides of ARRAY_SIDE_MIN and more are looked at.
 */
#ifndef MEASURE_ARRAY_COLOURS_H
#define MEASURE_ARRAY_COLOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/array/array_kernels.h"
#include "measure/backend.h"
#include "measure/engine/colour.h"
#include "measure/id_counter.h"

struct array_colours {
	struct colour_measurer *meter; /* NULL until the first one comes; owned */
	uint8_t *rows;                 /* two, each with COLOUR_SLACK behind it; owned */
	size_t rows_cap, row_bytes, filled;
	bool alive;     /* it may be a picture, by what was seen so far */
	bool no_memory; /* alive is false because there was none: the array is not measured then */
	bool stacked;
	uint32_t width, height, y; /* height: of all pictures together */
	unsigned channels;
};

void array_colours_release(struct array_colours *c);

void array_colours_begin(struct array_colours *c, const struct array_header *array);
/* As array_mask_add. */
void array_colours_add(struct array_colours *c, const struct id_counter *ids, struct array_elements next);
/*
 * To be called after the last element and before id_counter_end. True: the array is a picture; stats and batch have got
 * what colour_measurer_end gives. False: it is none, and nothing was changed. may_be_classes: all elements are on or
 * off, and an axis is about as long as there are classes; then it is a picture in the first of the three cases alone,
 * and only if it is not all zeros.
 */
bool array_colours_end(struct array_colours *c, const struct id_counter *ids, bool may_be_classes,
		       struct label_stats *stats, struct batch *batch);

#endif
