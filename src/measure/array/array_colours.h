/*
 * struct array_colours: an array that may be an image, measured as one.
 *
 * An array with ids in 0..255 and the shape [H, W, 3] or [N, H, W, 3] may hold masks in colours, or masks with equal
 * channels, as np.array(Image.open(f)) gives them; or the same with a constant fourth channel, alpha. While its
 * elements are counted as ids, it is also measured as an image (colour.h). It is reported as an image, without ids, if
 *
 *   - all channels are equal, so that one of them would do; or
 *   - they are not, and some value is neither a class nor ignored, so that the values are not ids; or
 *   - they are not, and all values are 0 and 1: classes side by side.
 *
 * Only arrays in C order with at least ARRAY_SIDE_MIN rows and columns are measured this way.
 */
#ifndef MEASURE_ARRAY_COLOURS_H
#define MEASURE_ARRAY_COLOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/array/array_rows.h"
#include "measure/backend.h"
#include "measure/engine/colour.h"
#include "measure/id_counter.h"

struct array_colours {
	struct colour_measurer *measurer; /* NULL before the first image; owned */
	struct array_rows rows;           /* of samples */
	bool alive;                       /* it may still be an image */
	bool no_memory;                   /* alive is false because memory ran out: the array fails */
	bool stacked;
	uint32_t width, height; /* height: of all images together */
	unsigned channels;
};

void array_colours_release(struct array_colours *c);

void array_colours_begin(struct array_colours *c, const struct array_header *array);
/* Like array_mask_add. */
void array_colours_add(struct array_colours *c, const struct id_counter *ids, struct array_elements next);
/*
 * After the last element and before id_counter_end: returns whether the array is an image; then stats and batch are
 * filled as by colour_measurer_end. may_be_classes: all elements are on or off, and an axis is about as long as there
 * are classes; then only the first of the three cases makes it an image.
 */
bool array_colours_end(struct array_colours *c, const struct id_counter *ids, bool may_be_classes,
		       struct label_stats *stats, struct batch *batch);

#endif
