/*
 * Chooses what measures an image: the delta engine for masks, the full engine for noise, the colour measurer for
 * several channels, the reference for the few that none of them takes. And the backend `cpu`, which is made of this.
 */
#include "measure/engine/engine.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "measure/coded.h"
#include "measure/engine/colour.h"
#include "measure/engine/delta.h"
#include "measure/engine/full.h"
#include "measure/reference.h"
#include "png/fast_stream.h"
#include "png/unfilter.h"

enum {
	/* Rows are busy if more than one pixel in BUSY_SHARE changes or ends a run. */
	BUSY_SHARE = 8,
	/*
	 * An image is noise once it has more than BUSY_PIXELS pixels in busy rows, plus one in BUSY_SHARE_OF_ALL of all
	 * pixels so far. The work until then, some 3 ms, is lost. The share follows from the prices: the delta engine
	 * takes some 2 ns a pixel less than the full engine where little changes, and 10 ns more where much does.
	 */
	BUSY_PIXELS = 1 << 19,
	BUSY_SHARE_OF_ALL = 6,
};

struct engine {
	struct reference reference;
	struct fast_stream stream;
	struct unfilter unfilter;
	struct delta *delta;
	struct colour_measurer *colours; /* NULL until an image has several channels; owned */
	struct full *full;               /* NULL until a mask is noise; owned */
	bool is_full;                    /* the full engine gets the rows, not the delta engine */
	bool found_noise;                /* the delta engine stopped, because the image is noise */
	bool began;                      /* the last file passed the checks before its first row */
	/* Sums of the image: pixels in busy rows; changes, edges and rows that the delta engine has seen. */
	uint64_t busy_pixels, changes, edges;
	uint32_t rows;
	/* The ids in each byte of packed samples, for one depth below 8 and one view. */
	struct {
		unsigned depth;
		uint8_t lut[16]; /* id of each sample */
		uint8_t ids[256][8];
	} packed;
	uint8_t seen[256]; /* 1: the byte of samples occurs */
	struct coded_colours coded;
	bool has_no_code; /* the last image is not coded after all */
	/* The map of a palette that is coded, and whose it is: masks of a set share one. coded: it is valid. */
	struct view_map palette_map;
	struct png_header palette_of;
	void *ids; /* a row of ids, where these are not the bytes of the file; owned */
	size_t ids_cap;
};

struct engine *engine_new(const struct settings *settings, const struct isa *isa)
{
	struct engine *e = xcalloc(1, sizeof(*e));

	reference_init(&e->reference, settings);
	e->delta = delta_new(&settings->classes, isa);
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	reference_release(&e->reference);
	fast_stream_release(&e->stream);
	delta_free(e->delta);
	colour_measurer_free(e->colours);
	full_free(e->full);
	coded_colours_release(&e->coded);
	unfilter_release(&e->unfilter);
	free(e->ids);
	free(e);
}

/*
 * Returns whether the image is noise, for which the full engine is much faster. The price of the delta engine is pixels
 * that differ from the one above, and edges in blocks that hold such a pixel. Where they are an eighth of all pixels,
 * both engines cost about the same; masks have a few percent of them.
 */
static bool is_noise(struct engine *e)
{
	const struct delta *s = e->delta;
	uint32_t rows = s->y - e->rows;
	uint64_t pixels = (uint64_t)rows * s->width;
	uint64_t changes = s->sums.edges[LINE_COLUMN] - e->changes, edges = delta_row_edges(s) - e->edges;

	e->rows += rows;
	e->changes += changes;
	e->edges += edges;
	if (changes + MIN(edges, changes * DELTA_BLOCK) > pixels / BUSY_SHARE)
		e->busy_pixels += pixels + (uint64_t)rows * (DELTA_BLOCK / 2); /* a row is work too */
	e->found_noise = e->busy_pixels > BUSY_PIXELS + (uint64_t)s->y * s->width / BUSY_SHARE_OF_ALL;
	return e->found_noise;
}

/* Adds 8-bit samples that are ids: the delta engine undoes their filters and computes Adler-32. */
static bool add_filtered_rows(struct engine *e)
{
	struct fast_stream *f = &e->stream;
	const uint8_t *rows;
	uint32_t count;

	while ((rows = fast_stream_rows(f, &count))) {
		if (!delta_add_filtered(e->delta, rows, count) || is_noise(e))
			return false;
	}
	return fast_stream_end(f, delta_adler32(e->delta));
}

/* Fills e->packed for this depth and view. */
static void unpack_bytes(struct engine *e, unsigned depth, const struct view_map *map)
{
	unsigned mask = (1u << depth) - 1, each = 8 / depth;
	uint8_t lut[16];

	for (unsigned sample = 0; sample < 16; sample++)
		lut[sample] = map->identity ? (uint8_t)sample : map->lut[sample];
	if (e->packed.depth == depth && memcmp(e->packed.lut, lut, sizeof(lut)) == 0)
		return;
	e->packed.depth = depth;
	memcpy(e->packed.lut, lut, sizeof(lut));
	for (unsigned byte = 0; byte < 256; byte++)
		for (unsigned i = 0; i < each; i++)
			e->packed.ids[byte][i] = lut[byte >> (8 - depth * (i + 1)) & mask];
}

/* Converts samples of less than 8 bits to ids of one byte each. */
static void ids_of_packed(struct engine *e, const uint8_t *row, uint32_t width, uint8_t *ids)
{
	unsigned each = 8 / e->packed.depth, rest = width % each;

	for (uint32_t x = 0; x < width - rest; x += each, row++) {
		memcpy(ids + x, e->packed.ids[*row], 8); /* there is memory after the row */
		e->seen[*row] = 1;
	}
	if (rest) {
		/* bits after the last pixel may be anything: the first sample takes their place */
		unsigned depth = e->packed.depth, first = *row >> (8 - depth), byte = *row >> (8 - rest * depth);

		for (unsigned i = rest; i < each; i++)
			byte = byte << depth | first;
		memcpy(ids + width - rest, e->packed.ids[byte], rest);
		e->seen[byte] = 1;
	}
}

/* Converts samples of 16 bits from the file's byte order, eight at a time; there is memory after both rows. */
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

/* Converts the indices of a palette to the ids of its colours. */
static void codes_of_row(struct engine *e, const struct png_header *png, const struct view_map *map, const uint8_t *row)
{
	uint16_t *ids = e->ids;

	if (png->bit_depth < 8) {
		/* to the end of the row of ids, where each is read before it is written over */
		uint8_t *samples = (uint8_t *)e->ids + png->width;

		ids_of_packed(e, row, png->width, samples);
		for (uint32_t x = 0; x < png->width; x++)
			ids[x] = map->codes[samples[x]];
		return;
	}
	for (uint32_t x = 0; x < png->width; x++) {
		ids[x] = map->codes[row[x]];
		e->seen[row[x]] = 1;
	}
}

static void ids_of_row(struct engine *e, const struct png_header *png, const struct view_map *map, const uint8_t *row)
{
	uint8_t *ids = e->ids;

	if (map->coded) {
		codes_of_row(e, png, map, row);
	} else if (png->bit_depth < 8) {
		ids_of_packed(e, row, png->width, ids);
	} else if (png->bit_depth == 8) {
		for (uint32_t x = 0; x < png->width; x++) {
			ids[x] = map->lut[row[x]];
			e->seen[row[x]] = 1;
		}
	} else if (map->wide) {
		swap_bytes(e->ids, row, png->width);
	} else {
		for (uint32_t x = 0; x < png->width; x++)
			ids[x] = row[2 * x];
	}
}

/* Collects which samples occur. */
static void collect_raw_used(const struct engine *e, unsigned depth, uint64_t raw_used[4])
{
	for (unsigned byte = 0; byte < 256; byte++)
		for (unsigned shift = 0; e->seen[byte] && shift < 8; shift += depth)
			raw_used_add(raw_used, &(uint8_t){ (uint8_t)(byte >> shift & ((1u << depth) - 1)) }, 1);
}

static bool begin_rows(struct engine *e, size_t ids_bytes)
{
	e->ids = mem_try_fit(e->ids, &e->ids_cap, ids_bytes);
	return (e->ids || !ids_bytes) && unfilter_begin(&e->unfilter, e->stream.row_bytes, e->stream.pixel_bytes);
}

/* Converts the pixels of several channels that differ from the row above. */
static void ids_of_changes(struct engine *e, const struct png_header *png, const struct view_map *map,
			   const uint8_t *row, const uint8_t *prior)
{
	size_t n = e->stream.row_bytes, bpp = e->stream.pixel_bytes, from, to = 0;
	uint8_t *ids = e->ids;

	while (rows_differ(row, prior, n, &from, &to)) {
		size_t x = from / bpp, pixels = (to - x * bpp + bpp - 1) / bpp;
		uint16_t deep[ROWS_DIFFER_BYTES];

		if (png->bit_depth == 16)
			for (size_t i = 0; i < pixels * png->channels; i++)
				deep[i] = be16(row + x * bpp + 2 * i);
		view_map_row(map, png->bit_depth == 16 ? (const void *)deep : row + x * bpp, (uint32_t)pixels, ids + x);
	}
}

/* Converts the colours of an image that is coded, where they differ from the row above. Returns false: it has no code.
 */
static bool codes_of_changes(struct engine *e, const uint8_t *row, const uint8_t *prior, uint32_t y)
{
	size_t n = e->stream.row_bytes, bpp = e->stream.pixel_bytes, from, to = 0, done = 0;
	uint16_t *ids = e->ids;

	if (!y)
		return coded_colours_map(&e->coded, row, n / bpp, true, ids);
	while (rows_differ(row, prior, n, &from, &to)) {
		/* a pixel that lies in two pieces belongs to the first */
		size_t x = MAX(done, from / bpp);

		done = (to + bpp - 1) / bpp;
		if (!coded_colours_map(&e->coded, row + x * bpp, done - x, false, ids + x))
			return false;
	}
	return true;
}

/* Adds row y, which is unfiltered: its colours, or its ids, which are converted if it differs from the row above. */
static bool add_row(struct engine *e, const struct png_header *png, const struct view_map *map, uint32_t y)
{
	const struct unfilter *u = &e->unfilter;
	bool same = y && memcmp(u->above, u->row, e->stream.row_bytes) == 0;

	if (!map->has_ids) {
		if (same)
			colour_measurer_repeat(e->colours);
		else
			colour_measurer_add(e->colours, y ? u->above : NULL);
		return true;
	}
	if (!same && png->channels > 1 && map->coded) {
		if (!codes_of_changes(e, u->row, u->above, y)) {
			e->has_no_code = true;
			return false;
		}
	} else if (!same && png->channels > 1)
		ids_of_changes(e, png, map, u->row, u->above);
	else if (!same)
		ids_of_row(e, png, map, u->row);
	if (e->is_full)
		full_add_row(e->full, e->ids);
	else if (same)
		delta_repeat_row(e->delta);
	else
		delta_add_ids(e->delta, e->ids);
	return true;
}

/* Adds the rows of all other images: unfilters them, and measures their colours, or ids if the view makes any. */
static bool add_other_rows(struct engine *e, const struct png_header *png, const struct view_map *map,
			   uint64_t raw_used[4])
{
	struct fast_stream *f = &e->stream;
	size_t n = f->row_bytes, ids_bytes = ((size_t)png->width + DELTA_SLACK) * (map->wide ? 2 : 1);
	bool several = png->channels > 1;
	bool samples_are_ids = !several && png->bit_depth == 8 && map->identity; /* then it is noise */
	uint32_t count, adler = 1, y = 0;
	const uint8_t *rows;

	_Static_assert((int)COLOUR_SLACK <= (int)UNFILTER_READ, "after a row");
	_Static_assert((int)UNFILTER_READ_IN <= (int)FAST_STREAM_SLACK, "after filtered rows");
	if (!begin_rows(e, map->has_ids ? ids_bytes : 0) || (several && !fast_stream_min_rows(f, UNFILTER_ROWS)))
		return false;
	if (png->bit_depth < 8)
		unpack_bytes(e, png->bit_depth, map);
	/* above the first row lie zeros; black is 0 in grey too */
	if (several && map->has_ids)
		memset(e->ids, 0, png->width);
	if (several && map->coded)
		coded_colours_begin(&e->coded, &e->reference.settings->colours, png);
	memset(e->seen, 0, sizeof(e->seen));
	while ((rows = fast_stream_rows(f, &count))) {
		adler = libdeflate_adler32(adler, rows, count * (n + 1));
		for (uint32_t i = 0; i < count; i++, rows += n + 1, y++) {
			if (!unfilter_next(&e->unfilter, rows, count - i))
				return false;
			if (samples_are_ids)
				full_add_row(e->full, e->unfilter.row);
			else if (!add_row(e, png, map, y))
				return false;
		}
		if (map->has_ids && !e->is_full && is_noise(e))
			return false;
	}
	if (!several && png->bit_depth <= 8)
		collect_raw_used(e, png->bit_depth, raw_used);
	return fast_stream_end(f, adler);
}

static bool measure_colours(struct engine *e, struct batch_item *item, struct batch *batch, const struct view_map *map)
{
	if (!e->colours)
		e->colours = colour_measurer_new();
	colour_measurer_begin(e->colours, &item->sample.png);
	if (!add_other_rows(e, &item->sample.png, map, NULL))
		return false;
	colour_measurer_end(e->colours, e->unfilter.row, &item->stats, batch);
	return true;
}

static bool open_stream(struct engine *e, struct batch_item *item)
{
	return fast_stream_open(&e->stream, &item->input, &e->reference.settings->limits, &item->sample.png);
}

/* Adds all rows to the engine that has begun. Returns false if that stopped, or if the file is not sound. */
static bool add_rows(struct engine *e, const struct png_header *png, const struct view_map *map, uint64_t raw_used[4])
{
	if (png->channels == 1 && png->bit_depth == 8 && map->identity && !e->is_full)
		return add_filtered_rows(e);
	return add_other_rows(e, png, map, raw_used);
}

static void end_ids(struct engine *e, struct batch_item *item, struct batch *batch, const struct view_map *map,
		    uint64_t raw_used[4])
{
	const struct png_header *png = &item->sample.png;
	struct label_stats *stats = &item->stats;
	bool samples_are_ids = png->channels == 1 && png->bit_depth == 8 && map->identity;

	if (e->is_full) {
		full_end(e->full, stats, batch);
		for (uint64_t i = 0; samples_are_ids && i < stats->ids_count; i++) {
			uint8_t id = (uint8_t)batch->ids[stats->ids_at + i].id;

			raw_used_add(raw_used, &id, 1);
		}
	} else {
		delta_end(e->delta);
		if (samples_are_ids)
			delta_used_ids(e->delta, raw_used);
		delta_finish(e->delta, stats, batch);
	}
	memcpy(stats->raw_used, raw_used, 4 * sizeof(*raw_used));
}

static bool begin_delta(struct engine *e, const struct png_header *png, const struct view_map *map)
{
	e->busy_pixels = e->changes = e->edges = 0;
	e->rows = 0;
	e->is_full = e->found_noise = false;
	return png->width <= DELTA_WIDTH_MAX && delta_begin(e->delta, png->width, png->height, map->wide);
}

static bool begin_full(struct engine *e, const struct png_header *png, const struct view_map *map)
{
	if (!e->full)
		e->full = full_new(&e->reference.settings->classes, NULL);
	e->is_full = true;
	return full_begin(e->full, png->width, png->height, map->wide);
}

/* Measures ids with the delta engine or, if the image is noise, from its first row on with the full engine. */
static bool measure_ids(struct engine *e, struct batch_item *item, struct batch *batch, const struct view_map *map)
{
	struct png_header *png = &item->sample.png;
	uint64_t raw_used[4] = { 0 };

	if (!begin_delta(e, png, map))
		return false;
	while (!add_rows(e, png, map, raw_used))
		if (e->is_full || !e->found_noise || !open_stream(e, item) ||
		    !fast_stream_min_rows(&e->stream, UNFILTER_ROWS) || !begin_full(e, png, map))
			return false;
	end_ids(e, item, batch, map, raw_used);
	return true;
}

/*
 * Ends an image that was measured by its colours; its id rows are those of the batch from ids_count on. Returns false
 * if it has no code after all; then the rows are gone.
 */
static bool end_coded(struct engine *e, struct batch_item *item, struct batch *batch, const struct view_map *map,
		      size_t ids_count)
{
	const struct class_set *classes = &e->reference.settings->classes;
	uint32_t unknown[256];

	if (item->sample.png.channels == 1) {
		coded_palette_unknown(map, &item->sample.png, unknown);
		coded_end(&item->stats, batch, classes, unknown);
		return true;
	}
	e->has_no_code = coded_colours_are_levels(&e->coded);
	if (e->has_no_code)
		batch->ids_count = ids_count;
	else
		coded_end(&item->stats, batch, classes, e->coded.unknown);
	return !e->has_no_code;
}

/*
 * Returns whether the indices of a palette may be measured as if they were the ids: each that has a known colour has
 * the id of that colour, or an index that has it has. Else its order is another one, and nearly all masks would show.
 */
static bool may_be_plain(const struct view_map *map, const struct png_header *png)
{
	for (unsigned i = 0; i < png->palette_entries; i++)
		if (map->codes[i] < CODED_UNKNOWN &&
		    (map->codes[i] > 255 || map->codes[map->codes[i]] != map->codes[i]))
			return false;
	return true;
}

/* Returns whether all indices that occur are the ids of their colours. */
static bool is_plain(const struct view_map *map, const uint64_t raw_used[4])
{
	for (unsigned i = 0; i < 256; i++)
		if ((raw_used[i / 64] >> i % 64 & 1) && map->codes[i] != i)
			return false;
	return true;
}

/* Measures a palette that is coded; as fast as one that is not if its indices are the ids of its colours. */
static bool measure_coded_palette(struct engine *e, struct batch_item *item, struct batch *batch,
				  const struct view_map *map)
{
	const struct png_header *png = &item->sample.png;
	size_t ids_count = batch->ids_count;

	if (may_be_plain(map, png)) {
		const struct label_stats empty = item->stats;
		struct view_map plain;

		view_map_init(&plain, png, VIEW_RAW);
		if (!measure_ids(e, item, batch, &plain))
			return false;
		if (is_plain(map, item->stats.raw_used)) {
			item->stats.coded = 1;
			return true;
		}
		item->stats = empty;
		batch->ids_count = ids_count;
		if (!open_stream(e, item))
			return false;
	}
	return measure_ids(e, item, batch, map) && end_coded(e, item, batch, map, ids_count);
}

/* Measures an image in RGB by its colours; as one of several channels if it turns out to have no code. */
static bool measure_coded_rgb(struct engine *e, struct batch_item *item, struct batch *batch,
			      const struct view_map *map)
{
	size_t ids_count = batch->ids_count;
	struct view_map channels;

	e->has_no_code = false;
	if (measure_ids(e, item, batch, map) && end_coded(e, item, batch, map, ids_count))
		return true;
	if (!e->has_no_code || !open_stream(e, item))
		return false;
	view_map_init(&channels, &item->sample.png, VIEW_RAW);
	return measure_colours(e, item, batch, &channels);
}

static bool measure_coded(struct engine *e, struct batch_item *item, struct batch *batch, const struct view_map *map)
{
	return item->sample.png.channels == 1 ? measure_coded_palette(e, item, batch, map)
					      : measure_coded_rgb(e, item, batch, map);
}

/* Prepares the view of the image whose stream is open. The map of a coded palette is that of the last one, if equal. */
static void prepare_view(struct engine *e, const struct png_header *png, struct view_map *map)
{
	const struct png_header *last = &e->palette_of;

	if (png->colour_type == PNG_PALETTE && e->palette_map.coded && png->bit_depth == last->bit_depth &&
	    png->palette_entries == last->palette_entries &&
	    memcmp(png->palette, last->palette, sizeof(png->palette)) == 0) {
		*map = e->palette_map;
		return;
	}
	view_map_of(map, png, e->reference.settings);
	if (png->colour_type == PNG_PALETTE && map->coded) {
		e->palette_map = *map;
		e->palette_of = *png;
	}
}

bool engine_measure_fast(struct engine *e, struct batch_item *item, struct batch *batch)
{
	struct view_map map;

	memset(&item->stats, 0, sizeof(item->stats));
	e->began = open_stream(e, item);
	if (!e->began)
		return false;
	prepare_view(e, &item->sample.png, &map);
	if (map.coded)
		return measure_coded(e, item, batch, &map);
	return map.has_ids ? measure_ids(e, item, batch, &map) : measure_colours(e, item, batch, &map);
}

/*
 * Begins an image that the decoder judges: with the delta engine if its data can be read again, should it be noise, or
 * if it is too small to be noise; else with the full engine, as an interlaced one, all of which is read before its
 * first row. Returns false if the reference must measure it.
 */
static bool begin_judged(struct engine *e, const struct png_header *png, const struct view_map *map, bool again)
{
	/* the most that is_noise counts for such an image */
	uint64_t busy_most = png->height * (png->width + (uint64_t)DELTA_BLOCK / 2);

	e->found_noise = e->has_no_code = false;
	if (map->coded && !again)
		return false;
	if (!map->has_ids || (((again && !png->interlace) || busy_most <= BUSY_PIXELS) && begin_delta(e, png, map)))
		return true;
	return begin_full(e, png, map);
}

static bool measure_judged(struct engine *e, struct png_decoder *d, struct batch_item *item, struct batch *batch,
			   const struct view_map *map)
{
	const struct png_header *png = &item->sample.png;
	size_t ids_count = batch->ids_count;
	uint64_t raw_used[4] = { 0 };

	if (!fast_stream_open_decoder(&e->stream, d, png))
		return false;
	if (!map->has_ids)
		return measure_colours(e, item, batch, map);
	if ((e->is_full && !fast_stream_min_rows(&e->stream, UNFILTER_ROWS)) || !add_rows(e, png, map, raw_used))
		return false;
	end_ids(e, item, batch, map, raw_used);
	return !map->coded || end_coded(e, item, batch, map, ids_count);
}

/* Returns whether the decoder finds no fault in the file, which can be read again. Else the item is failed. */
static bool decoder_accepts(struct engine *e, struct batch_item *item)
{
	const struct fault warning = item->sample.warning;
	struct view_map map;
	struct png_decoder *d = reference_open(&e->reference, item, &map);
	bool good = d && png_decoder_verdict(d);

	if (d && !good)
		batch_item_fail(item);
	png_decoder_close(d);
	if (good)
		item->sample.warning = warning;
	return good;
}

void engine_measure_judged(struct engine *e, struct batch_item *item, struct batch *batch, bool verdict_first)
{
	const struct fault warning = item->sample.warning;
	bool again = input_can_rewind(&item->input), measured;
	struct view_map map;
	struct png_decoder *d;

	if (verdict_first && again && !decoder_accepts(e, item))
		return;
	d = reference_open(&e->reference, item, &map);
	if (!d)
		return;
	if (!begin_judged(e, &item->sample.png, &map, again)) {
		reference_measure(&e->reference, d, &map, item, batch);
		return;
	}
	measured = measure_judged(e, d, item, batch, &map);
	while (!measured && (e->found_noise || e->has_no_code)) {
		bool noise = e->found_noise;

		png_decoder_close(d);
		item->sample.warning = warning;
		d = reference_open(&e->reference, item, &map);
		if (!d)
			return;
		e->found_noise = e->has_no_code = false;
		if (!noise)
			view_map_init(&map, &item->sample.png, VIEW_RAW);
		measured =
			(!noise || begin_full(e, &item->sample.png, &map)) && measure_judged(e, d, item, batch, &map);
	}
	if (!measured) {
		fault_no_memory(&item->sample.fault, FAULT_NO_OFFSET, "not enough memory for %u x %u pixels",
				item->sample.png.width, item->sample.png.height);
		batch_item_fail(item);
	}
	png_decoder_close(d);
}

void engine_measure(struct engine *e, struct batch_item *item, struct batch *batch)
{
	if (!engine_measure_fast(e, item, batch))
		engine_measure_judged(e, item, batch, e->began);
}

static enum status cpu_probe(int device, char *text, size_t n, struct error *err)
{
	(void)device;
	(void)err;
	snprintf(text, n, "cpu (%s)", isa_best()->name);
	return STATUS_OK;
}

static enum status cpu_open(void **self, const struct settings *settings, int device, struct error *err)
{
	(void)device;
	(void)err;
	*self = engine_new(settings, NULL);
	return STATUS_OK;
}

static void cpu_measure(void *self, struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		if (batch_item_needs_backend(&batch->items[i]))
			engine_measure(self, &batch->items[i], batch);
}

static void cpu_close(void *self)
{
	engine_free(self);
}

const struct backend backend_cpu = {
	.name = "cpu",
	.probe = cpu_probe,
	.open = cpu_open,
	.measure = cpu_measure,
	.close = cpu_close,
	/* As the reference: enough to make the queue cheap, few enough to keep all workers busy to the end. */
	.batch_files = 16,
	.batch_bytes = 4 << 20,
};
