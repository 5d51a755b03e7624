#include "fix/fix_png.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fix/mend.h"
#include "fix/png_file.h"
#include "png/decode.h"

enum { SAMPLES_MAX = 1 << 16, UNKNOWN = -1 };

/* The new id of each sample of a mask of one channel, or of each colour. */
struct pixel_map {
	const struct fix_plan *plan;
	const struct fix_file *file;
	const struct png_header *png;
	int32_t *to;     /* by sample; UNKNOWN: the plan does not know it; owned */
	bool *changes;   /* by sample; owned */
	uint32_t colour; /* that was looked up last */
	int32_t colour_to;
	bool colour_changes, colour_is_guessed;
	bool mends; /* pixels are guessed */
};

/* Returns the id of a colour; with `mends` that of the nearest one in the table; or -1. */
static int64_t id_of_colour(const struct pixel_map *m, uint32_t colour)
{
	const struct colour_table *table = &m->plan->set->settings->colours;
	int64_t id = colour_table_find(table, colour);

	return id < 0 && m->mends && table->count ? colour_table_nearest(table, colour)->id : id;
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
	const struct fix_id *ids = &m->plan->set->ids[m->file->ids_at];

	for (size_t i = 0; i < m->file->ids_count; i++)
		if (ids[i].id == id)
			return true;
	return m->mends && id >= 0; /* it may be the nearest colour's */
}

static void fill_samples(struct pixel_map *m)
{
	uint32_t samples = (uint32_t)1 << m->png->bit_depth;

	m->to = xmalloc(SAMPLES_MAX * sizeof(*m->to));
	m->changes = xcalloc(SAMPLES_MAX, sizeof(*m->changes));
	for (uint32_t i = 0; i < SAMPLES_MAX; i++)
		m->to[i] = UNKNOWN;
	for (uint32_t i = 0; i < samples; i++) {
		int64_t id = audited_id(m, i);

		if (!is_known(m, id))
			continue;
		m->to[i] = (int32_t)fix_plan_id(m->plan, m->file, id);
		m->changes[i] = m->to[i] != id;
	}
}

static int32_t map_colour(struct pixel_map *m, uint32_t colour, struct fix_counts *counts)
{
	if (colour != m->colour) {
		int64_t id = id_of_colour(m, colour);

		m->colour = colour;
		m->colour_to = is_known(m, id) ? (int32_t)fix_plan_id(m->plan, m->file, id) : UNKNOWN;
		m->colour_changes = m->colour_to != id;
		m->colour_is_guessed = colour_table_find(&m->plan->set->settings->colours, colour) < 0;
	}
	counts->labels += m->colour_changes || m->colour_is_guessed;
	counts->mended += m->colour_is_guessed;
	return m->colour_to;
}

/* Returns what pixel x of a decoded row becomes, and counts it if that is another id. */
static int32_t map_pixel(struct pixel_map *m, const void *row, uint32_t x, struct fix_counts *counts)
{
	unsigned channels = m->png->channels;
	const uint8_t *p = (const uint8_t *)row + (size_t)x * channels;

	if (channels >= 3 && m->file->encoding == MASK_COLOURS) {
		if (m->png->bit_depth == 8)
			return map_colour(m, (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2], counts);
		const uint16_t *deep = (const uint16_t *)row + (size_t)x * channels;

		return map_colour(m, (uint32_t)(deep[0] >> 8) << 16 | (uint32_t)(deep[1] >> 8) << 8 | deep[2] >> 8,
				  counts);
	}
	uint32_t sample = m->png->bit_depth == 16 ? ((const uint16_t *)row)[x] : p[0];

	counts->labels += m->changes[sample];
	return m->to[sample];
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

/* Decodes the next row, and maps it to ids. Returns false if *fault is set. */
static bool read_row(struct pixel_map *m, struct png_decoder *d, uint32_t y, uint16_t *ids, struct fix_counts *counts,
		     struct fault *fault)
{
	const void *row = png_decoder_row(d);

	for (uint32_t x = 0; row && x < m->png->width; x++) {
		int32_t to = map_pixel(m, row, x, counts);

		if (to < 0 || to > UINT16_MAX)
			return fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET,
					 "the pixel at x %" PRIu32 ", y %" PRIu32
					 " has an id that the plan does not know",
					 x, y);
		ids[x] = (uint16_t)to;
	}
	return row != NULL;
}

/* Decodes all rows and the rest of the file, into `ids`. Returns false if *fault is set. */
static bool read_mask(struct pixel_map *m, struct png_decoder *d, uint16_t *ids, struct fix_counts *counts,
		      struct fault *fault)
{
	for (uint32_t y = 0; y < m->png->height; y++)
		if (!read_row(m, d, y, ids + (size_t)y * m->png->width, counts, fault))
			return false;
	return png_decoder_finish(d);
}

static bool write_row(struct png_file *png, const uint16_t *ids, uint32_t width, bool deep, struct fault *fault)
{
	uint8_t *out = png_file_next_row(png);

	for (uint32_t x = 0; x < width; x++) {
		if (deep)
			out[2 * (size_t)x] = (uint8_t)(ids[x] >> 8), out[2 * (size_t)x + 1] = (uint8_t)ids[x];
		else if (ids[x] <= UINT8_MAX)
			out[x] = (uint8_t)ids[x];
		else
			return fault_set(fault, FAULT_LABELS, FAULT_NO_OFFSET, "id %u does not fit into 8 bits",
					 ids[x]);
	}
	return png_file_row(png, fault);
}

/* Decodes the whole mask and mends it. Returns its ids, which the caller frees; NULL if *fault is set. */
static uint16_t *read_mended(struct pixel_map *m, struct png_decoder *d, struct fix_counts *counts, struct fault *fault)
{
	const struct plan_file *p = &m->plan->files[m->file - m->plan->set->files];
	uint64_t pixels = (uint64_t)m->png->width * m->png->height, mended = 0;
	int64_t ignored;
	uint16_t *ids;

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
	if (!id_map_ignored_id(m->plan->set->settings, &ignored))
		ignored = -1;
	if (read_mask(m, d, ids, counts, fault) && mend_mask(m->plan->set->settings, p->interpolated, ignored, ids,
							     m->png->width, m->png->height, &mended, fault)) {
		counts->labels += mended;
		counts->mended += mended;
		return ids;
	}
	free(ids);
	return NULL;
}

static bool write_mended(struct pixel_map *m, struct png_decoder *d, struct png_file *png, bool deep,
			 struct fix_counts *counts, struct fault *fault)
{
	uint16_t *ids = read_mended(m, d, counts, fault);
	bool ok = ids != NULL;

	for (uint32_t y = 0; ok && y < m->png->height; y++)
		ok = write_row(png, ids + (size_t)y * m->png->width, m->png->width, deep, fault);
	free(ids);
	return ok;
}

static bool write_mapped(struct pixel_map *m, struct png_decoder *d, struct png_file *png, bool deep,
			 struct fix_counts *counts, struct fault *fault)
{
	uint16_t *ids = xmalloc(m->png->width * sizeof(*ids)); /* a row has at most 1 MiB (png/decode.c) */
	bool ok = true;

	for (uint32_t y = 0; ok && y < m->png->height; y++)
		ok = read_row(m, d, y, ids, counts, fault) && write_row(png, ids, m->png->width, deep, fault);
	free(ids);
	return ok && png_decoder_finish(d);
}

/* A mask that is being decoded; it is not moved. */
struct open_mask {
	struct sample sample;
	struct pixel_map map;
	struct png_decoder *decoder;
};

static bool open_mask(struct open_mask *o, const struct fix_plan *plan, const struct fix_file *file, struct input *in,
		      struct fault *fault)
{
	o->sample = (struct sample){ .format = FORMAT_PNG };
	o->map = (struct pixel_map){ .plan = plan, .file = file, .png = &o->sample.png, .colour = UINT32_MAX };
	o->map.mends = plan->files[file - plan->set->files].mends;
	fault_clear(&o->sample.fault);
	fault_clear(&o->sample.warning);
	if (!png_decoder_open(&o->decoder, in, &plan->set->settings->limits, &o->sample)) {
		*fault = o->sample.fault;
		return false;
	}
	fill_samples(&o->map);
	return true;
}

/* Closes it. Returns whether all went well; if not, *fault is set. */
static bool close_mask(struct open_mask *o, bool ok, struct fault *fault)
{
	if (!ok && fault->kind == FAULT_NONE)
		*fault = o->sample.fault;
	png_decoder_close(o->decoder);
	free(o->map.to);
	free(o->map.changes);
	return ok;
}

bool fix_png_count_mended(const struct fix_plan *plan, const struct fix_file *file, struct input *in,
			  struct fix_counts *counts, struct fault *fault)
{
	struct open_mask o;

	if (!open_mask(&o, plan, file, in, fault))
		return false;
	uint16_t *ids = read_mended(&o.map, o.decoder, counts, fault);

	free(ids);
	return close_mask(&o, ids != NULL, fault);
}

bool fix_png(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct strbuf *out,
	     struct fix_counts *counts, struct fault *fault)
{
	struct png_header header;
	struct open_mask o;

	if (!open_mask(&o, plan, file, in, fault))
		return false;
	plan_header(&o.map, plan->files[file - plan->set->files].recodings, &header);
	struct png_file *png = png_file_begin(&header, out, fault);
	bool deep = header.bit_depth == 16;
	bool ok = png && (o.map.mends ? write_mended(&o.map, o.decoder, png, deep, counts, fault)
				      : write_mapped(&o.map, o.decoder, png, deep, counts, fault));

	ok = ok && png_file_end(png, fault);
	png_file_free(png);
	return close_mask(&o, ok, fault);
}
