/*
 * PNG files in memory for tests: pictures of every colour type and depth, with every filter, interlaced or not, in
 * every kind of deflate block, in IDATs of any lengths; some broken on purpose. Deterministic: the same seed (and
 * zlib), the same file.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/png_header.h"
#include "png_bytes.h"
#include "random_masks.h"

enum {
	FILTERS_MIXED = 5, /* in place of a filter, 0 to 4: another one each row */
	LEVEL_ANY = -1,
};

struct picture {
	uint32_t width, height;
	unsigned depth, colour, channels; /* colour: as in IHDR */
	bool interlaced;
	uint16_t *samples; /* owned */
};

/* All samples are 0. */
static inline struct picture picture_new(uint32_t width, uint32_t height, unsigned depth, unsigned colour)
{
	static const unsigned channels[] = { 1, 0, 3, 1, 2, 0, 4 };
	struct picture p = {
		.width = width, .height = height, .depth = depth, .colour = colour, .channels = channels[colour]
	};

	p.samples = xcalloc((size_t)height * width * p.channels, sizeof(*p.samples));
	return p;
}

/* The ids, cut to the depth, in each channel. */
static inline struct picture picture_of_mask(const struct mask *m, unsigned depth, unsigned colour)
{
	struct picture p = picture_new(m->width, m->height, depth, colour);

	for (size_t i = 0, n = (size_t)p.width * p.height * p.channels; i < n; i++)
		p.samples[i] = (uint16_t)(m->ids[i / p.channels] & ((1u << depth) - 1));
	return p;
}

/* Returns the pixels at x0, x0 + dx ... of every dy-th row, filtered, after those in out. */
static inline void add_pass(struct bytes *out, const struct picture *p, const unsigned at[4], unsigned filter,
			    uint64_t *s)
{
	uint32_t width = p->width <= at[0] ? 0 : (p->width - at[0] + at[2] - 1) / at[2];
	size_t n = ((size_t)width * p->channels * p->depth + 7) / 8, bpp = MAX(p->channels * p->depth / 8, 1u);
	uint8_t *row = xcalloc(n + 1, 1), *above = xcalloc(n + 1, 1);
	uint32_t lines = width && p->height > at[1] ? (p->height - at[1] + at[3] - 1) / at[3] : 0;

	out->p = xrealloc(out->p, out->n + lines * (n + 1));
	for (uint32_t y = at[1]; width && y < p->height; y += at[3]) {
		uint8_t *filtered = out->p + out->n;
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
		*filtered++ = (uint8_t)(filter < FILTERS_MIXED ? filter : random_below(s, 5));
		for (size_t i = 0; i < n; i++)
			filtered[i] = (uint8_t)(row[i] - filter_predicts(filtered[-1], row, above, i, bpp));
		out->n += n + 1;
		memcpy(above, row, n);
	}
	free(row);
	free(above);
}

/* Returns what is deflated: the rows, each after its filter byte. */
static inline struct bytes picture_rows(const struct picture *p, unsigned filter, uint64_t *s)
{
	static const unsigned whole[4] = { 0, 0, 1, 1 };
	/* x0, y0, dx, dy: PNG specification, section 8.2 */
	static const unsigned passes[7][4] = { { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 },
					       { 0, 2, 2, 4 }, { 1, 0, 2, 2 }, { 0, 1, 1, 2 } };
	struct bytes rows = { 0 };

	if (!p->interlaced)
		add_pass(&rows, p, whole, filter, s);
	for (unsigned i = 0; p->interlaced && i < 7; i++)
		add_pass(&rows, p, passes[i], filter, s);
	return rows;
}

/* The rows of a grey picture: with one filter, mostly, or another one each row. */
static inline struct bytes mask_rows(const struct mask *m, unsigned depth, uint64_t *s)
{
	struct picture p = picture_of_mask(m, depth, PNG_GREY);
	struct bytes rows = picture_rows(&p, random_below(s, 8), s);

	free(p.samples);
	return rows;
}

/* As encoders of PNG do: the window holds all data or is the largest, the last block has data; or anything. */
enum png_packing { PACKED_WELL, PACKED_ANYHOW };

/* A zlib stream of any kind that zlib makes: stored, fixed, dynamic, Huffman only, small and large windows, flushes. */
static inline struct bytes stream_make(const struct bytes *data, int level, enum png_packing packing, uint64_t *s)
{
	static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED };
	size_t cap = data->n * 2 + 4096, at = 0;
	uint8_t *out = xmalloc(cap);
	z_stream z = { .next_out = out, .avail_out = (uInt)cap };
	unsigned flushes = random_below(s, 4) ? 0 : random_below(s, 12);
	int bits = packing == PACKED_ANYHOW ? 9 + (int)random_below(s, 7) : 15;

	while (packing == PACKED_WELL && random_below(s, 8) && bits > 9 && data->n <= (size_t)1 << (bits - 1))
		bits--;
	if (level == LEVEL_ANY)
		level = (int)random_below(s, 10);
	if (deflateInit2(&z, level, Z_DEFLATED, bits, 1 + (int)random_below(s, 9),
			 strategies[random_below(s, ARRAY_SIZE(strategies))]) != Z_OK)
		abort();
	for (; flushes; flushes--) {
		static const int kinds[] = { Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK };
		size_t part = random_below(s, (uint32_t)(data->n - at) + (packing == PACKED_ANYHOW));

		z.next_in = data->p + at;
		z.avail_in = (uInt)part;
		deflate(&z, kinds[random_below(s, 4)]);
		at += part - z.avail_in;
	}
	z.next_in = data->p + at;
	z.avail_in = (uInt)(data->n - at);
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	struct bytes made = { xmalloc(z.total_out), z.total_out };

	memcpy(made.p, out, made.n);
	free(out);
	deflateEnd(&z);
	return made;
}

/* Lengths of IDATs. */
enum split {
	SPLIT_NONE,
	SPLIT_BYTES,  /* one each */
	SPLIT_RANDOM, /* mostly short ones */
	SPLIT_EMPTY,  /* as random, empty ones between them */
	SPLIT_LONG,   /* of up to 200,000 bytes */
	SPLIT_BEHIND, /* another chunk, and the rest */
	SPLITS,
};

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

/* The file around a stream. palette: NULL, any, or that of a file of colour type 3: 3 << depth bytes. */
static inline struct bytes picture_file(const struct picture *p, const struct bytes *stream, const uint8_t *palette,
					enum split split, uint64_t *s)
{
	uint8_t colours[768];
	struct bytes png = { 0 };

	png_begin(&png, p->width, p->height, p->depth, p->colour, p->interlaced);
	if (random_below(s, 4) == 0)
		bytes_chunk(&png, "acTL", "\0\0\0\1\0\0\0\0", 8);
	if (p->colour == PNG_PALETTE) {
		unsigned entries = 1u << p->depth;

		for (size_t i = 0; i < sizeof(colours); i++)
			colours[i] = (uint8_t)random_next(s);
		/* indices past the end of a short one are legal, and are ids */
		if (!palette && random_below(s, 2))
			entries = 1 + random_below(s, entries);
		bytes_chunk(&png, "PLTE", palette ? palette : colours, 3 * entries);
	}
	if (p->colour == PNG_RGB && random_below(s, 4) == 0)
		bytes_chunk(&png, "tRNS", "\0\1\0\2\0\3", 6);
	add_idats(&png, stream, split, s);
	if (random_below(s, 4) == 0)
		bytes_chunk(&png, "tEXt", "Title\0mask", 10);
	bytes_chunk(&png, "IEND", NULL, 0);
	return png;
}

/* Frees the samples. */
static inline struct bytes picture_png(struct picture *p, unsigned filter, int level, enum split split, uint64_t *s)
{
	struct bytes rows = picture_rows(p, filter, s), stream = stream_make(&rows, level, PACKED_WELL, s);
	struct bytes png = picture_file(p, &stream, NULL, split, s);

	free(rows.p);
	free(stream.p);
	free(p->samples);
	p->samples = NULL;
	return png;
}

/* The kinds of damage to a file. */
enum damage { WHOLE, FLIPPED, CUT, BAD_FILTER, BAD_ADLER, BAD_CRC, DATA_BEHIND, TOO_SHORT, TOO_LONG, DAMAGES };

/* Mostly 8-bit masks; also all other depths, palettes, colours; one in eight is broken. */
static inline struct bytes mask_png_random(uint64_t seed, uint32_t side_max)
{
	static const uint32_t depths[] = { 8, 8, 8, 8, 1, 2, 4, 16, 16, 8 };
	uint64_t s = seed * 977 + 5;
	uint32_t kind = random_below(&s, ARRAY_SIZE(depths)), depth = depths[kind];
	struct mask m = mask_random(seed, depth == 16 ? 65536 : 256, side_max);
	bool palette = kind != 9 && depth < 16 && random_below(&s, 3) == 0;
	enum damage damage = random_below(&s, 8) ? WHOLE : (enum damage)(1 + random_below(&s, DAMAGES - 1));
	struct picture p = picture_of_mask(&m, depth, palette ? PNG_PALETTE : kind == 9 ? PNG_RGB : PNG_GREY);
	struct bytes rows = picture_rows(&p, random_below(&s, 8), &s), stream, png;

	if (damage == BAD_FILTER)
		rows.p[random_below(&s, p.height) * (rows.n / p.height)] = (uint8_t)(5 + random_below(&s, 251));
	if (damage == TOO_SHORT)
		rows.n -= 1 + random_below(&s, (uint32_t)rows.n);
	if (damage == TOO_LONG)
		bytes_add(&rows, "\1\2\3", 1 + random_below(&s, 3));
	stream = stream_make(&rows, LEVEL_ANY, PACKED_ANYHOW, &s);
	if (damage == FLIPPED)
		stream.p[random_below(&s, (uint32_t)stream.n)] ^= (uint8_t)(1u << random_below(&s, 8));
	if (damage == BAD_ADLER)
		stream.p[stream.n - 1 - random_below(&s, 4)] ^= 1;
	if (damage == DATA_BEHIND)
		bytes_add(&stream, "\0\0\0\0\0", 1 + random_below(&s, 5));
	png = picture_file(&p, &stream, NULL, random_below(&s, 3) ? SPLIT_NONE : SPLIT_RANDOM, &s);
	if (damage == BAD_CRC)
		png.p[png.n - 13] ^= 1;
	if (damage == CUT)
		png.n = 60 + random_below(&s, (uint32_t)png.n - 60);
	png.p = xrealloc(png.p, png.n);
	free(rows.p);
	free(stream.p);
	free(p.samples);
	mask_release(&m);
	return png;
}
