#include "measure/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/coded.h"

void reference_init(struct reference *r, const struct settings *settings)
{
	*r = (struct reference){ .settings = settings, .rows = reference_rows_new(&settings->classes) };
}

void reference_release(struct reference *r)
{
	reference_rows_free(r->rows);
	reference_rows_free(r->channels);
	free(r->ids);
	*r = (struct reference){ 0 };
}

struct png_decoder *reference_open(struct reference *r, struct batch_item *item, struct view_map *map)
{
	struct png_decoder *d;

	memset(&item->stats, 0, sizeof(item->stats));
	if (!png_decoder_open(&d, &item->input, &r->settings->limits, &item->sample)) {
		batch_item_fail(item);
		return NULL;
	}
	view_map_of(map, &item->sample.png, r->settings);
	return d;
}

void raw_used_add(uint64_t used[4], const uint8_t *samples, size_t n)
{
	for (size_t i = 0; i < n; i++)
		used[samples[i] / 64] |= UINT64_C(1) << samples[i] % 64;
}

static bool no_memory(struct batch_item *item)
{
	return fault_no_memory(&item->sample.fault, FAULT_NO_OFFSET, "not enough memory for rows of %u pixels",
			       item->sample.png.width);
}

static bool begin(struct reference *r, const struct view_map *map, struct batch_item *item)
{
	const struct png_header *png = &item->sample.png;

	if (!map->has_ids) {
		reference_channels_begin(r->rows, png->width, png->height, png->channels, png->bit_depth == 16);
		return true;
	}
	/* the limits cover this memory: each id has a sample in the row that the decoder holds */
	if (!map->identity) {
		r->ids = mem_try_fit(r->ids, &r->ids_cap, (size_t)png->width * (map->wide ? 2 : 1));
		if (!r->ids)
			return no_memory(item);
	}
	if (map->coded && png->channels > 1) {
		if (!r->channels)
			r->channels = reference_rows_new(&r->settings->classes);
		reference_channels_begin(r->channels, png->width, png->height, png->channels, png->bit_depth == 16);
	}
	return reference_rows_begin(r->rows, png->width, png->height, map->wide) || no_memory(item);
}

/* Adds a row of an image in RGB: its channels, and the ids of its colours. */
static void add_coded(struct reference *r, const void *row)
{
	reference_channels_add(r->channels, row);
	reference_channels_ids(r->channels, &r->settings->colours, row, r->ids);
	reference_rows_add(r->rows, r->ids);
}

static void end_ids(struct reference *r, const struct view_map *map, struct batch_item *item, struct batch *ids)
{
	const struct png_header *png = &item->sample.png;
	uint32_t unknown[COLOURS_MAX];

	if (map->coded && png->channels > 1 && !reference_channels_unknown(r->channels, unknown)) {
		reference_channels_end(r->channels, &item->stats, ids);
		return;
	}
	reference_rows_end(r->rows, &item->stats, ids);
	if (!map->coded)
		return;
	if (png->channels == 1)
		coded_palette_unknown(map, png, unknown);
	coded_end(&item->stats, ids, &r->settings->classes, unknown);
}

static bool measure_all(struct reference *r, struct png_decoder *d, const struct view_map *map, struct batch_item *item,
			struct batch *ids)
{
	const struct png_header *png = &item->sample.png;
	bool has_raw = png->channels == 1 && png->bit_depth <= 8;
	uint64_t raw_used[4] = { 0 };

	if (!begin(r, map, item))
		return false;
	for (uint32_t y = 0; y < png->height; y++) {
		const void *row = png_decoder_row(d);

		if (!row)
			return false;
		if (has_raw)
			raw_used_add(raw_used, row, png->width);
		if (!map->has_ids) {
			reference_channels_add(r->rows, row);
		} else if (map->coded && png->channels > 1) {
			add_coded(r, row);
		} else if (map->identity) {
			reference_rows_add(r->rows, row);
		} else {
			view_map_row(map, row, png->width, r->ids);
			reference_rows_add(r->rows, r->ids);
		}
	}
	if (!png_decoder_finish(d))
		return false;
	if (map->has_ids)
		end_ids(r, map, item, ids);
	else
		reference_channels_end(r->rows, &item->stats, ids);
	memcpy(item->stats.raw_used, raw_used, sizeof(raw_used));
	return true;
}

void reference_measure(struct reference *r, struct png_decoder *d, const struct view_map *map, struct batch_item *item,
		       struct batch *ids)
{
	if (!measure_all(r, d, map, item, ids))
		batch_item_fail(item);
	png_decoder_close(d);
}

/* ---- the backend ------------------------------------------------------------------------------------------------ */

static enum status reference_backend_probe(int device, char *text, size_t n, struct error *err)
{
	(void)device;
	(void)err;
	snprintf(text, n, "cpu reference");
	return STATUS_OK;
}

static enum status reference_backend_open(void **self, const struct settings *settings, int device, struct error *err)
{
	struct reference *r = xmalloc(sizeof(*r));

	(void)device;
	(void)err;
	reference_init(r, settings);
	*self = r;
	return STATUS_OK;
}

static void reference_backend_measure(void *self, struct batch *batch)
{
	struct reference *r = self;

	for (size_t i = 0; i < batch->count; i++) {
		struct batch_item *item = &batch->items[i];
		struct view_map map;

		if (!batch_item_needs_backend(item))
			continue;
		struct png_decoder *d = reference_open(r, item, &map);

		if (d)
			reference_measure(r, d, &map, item, batch);
	}
}

static void reference_backend_close(void *self)
{
	struct reference *r = self;

	reference_release(r);
	free(r);
}

const struct backend backend_cpu_reference = {
	.name = "cpu-reference",
	.probe = reference_backend_probe,
	.open = reference_backend_open,
	.measure = reference_backend_measure,
	.close = reference_backend_close,
	/* Enough to make the queue cheap, few enough to keep all workers busy at the end of a small set. */
	.batch_files = 16,
	.batch_bytes = 4 << 20,
};
