/*
 * From an encoded PNG to stats with the reference (measure_rows.h). What the reference backend does for every file, and
 * the others for those that are too much for their fast ways. One thread each.
 */
#ifndef MEASURE_MEASURE_PNG_H
#define MEASURE_MEASURE_PNG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/settings.h"
#include "measure/backend.h"
#include "measure/measure_rows.h"
#include "png/decode.h"
#include "png/view.h"

struct measure_png {
	const struct settings *settings; /* borrowed */
	struct measure_rows *rows;
	void *ids;      /* one row of ids */
	size_t ids_cap; /* bytes */
};

void measure_png_init(struct measure_png *m, const struct settings *settings);
void measure_png_release(struct measure_png *m);

/* Nothing of an item that failed half-way may be counted; its sample.fault says why it did. */
void measure_png_fail(struct batch_item *item);

/* True if the backend has to measure it: a PNG that nothing has failed or skipped so far. */
bool measure_png_wants(const struct batch_item *item);

/*
 * Opens the item's PNG and prepares its view. NULL: it has failed, and the item says so.
 */
struct png_decoder *measure_png_open(struct measure_png *m, struct batch_item *item, struct view_map *map);
/* Reads an opened one to its end, fills item->stats and appends its id rows to `ids`. Closes the decoder. */
void measure_png_rest(struct measure_png *m, struct png_decoder *d, const struct view_map *map, struct batch_item *item,
		      struct batch *ids);

/* Adds the values of one row of samples (one byte each) to raw_used. */
void measure_raw_used(uint64_t used[4], const uint8_t *samples, size_t n);

#endif
