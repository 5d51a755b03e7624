#include "measure/grey_plane.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Nothing lies between two ids, and a binary mask that was resized has more. */
enum { IDS_MIN = 3, IDS_MAX = 256, GREY = 0x010101 };

void grey_plane_release(struct grey_plane *g)
{
	sample_rows_release(&g->rows);
	delta_free(g->delta);
	free(g->row);
	batch_release(&g->ids);
	*g = (struct grey_plane){ 0 };
}

/* Returns whether the channels of 8 bits are equal everywhere, and alpha is the same. */
static bool is_grey(const struct batch_item *item)
{
	const struct label_stats *s = &item->stats;
	const struct channel_stats *c = &s->channels;

	return item->sample.status == SAMPLE_READ && item->sample.format == FORMAT_PNG && s->colours && !s->coded &&
	       !s->neighbours && item->sample.png.bit_depth == 8 && item->sample.png.channels >= 3 &&
	       !c->unequal_pixels && c->alpha_min == c->alpha_max && !c->colours_cut && s->ids_count >= IDS_MIN &&
	       s->ids_count <= IDS_MAX;
}

/* Measures the first channel of all rows: a sample_rows_taker. */
static bool measure_rows(void *context, struct sample_rows *rows)
{
	const struct png_header *png = &rows->sample.png;
	struct grey_plane *g = context;
	const size_t bytes = (size_t)png->width + DELTA_SLACK;

	g->row = mem_try_fit(g->row, &g->row_cap, 2 * bytes);
	if (!g->row || png->width > DELTA_WIDTH_MAX || !delta_begin(g->delta, png->width, png->height, false))
		return false;
	uint8_t *ids = g->row, *above = ids + bytes;

	for (uint32_t y = 0; y < png->height; y++) {
		const uint8_t *row = sample_rows_next(rows);

		if (!row)
			return false;
		for (uint32_t x = 0; x < png->width; x++)
			ids[x] = row[(size_t)x * png->channels];
		if (y && !memcmp(ids, above, png->width))
			delta_repeat_row(g->delta);
		else
			delta_add_ids(g->delta, ids);
		uint8_t *last = above;

		above = ids;
		ids = last;
	}
	return sample_rows_end(rows);
}

/* Copies the counters of the ids, which are as many as the colours, and in the same order. */
static void keep(const struct label_stats *plane, const struct id_stats *ids, struct label_stats *stats,
		 struct id_stats *colours)
{
	memcpy(stats->edges, plane->edges, sizeof(stats->edges));
	memcpy(stats->wide_edges, plane->wide_edges, sizeof(stats->wide_edges));
	memcpy(stats->long_between, plane->long_between, sizeof(stats->long_between));
	stats->between_pixels = plane->between_pixels;
	stats->worst = plane->worst;
	stats->neighbours = 1;
	for (size_t i = 0; i < stats->ids_count; i++) {
		colours[i].thin = ids[i].thin;
		memcpy(colours[i].lone, ids[i].lone, sizeof(ids[i].lone));
		memcpy(colours[i].between, ids[i].between, sizeof(ids[i].between));
	}
}

static bool are_same(const struct id_stats *ids, size_t count, const struct id_stats *colours, size_t n)
{
	for (size_t i = 0; i < n && count == n; i++)
		if (colours[i].id != ids[i].id * GREY || colours[i].labels != ids[i].labels)
			return false;
	return count == n;
}

void grey_plane_measure(struct grey_plane *g, const struct settings *settings, struct batch_item *item,
			struct batch *batch)
{
	struct label_stats plane = { 0 };

	if (item->cached || item->input.stream.read || !is_grey(item) ||
	    !input_rewind(&item->input, &g->rows.sample.fault))
		return;
	if (!g->delta)
		g->delta = delta_new(&settings->classes, NULL);
	/* its faults are not reported: the verdict on the file was given */
	if (!sample_rows_read(&g->rows, &item->input, &settings->limits, measure_rows, g))
		return;
	struct id_stats *colours = batch->ids + item->stats.ids_at;

	batch_clear(&g->ids);
	delta_end(g->delta);
	delta_finish(g->delta, &plane, &g->ids);
	if (are_same(g->ids.ids + plane.ids_at, (size_t)plane.ids_count, colours, (size_t)item->stats.ids_count))
		keep(&plane, g->ids.ids + plane.ids_at, &item->stats, colours);
}
