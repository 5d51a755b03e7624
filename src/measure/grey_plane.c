#include "measure/grey_plane.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "png/decode.h"

/* Nothing lies between two ids, and a binary mask that was resized has more. */
enum { IDS_MIN = 3, IDS_MAX = 256, GREY = 0x010101 };

void grey_plane_release(struct grey_plane *g)
{
	reference_rows_free(g->rows);
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

/* Adds the first channel of each row. Returns false if the file cannot be read again. */
static bool add_rows(struct grey_plane *g, struct png_decoder *d, const struct png_header *png)
{
	uint8_t *ids = g->row;

	for (uint32_t y = 0; y < png->height; y++) {
		const uint8_t *row = png_decoder_row(d);

		if (!row)
			return false;
		for (uint32_t x = 0; x < png->width; x++)
			ids[x] = row[(size_t)x * png->channels];
		reference_rows_add(g->rows, ids);
	}
	return png_decoder_finish(d);
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
	struct png_decoder *d;
	struct label_stats plane = { 0 };

	if (item->cached || item->input.stream.read || !is_grey(item))
		return;
	struct sample again = item->sample; /* the verdict on the file was given */

	if (!png_decoder_open(&d, &item->input, &settings->limits, &again))
		return;
	if (!g->rows)
		g->rows = reference_rows_new(&settings->classes);
	g->row = mem_try_fit(g->row, &g->row_cap, again.png.width);
	batch_clear(&g->ids);
	if (g->row && reference_rows_begin(g->rows, again.png.width, again.png.height, false) &&
	    add_rows(g, d, &again.png)) {
		struct id_stats *colours = batch->ids + item->stats.ids_at;

		reference_rows_end(g->rows, &plane, &g->ids);
		if (are_same(g->ids.ids + plane.ids_at, (size_t)plane.ids_count, colours,
			     (size_t)item->stats.ids_count))
			keep(&plane, g->ids.ids + plane.ids_at, &item->stats, colours);
	}
	png_decoder_close(d);
}
