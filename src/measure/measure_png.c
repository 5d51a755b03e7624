#include "measure/measure_png.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void measure_png_init(struct measure_png *m, const struct settings *settings)
{
	m->settings = settings;
	m->rows = measure_rows_new(&settings->classes);
	m->ids = NULL;
	m->ids_cap = 0;
}

void measure_png_release(struct measure_png *m)
{
	measure_rows_free(m->rows);
	free(m->ids);
	m->rows = NULL;
	m->ids = NULL;
}

bool measure_png_wants(const struct batch_item *item)
{
	return item->sample.format == FORMAT_PNG && item->sample.status == SAMPLE_READ;
}

void measure_png_fail(struct batch_item *item)
{
	assert(item->sample.fault.kind != FAULT_NONE);
	item->sample.status = SAMPLE_FAILED;
	memset(&item->stats, 0, sizeof(item->stats));
}

struct png_decoder *measure_png_open(struct measure_png *m, struct batch_item *item, struct view_map *map)
{
	struct png_decoder *d;

	memset(&item->stats, 0, sizeof(item->stats));
	if (!png_decoder_open(&d, &item->input, &m->settings->limits, &item->sample)) {
		measure_png_fail(item);
		return NULL;
	}
	view_map_init(map, &item->sample.png, m->settings->view);
	return d;
}

void measure_raw_used(uint64_t used[4], const uint8_t *samples, size_t n)
{
	for (size_t i = 0; i < n; i++)
		used[samples[i] / 64] |= UINT64_C(1) << samples[i] % 64;
}

/* Room for one row of ids. Each id has a sample in the row that the decoder holds, so that the limits cover it. */
static bool grow_ids(struct measure_png *m, size_t bytes)
{
	if (bytes <= m->ids_cap)
		return true;
	free(m->ids);
	m->ids = mem_try(bytes, 1);
	m->ids_cap = m->ids ? bytes : 0;
	return m->ids;
}

static bool no_memory(struct batch_item *item)
{
	fault_no_memory(&item->sample.fault, FAULT_NO_OFFSET, "no memory for rows of %u pixels",
			item->sample.png.width);
	return false;
}

static bool begin(struct measure_png *m, const struct view_map *map, struct batch_item *item)
{
	const struct png_header *png = &item->sample.png;

	if (!map->has_ids) {
		measure_channels_begin(m->rows, png->width, png->height, png->channels, png->bit_depth == 16);
		return true;
	}
	if (!map->identity && !grow_ids(m, (size_t)png->width * (map->wide ? 2 : 1)))
		return no_memory(item);
	return measure_rows_begin(m->rows, png->width, png->height, map->wide) || no_memory(item);
}

static bool measure_all(struct measure_png *m, struct png_decoder *d, const struct view_map *map,
			struct batch_item *item, struct batch *ids)
{
	const struct png_header *png = &item->sample.png;
	bool has_raw = png->channels == 1 && png->bit_depth <= 8;
	uint64_t raw_used[4] = { 0 };

	if (!begin(m, map, item))
		return false;
	for (uint32_t y = 0; y < png->height; y++) {
		const void *row = png_decoder_row(d);

		if (!row)
			return false;
		if (has_raw)
			measure_raw_used(raw_used, row, png->width);
		if (!map->has_ids) {
			measure_channels_add(m->rows, row);
		} else if (map->identity) {
			measure_rows_add(m->rows, row);
		} else {
			view_map_row(map, row, png->width, m->ids);
			measure_rows_add(m->rows, m->ids);
		}
	}
	if (!png_decoder_finish(d))
		return false;
	if (map->has_ids)
		measure_rows_end(m->rows, &item->stats, ids);
	else
		measure_channels_end(m->rows, &item->stats, ids);
	memcpy(item->stats.raw_used, raw_used, sizeof(raw_used));
	return true;
}

void measure_png_rest(struct measure_png *m, struct png_decoder *d, const struct view_map *map, struct batch_item *item,
		      struct batch *ids)
{
	if (!measure_all(m, d, map, item, ids))
		measure_png_fail(item);
	png_decoder_close(d);
}
