/*
 * struct image_sums: the counters of an image that belong to no id, and the end of an image, which is the same for
 * every measurement of rows: the reference, the delta engine and the full engine.
 */
#pragma once

#include <string.h>

#include "measure/backend.h"
#include "measure/label_stats.h"

enum { IDS_8 = 256, IDS_16 = 65536 }; /* ids of 8 and 16 bits */

/* See struct label_stats for each of them. */
struct image_sums {
	uint64_t edges[2], wide_edges[2], long_between[2]; /* by enum line */
	uint64_t between_pixels;
	struct worst_place worst;
	uint64_t content[2];
};

/* Offers a pixel that lies between its neighbours as the worst one. */
static inline void image_update_worst(struct worst_place *worst, enum line line, uint32_t left, uint32_t id,
				      uint32_t right, uint64_t index)
{
	uint64_t gap = left > right ? left - right : right - left;

	if (index > WORST_INDEX_MASK) /* the key has no bits for it; no file that anybody has holds 2^47 pixels */
		return;
	uint64_t key = worst_key(gap, index, line == LINE_ROW);

	if (key > worst->key)
		*worst = (struct worst_place){ key, left, id, right };
}

static inline void image_put_sums(struct label_stats *stats, const struct image_sums *sums)
{
	memcpy(stats->edges, sums->edges, sizeof(stats->edges));
	memcpy(stats->wide_edges, sums->wide_edges, sizeof(stats->wide_edges));
	memcpy(stats->long_between, sums->long_between, sizeof(stats->long_between));
	stats->between_pixels = sums->between_pixels;
	memcpy(stats->content, sums->content, sizeof(stats->content));
	stats->worst = sums->worst;
}

/* Fills stats, except for raw_used and channels. The id rows are to follow, by image_end_id. */
static inline void image_end(struct label_stats *stats, const struct batch *batch, uint32_t width, uint32_t height,
			     const struct image_sums *sums)
{
	stats->labels = (uint64_t)width * height;
	stats->width = width;
	stats->height = height;
	stats->colours = 0;
	stats->neighbours = 1;
	stats->ids_at = batch->ids_count;
	stats->ids_count = 0;
	image_put_sums(stats, sums);
}

/* Appends the row of an id that occurs. Call it in rising order of ids. */
static inline struct id_stats *image_end_id(struct label_stats *stats, struct batch *batch, uint32_t id)
{
	if (stats->ids_count++ == 0)
		stats->min = id;
	stats->max = id;
	return batch_add_ids(batch, 1);
}
