/*
 * Random masks as PNG files in memory, of every kind of deflate block, filter, depth and type; some broken on purpose.
 * For tests of backends and of the kernel. Deterministic: the same seed (and zlib), the same file.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "png_bytes.h"
#include "random_masks.h"

/* The content of the IDATs, before deflate. */
struct filtered_mask {
	uint32_t width, height, depth, channels;
	size_t row_bytes;
	struct bytes rows; /* each after its filter byte */
};

/* ids below 2^depth; channels > 1 repeat them. */
static inline struct filtered_mask filtered_mask_make(uint64_t seed, const struct mask *m, uint32_t depth,
						      uint32_t channels)
{
	uint64_t s = seed ^ 0xf117e2;
	struct filtered_mask f = { .width = m->width, .height = m->height, .depth = depth, .channels = channels };
	size_t bpp = MAX(depth * channels / 8, 1u);
	unsigned policy = random_below(&s, 8); /* one filter for all rows, or mixed */

	f.row_bytes = ((size_t)m->width * depth * channels + 7) / 8;
	f.rows.n = (f.row_bytes + 1) * m->height;
	f.rows.p = xmalloc(f.rows.n);
	uint8_t *raw = xcalloc(m->height, f.row_bytes);

	for (uint32_t y = 0; y < m->height; y++) {
		uint8_t *row = raw + y * f.row_bytes, *above = y ? row - f.row_bytes : NULL;
		uint8_t *out = f.rows.p + y * (f.row_bytes + 1);

		for (uint32_t i = 0; i < m->width * channels; i++) {
			uint32_t v = m->ids[(size_t)y * m->width + i / channels] & ((1u << depth) - 1);

			if (depth == 16) {
				row[2 * i] = (uint8_t)(v >> 8);
				row[2 * i + 1] = (uint8_t)v;
			} else {
				row[i * depth / 8] |= (uint8_t)(v << (8 - depth - i * depth % 8));
			}
		}
		*out++ = (uint8_t)(policy < 5 ? policy : random_below(&s, 5));
		for (size_t i = 0; i < f.row_bytes; i++)
			out[i] = (uint8_t)(row[i] - filter_predicts(out[-1], row, above, i, bpp));
	}
	free(raw);
	return f;
}

/* A zlib stream of any kind that zlib makes: stored, fixed, dynamic, Huffman only, small and large windows, flushes. */
static inline struct bytes stream_make(uint64_t seed, const struct bytes *data)
{
	static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED };
	uint64_t s = seed ^ 0xdef1a7e;
	z_stream z = { 0 };
	size_t cap = data->n * 2 + 4096, at = 0;
	int level = (int)random_below(&s, 10);

	if (deflateInit2(&z, level, Z_DEFLATED, 9 + (int)random_below(&s, 7), 1 + (int)random_below(&s, 9),
			 strategies[random_below(&s, ARRAY_SIZE(strategies))]) != Z_OK)
		abort();
	uint8_t *out = xmalloc(cap);
	unsigned flushes = random_below(&s, 4) ? 0 : random_below(&s, 12);

	z.next_out = out;
	z.avail_out = (uInt)cap;
	for (; flushes; flushes--) {
		static const int kinds[] = { Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK };
		size_t part = random_below(&s, (uint32_t)(data->n - at) + 1);

		z.next_in = data->p + at;
		z.avail_in = (uInt)part;
		deflate(&z, kinds[random_below(&s, 4)]);
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

/* The kinds of damage to a file. */
enum damage { WHOLE, FLIPPED, CUT, BAD_FILTER, BAD_ADLER, BAD_CRC, DATA_BEHIND, TOO_SHORT, TOO_LONG, DAMAGES };

/* The PNG around it. palette: colour type 3. */
static inline struct bytes png_make(uint64_t seed, struct filtered_mask *f, bool palette, enum damage damage)
{
	uint64_t s = seed ^ 0x9e6;
	struct bytes png = { 0 };
	uint8_t colour = (uint8_t)(palette ? 3 : f->channels == 3 ? 2 : 0);

	if (damage == BAD_FILTER)
		f->rows.p[random_below(&s, f->height) * (f->row_bytes + 1)] = (uint8_t)(5 + random_below(&s, 251));
	if (damage == TOO_SHORT)
		f->rows.n -= 1 + random_below(&s, (uint32_t)f->rows.n);
	if (damage == TOO_LONG)
		bytes_add(&f->rows, "\1\2\3", 1 + random_below(&s, 3));
	struct bytes stream = stream_make(seed, &f->rows);

	if (damage == FLIPPED)
		stream.p[random_below(&s, (uint32_t)stream.n)] ^= (uint8_t)(1u << random_below(&s, 8));
	if (damage == BAD_ADLER)
		stream.p[stream.n - 1 - random_below(&s, 4)] ^= 1;
	if (damage == DATA_BEHIND)
		bytes_add(&stream, "\0\0\0\0\0", 1 + random_below(&s, 5));
	png_begin(&png, f->width, f->height, f->depth, colour);
	if (palette) {
		uint8_t entries[768];

		for (size_t i = 0; i < sizeof(entries); i++)
			entries[i] = (uint8_t)(i * 37 ^ i >> 3);
		bytes_chunk(&png, "PLTE", entries, (size_t)3 << MIN(f->depth, 8u));
	}
	size_t parts = 1 + (random_below(&s, 3) ? 0 : random_below(&s, 5)), at = 0;

	for (size_t i = 1; i <= parts && at < stream.n; i++) {
		size_t n = i == parts ? stream.n - at : 1 + random_below(&s, (uint32_t)(stream.n - at));

		bytes_chunk(&png, "IDAT", stream.p + at, n);
		at += n;
		if (damage == BAD_CRC && at == stream.n)
			png.p[png.n - 1] ^= 1;
	}
	bytes_chunk(&png, "IEND", NULL, 0);
	if (damage == CUT)
		png.n = 60 + random_below(&s, (uint32_t)png.n - 60);
	png.p = xrealloc(png.p, png.n);
	free(stream.p);
	return png;
}

/* Mostly 8-bit masks; also all other depths, palettes, colours; one in eight is broken. */
static inline struct bytes mask_png_random(uint64_t seed, uint32_t side_max)
{
	static const uint32_t depths[] = { 8, 8, 8, 8, 1, 2, 4, 16, 16, 8 };
	uint64_t s = seed * 977 + 5;
	uint32_t kind = random_below(&s, ARRAY_SIZE(depths)), depth = depths[kind];
	struct mask m = mask_random(seed, depth == 16 ? 65536 : 256, side_max);
	struct filtered_mask f = filtered_mask_make(seed, &m, depth, kind == 9 ? 3 : 1);
	bool palette = kind != 9 && depth < 16 && random_below(&s, 3) == 0;
	enum damage damage = random_below(&s, 8) ? WHOLE : (enum damage)(1 + random_below(&s, DAMAGES - 1));
	struct bytes png = png_make(seed, &f, palette, damage);

	free(f.rows.p);
	mask_release(&m);
	return png;
}
