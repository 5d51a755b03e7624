/*
 * The backend of the machine's processor. Files that are as they should be go the fast way: a few rows at a
 * time are inflated (png/fast_stream.h) and measured as they are unfiltered (delta.h). What is not taken there
 * is inflated and judged by png_decoder, which owns all verdicts and words, and measured the same way.
 */
#include "measure/engine/engine.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "measure/engine/colour.h"
#include "measure/engine/delta.h"
#include "measure/engine/full.h"
#include "measure/reference.h"
#include "png/fast_stream.h"
#include "png/unfilter.h"
#include "png/unfilter_rows.h"

enum {
	/* Pixels of rows that change much, before an image is taken for noise: some 3 ms of work, which is then lost.
	 */
	BUSY_PIXELS = 1 << 19,
	/* What is much: one in so many. */
	BUSY_SHARE = 8,
	/*
	 * And of all pixels so far, one in so many: where little changes, a pixel takes the strip some 2 ns less than
	 * full.h, and where much does, 10 ns more.
	 */
	BUSY_SHARE_OF_ALL = 6,
};

struct engine {
	struct reference reference;
	struct fast_stream stream;
	struct unfilter unfilter;
	struct delta *delta;
	struct colour_measurer *colours; /* NULL until a picture with several channels comes; owned */
	struct full *full;               /* NULL until a mask comes that is noise; owned */
	bool is_full;                    /* rows go there, not to the strip */
	bool gave_up;                    /* the strip has, since there is too much to do */
	bool began;                      /* the image taken last was refused behind its first row, if it was */
	/* of the image: pixels in stretches of rows that change much; changes and borders that the strip has met */
	uint64_t busy_pixels, changes, borders;
	uint32_t rows; /* of those that it has gone through */
	/* ids of depths below 8: the 8 / depth of each byte, for such a view */
	struct {
		unsigned depth;
		uint8_t lut[16]; /* of each sample */
		uint8_t ids[256][8];
	} packed;
	uint8_t seen[256]; /* 1: such a byte of samples has been met */
	void *ids;         /* where ids are not the bytes of the file: one row of them; owned */
	size_t ids_cap;
};

struct engine *engine_new(const struct settings *settings, const struct isa *isa)
{
	struct engine *m = xcalloc(1, sizeof(*m));

	reference_init(&m->reference, settings);
	fast_stream_init(&m->stream);
	unfilter_init(&m->unfilter);
	m->delta = delta_new(&settings->classes, isa);
	return m;
}

void engine_free(struct engine *m)
{
	if (!m)
		return;
	reference_release(&m->reference);
	fast_stream_release(&m->stream);
	delta_free(m->delta);
	colour_measurer_free(m->colours);
	full_free(m->full);
	unfilter_release(&m->unfilter);
	free(m->ids);
	free(m);
}

/*
 * Whether this is no mask but noise, which the strip takes many times as long for as full.h does. What costs is
 * pixels that differ from the one above, and borders of runs in blocks that hold such a pixel. Where they are an eighth
 * of all, both ways cost about the same; masks have a few percent of them.
 */
static bool too_busy(struct engine *m)
{
	const struct delta *s = m->delta;
	uint32_t rows = s->y - m->rows;
	uint64_t pixels = (uint64_t)rows * s->width;
	uint64_t changes = s->sums.edges[LINE_COLUMN] - m->changes, borders = delta_row_edges(s) - m->borders;

	m->rows += rows;
	m->changes += changes;
	m->borders += borders;
	if (changes + MIN(borders, changes * DELTA_BLOCK) > pixels / BUSY_SHARE)
		m->busy_pixels += pixels + (uint64_t)rows * (DELTA_BLOCK / 2); /* a row is work too */
	m->gave_up = m->busy_pixels > BUSY_PIXELS + (uint64_t)s->y * s->width / BUSY_SHARE_OF_ALL;
	return m->gave_up;
}

/* The next row, whose ids these are. */
static void add_ids(struct engine *m, const void *ids)
{
	if (m->is_full)
		full_add_row(m->full, ids);
	else
		delta_add_ids(m->delta, ids);
}

/* The next row, which equals the one before, whose ids these are. */
static void repeat_ids(struct engine *m, const void *ids)
{
	if (m->is_full)
		full_add_row(m->full, ids);
	else
		delta_repeat_row(m->delta);
}

/* Identity views of 8-bit samples: the strip undoes the filters itself, and sums up Adler-32 on the way. */
static bool add_filtered_rows(struct engine *m)
{
	struct fast_stream *f = &m->stream;
	const uint8_t *rows;
	uint32_t count;

	while ((rows = fast_stream_rows(f, &count))) {
		if (!delta_add_filtered(m->delta, rows, count) || too_busy(m))
			return false;
	}
	return fast_stream_end(f, delta_adler32(m->delta));
}

/* Fills m->packed. */
static void unpack_bytes(struct engine *m, unsigned depth, const struct view_map *map)
{
	unsigned mask = (1u << depth) - 1, each = 8 / depth;
	uint8_t lut[16];

	for (unsigned sample = 0; sample < 16; sample++)
		lut[sample] = map->identity ? (uint8_t)sample : map->lut[sample];
	if (m->packed.depth == depth && memcmp(m->packed.lut, lut, sizeof(lut)) == 0)
		return;
	m->packed.depth = depth;
	memcpy(m->packed.lut, lut, sizeof(lut));
	for (unsigned byte = 0; byte < 256; byte++)
		for (unsigned i = 0; i < each; i++)
			m->packed.ids[byte][i] = lut[byte >> (8 - depth * (i + 1)) & mask];
}

/* Samples below 8 bits to ids of one byte each. */
static void ids_of_packed(struct engine *m, const uint8_t *row, uint32_t width, uint8_t *ids)
{
	unsigned each = 8 / m->packed.depth, rest = width % each;

	for (uint32_t x = 0; x < width - rest; x += each, row++) {
		memcpy(ids + x, m->packed.ids[*row], 8); /* behind the row is room */
		m->seen[*row] = 1;
	}
	if (rest) {
		/* behind the last pixel may stand anything: the first sample stands for it */
		unsigned depth = m->packed.depth, first = *row >> (8 - depth), byte = *row >> (8 - rest * depth);

		for (unsigned i = rest; i < each; i++)
			byte = byte << depth | first;
		memcpy(ids + width - rest, m->packed.ids[byte], rest);
		m->seen[byte] = 1;
	}
}

/* Samples of 16 bits in the order of the file; eight at a time: behind both there is room. */
static void swap_bytes(uint16_t *ids, const uint8_t *row, uint32_t width)
{
	typedef uint16_t words8 __attribute__((vector_size(16)));

	for (uint32_t x = 0; x < width; x += 8) {
		words8 v;

		memcpy(&v, row + (size_t)2 * x, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		v = v << 8 | v >> 8;
#endif
		memcpy(ids + x, &v, sizeof(v));
	}
}

static void ids_of_row(struct engine *m, const struct png_header *png, const struct view_map *map, const uint8_t *row)
{
	uint8_t *ids = m->ids;

	if (png->bit_depth < 8) {
		ids_of_packed(m, row, png->width, ids);
	} else if (png->bit_depth == 8) {
		for (uint32_t x = 0; x < png->width; x++) {
			ids[x] = map->lut[row[x]];
			m->seen[row[x]] = 1;
		}
	} else if (map->wide) {
		swap_bytes(m->ids, row, png->width);
	} else {
		for (uint32_t x = 0; x < png->width; x++)
			ids[x] = row[2 * x];
	}
}

/* Which samples were seen. */
static void collect_raw_used(const struct engine *m, unsigned depth, uint64_t raw_used[4])
{
	for (unsigned byte = 0; byte < 256; byte++)
		for (unsigned shift = 0; m->seen[byte] && shift < 8; shift += depth)
			raw_used_add(raw_used, &(uint8_t){ (uint8_t)(byte >> shift & ((1u << depth) - 1)) }, 1);
}

static bool begin_rows(struct engine *m, size_t ids_bytes)
{
	if (ids_bytes > m->ids_cap) {
		free(m->ids);
		m->ids = mem_try_zero(ids_bytes, 1);
		m->ids_cap = m->ids ? ids_bytes : 0;
	}
	return (m->ids || !ids_bytes) && unfilter_begin(&m->unfilter, m->stream.row_bytes, m->stream.pixel_bytes);
}

/* Everything else with one channel: undo the filter, make ids, compare them with the row above. */
static bool add_other_rows(struct engine *m, const struct png_header *png, const struct view_map *map,
			   uint64_t raw_used[4])
{
	struct fast_stream *f = &m->stream;
	struct unfilter *u = &m->unfilter;
	size_t n = f->row_bytes, ids_bytes = ((size_t)png->width + DELTA_SLACK) * (map->wide ? 2 : 1);
	bool samples_are_ids = png->bit_depth == 8 && map->identity; /* only noise then comes here */
	uint32_t count, adler = 1, y = 0;
	const uint8_t *rows;

	if (!begin_rows(m, ids_bytes))
		return false;
	if (png->bit_depth < 8)
		unpack_bytes(m, png->bit_depth, map);
	memset(m->seen, 0, sizeof(m->seen));
	while ((rows = fast_stream_rows(f, &count))) {
		adler = libdeflate_adler32(adler, rows, count * (n + 1));
		for (uint32_t i = 0; i < count; i++, rows += n + 1, y++) {
			if (!unfilter_next(u, rows, count - i))
				return false;
			if (samples_are_ids) {
				full_add_row(m->full, u->row);
				continue;
			}
			if (y && memcmp(u->above, u->row, n) == 0) {
				repeat_ids(m, m->ids);
				continue;
			}
			ids_of_row(m, png, map, u->row);
			add_ids(m, m->ids);
		}
		if (!m->is_full && too_busy(m))
			return false;
	}
	if (png->bit_depth <= 8)
		collect_raw_used(m, png->bit_depth, raw_used);
	return fast_stream_end(f, adler);
}

/* The ids of pixels that differ from the row above, of several channels. */
static void ids_of_changes(struct engine *m, const struct png_header *png, const struct view_map *map,
			   const uint8_t *row, const uint8_t *prior)
{
	size_t n = m->stream.row_bytes, bpp = m->stream.pixel_bytes, from, to = 0;
	uint8_t *ids = m->ids;

	while (rows_differ(row, prior, n, &from, &to)) {
		size_t x = from / bpp, pixels = (to - x * bpp + bpp - 1) / bpp;
		uint16_t deep[ROWS_DIFFER_BYTES];

		if (png->bit_depth == 16)
			for (size_t i = 0; i < pixels * png->channels; i++)
				deep[i] = be16(row + x * bpp + 2 * i);
		view_map_row(map, png->bit_depth == 16 ? (const void *)deep : row + x * bpp, (uint32_t)pixels, ids + x);
	}
}

/* Several channels: colours, or ids where the view makes grey of them. */
static bool add_colour_rows(struct engine *m, const struct png_header *png, const struct view_map *map)
{
	struct fast_stream *f = &m->stream;
	struct unfilter *u = &m->unfilter;
	size_t n = f->row_bytes;
	uint32_t count, adler = 1, y = 0;
	const uint8_t *rows;

	_Static_assert((int)COLOUR_SLACK <= (int)UNFILTER_READ, "behind a row");
	_Static_assert((int)UNFILTER_READ_IN <= (int)FAST_STREAM_SLACK, "behind filtered rows");
	if (!begin_rows(m, map->has_ids ? (size_t)png->width + DELTA_SLACK : 0) ||
	    !fast_stream_min_rows(f, UNFILTER_ROWS))
		return false;
	/* above the first row lie zeros, and black is 0 in grey too */
	if (map->has_ids)
		memset(m->ids, 0, png->width);
	while ((rows = fast_stream_rows(f, &count))) {
		adler = libdeflate_adler32(adler, rows, count * (n + 1));
		for (uint32_t i = 0; i < count; i++, rows += n + 1, y++) {
			if (!unfilter_next(u, rows, count - i))
				return false;
			bool same = y && memcmp(u->above, u->row, n) == 0;

			if (!map->has_ids) {
				if (same)
					colour_measurer_repeat(m->colours, u->row);
				else
					colour_measurer_add(m->colours, u->row, y ? u->above : NULL);
			} else if (same) {
				repeat_ids(m, m->ids);
			} else {
				ids_of_changes(m, png, map, u->row, u->above);
				add_ids(m, m->ids);
			}
		}
		if (map->has_ids && !m->is_full && too_busy(m))
			return false;
	}
	return fast_stream_end(f, adler);
}

static bool take_colours(struct engine *m, struct batch_item *item, struct batch *batch, const struct view_map *map)
{
	if (!m->colours)
		m->colours = colour_measurer_new();
	colour_measurer_begin(m->colours, &item->sample.png);
	if (!add_colour_rows(m, &item->sample.png, map))
		return false;
	colour_measurer_end(m->colours, &item->stats, batch);
	return true;
}

static bool open_stream(struct engine *m, struct batch_item *item)
{
	return fast_stream_open(&m->stream, &item->input, &m->reference.settings->limits, &item->sample.png);
}

/* All rows, by the strip or m->full. */
static bool add_rows(struct engine *m, const struct png_header *png, const struct view_map *map, uint64_t raw_used[4])
{
	if (png->channels > 1)
		return add_colour_rows(m, png, map);
	if (png->bit_depth == 8 && map->identity && !m->is_full)
		return add_filtered_rows(m);
	return add_other_rows(m, png, map, raw_used);
}

static void end_ids(struct engine *m, struct batch_item *item, struct batch *batch, const struct view_map *map,
		    uint64_t raw_used[4])
{
	const struct png_header *png = &item->sample.png;
	struct label_stats *stats = &item->stats;
	bool samples_are_ids = png->channels == 1 && png->bit_depth == 8 && map->identity;

	if (m->is_full) {
		full_end(m->full, stats, batch);
		for (uint64_t i = 0; samples_are_ids && i < stats->ids_count; i++) {
			uint8_t id = (uint8_t)batch->ids[stats->ids_at + i].id;

			raw_used_add(raw_used, &id, 1);
		}
	} else {
		delta_end(m->delta);
		if (samples_are_ids)
			delta_used_ids(m->delta, raw_used);
		delta_finish(m->delta, stats, batch);
	}
	memcpy(stats->raw_used, raw_used, 4 * sizeof(*raw_used));
}

static bool begin_strip(struct engine *m, const struct png_header *png, const struct view_map *map)
{
	m->busy_pixels = m->changes = m->borders = 0;
	m->rows = 0;
	m->is_full = m->gave_up = false;
	return png->width <= DELTA_WIDTH_MAX && delta_begin(m->delta, png->width, png->height, map->wide);
}

static bool begin_dense(struct engine *m, const struct png_header *png, const struct view_map *map)
{
	if (!m->full)
		m->full = full_new(&m->reference.settings->classes, NULL);
	m->is_full = true;
	return full_begin(m->full, png->width, png->height, map->wide);
}

/* Ids, by the strip or, if it finds too much to do, from the first row on by what is made for that. */
static bool take_ids(struct engine *m, struct batch_item *item, struct batch *batch, const struct view_map *map)
{
	struct png_header *png = &item->sample.png;
	uint64_t raw_used[4] = { 0 };

	if (!begin_strip(m, png, map))
		return false;
	while (!add_rows(m, png, map, raw_used))
		if (m->is_full || !m->gave_up || !open_stream(m, item) ||
		    !fast_stream_min_rows(&m->stream, UNFILTER_ROWS) || !begin_dense(m, png, map))
			return false;
	end_ids(m, item, batch, map, raw_used);
	return true;
}

bool engine_measure_fast(struct engine *m, struct batch_item *item, struct batch *batch)
{
	struct view_map map;
	bool taken;

	memset(&item->stats, 0, sizeof(item->stats));
	m->began = open_stream(m, item);
	if (!m->began)
		return false;
	view_map_init(&map, &item->sample.png, m->reference.settings->view);
	taken = map.has_ids ? take_ids(m, item, batch, &map) : take_colours(m, item, batch, &map);
	fast_stream_close(&m->stream);
	return taken;
}

/*
 * Before anything of the image data is read: what measures ids. It must be the right one, since they may not be there a
 * second time: dense, but for images so small that nothing depends on it. False: this is for the reference.
 */
static bool begin_judged(struct engine *m, const struct png_header *png, const struct view_map *map)
{
	if (png->interlace && !adam7_raster_fits(png))
		return false;
	if (!map->has_ids)
		return true;
	/* what too_busy counts of an image in which all is busy */
	if (png->height * (png->width + (uint64_t)DELTA_BLOCK / 2) <= BUSY_PIXELS)
		return begin_strip(m, png, map);
	return begin_dense(m, png, map);
}

static bool measure_judged(struct engine *m, struct png_decoder *d, struct batch_item *item, struct batch *batch,
			   const struct view_map *map)
{
	const struct png_header *png = &item->sample.png;
	uint64_t raw_used[4] = { 0 };

	if (!fast_stream_open_decoder(&m->stream, d, png))
		return false;
	if (!map->has_ids)
		return take_colours(m, item, batch, map);
	if ((m->is_full && !fast_stream_min_rows(&m->stream, UNFILTER_ROWS)) || !add_rows(m, png, map, raw_used))
		return false;
	end_ids(m, item, batch, map, raw_used);
	return true;
}

/* Whether it is worth being measured; for inputs that can be read again. */
static bool verdict(struct engine *m, struct batch_item *item)
{
	const struct fault warning = item->sample.warning;
	struct view_map map;
	struct png_decoder *d = reference_open(&m->reference, item, &map);
	bool good = d && png_decoder_verdict(d);

	if (d && !good)
		batch_item_fail(item);
	png_decoder_close(d);
	if (good)
		item->sample.warning = warning;
	return good;
}

void engine_measure_judged(struct engine *m, struct batch_item *item, struct batch *batch, bool verdict_first)
{
	struct view_map map;
	struct png_decoder *d;

	if (verdict_first && input_can_rewind(&item->input) && !verdict(m, item))
		return;
	d = reference_open(&m->reference, item, &map);
	if (!d)
		return;
	if (!begin_judged(m, &item->sample.png, &map)) {
		reference_measure(&m->reference, d, &map, item, batch);
		return;
	}
	if (!measure_judged(m, d, item, batch, &map)) {
		fault_no_memory(&item->sample.fault, FAULT_NO_OFFSET, "no memory for %u x %u pixels",
				item->sample.png.width, item->sample.png.height);
		batch_item_fail(item);
	}
	fast_stream_close(&m->stream);
	png_decoder_close(d);
}

void engine_measure(struct engine *m, struct batch_item *item, struct batch *batch)
{
	if (!engine_measure_fast(m, item, batch))
		engine_measure_judged(m, item, batch, m->began);
}

static enum status simd_probe(int device, char *text, size_t n, struct error *err)
{
	(void)device;
	(void)err;
	snprintf(text, n, "cpu (%s)", isa_best()->name);
	return STATUS_OK;
}

static enum status simd_open(void **self, const struct settings *settings, int device, struct error *err)
{
	(void)device;
	(void)err;
	*self = engine_new(settings, NULL);
	return STATUS_OK;
}

static enum status simd_measure(void *self, struct batch *batch, struct error *err)
{
	struct engine *m = self;

	(void)err;
	for (size_t i = 0; i < batch->count; i++) {
		struct batch_item *item = &batch->items[i];

		if (batch_item_needs_backend(item))
			engine_measure(m, item, batch);
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
	engine_free(self);
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
