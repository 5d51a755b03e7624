/*
 * struct reference: from an encoded PNG to label_stats with libpng and plain loops (reference_rows.h).
 *
 * The backend cpu-reference does this for every file; the other backends do it for the files that their fast paths do
 * not take, and for damaged ones, because the libpng decoder owns every verdict. One per worker; one thread.
 */
#pragma once

#include <stddef.h>

#include "base/settings.h"
#include "measure/backend.h"
#include "measure/reference_rows.h"
#include "png/decode.h"
#include "png/view.h"

struct reference {
	const struct settings *settings; /* borrowed */
	struct reference_rows *rows;
	struct reference_rows *channels; /* of an image in RGB that is coded; NULL before the first */
	void *ids;                       /* one row of ids */
	size_t ids_cap;                  /* bytes */
};

void reference_init(struct reference *r, const struct settings *settings);
void reference_release(struct reference *r);

/* Opens the item's PNG and prepares its view. Returns NULL if that fails; then the item is failed. */
struct png_decoder *reference_open(struct reference *r, struct batch_item *item, struct view_map *map);
/*
 * Reads an opened PNG to its end, fills item->stats and appends its id rows to `ids`; or fails the item. Closes the
 * decoder.
 */
void reference_measure(struct reference *r, struct png_decoder *d, const struct view_map *map, struct batch_item *item,
		       struct batch *ids);

/* Sets the bits of n samples, one byte each, in label_stats.raw_used. */
void raw_used_add(uint64_t used[4], const uint8_t *samples, size_t n);
