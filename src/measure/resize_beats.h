/*
 * Finds where a resize mixed neighbouring pixels: a second look at the lone pixels of a mask.
 *
 * A resize from v to w pixels mixes two ids where a pixel of the result lies halfway between two of the source. That
 * comes back every w / |w - v| pixels, |w - v| times along a line: the beats. So the lone pixels
 * (measure/label_stats.h) that a filter made stand in few columns and few rows, at even distances; those that somebody
 * drew stand anywhere. The ids do not matter: this finds mixed colours, too, and filters that mix few pixels.
 *
 * The counters cannot tell, so a mask is decoded again if its lone pixels are many and its edges not many more: one
 * clean mask in ten. Any backend gives the same result, since it depends on the mask alone.
 */
#pragma once

#include <stdbool.h>

#include "base/settings.h"
#include "measure/backend.h"
#include "png/sample_rows.h"

/* One per worker; all zero before the first file. */
struct resize_beats {
	struct sample_rows rows;
	void *memory; /* owned */
	size_t memory_cap;
};

void resize_beats_release(struct resize_beats *b);
/* Returns whether a mask deserves a second look. */
bool resize_beats_is_suspicious(const struct batch_item *item, const struct batch *batch);
/* Sets stats.resize_beats of such an item. */
void resize_beats_measure(struct resize_beats *b, const struct settings *settings, struct batch_item *item);
