/*
 * The backend of the machine's processor. Files that are as they should be go the fast way: a few rows at a
 * time are inflated (png/fast_stream.h) and measured as they are unfiltered (fast_strip.h). What is not taken there
 * goes to the reference (measure_png.h), which owns all verdicts and words.
 */
#include "measure/measure_simd.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/fast_strip.h"
#include "measure/measure_png.h"
#include "png/fast_stream.h"

struct measure_simd {
	struct measure_png reference;
	struct fast_stream stream;
	struct strip *strip;
	const struct strip_code *code;
	/* where ids are not the bytes of the file: one row of them, and two of samples */
	uint8_t *rows; /* owned */
	size_t rows_cap;
	void *ids;
	uint8_t *row[2];
};

static const struct strip_code *best_code(void)
{
	size_t i = 0;

	while (!strip_codes[i]->usable())
		i++;
	return strip_codes[i];
}

struct measure_simd *measure_simd_new(const struct settings *settings, const struct strip_code *code)
{
	struct measure_simd *m = xcalloc(1, sizeof(*m));

	measure_png_init(&m->reference, settings);
	fast_stream_init(&m->stream);
	m->strip = strip_new(&settings->classes);
	m->code = code ? code : best_code();
	return m;
}

void measure_simd_free(struct measure_simd *m)
{
	if (!m)
		return;
	measure_png_release(&m->reference);
	fast_stream_release(&m->stream);
	strip_free(m->strip);
	free(m->rows);
	free(m);
}

/* Identity views of 8-bit samples: the strip undoes the filters itself, and sums up Adler-32 on the way. */
static bool add_filtered_rows(struct measure_simd *m)
{
	struct fast_stream *f = &m->stream;
	size_t row_bytes = f->row_bytes + 1;
	const uint8_t *rows;
	uint32_t count;

	while ((rows = fast_stream_rows(f, &count))) {
		for (; count; count--, rows += row_bytes) {
			if (rows[0] > FILTER_PAETH)
				return false;
			m->code->add_filtered(m->strip, (enum strip_filter)rows[0], rows + 1);
		}
	}
	return !f->rows_left && fast_stream_end(f) && strip_adler32(m->strip) == f->adler;
}

/* Samples of 1, 2 or 4 bits, 8 of them or fewer a byte, to one byte each. */
static void expand_row(const uint8_t *row, unsigned depth, uint32_t width, uint8_t *ids)
{
	unsigned mask = (1u << depth) - 1, each = 8 / depth;
	uint32_t x = 0;

	for (; x + each <= width; x += each, row++)
		for (unsigned i = 0; i < each; i++)
			ids[x + i] = (uint8_t)(*row >> (8 - depth * (i + 1)) & mask);
	for (unsigned shift = 8; x < width; x++) {
		shift -= depth;
		ids[x] = (uint8_t)(*row >> shift & mask);
	}
}

static void ids_of_row(const struct measure_simd *m, const struct png_header *png, const struct view_map *map,
		       const uint8_t *row, uint64_t raw_used[4])
{
	uint8_t *ids = m->ids;
	uint16_t *wide = m->ids;

	if (png->bit_depth == 16) {
		for (uint32_t x = 0; x < png->width; x++) {
			if (map->wide)
				wide[x] = (uint16_t)(row[2 * x] << 8 | row[2 * x + 1]);
			else
				ids[x] = row[2 * x];
		}
		return;
	}
	if (png->bit_depth < 8) {
		expand_row(row, png->bit_depth, png->width, ids);
		row = ids;
	}
	measure_raw_used(raw_used, row, png->width);
	if (map->identity) {
		if (row != ids)
			memcpy(ids, row, png->width);
		return;
	}
	for (uint32_t x = 0; x < png->width; x++)
		ids[x] = map->lut[row[x]];
}

static bool grow_rows(struct measure_simd *m, size_t row_bytes, size_t ids_bytes)
{
	size_t bytes = 2 * row_bytes + ids_bytes;

	if (bytes > m->rows_cap) {
		free(m->rows);
		m->rows = mem_try_zero(bytes, 1);
		m->rows_cap = m->rows ? bytes : 0;
	}
	if (!m->rows)
		return false;
	/* the ids first: they want to be aligned */
	m->ids = m->rows;
	m->row[0] = m->rows + ids_bytes;
	m->row[1] = m->row[0] + row_bytes;
	return true;
}

/* Everything else with one channel: undo the filter, make ids, compare them with the row above. */
static bool add_other_rows(struct measure_simd *m, const struct png_header *png, const struct view_map *map,
			   uint64_t raw_used[4])
{
	struct fast_stream *f = &m->stream;
	size_t n = f->row_bytes, ids_bytes = ((size_t)png->width + STRIP_SLACK) * (map->wide ? 2 : 1);
	uint32_t count, adler = 1, y = 0;
	const uint8_t *rows;

	if (!grow_rows(m, n, ids_bytes))
		return false;
	while ((rows = fast_stream_rows(f, &count))) {
		adler = libdeflate_adler32(adler, rows, count * (n + 1));
		for (; count; count--, rows += n + 1, y++) {
			uint8_t *row = m->row[y % 2], *prior = y ? m->row[(y + 1) % 2] : NULL;

			if (rows[0] > FILTER_PAETH)
				return false;
			fast_unfilter(row, rows + 1, prior, n, f->pixel_bytes, rows[0]);
			if (prior && memcmp(prior, row, n) == 0) {
				strip_repeat(m->strip);
				continue;
			}
			ids_of_row(m, png, map, row, raw_used);
			m->code->add_ids(m->strip, m->ids);
		}
	}
	return !f->rows_left && fast_stream_end(f) && adler == f->adler;
}

bool measure_simd_take(struct measure_simd *m, struct batch_item *item, struct batch *batch)
{
	struct fast_chunks chunks;
	struct view_map map;
	struct png_header *png = &item->sample.png;
	uint64_t raw_used[4] = { 0 };

	memset(&item->stats, 0, sizeof(item->stats));
	if (!fast_stream_open(&m->stream, &item->input, &m->reference.settings->limits, png, &chunks))
		return false;
	view_map_init(&map, png, m->reference.settings->view);
	if (png->channels > 1 || png->width > STRIP_WIDTH_MAX)
		return false;
	if (!fast_stream_begin(&m->stream, png, &chunks) || !strip_begin(m->strip, png->width, png->height, map.wide))
		return false;
	bool fused = png->bit_depth == 8 && map.identity;

	if (fused ? !add_filtered_rows(m) : !add_other_rows(m, png, &map, raw_used))
		return false;
	m->code->end(m->strip);
	if (fused)
		strip_used(m->strip, raw_used);
	strip_finish(m->strip, &item->stats, batch);
	memcpy(item->stats.raw_used, raw_used, sizeof(raw_used));
	return true;
}

static enum status simd_probe(int device, char *text, size_t n, struct error *err)
{
	(void)device;
	(void)err;
	snprintf(text, n, "cpu (%s)", best_code()->name);
	return STATUS_OK;
}

static enum status simd_open(void **self, const struct settings *settings, int device, struct error *err)
{
	(void)device;
	(void)err;
	*self = measure_simd_new(settings, NULL);
	return STATUS_OK;
}

static enum status simd_measure(void *self, struct batch *batch, struct error *err)
{
	struct measure_simd *m = self;

	(void)err;
	for (size_t i = 0; i < batch->count; i++) {
		struct batch_item *item = &batch->items[i];
		struct view_map map;

		if (!measure_png_wants(item) || measure_simd_take(m, item, batch))
			continue;
		struct png_decoder *d = measure_png_open(&m->reference, item, &map);

		if (d)
			measure_png_rest(&m->reference, d, &map, item, batch);
	}
	return STATUS_OK;
}

static const char *simd_note(void *self)
{
	(void)self;
	return "";
}

static void simd_close(void *self)
{
	measure_simd_free(self);
}

const struct backend backend_cpu = {
	.name = "cpu",
	.probe = simd_probe,
	.open = simd_open,
	.measure = simd_measure,
	.note = simd_note,
	.close = simd_close,
	/* As the reference: enough to make the queue cheap, few enough to keep all workers busy at the end of a small
	   set. */
	.batch_files = 16,
	.batch_bytes = 4 << 20,
};
