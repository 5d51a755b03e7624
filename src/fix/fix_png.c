#include "fix/fix_png.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
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
	bool colour_changes;
};

/* Returns the id that the audit counted for a sample, or -1. */
static int64_t audited_id(const struct pixel_map *m, uint32_t sample)
{
	const struct settings *settings = m->plan->set->settings;

	if (m->file->encoding == MASK_COLOURS)
		return sample < m->png->palette_entries
			       ? colour_table_find(&settings->colours, png_palette_colour(m->png, sample))
			       : -1;
	return (int64_t)sample * fix_file_scale(m->plan->set, m->file);
}

/* Returns whether the audit counted the id in this file. */
static bool is_known(const struct pixel_map *m, int64_t id)
{
	const struct fix_id *ids = &m->plan->set->ids[m->file->ids_at];

	for (size_t i = 0; i < m->file->ids_count; i++)
		if (ids[i].id == id)
			return true;
	return false;
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
		int64_t id = colour_table_find(&m->plan->set->settings->colours, colour);

		m->colour = colour;
		m->colour_to = is_known(m, id) ? (int32_t)fix_plan_id(m->plan, m->file, id) : UNKNOWN;
		m->colour_changes = m->colour_to != id;
	}
	counts->labels += m->colour_changes;
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
	const struct id_map *map = &m->plan->maps[m->file->group];
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

static bool write_rows(struct pixel_map *m, struct png_decoder *d, struct png_file *png, bool deep,
		       struct fix_counts *counts, struct fault *fault, const struct fault *decoding)
{
	for (uint32_t y = 0; y < m->png->height; y++) {
		const void *row = png_decoder_row(d);
		uint8_t *out = png_file_next_row(png);

		if (!row) {
			*fault = *decoding;
			return false;
		}
		for (uint32_t x = 0; x < m->png->width; x++) {
			int32_t to = map_pixel(m, row, x, counts);

			if (to < 0 || to > (deep ? 65535 : 255))
				return fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET,
						 "the pixel at x %" PRIu32 ", y %" PRIu32
						 " has an id that the plan does not know",
						 x, y);
			if (deep)
				out[2 * x] = (uint8_t)(to >> 8), out[2 * x + 1] = (uint8_t)to;
			else
				out[x] = (uint8_t)to;
		}
		if (!png_file_row(png, fault))
			return false;
	}
	return true;
}

bool fix_png(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct strbuf *out,
	     struct fix_counts *counts, struct fault *fault)
{
	struct sample sample = { .format = FORMAT_PNG };
	struct pixel_map m = { .plan = plan, .file = file, .png = &sample.png, .colour = UINT32_MAX };
	const struct plan_file *p = &plan->files[file - plan->set->files];
	struct png_decoder *d;
	struct png_header header;

	fault_clear(&sample.fault);
	fault_clear(&sample.warning);
	if (!png_decoder_open(&d, in, &plan->set->settings->limits, &sample)) {
		*fault = sample.fault;
		return false;
	}
	plan_header(&m, p->recodings, &header);
	fill_samples(&m);
	struct png_file *png = png_file_begin(&header, out, fault);
	bool ok = png && write_rows(&m, d, png, header.bit_depth == 16, counts, fault, &sample.fault);

	if (ok && !png_decoder_finish(d)) {
		*fault = sample.fault;
		ok = false;
	}
	ok = ok && png_file_end(png, fault);
	png_file_free(png);
	png_decoder_close(d);
	free(m.to);
	free(m.changes);
	return ok;
}
