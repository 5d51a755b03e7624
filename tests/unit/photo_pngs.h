/*
 * Pictures of every colour type and depth as PNG files in memory, interlaced or not, in IDATs of any lengths. For tests
 * of what reads them.
 */
#pragma once

#include "check_main.h"
#include "mask_pngs.h"
#include "read/sample.h"

enum split {
	SPLIT_NONE,
	SPLIT_BYTES,  /* one each */
	SPLIT_RANDOM, /* mostly short ones */
	SPLIT_EMPTY,  /* as random, empty ones between them */
	SPLIT_LONG,   /* of up to 200,000 bytes */
	SPLIT_BEHIND, /* another chunk, and the rest */
	SPLITS,
};

struct picture {
	uint32_t width, height;
	unsigned depth, colour, channels;
	bool interlaced;
	uint16_t *samples; /* owned */
};

static const unsigned channels_of[] = { 1, 0, 3, 1, 2, 0, 4 };

/* noise: one sample in `noise` differs from the pixel above or to the left. */
static inline struct picture picture_new(uint32_t width, uint32_t height, unsigned depth, unsigned colour,
					 uint32_t noise, uint64_t *s)
{
	struct picture p = {
		.width = width, .height = height, .depth = depth, .colour = colour, .channels = channels_of[colour]
	};
	size_t row = (size_t)width * p.channels, n = row * height;

	p.samples = xmalloc(n * sizeof(*p.samples));
	for (size_t i = 0; i < n; i++) {
		uint16_t v = (uint16_t)(random_next(s) >> 3 & ((1u << depth) - 1));
		bool left = i >= p.channels && random_below(s, 2);

		if (random_below(s, noise))
			v = left ? p.samples[i - p.channels] : i >= row ? p.samples[i - row] : v % 5;
		p.samples[i] = (uint16_t)(v & ((1u << depth) - 1));
	}
	return p;
}

/* Appends the pixels at x0, x0 + dx ... of every dy-th row, filtered. */
static inline void add_pass(struct bytes *out, const struct picture *p, const unsigned at[4], uint64_t *s)
{
	uint32_t width = p->width <= at[0] ? 0 : (p->width - at[0] + at[2] - 1) / at[2];
	size_t n = ((size_t)width * p->channels * p->depth + 7) / 8, bpp = MAX(p->channels * p->depth / 8, 1u);
	uint8_t *row = xcalloc(n + 1, 1), *above = xcalloc(n + 1, 1), *filtered = xmalloc(n + 1);
	uint32_t lines = width && p->height > at[1] ? (p->height - at[1] + at[3] - 1) / at[3] : 0;

	out->p = xrealloc(out->p, out->n + lines * (n + 1));
	for (uint32_t y = at[1]; width && y < p->height; y += at[3]) {
		size_t bit = 0;

		memset(row, 0, n);
		for (uint32_t x = at[0]; x < p->width; x += at[2]) {
			for (unsigned c = 0; c < p->channels; c++, bit += p->depth) {
				unsigned v = p->samples[((size_t)y * p->width + x) * p->channels + c];

				if (p->depth == 16)
					row[bit / 8] = (uint8_t)(v >> 8), row[bit / 8 + 1] = (uint8_t)v;
				else
					row[bit / 8] |= (uint8_t)(v << (8 - p->depth - bit % 8));
			}
		}
		if (bit % 8) /* the bits after the last pixel mean nothing */
			row[n - 1] |= (uint8_t)(random_next(s) & ((1u << (8 - bit % 8)) - 1));
		filtered[0] = (uint8_t)random_below(s, 5);
		for (size_t i = 0; i < n; i++)
			filtered[1 + i] = (uint8_t)(row[i] - filter_predicts(filtered[0], row, above, i, bpp));
		memcpy(out->p + out->n, filtered, n + 1);
		out->n += n + 1;
		memcpy(above, row, n);
	}
	free(row);
	free(above);
	free(filtered);
}

/* A zlib stream of any kind of blocks; level -1: any. */
static inline struct bytes pack(const struct bytes *rows, int level, uint64_t *s)
{
	static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED };
	size_t room = 2 * rows->n + 1000;
	struct bytes out = { xmalloc(room), 0 };
	z_stream z = { .next_in = rows->p, .avail_in = (uInt)rows->n, .next_out = out.p, .avail_out = (uInt)room };

	ck_assert_int_eq(deflateInit2(&z, level < 0 ? (int)random_below(s, 10) : level, Z_DEFLATED, 15, 8,
				      strategies[random_below(s, 5)]),
			 Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	out.n = z.total_out;
	deflateEnd(&z);
	return out;
}

static inline void add_idats(struct bytes *png, const struct bytes *stream, enum split split, uint64_t *s)
{
	struct bytes some = { 0 };

	for (size_t at = 0, n; at < stream->n; at += n) {
		n = stream->n - at;
		if (split == SPLIT_BYTES)
			n = 1;
		else if (split == SPLIT_LONG)
			n = 1 + random_below(s, 200000);
		else if (split != SPLIT_NONE)
			n = 1 + random_below(s, random_below(s, 4) ? 300 : 20000);
		n = MIN(n, stream->n - at);
		if (split == SPLIT_EMPTY && random_below(s, 3) == 0)
			bytes_chunk(&some, "IDAT", NULL, 0);
		bytes_chunk(&some, "IDAT", stream->p + at, n);
		if (split == SPLIT_BEHIND && at == 0)
			bytes_chunk(&some, "tEXt", "Title\0mask", 10);
		bytes_drain(png, &some, 4096);
	}
	if (split == SPLIT_EMPTY)
		bytes_chunk(&some, "IDAT", NULL, 0);
	bytes_drain(png, &some, 0);
	free(some.p);
}

static inline struct bytes picture_png(const struct picture *p, int level, enum split split, uint64_t *s)
{
	static const unsigned whole[4] = { 0, 0, 1, 1 };
	/* x0, y0, dx, dy: PNG specification, section 8.2 */
	static const unsigned passes[7][4] = { { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 },
					       { 0, 2, 2, 4 }, { 1, 0, 2, 2 }, { 0, 1, 1, 2 } };
	struct bytes rows = { 0 }, png = { 0 }, stream;
	uint8_t ihdr[13] = { [8] = (uint8_t)p->depth, [9] = (uint8_t)p->colour, [12] = p->interlaced };
	uint8_t palette[768];

	if (!p->interlaced)
		add_pass(&rows, p, whole, s);
	for (unsigned i = 0; p->interlaced && i < 7; i++)
		add_pass(&rows, p, passes[i], s);
	stream = pack(&rows, level, s);
	for (unsigned i = 0; i < 4; i++) {
		ihdr[i] = (uint8_t)(p->width >> (24 - 8 * i));
		ihdr[4 + i] = (uint8_t)(p->height >> (24 - 8 * i));
	}
	bytes_add(&png, "\x89PNG\r\n\x1a\n", 8);
	bytes_chunk(&png, "IHDR", ihdr, sizeof(ihdr));
	for (size_t i = 0; i < sizeof(palette); i++)
		palette[i] = (uint8_t)random_next(s);
	if (p->colour == PNG_PALETTE)
		bytes_chunk(&png, "PLTE", palette, (size_t)3 << p->depth);
	if (random_below(s, 4) == 0)
		bytes_chunk(&png, "acTL", "\0\0\0\1\0\0\0\0", 8);
	add_idats(&png, &stream, split, s);
	if (random_below(s, 4) == 0)
		bytes_chunk(&png, "tEXt", "Title\0mask", 10);
	bytes_chunk(&png, "IEND", NULL, 0);
	free(rows.p);
	free(stream.p);
	return png;
}
