#include "engine_masks.h"

#include "check_main.h"
#include "png/decode.h"

static struct bytes deflate_rows(const struct bytes *rows, uint64_t *s)
{
	static const int levels[] = { 0, 1, 6, 6, 9 };
	static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_DEFAULT_STRATEGY, Z_RLE, Z_FIXED, Z_HUFFMAN_ONLY };
	struct bytes out = { xmalloc(2 * rows->n + 1000), 2 * rows->n + 1000 };
	z_stream z = { .next_in = rows->p, .avail_in = (uInt)rows->n, .next_out = out.p, .avail_out = (uInt)out.n };
	int window = 15;

	/* mostly the smallest window that holds the image, as libpng chooses */
	while (random_below(s, 8) && window > 9 && rows->n <= (size_t)1 << (window - 1))
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
	struct bytes stream = deflate_rows(&rows, s), png = { 0 };

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
