#include "engine_masks.h"

#include <string.h>

#include "check_main.h"
#include "png/decode.h"

struct bytes random_png(struct picture *p, unsigned filter, uint64_t *s)
{
	return picture_png(p, filter, LEVEL_ANY, random_below(s, 3) ? SPLIT_NONE : SPLIT_RANDOM, s);
}

/* Typical masks: few regions with slanting borders, a thin feature here and there. Wider than one block. */
static struct mask mask_regions(uint64_t *s)
{
	struct mask m = { .width = 1 + random_below(s, 300), .height = 1 + random_below(s, 40), .ids_end = 256 };
	uint32_t ids[6], border[5];
	int32_t slope[5];

	for (unsigned i = 0; i < 6; i++)
		ids[i] = random_below(s, 4) ? random_below(s, 12) : random_below(s, 256);
	for (unsigned i = 0; i < 5; i++) {
		border[i] = random_below(s, m.width);
		slope[i] = (int32_t)random_below(s, 5) - 2;
	}
	m.ids = xmalloc((size_t)m.width * m.height * sizeof(*m.ids));
	for (uint32_t y = 0; y < m.height; y++) {
		for (uint32_t x = 0; x < m.width; x++) {
			unsigned region = 0;

			for (unsigned i = 0; i < 5; i++)
				region += (int32_t)x > (int32_t)border[i] + slope[i] * (int32_t)y / 2;
			m.ids[(size_t)y * m.width + x] = (uint16_t)ids[region];
		}
	}
	for (unsigned spots = random_below(s, 12); spots; spots--) {
		uint32_t x = random_below(s, m.width), y = random_below(s, m.height), id = random_below(s, 256);
		uint32_t wide = 1 + random_below(s, 3), high = 1 + random_below(s, 3);

		for (uint32_t j = y; j < MIN(y + high, m.height); j++)
			for (uint32_t i = x; i < MIN(x + wide, m.width); i++)
				m.ids[(size_t)j * m.width + i] = (uint16_t)id;
	}
	return m;
}

struct bytes mask_png(uint64_t seed, unsigned depth)
{
	uint64_t s = seed * 977 + depth;
	struct mask m = random_below(&s, 2) ? mask_regions(&s) : mask_random(seed, depth == 16 ? 65536 : 256, 200);
	struct picture p = picture_of_mask(&m, depth, depth < 16 && random_below(&s, 2) ? PNG_PALETTE : PNG_GREY);

	mask_release(&m);
	return random_png(&p, random_below(&s, 6), &s);
}

/* ---- several channels ------------------------------------------------------------------------------------------- */

/* Ways to colour a mask's ids. */
enum palette_style { ANY_COLOURS, ONE_HOT, REPLICATED, HIGH_BYTES_ALIKE, PALETTE_STYLES };

static void colour_of(uint32_t id, enum palette_style style, uint32_t peak, unsigned channels, uint16_t out[4])
{
	uint64_t s = id * UINT64_C(7919) + 1;

	for (unsigned c = 0; c < 4; c++)
		out[c] = (uint16_t)(random_next(&s) % (peak + 1));
	if (style == ONE_HOT)
		for (unsigned c = 0; c < 3; c++)
			out[c] = c == id % 4 ? (uint16_t)peak : 0; /* one in four is blank */
	else if (style == REPLICATED)
		out[1] = out[2] = out[0];
	else if (style == HIGH_BYTES_ALIKE)
		for (unsigned c = 0; c < 3; c++)
			out[c] = (uint16_t)((id % 3) << 8 | out[c] % 256);
	/* alpha comes after the colours */
	if (id % 5)
		out[channels - 1] = channels % 2 ? out[channels - 1] : (uint16_t)peak;
}

struct bytes random_picture_png(uint64_t seed)
{
	static const unsigned colours[] = { PNG_GREY_ALPHA, PNG_RGB, PNG_RGBA };
	uint64_t s = seed * 977 + 3;
	unsigned depth = random_below(&s, 3) ? 8 : 16;
	struct mask m = mask_random(seed, random_below(&s, 2) ? 256 : 65536, 200);
	struct picture p = picture_new(m.width, m.height, depth, colours[random_below(&s, 3)]);
	enum palette_style style = (enum palette_style)random_below(&s, PALETTE_STYLES);
	uint32_t most = (1u << depth) - 1, peak = random_below(&s, 3) ? most : 1 + random_below(&s, most);

	for (size_t i = 0; i < (size_t)m.width * m.height; i++) {
		uint16_t v[4];

		colour_of(m.ids[i], style, peak, p.channels, v);
		memcpy(p.samples + i * p.channels, v, p.channels * sizeof(*v));
	}
	mask_release(&m);
	return random_png(&p, random_below(&s, 6), &s);
}

/* ---- colours that have ids -------------------------------------------------------------------------------------- */

uint32_t colour_at(unsigned i)
{
	uint64_t s = i * UINT64_C(7919) + 1;

	return i < 2 ? i * 0xffffff : random_next(&s) & 0xffffff;
}

/* The colour of id i of a random mask. */
static uint32_t paint_colour(const struct paint *p, unsigned i)
{
	unsigned at = i % p->colours;

	return p->grey ? (at * 5 & 255) * 0x010101 : colour_at(p->known_only ? at & ~1u : at);
}

struct bytes painted_png(const struct paint *paint, const struct mask *m, unsigned filter, uint64_t *s)
{
	struct picture p = picture_new(m->width, m->height, paint->depth, paint->channels == 3 ? PNG_RGB : PNG_RGBA);
	uint16_t *at = p.samples;

	for (size_t i = 0; i < (size_t)m->width * m->height; i++) {
		uint32_t colour = paint_colour(paint, m->ids[i]);

		for (unsigned c = 0; c < p.channels; c++) {
			unsigned v = c < 3 ? colour >> (16 - 8 * c) & 255 : 200;

			if (c == 3 && paint->alpha_varies && i == (size_t)m->width * m->height / 2)
				v = 199;
			*at++ = (uint16_t)(p.depth == 8 ? v : v << 8 | (c < 3 ? random_below(s, 3) : 7));
		}
	}
	return random_png(&p, filter, s);
}

struct bytes palette_png(const struct mask *m, unsigned depth, unsigned order, uint64_t *s)
{
	struct picture p = picture_of_mask(m, depth, PNG_PALETTE);
	unsigned entries = 1u << depth;
	uint8_t palette[256][3];
	struct bytes rows = picture_rows(&p, depth == 8 ? random_below(s, 6) : 0, s);
	struct bytes stream = stream_make(&rows, LEVEL_ANY, PACKED_WELL, s), png;

	for (unsigned i = 0; i < entries; i++) {
		uint32_t colour = order == 0   ? (i < COLOURS / 2 ? colour_at(2 * i) : colour_at(1000 + i))
				  : order == 1 ? colour_at(entries - 1 - i)
					       : colour_at(random_below(s, COLOURS));

		for (unsigned c = 0; c < 3; c++)
			palette[i][c] = (uint8_t)(colour >> (16 - 8 * c));
	}
	png = picture_file(&p, &stream, palette[0], SPLIT_NONE, s);
	free(stream.p);
	free(rows.p);
	free(p.samples);
	return png;
}
