/* Imitates how PIL and OpenCV convert the samples of a PNG. */
#include "png/view.h"

#include <assert.h>
#include <string.h>

/*
 * OpenCV calls png_set_rgb_to_gray(png, 1, 0.299, 0.587); libpng converts that to 15-bit integers (29900 * 32768 /
 * 100000 and 58700 * 32768 / 100000, truncated; blue is the rest to 32768), truncates 8-bit results and rounds 16-bit
 * ones (pngrtran.c, png_do_rgb_to_gray). A colour of three equal parts is kept. Not imitated: for files with an sRGB
 * chunk or a gAMA other than 1.0, libpng converts through linear light (ancillary chunks are never parsed).
 */
enum {
	LUMA_RED = 9797,
	LUMA_GREEN = 19234,
	LUMA_BLUE = 32768 - LUMA_RED - LUMA_GREEN,
};

uint8_t view_luma(uint8_t red, uint8_t green, uint8_t blue)
{
	return (uint8_t)((LUMA_RED * (uint32_t)red + LUMA_GREEN * (uint32_t)green + LUMA_BLUE * (uint32_t)blue) >> 15);
}

static uint16_t luma16(uint16_t red, uint16_t green, uint16_t blue)
{
	return (uint16_t)((LUMA_RED * (uint32_t)red + LUMA_GREEN * (uint32_t)green + LUMA_BLUE * (uint32_t)blue +
			   (1u << 14)) >>
			  15);
}

/* Returns the factor that expands samples to 8 bits. */
static unsigned expansion(uint8_t depth)
{
	return 255u / ((1u << depth) - 1);
}

static uint8_t lut_entry(const struct png_header *png, enum view view, unsigned sample)
{
	bool palette = png->colour_type == PNG_PALETTE;

	switch (view) {
	case VIEW_RAW:
		break;
	case VIEW_PIL:
		/* 1-bit images become bool; palettes stay indices */
		if (!palette && (png->bit_depth == 2 || png->bit_depth == 4))
			return (uint8_t)(sample * expansion(png->bit_depth));
		break;
	case VIEW_CV2:
		if (palette)
			return view_luma(png->palette[sample][0], png->palette[sample][1], png->palette[sample][2]);
		return (uint8_t)(sample * expansion(png->bit_depth));
	}
	return (uint8_t)sample;
}

void view_map_init(struct view_map *m, const struct png_header *png, enum view view)
{
	m->coded = false;
	m->view = view;
	m->channels = png->channels;
	m->depth = png->bit_depth;
	m->has_ids = png->channels == 1 || view == VIEW_CV2;
	m->wide = png->bit_depth == 16 && view != VIEW_CV2;
	/* 8 bits and not cv2: nearly all masks */
	m->identity = png->channels == 1 && (png->bit_depth == 16 ? m->wide : png->bit_depth == 8 && view != VIEW_CV2);
	if (m->identity)
		return;
	memset(m->lut, 0, sizeof(m->lut));
	if (png->channels > 1 || png->bit_depth == 16)
		return;
	m->identity = true;
	/* samples that the depth cannot hold do not occur; their entries stay 0 */
	for (unsigned v = 0; v < 1u << png->bit_depth; v++) {
		m->lut[v] = lut_entry(png, view, v);
		m->identity = m->identity && m->lut[v] == v;
	}
}

/* Returns whether a palette is to be read by its colours. */
static bool palette_is_code(const struct png_header *png, const struct colour_table *t)
{
	uint32_t first = png_palette_colour(png, 0);
	bool several = false;

	if (!t->presumed)
		return true;
	for (unsigned i = 0; i < png->palette_entries; i++) {
		uint32_t colour = png_palette_colour(png, i);

		several |= colour != first;
		if (colour_table_find(t, colour) == NO_COLOUR_CLASS)
			return false;
	}
	return several; /* black alone is in any palette */
}

static void fill_codes(struct view_map *m, const struct png_header *png, const struct colour_table *t)
{
	uint16_t unknown = CODED_UNKNOWN;

	for (unsigned i = 0; i < 256; i++) {
		m->lut[i] = (uint8_t)i; /* of packed samples */

		uint32_t colour = png_palette_colour(png, i);
		int32_t id = colour_table_find(t, colour);
		unsigned same = 0;

		while (id == NO_COLOUR_CLASS && png_palette_colour(png, same) != colour)
			same++;
		m->codes[i] = id != NO_COLOUR_CLASS ? (uint16_t)id : same < i ? m->codes[same] : unknown++;
	}
}

void view_map_of(struct view_map *m, const struct png_header *png, const struct settings *settings)
{
	const struct colour_table *t = &settings->colours;
	bool palette = png->colour_type == PNG_PALETTE;

	view_map_init(m, png, settings->view);
	if (!t->count || (!palette && png->channels < 3) || (palette && !palette_is_code(png, t)))
		return;
	m->has_ids = m->wide = m->coded = true;
	m->identity = false;
	if (palette)
		fill_codes(m, png, t);
}

static void map_deep_row(const struct view_map *m, const uint16_t *in, uint32_t width, uint8_t *out)
{
	for (uint32_t x = 0; x < width; x++, in += m->channels)
		out[x] = (uint8_t)((m->channels < 3 ? in[0] : luma16(in[0], in[1], in[2])) >> 8);
}

static void map_colour_row(const struct view_map *m, const uint8_t *in, uint32_t width, uint8_t *out)
{
	for (uint32_t x = 0; x < width; x++, in += m->channels)
		out[x] = m->channels < 3 ? in[0] : view_luma(in[0], in[1], in[2]);
}

void view_map_row(const struct view_map *m, const void *row, uint32_t width, void *out)
{
	const uint8_t *in = row;
	uint8_t *ids = out;
	uint16_t *codes = out;

	assert(m->has_ids && (!m->coded || m->channels == 1));
	if (m->coded)
		for (uint32_t x = 0; x < width; x++)
			codes[x] = m->codes[in[x]];
	else if (m->identity)
		memcpy(out, row, (size_t)width * (m->wide ? 2 : 1));
	else if (m->depth == 16)
		map_deep_row(m, row, width, ids);
	else if (m->channels > 1)
		map_colour_row(m, in, width, ids);
	else
		for (uint32_t x = 0; x < width; x++)
			ids[x] = m->lut[in[x]];
}
