#include "fix/fix_png.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/png_writer.h"
#include "fix/nearest.h"
#include "fix/tiff_writer.h"
#include "judge/role.h"
#include "png/raster_png.h"
#include "png/sample_rows.h"

enum { SAMPLES_MAX = 1 << 16, UNKNOWN = -1 };

/* The id that a pixel becomes; or UNKNOWN. */
struct pixel {
	int32_t to;
	bool changes;
};

struct fix_png_memory {
	struct sample_rows rows;
	struct png_writer *png;
	struct tiff_writer tiff;
	struct pixel samples[SAMPLES_MAX]; /* by sample: what a pixel of one channel becomes */
	struct nearest_memory nearest;
};

struct fix_png_memory *fix_png_memory_new(void)
{
	struct fix_png_memory *m = xcalloc(1, sizeof(*m));

	m->png = png_writer_new();
	return m;
}

void fix_png_memory_free(struct fix_png_memory *m)
{
	if (!m)
		return;
	sample_rows_release(&m->rows);
	png_writer_free(m->png);
	free(m);
}

/* A mask that is converted; and how much of *out and *labels there was before. */
struct conversion {
	struct fix_png_memory *memory;
	const struct fix_plan *plan;
	const struct fix_file *file;
	const struct png_header *png;
	struct strbuf *out;
	size_t start;
	uint64_t before, *labels;
	struct fault *fault;
};

/* ---- what a pixel becomes ---------------------------------------------------------------------------------------- */

/* Returns the id that the audit counted for a colour. */
static int64_t id_of_colour(const struct conversion *c, uint32_t colour)
{
	int64_t id = colour_table_find(&c->plan->set->settings->colours, colour);

	return id >= 0 ? id : COLOUR_ID(colour);
}

/* Returns what a pixel becomes that the audit counted as this id, if it counted it in this file. */
static struct pixel pixel_of_id(const struct conversion *c, int64_t id)
{
	const struct fix_id *ids = fix_file_ids(c->plan->set, c->file);

	for (size_t i = 0; i < c->file->ids_count; i++) {
		if (ids[i].id != id)
			continue;
		int64_t to = fix_plan_id(c->plan, c->file, id);

		return (struct pixel){ .to = to >= 0 && to <= UINT16_MAX ? (int32_t)to : UNKNOWN, .changes = to != id };
	}
	return (struct pixel){ .to = UNKNOWN };
}

/* Returns what a pixel of a colour becomes: with --nearest the id of a colour that the table has. */
static struct pixel pixel_of_colour(const struct conversion *c, uint32_t colour)
{
	if (!c->plan->set->nearest)
		return pixel_of_id(c, id_of_colour(c, colour));
	const struct nearest_id near = nearest_of(&c->memory->nearest, c->plan->set->settings, colour);
	const struct mapped_id *m = id_map_find(&c->plan->decision->map, near.id);

	return (struct pixel){ .to = m ? (int32_t)m->to : near.id, .changes = near.distance != 0 };
}

/* Fills what each sample of a mask of one channel becomes. */
static void fill_samples(const struct conversion *c)
{
	const struct fix_id *ids = fix_file_ids(c->plan->set, c->file);
	struct pixel *samples = c->memory->samples;
	size_t count = (size_t)1 << c->png->bit_depth;

	for (size_t i = 0; i < count; i++)
		samples[i] = c->file->encoding == MASK_COLOURS && i < c->png->palette_entries
				     ? pixel_of_colour(c, png_palette_colour(c->png, (unsigned)i))
				     : (struct pixel){ .to = UNKNOWN };
	for (size_t i = 0; i < c->file->ids_count && c->file->encoding != MASK_COLOURS; i++) {
		int64_t sample = ids[i].id / c->file->scale;

		if (sample >= 0 && (size_t)sample < count)
			samples[sample] = pixel_of_id(c, ids[i].id);
	}
}

/* Returns what pixel x of a row of samples becomes. */
static struct pixel map_pixel(const struct conversion *c, const void *row, uint32_t x)
{
	size_t at = (size_t)x * c->png->channels;

	if (c->png->channels >= 3 && c->file->encoding == MASK_COLOURS)
		return pixel_of_colour(c, sample_colour(c->png, row, x));
	return c->memory->samples[c->png->bit_depth == 16 ? ((const uint16_t *)row)[at] : ((const uint8_t *)row)[at]];
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* Fills the header of the result. */
static void plan_header(const struct conversion *c, struct png_header *out)
{
	const unsigned recodings = fix_plan_file(c->plan, c->file)->recodings;
	const struct id_map *map = &c->plan->decision->map;
	const struct png_header *png = c->png;
	bool deep = png->bit_depth == 16 && !(recodings & (1 << RECODE_NARROW | 1 << RECODE_COLOURS));

	*out = (struct png_header){ .width = png->width, .height = png->height, .bit_depth = deep ? 16 : 8 };
	out->colour_type = PNG_GREY;
	if (png->colour_type != PNG_PALETTE || recodings)
		return;
	/* each colour goes with its id; the others stay where they were */
	out->colour_type = PNG_PALETTE;
	memcpy(out->palette, png->palette, sizeof(out->palette));
	out->palette_entries = png->palette_entries;
	for (size_t i = 0; i < map->count; i++) {
		int64_t from = map->v[i].id, to = map->v[i].to;

		if (from < 0 || from >= png->palette_entries || to < 0 || to > 255)
			continue;
		memcpy(out->palette[to], png->palette[from], 3);
		out->palette_entries = MAX(out->palette_entries, (uint16_t)(to + 1));
	}
}

/* Returns the first pixel after x that differs from the one before it, or the width. size: bytes of a pixel. */
static uint32_t end_of_run(const uint8_t *row, uint32_t x, uint32_t width, size_t size)
{
	size_t i = (size_t)(x + 1) * size, end = (size_t)width * size;

	for (; i + 8 <= end; i += 8) {
		uint64_t here, before;

		memcpy(&here, row + i, 8);
		memcpy(&before, row + i - size, 8);
		if (here != before)
			break;
	}
	while (i < end && row[i] == row[i - size])
		i++;
	return (uint32_t)(i / size);
}

static void fill_run(uint8_t *out, bool deep, uint32_t x, uint32_t end, int32_t id)
{
	if (!deep)
		memset(out + x, id, end - x);
	for (; deep && x < end; x++) {
		out[2 * (size_t)x] = (uint8_t)(id >> 8);
		out[2 * (size_t)x + 1] = (uint8_t)id;
	}
}

/* Maps row y, run by run. Returns false if *fault is set. */
static bool map_row(const struct conversion *c, const void *row, uint32_t y, bool deep, uint8_t *out)
{
	const uint32_t width = c->png->width;
	const size_t size = c->png->channels * (c->png->bit_depth == 16 ? 2u : 1u);

	for (uint32_t x = 0, end; x < width; x = end) {
		const struct pixel pixel = map_pixel(c, row, x);

		end = end_of_run(row, x, width, size);
		if (pixel.to == UNKNOWN)
			return fault_set(c->fault, FAULT_UNREADABLE, FAULT_NO_OFFSET,
					 "the pixel at x %" PRIu32 ", y %" PRIu32
					 " has an id that the plan does not know",
					 x, y);
		if (!deep && pixel.to > UINT8_MAX)
			return fault_set(c->fault, FAULT_LABELS, FAULT_NO_OFFSET,
					 "id %" PRId32 " does not fit into 8 bits", pixel.to);
		*c->labels += (uint64_t)pixel.changes * (end - x);
		fill_run(out, deep, x, end, pixel.to);
	}
	return true;
}

/* Returns what the id that the TIFF declares to mean nothing becomes; none, if a class becomes that id. */
static struct no_data map_no_data(const struct conversion *c, struct no_data out)
{
	const struct no_data from = out;
	const struct fix_id *ids = fix_file_ids(c->plan->set, c->file);

	for (size_t i = 0; i < c->file->ids_count; i++) {
		const int64_t to = fix_plan_id(c->plan, c->file, ids[i].id);

		if (ids[i].id == from.id)
			return (struct no_data){ out.is_declared, to };
		out.is_declared &= to != out.id;
	}
	return out;
}

/* The result is a PNG, or a TIFF of what is one. */

static bool begin_result(struct conversion *c, const struct png_header *header)
{
	return c->file->is_tiff ? tiff_writer_begin(&c->memory->tiff, header, c->fault)
				: png_writer_begin(c->memory->png, header, c->out, c->fault);
}

static uint8_t *next_row(struct conversion *c)
{
	return c->file->is_tiff ? c->memory->tiff.row : png_writer_next_row(c->memory->png);
}

static bool write_row(struct conversion *c)
{
	return c->file->is_tiff ? tiff_writer_row(&c->memory->tiff, c->fault)
				: png_writer_row(c->memory->png, c->fault);
}

/* Opens the TIFF as the equal PNG, and its result, which takes its tags from it while it is open. */
static bool open_tiff(struct conversion *c, struct input *in)
{
	const struct settings *settings = c->plan->set->settings;
	struct raster tiff;

	if (!raster_open(&tiff, CONTENT_TIFF, in, settings->view, c->fault))
		return false;
	if (tiff_writer_open(&c->memory->tiff, &tiff, map_no_data(c, tiff.no_data), c->out, c->fault))
		return raster_as_png(in, &tiff, &settings->limits, c->fault);
	tiff.close(tiff.self);
	return false;
}

/* Converts a file: a sample_rows_taker. */
static bool convert_rows(void *context, struct sample_rows *rows)
{
	struct conversion *c = context;
	struct png_header header;

	*c->labels = c->before;
	fault_clear(c->fault);
	if (!c->file->is_tiff)
		strbuf_cut(c->out, c->start);
	c->png = &rows->sample.png;
	if (c->png->channels == 1 || c->file->encoding == MASK_REPLICATED)
		fill_samples(c);
	plan_header(c, &header);
	bool ok = begin_result(c, &header);

	for (uint32_t y = 0; ok && y < header.height; y++) {
		const void *row = sample_rows_next(rows);

		ok = row && map_row(c, row, y, header.bit_depth == 16, next_row(c)) && write_row(c);
	}
	if (!ok || !sample_rows_end(rows))
		return false;
	return c->file->is_tiff || png_writer_end(c->memory->png, c->fault);
}

bool fix_png(struct fix_png_memory *memory, const struct fix_plan *plan, const struct fix_file *file, struct input *in,
	     struct strbuf *out, uint64_t *labels, struct fault *fault)
{
	struct conversion c = { .memory = memory,
				.plan = plan,
				.file = file,
				.out = out,
				.start = out->len,
				.before = *labels,
				.labels = labels,
				.fault = fault };
	bool ok = (!file->is_tiff || open_tiff(&c, in)) &&
		  sample_rows_read(&memory->rows, in, &plan->set->settings->limits, convert_rows, &c);

	if (file->is_tiff)
		ok = tiff_writer_end(&memory->tiff, ok, fault);
	if (!ok && fault->kind == FAULT_NONE)
		*fault = memory->rows.sample.fault;
	return ok;
}
