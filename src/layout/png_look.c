#include "layout/png_look.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "base/zlib_inflate.h"
#include "read/identify.h"

enum {
	CHUNK_FRAME = 12, /* length, type, CRC */
	/* Signature, IHDR, the frames of IDAT and IEND: in a small mask they are larger than the pixels. */
	FRAME_BYTES = 57,
	SAMPLE_BYTES = 8 << 10, /* of rows, filters included: some 0.2 ms to look at */
	/* Fewer samples prove nothing about smoothness. */
	SAMPLES_MIN = 256,
	/*
	 * A mask with noisy edges or noisy labels takes as many bits as a photo, but has few values; sixteen are those
	 * of a photo in four bits, which cameras do not write.
	 */
	MASK_LEVELS = 16,
	/* Mean difference of neighbours. Noise in eight bits has 85, photographs 3 to 25, radar images up to 40. */
	NOISE_DIFFERENCE = 52,
};

/* Sums over the neighbouring pixels of the sample. */
struct texture {
	uint64_t pairs, equal, difference;
};

/* Inflates what the head holds of the image data. Returns how many bytes of rows. */
static size_t inflate_rows(const uint8_t *head, size_t n, uint8_t *out, size_t cap)
{
	z_stream z;
	int status = Z_OK;

	zlib_inflate_begin(&z, INFLATE_ZLIB);
	z.next_out = out;
	z.avail_out = (uInt)cap;
	/* Z_BUF_ERROR: a chunk that is empty */
	for (size_t at = PNG_SIGNATURE_BYTES; (status == Z_OK || status == Z_BUF_ERROR) && z.avail_out && at + 8 < n;) {
		uint64_t length = be32(head + at);
		size_t data = at + 8, end = (size_t)MIN((uint64_t)n, data + length);

		if (!memcmp(head + at + 4, "IDAT", 4)) {
			z.next_in = (Bytef *)(uintptr_t)(head + data);
			z.avail_in = (uInt)(end - data);
			status = inflate(&z, Z_SYNC_FLUSH);
		}
		at = data + (size_t)MIN(length, (uint64_t)n) + 4;
	}
	inflateEnd(&z);
	return cap - z.avail_out;
}

static uint8_t paeth(int a, int b, int c)
{
	int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);

	return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

/* Reverses the filter of n bytes of a row. above: the row before, or zeros. */
static void unfilter(int filter, uint8_t *row, const uint8_t *above, size_t n, size_t step)
{
	for (size_t i = 0; i < n; i++) {
		int a = i < step ? 0 : row[i - step], b = above[i], c = i < step ? 0 : above[i - step];
		int predicted = filter == 1   ? a
				: filter == 2 ? b
				: filter == 3 ? (a + b) / 2
				: filter == 4 ? paeth(a, b, c)
					      : 0;

		row[i] = (uint8_t)(row[i] + predicted);
	}
}

static void add_pair(struct texture *t, int a, int b)
{
	t->pairs++;
	t->equal += a == b;
	t->difference += (uint64_t)abs(a - b);
}

/* Adds n bytes of a row with one channel. */
static void add_grey(struct png_sight *s, struct texture *t, const uint8_t *row, size_t n, unsigned depth,
		     uint64_t width)
{
	int before = -1;

	if (depth == 16) {
		for (size_t i = 0; i + 1 < n; i += 2) {
			s->wide_ids |= row[i] != 0;
			if (before >= 0)
				add_pair(t, before, row[i]);
			before = row[i];
		}
		return;
	}
	for (size_t i = 0; i < n; i++)
		for (unsigned shift = 8; shift >= depth && i * 8 / depth + (8 - shift) / depth < width;
		     shift -= depth) {
			int v = row[i] >> (shift - depth) & ((1 << depth) - 1);

			s->ids[v / 64] |= UINT64_C(1) << v % 64;
			if (before >= 0)
				add_pair(t, before, v);
			before = v;
		}
	s->has_ids |= n > 0;
}

static void add_colours(struct texture *t, const uint8_t *row, size_t n, size_t step)
{
	for (size_t i = step; i + step <= n; i += step) {
		add_pair(t, row[i], row[i - step]);
		/* pixels are equal if all their channels are */
		if (row[i] == row[i - step] && memcmp(row + i, row + i - step, step) != 0)
			t->equal--;
	}
}

static void sample_rows(const uint8_t *head, size_t n, const struct png_header *png, struct png_sight *s,
			struct texture *t)
{
	uint64_t width = png->interlace ? (png->width + 7) / 8 : png->width; /* Adam7's first pass */
	uint64_t height = png->interlace ? (png->height + 7) / 8 : png->height;
	uint64_t row_bytes = (width * png->channels * png->bit_depth + 7) / 8;
	size_t step = MAX((size_t)1, (size_t)(png->channels * png->bit_depth / 8));
	uint8_t *rows = xmalloc(SAMPLE_BYTES);
	uint8_t *zeros = xcalloc(1, SAMPLE_BYTES);
	size_t have = inflate_rows(head, n, rows, SAMPLE_BYTES);
	const uint8_t *above = zeros;

	for (uint64_t y = 0; y < height && have > 1; y++) {
		uint8_t *row = rows + y * (row_bytes + 1) + 1;
		size_t part = (size_t)MIN(row_bytes, (uint64_t)(have - 1));

		unfilter(row[-1], row, above, part, step);
		if (y == 0 && png->channels == 4 && png->bit_depth == 8 && part >= step)
			s->drawn = row[3] && (row[0] & row[1] & row[2]) != UINT8_MAX;
		if (png->channels == 1)
			add_grey(s, t, row, part, png->bit_depth, width);
		else
			add_colours(t, row, part, step);
		above = row;
		have -= part + 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(s->ids); i++)
		s->levels += (unsigned)__builtin_popcountll(s->ids[i]);
	free(rows);
	free(zeros);
}

/* Returns whether an image that takes as many bits as a photo is none: too few values, noise, or not compressed. */
static bool is_no_photo(const struct png_sight *s, const struct texture *t, const struct png_header *png)
{
	if (t->pairs < SAMPLES_MIN)
		return false;
	if (png->channels == 1 && png->bit_depth == 8 && s->levels <= MASK_LEVELS)
		return true;
	bool stored = 10 * s->bits >= 9 * s->pixels * png->channels * png->bit_depth;

	return (s->noise && png->channels == 1) || (stored && 10 * t->equal >= 9 * t->pairs);
}

void png_look(const uint8_t *head, size_t n, uint64_t size, bool with_ids, struct png_sight *out)
{
	struct png_header png;
	struct texture texture = { 0 };

	*out = (struct png_sight){ .look = PNG_LOOK_NONE };
	if (n < PNG_IHDR_END || identify(head, n) != CONTENT_PNG ||
	    png_header_parse(head + PNG_IHDR_AT, &png) != PNG_HEADER_LEGAL)
		return;
	out->channels = png.channels;
	out->indices = png.colour_type == PNG_PALETTE || png.bit_depth < 8;
	out->alpha = png.colour_type & PNG_GREY_ALPHA;
	out->pixels = (uint64_t)png.width * png.height;
	out->bits = size > FRAME_BYTES ? 8 * (size - FRAME_BYTES) : 0;
	/* a photo has no palette, whole bytes a sample, and 1.5 bits a pixel and more; a mask less than half of that */
	bool photo = png.colour_type != PNG_PALETTE && png.bit_depth >= 8 && 2 * out->bits >= 3 * out->pixels;

	if (photo || with_ids)
		sample_rows(head, n, &png, out, &texture);
	out->noise = GUARD(noise_is_a_photo,
			   texture.pairs >= SAMPLES_MIN && texture.difference >= NOISE_DIFFERENCE * texture.pairs);
	out->varied = !out->indices && texture.pairs >= SAMPLES_MIN && 4 * texture.equal < 3 * texture.pairs;
	photo = photo && !is_no_photo(out, &texture, &png);
	out->look = photo ? PNG_LOOK_PHOTO : png.channels == 1 ? PNG_LOOK_MASK : PNG_LOOK_COLOUR;
}
