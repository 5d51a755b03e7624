#include "engine_masks.h"

#include <string.h>

#include "check_main.h"
#include "png/decode.h"

/* smallest: the window may be the smallest that holds the image, as libpng chooses; else it is the largest. */
static struct bytes deflate_rows(const struct bytes *rows, bool smallest, uint64_t *s)
{
	static const int levels[] = { 0, 1, 6, 6, 9 };
	static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_DEFAULT_STRATEGY, Z_RLE, Z_FIXED, Z_HUFFMAN_ONLY };
	struct bytes out = { xmalloc(2 * rows->n + 1000), 2 * rows->n + 1000 };
	z_stream z = { .next_in = rows->p, .avail_in = (uInt)rows->n, .next_out = out.p, .avail_out = (uInt)out.n };
	int window = 15;

	while (smallest && random_below(s, 8) && window > 9 && rows->n <= (size_t)1 << (window - 1))
		window--;
	ck_assert_int_eq(deflateInit2(&z, levels[random_below(s, ARRAY_SIZE(levels))], Z_DEFLATED, window, 8,
				      strategies[random_below(s, ARRAY_SIZE(strategies))]),
			 Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	out.n = z.total_out;
	deflateEnd(&z);
	return out;
}

struct bytes image_png(const struct image *im, const uint8_t *samples, size_t row_bytes, unsigned filter, uint64_t *s)
{
	struct bytes rows = filter_rows(samples, row_bytes, im->height, im->depth == 16 ? 2 : 1, filter, s);
	struct bytes stream = deflate_rows(&rows, true, s), png = { 0 };

	png_begin(&png, im->width, im->height, im->depth, im->colour);
	if (random_below(s, 4) == 0)
		bytes_chunk(&png, "tEXt", "Title\0mask", 10);
	if (im->colour == PNG_PALETTE) {
		size_t entries = (size_t)1 << im->depth;
		uint8_t palette[768];

		for (size_t i = 0; i < sizeof(palette); i++)
			palette[i] = (uint8_t)random_next(s);
		/* indices past the end of a short one are legal, and are ids */
		bytes_chunk(&png, "PLTE", palette,
			    3 * (random_below(s, 2) ? entries : 1 + random_below(s, (uint32_t)entries)));
	}
	png_end(&png, &stream, 300, s);
	free(stream.p);
	free(rows.p);
	return png;
}

/* Packs ids, cut to the depth, to samples: as the file has them, without filter bytes. */
static uint8_t *pack_samples(const struct mask *m, unsigned depth, size_t *row_bytes)
{
	*row_bytes = ((size_t)m->width * depth + 7) / 8;
	uint8_t *out = xcalloc(*row_bytes, m->height);

	for (uint32_t y = 0; y < m->height; y++) {
		uint8_t *row = out + y * *row_bytes;

		for (uint32_t x = 0; x < m->width; x++) {
			unsigned id = m->ids[(size_t)y * m->width + x];

			if (depth == 16) {
				row[2 * x] = (uint8_t)(id >> 8);
				row[2 * x + 1] = (uint8_t)id;
			} else if (depth == 8) {
				row[x] = (uint8_t)id;
			} else {
				unsigned each = 8 / depth;

				row[x / each] |= (uint8_t)((id & ((1u << depth) - 1)) << (8 - depth * (x % each + 1)));
			}
		}
	}
	return out;
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
	struct image im = { .width = m.width, .height = m.height, .depth = depth };
	size_t row_bytes;
	uint8_t *samples = pack_samples(&m, depth, &row_bytes);

	im.colour = depth < 16 && random_below(&s, 2) ? PNG_PALETTE : PNG_GREY;
	struct bytes png = image_png(&im, samples, row_bytes, random_below(&s, 6), &s);

	free(samples);
	mask_release(&m);
	return png;
}

/* ---- several channels ------------------------------------------------------------------------------------------- */

struct picture picture_new(uint32_t width, uint32_t height, unsigned channels, bool deep)
{
	struct picture p = { .width = width, .height = height, .channels = channels, .deep = deep };

	p.pixel_bytes = channels * (deep ? 2u : 1u);
	p.row_bytes = width * p.pixel_bytes;
	p.samples = xcalloc(height, p.row_bytes);
	return p;
}

struct bytes picture_png(const struct picture *p, unsigned filter, bool transparency, uint64_t *s)
{
	static const uint8_t types[] = { 0, 0, PNG_GREY_ALPHA, PNG_RGB, PNG_RGBA }; /* by channels */
	struct bytes rows = filter_rows(p->samples, p->row_bytes, p->height, p->pixel_bytes, filter, s);
	struct bytes stream = deflate_rows(&rows, false, s), png = { 0 };

	png_begin(&png, p->width, p->height, p->deep ? 16 : 8, types[p->channels]);
	if (transparency)
		bytes_chunk(&png, "tRNS", "\0\1\0\2\0\3", 6);
	png_end(&png, &stream, 500, s);
	free(stream.p);
	free(rows.p);
	return png;
}

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

static struct picture random_picture(uint64_t seed, uint64_t *s)
{
	bool deep = random_below(s, 3) == 0;
	struct mask m = mask_random(seed, random_below(s, 2) ? 256 : 65536, 200);
	struct picture p = picture_new(m.width, m.height, 2 + random_below(s, 3), deep);
	enum palette_style style = (enum palette_style)random_below(s, PALETTE_STYLES);
	uint32_t most = deep ? 65535 : 255, peak = random_below(s, 3) ? most : 1 + random_below(s, most);

	for (size_t i = 0; i < (size_t)m.width * m.height; i++) {
		uint16_t v[4];

		colour_of(m.ids[i], style, peak, p.channels, v);
		for (unsigned c = 0; c < p.channels; c++) {
			if (deep)
				p.samples[i * p.pixel_bytes + 2 * c] = (uint8_t)(v[c] >> 8);
			p.samples[i * p.pixel_bytes + c * (deep ? 2 : 1) + deep] = (uint8_t)v[c];
		}
	}
	mask_release(&m);
	return p;
}

struct bytes random_picture_png(uint64_t seed)
{
	uint64_t s = seed * 977 + 3;
	struct picture p = random_picture(seed, &s);
	struct bytes png = picture_png(&p, random_below(&s, 6), p.channels == 3 && random_below(&s, 3) == 0, &s);

	free(p.samples);
	return png;
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

struct bytes painted_png(const struct paint *p, const struct mask *m, unsigned filter, uint64_t *s)
{
	size_t pixel = p->channels * p->depth / 8, row = m->width * pixel;
	uint8_t *samples = xcalloc(m->height, row), *at = samples;
	struct bytes png = { 0 };

	for (size_t i = 0; i < (size_t)m->width * m->height; i++) {
		uint32_t colour = paint_colour(p, m->ids[i]);

		for (unsigned c = 0; c < p->channels; c++) {
			unsigned v = c < 3 ? colour >> (16 - 8 * c) & 255 : 200;

			if (c == 3 && p->alpha_varies && i == (size_t)m->width * m->height / 2)
				v = 199;
			*at++ = (uint8_t)v;
			if (p->depth == 16)
				*at++ = (uint8_t)(c < 3 ? random_below(s, 3) : 7);
		}
	}
	struct bytes rows = filter_rows(samples, row, m->height, pixel, filter, s),
		     stream = deflate_rows(&rows, false, s);

	png_begin(&png, m->width, m->height, p->depth, p->channels == 3 ? PNG_RGB : PNG_RGBA);
	png_end(&png, &stream, 500, s);
	free(stream.p);
	free(rows.p);
	free(samples);
	return png;
}

struct bytes palette_png(const struct mask *m, unsigned depth, unsigned order, uint64_t *s)
{
	unsigned entries = 1u << depth, each = 8 / depth;
	size_t row = (m->width + each - 1) / each;
	uint8_t *samples = xcalloc(m->height, row), palette[256][3];
	struct bytes png = { 0 };

	for (unsigned i = 0; i < entries; i++) {
		uint32_t colour = order == 0   ? (i < COLOURS / 2 ? colour_at(2 * i) : colour_at(1000 + i))
				  : order == 1 ? colour_at(entries - 1 - i)
					       : colour_at(random_below(s, COLOURS));

		for (unsigned c = 0; c < 3; c++)
			palette[i][c] = (uint8_t)(colour >> (16 - 8 * c));
	}
	for (uint32_t y = 0; y < m->height; y++)
		for (uint32_t x = 0; x < m->width; x++) {
			unsigned index = m->ids[(size_t)y * m->width + x] % entries;

			samples[y * row + x / each] |= (uint8_t)(index << (8 - depth * (x % each + 1)));
		}
	struct bytes rows = filter_rows(samples, row, m->height, 1, depth == 8 ? random_below(s, 6) : 0, s);
	struct bytes stream = deflate_rows(&rows, false, s);

	png_begin(&png, m->width, m->height, depth, PNG_PALETTE);
	bytes_chunk(&png, "PLTE", palette, 3u * entries);
	png_end(&png, &stream, 500, s);
	free(stream.p);
	free(rows.p);
	free(samples);
	return png;
}
