#include "fix/fix_png.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/png_writer.h"
#include "fix/mend.h"
#include "judge/role.h"
#include "png/sample_rows.h"

enum { SAMPLES_MAX = 1 << 16, UNKNOWN = -1 };

/* The id that a pixel becomes; or UNKNOWN. */
struct pixel {
	int32_t to;
	bool changes, is_guessed;
};

/* The new id of each sample of a mask of one channel, or of the colours. */
struct pixel_map {
	const struct fix_plan *plan;
	const struct fix_file *file;
	const struct png_header *png;
	struct pixel *samples; /* by sample; borrowed */
	bool mends;            /* pixels are guessed */
};

struct fix_png_memory {
	struct sample_rows rows;
	struct png_writer *png;
	struct pixel samples[SAMPLES_MAX];
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

/* Returns whether the colour is neither in the table nor ignored. */
static bool is_unknown_colour(const struct settings *settings, uint32_t colour)
{
	return colour_table_find(&settings->colours, colour) < 0 &&
	       settings_role(settings, COLOUR_ID(colour)) != ID_IGNORED;
}

/* Returns the id that the audit counted for a colour; with `mends` that of the nearest one in the table; or -1. */
static int64_t id_of_colour(const struct pixel_map *m, uint32_t colour)
{
	const struct settings *settings = m->plan->set->settings;
	const struct colour_table *table = &settings->colours;
	int64_t id = colour_table_find(table, colour);

	if (id >= 0)
		return id;
	if (!is_unknown_colour(settings, colour))
		return COLOUR_ID(colour);
	return m->mends && table->count ? colour_table_nearest(table, colour)->id : -1;
}

/* Returns the id that the audit counted for a sample, or -1. */
static int64_t audited_id(const struct pixel_map *m, uint32_t sample)
{
	if (m->file->encoding == MASK_COLOURS)
		return sample < m->png->palette_entries ? id_of_colour(m, png_palette_colour(m->png, sample)) : -1;
	return (int64_t)sample * fix_file_scale(m->plan->set, m->file);
}

/* Returns whether the audit counted the id in this file. */
static bool is_known(const struct pixel_map *m, int64_t id)
{
	for (size_t i = 0; i < m->file->ids_count; i++)
		if (fix_file_id(m->plan->set, m->file, i).id == id)
			return true;
	return m->mends && id >= 0; /* it may be the nearest colour's */
}

static struct pixel pixel_of_id(const struct pixel_map *m, int64_t id)
{
	if (!is_known(m, id))
		return (struct pixel){ .to = UNKNOWN };
	int64_t to = fix_plan_id(m->plan, m->file, id);

	return (struct pixel){ .to = to >= 0 && to <= UINT16_MAX ? (int32_t)to : UNKNOWN, .changes = to != id };
}

/* Fills what each sample becomes. */
static void fill_samples(struct pixel_map *m)
{
	size_t samples = (size_t)1 << m->png->bit_depth;

	for (size_t i = 0; i < samples; i++)
		m->samples[i] = (struct pixel){ .to = UNKNOWN };
	if (m->file->encoding == MASK_COLOURS || m->mends) {
		for (size_t i = 0; i < samples; i++)
			m->samples[i] = pixel_of_id(m, audited_id(m, (uint32_t)i));
		return;
	}
	for (size_t i = 0; i < m->file->ids_count; i++) {
		int64_t id = fix_file_id(m->plan->set, m->file, i).id;
		int64_t sample = id / fix_file_scale(m->plan->set, m->file);

		if (sample >= 0 && (size_t)sample < samples)
			m->samples[sample] = pixel_of_id(m, id);
	}
}

static struct pixel map_colour(const struct pixel_map *m, uint32_t colour)
{
	struct pixel pixel = pixel_of_id(m, id_of_colour(m, colour));

	pixel.is_guessed = is_unknown_colour(m->plan->set->settings, colour);
	pixel.changes |= pixel.is_guessed;
	return pixel;
}

/* Returns what a pixel with one channel set becomes. */
static struct pixel map_one_hot(const struct pixel_map *m, const uint8_t *p)
{
	for (int64_t channel = 0; channel < 3; channel++)
		if (p[channel] && !p[(channel + 1) % 3] && !p[(channel + 2) % 3])
			return pixel_of_id(m, channel);
	return (struct pixel){ .to = UNKNOWN };
}

/* Returns what pixel x of a row of samples becomes. */
static struct pixel map_pixel(const struct pixel_map *m, const void *row, uint32_t x)
{
	size_t at = (size_t)x * m->png->channels;
	const uint16_t *deep = m->png->bit_depth == 16 ? (const uint16_t *)row + at : NULL;
	const uint8_t *p = (const uint8_t *)row + at;

	if (m->png->channels >= 3 && m->file->encoding == MASK_COLOURS)
		return map_colour(m, deep ? (uint32_t)(deep[0] >> 8) << 16 | (uint32_t)(deep[1] & 0xff00) | deep[2] >> 8
					  : (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]);
	if (m->file->encoding == MASK_ONE_HOT)
		return map_one_hot(m, p);
	return m->samples[deep ? deep[0] : p[0]];
}

/* Fills the header of the result. */
static void plan_header(const struct pixel_map *m, unsigned recodings, struct png_header *out)
{
	const struct id_map *map = &m->plan->map;
	const struct png_header *png = m->png;
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

/* Where the ids of a row go: into a row of the result, or into memory. */
struct target {
	uint8_t *narrow; /* NULL: one of the others */
	uint8_t *deep;   /* big-endian */
	uint16_t *plain;
};

static void fill_target(const struct target *t, uint32_t x, uint32_t end, uint16_t id)
{
	if (t->narrow)
		memset(t->narrow + x, id, end - x);
	for (; t->deep && x < end; x++) {
		t->deep[2 * (size_t)x] = (uint8_t)(id >> 8);
		t->deep[2 * (size_t)x + 1] = (uint8_t)id;
	}
	for (; t->plain && x < end; x++)
		t->plain[x] = id;
}

/* Maps row y, run by run. Returns false if *fault is set. */
static bool map_row(const struct pixel_map *m, const void *row, uint32_t y, const struct target *t,
		    struct fix_counts *counts, struct fault *fault)
{
	const uint32_t width = m->png->width;
	const size_t size = m->png->channels * (m->png->bit_depth == 16 ? 2u : 1u);

	for (uint32_t x = 0, end; x < width; x = end) {
		struct pixel pixel = map_pixel(m, row, x);

		end = end_of_run(row, x, width, size);
		if (pixel.to == UNKNOWN)
			return fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET,
					 "the pixel at x %" PRIu32 ", y %" PRIu32
					 " has an id that the plan does not know",
					 x, y);
		if (t->narrow && pixel.to > UINT8_MAX)
			return fault_set(fault, FAULT_LABELS, FAULT_NO_OFFSET,
					 "id %" PRId32 " does not fit into 8 bits", pixel.to);
		counts->labels += (uint64_t)pixel.changes * (end - x);
		counts->mended += (uint64_t)pixel.is_guessed * (end - x);
		fill_target(t, x, end, (uint16_t)pixel.to);
	}
	return true;
}

/* Writes a row of ids that were mended. */
static bool write_ids(struct png_writer *png, const uint16_t *ids, uint32_t width, bool deep, struct fault *fault)
{
	uint8_t *out = png_writer_next_row(png);

	for (uint32_t x = 0; x < width; x++) {
		if (deep)
			out[2 * (size_t)x] = (uint8_t)(ids[x] >> 8), out[2 * (size_t)x + 1] = (uint8_t)ids[x];
		else if (ids[x] <= UINT8_MAX)
			out[x] = (uint8_t)ids[x];
		else
			return fault_set(fault, FAULT_LABELS, FAULT_NO_OFFSET, "id %u does not fit into 8 bits",
					 ids[x]);
	}
	return png_writer_row(png, fault);
}

/* Reads the whole mask and mends it. Returns its ids, which the caller frees; NULL if *fault is set. */
static uint16_t *read_mended(const struct pixel_map *m, struct sample_rows *rows, struct fix_counts *counts,
			     struct fault *fault)
{
	const struct plan_file *p = &m->plan->files[m->file - m->plan->set->files];
	const uint32_t width = m->png->width, height = m->png->height;
	uint64_t pixels = (uint64_t)width * height, mended = 0;
	int64_t ignored;
	uint16_t *ids;
	bool ok = true;

	if (pixels > MEND_PIXELS_MAX) {
		fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET, "has more than %d pixels, too many to mend",
			  MEND_PIXELS_MAX);
		return NULL;
	}
	ids = mem_try(pixels, sizeof(*ids));
	if (!ids) {
		fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to mend the mask");
		return NULL;
	}
	for (uint32_t y = 0; ok && y < height; y++) {
		const void *row = sample_rows_next(rows);
		const struct target target = { .plain = ids + (size_t)y * width };

		ok = row && map_row(m, row, y, &target, counts, fault);
	}
	if (!id_map_ignored_id(m->plan->set->settings, &ignored))
		ignored = -1;
	if (ok && sample_rows_end(rows) &&
	    mend_mask(m->plan->set->settings, p->interpolated, ignored, ids, width, height, &mended, fault)) {
		counts->labels += mended;
		counts->mended += mended;
		return ids;
	}
	free(ids);
	return NULL;
}

static bool write_mended(const struct pixel_map *m, struct fix_png_memory *memory, bool deep, struct fix_counts *counts,
			 struct fault *fault)
{
	uint16_t *ids = read_mended(m, &memory->rows, counts, fault);
	bool ok = ids != NULL;

	for (uint32_t y = 0; ok && y < m->png->height; y++)
		ok = write_ids(memory->png, ids + (size_t)y * m->png->width, m->png->width, deep, fault);
	free(ids);
	return ok;
}

static bool write_mapped(const struct pixel_map *m, struct fix_png_memory *memory, bool deep, struct fix_counts *counts,
			 struct fault *fault)
{
	for (uint32_t y = 0; y < m->png->height; y++) {
		const void *row = sample_rows_next(&memory->rows);
		uint8_t *out = png_writer_next_row(memory->png);
		const struct target target = { .narrow = deep ? NULL : out, .deep = deep ? out : NULL };

		if (!row || !map_row(m, row, y, &target, counts, fault) || !png_writer_row(memory->png, fault))
			return false;
	}
	return sample_rows_end(&memory->rows);
}

/* Makes the bytes of an open file; out: NULL if only the guesses count. */
static bool convert(const struct pixel_map *m, struct fix_png_memory *memory, struct strbuf *out,
		    struct fix_counts *counts, struct fault *fault)
{
	const struct plan_file *p = &m->plan->files[m->file - m->plan->set->files];
	struct png_header header;

	if (!out) {
		uint16_t *ids = read_mended(m, &memory->rows, counts, fault);
		bool read = ids != NULL;

		free(ids);
		return read;
	}
	plan_header(m, p->recodings, &header);
	bool deep = header.bit_depth == 16;

	return png_writer_begin(memory->png, &header, out, fault) &&
	       (m->mends ? write_mended : write_mapped)(m, memory, deep, counts, fault) &&
	       png_writer_end(memory->png, fault);
}

/* A file that is converted; and how much of *out and *counts there was before. */
struct conversion {
	struct fix_png_memory *memory;
	struct pixel_map map;
	struct strbuf *out;
	size_t start;
	struct fix_counts before, *counts;
	struct fault *fault;
};

/* Converts a file: a sample_rows_taker. */
static bool convert_rows(void *context, struct sample_rows *rows)
{
	struct conversion *c = context;

	*c->counts = c->before;
	fault_clear(c->fault);
	if (c->out)
		strbuf_cut(c->out, c->start);
	c->map.png = &rows->sample.png;
	fill_samples(&c->map);
	return convert(&c->map, c->memory, c->out, c->counts, c->fault);
}

static bool convert_file(struct fix_png_memory *memory, const struct fix_plan *plan, const struct fix_file *file,
			 struct input *in, struct strbuf *out, struct fix_counts *counts, struct fault *fault)
{
	struct conversion c = { .memory = memory,
				.map = { .plan = plan,
					 .file = file,
					 .samples = memory->samples,
					 .mends = plan->files[file - plan->set->files].mends },
				.out = out,
				.start = out ? out->len : 0,
				.before = *counts,
				.counts = counts,
				.fault = fault };
	bool ok = sample_rows_read(&memory->rows, in, &plan->set->settings->limits, convert_rows, &c);

	if (!ok && fault->kind == FAULT_NONE)
		*fault = memory->rows.sample.fault;
	return ok;
}

bool fix_png_count_mended(struct fix_png_memory *memory, const struct fix_plan *plan, const struct fix_file *file,
			  struct input *in, struct fix_counts *counts, struct fault *fault)
{
	return fix_file_unpack(plan->set, file, in, fault) && convert_file(memory, plan, file, in, NULL, counts, fault);
}

bool fix_png(struct fix_png_memory *memory, const struct fix_plan *plan, const struct fix_file *file, struct input *in,
	     struct strbuf *out, struct fix_counts *counts, struct fault *fault)
{
	return convert_file(memory, plan, file, in, out, counts, fault);
}
