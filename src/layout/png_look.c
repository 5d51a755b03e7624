#include "layout/png_look.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "base/strbuf.h"
#include "base/zlib_inflate.h"
#include "read/identify.h"

enum {
	CHUNK_FRAME = 12,       /* length, type, CRC */
	CHUNKS_READ = 256,      /* of a file: an encoder may write 8 KB each; the rest is taken for as dense */
	SAMPLE_BYTES = 8 << 10, /* of rows, filters included: some 0.2 ms to look at */
	DEEP_BYTES = 512 << 10, /* the same, where a photo begins with a plain frame: 1 ms */
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

enum {
	WINDOW_BYTES = 64 << 10, /* of IDATs, frames included */
	PIXEL_BYTES_MIN = 1024,
	CHUNK_IDAT = 0x49444154,
	CHUNK_IEND = 0x49454e44,
};

struct chunk {
	uint32_t length, type;
};

/* Sums over the neighbouring pixels of the sample. */
struct texture {
	uint64_t pairs, equal, difference;
};

/* The rows of a PNG, inflated as far as its head holds them. */
struct row_stream {
	z_stream z;
	const uint8_t *head;
	size_t n, at; /* of the head; of the next chunk */
	int status;
};

static void row_stream_init(struct row_stream *r, const uint8_t *head, size_t n)
{
	*r = (struct row_stream){ .head = head, .n = n, .at = PNG_SIGNATURE_BYTES, .status = Z_OK };
	zlib_inflate_begin(&r->z, INFLATE_ZLIB);
	inflateValidate(&r->z, 0); /* the Adler-32 takes longer than the rest */
}

/* Inflates the next bytes of rows. Returns how many: fewer at the end. */
static size_t row_stream_read(struct row_stream *r, uint8_t *out, size_t cap)
{
	r->z.next_out = out;
	r->z.avail_out = (uInt)cap;
	/* Z_BUF_ERROR: a chunk that is empty, or ends */
	while ((r->status == Z_OK || r->status == Z_BUF_ERROR) && r->z.avail_out) {
		if (!r->z.avail_in) {
			if (r->at + 8 >= r->n) {
				inflate(&r->z, Z_SYNC_FLUSH); /* what is left of a match */
				break;
			}
			uint64_t length = be32(r->head + r->at);
			size_t data = r->at + 8, end = (size_t)MIN((uint64_t)r->n, data + length);

			if (!memcmp(r->head + r->at + 4, "IDAT", 4)) {
				r->z.next_in = (Bytef *)(uintptr_t)(r->head + data);
				r->z.avail_in = (uInt)(end - data);
			}
			r->at = data + (size_t)MIN(length, (uint64_t)r->n) + 4;
			if (!r->z.avail_in)
				continue;
		}
		r->status = inflate(&r->z, Z_SYNC_FLUSH);
	}
	return cap - r->z.avail_out;
}

static uint8_t paeth(int a, int b, int c)
{
	int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);

	return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

/* Reverses the filter of n bytes of a row. above: the row before, or zeros. */
static void unfilter(int filter, uint8_t *row, const uint8_t *above, size_t n, size_t step)
{
	if (!filter)
		return;
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

static void add_id(struct png_sight *s, int v)
{
	s->ids[v / 64] |= UINT64_C(1) << v % 64;
}

/* Adds n pixels of one byte. Most neighbours in a mask are equal. */
static void add_bytes(struct png_sight *s, struct texture *t, const uint8_t *row, size_t n)
{
	enum { STEP = 8 };

	if (!n)
		return;
	add_id(s, row[0]);
	for (size_t i = 1; i < n;) {
		if (i + STEP <= n && !memcmp(row + i, row + i - 1, STEP)) {
			t->pairs += STEP;
			t->equal += STEP;
			i += STEP;
			continue;
		}
		add_id(s, row[i]);
		add_pair(t, row[i - 1], row[i]);
		i++;
	}
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
	s->has_ids |= n > 0;
	if (depth == 8) {
		add_bytes(s, t, row, n);
		return;
	}
	uint64_t left = width;

	for (size_t i = 0; i < n; i++)
		for (unsigned shift = 8; shift >= depth && left; shift -= depth, left--) {
			int v = row[i] >> (shift - depth) & ((1 << depth) - 1);

			add_id(s, v);
			if (before >= 0)
				add_pair(t, before, v);
			before = v;
		}
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

/* Returns whether what was sampled may be the frame of a photo: the black around an X-ray, a scan, a retina. */
static bool is_plain(const struct texture *t)
{
	return 4 * t->equal >= 3 * t->pairs;
}

/* Keeps in *best the texture that is less plain. */
static void keep_busier(struct texture *best, const struct texture *t)
{
	if (t->pairs >= SAMPLES_MIN && (!best->pairs || t->equal * best->pairs < best->equal * t->pairs))
		*best = *t;
}

/* Sets the size of what is sampled: of Adam7 the first pass. */
static void sampled_size(const struct png_header *png, uint64_t *width, uint64_t *height)
{
	*width = png->interlace ? (png->width + 7) / 8 : png->width;
	*height = png->interlace ? (png->height + 7) / 8 : png->height;
}

/* deep: looks further down where the first rows are plain, and takes the texture of those that are least so. */
static void sample_rows(const uint8_t *head, size_t n, const struct png_header *png, bool deep, struct png_sight *s,
			struct texture *t)
{
	uint64_t width, height;

	sampled_size(png, &width, &height);
	const uint64_t row_bytes = (width * png->channels * png->bit_depth + 7) / 8;
	const size_t kept = (size_t)MIN(row_bytes + 1, (uint64_t)SAMPLE_BYTES);
	size_t step = MAX((size_t)1, (size_t)(png->channels * png->bit_depth / 8)), sampled = 0, window = 0;
	uint8_t *rows = xcalloc(2, SAMPLE_BYTES), *row = rows, *above = rows + SAMPLE_BYTES;
	struct texture best = { 0 };
	struct row_stream stream;

	row_stream_init(&stream, head, n);
	for (uint64_t y = 0; y < height && sampled < (deep ? DEEP_BYTES : SAMPLE_BYTES); y++) {
		size_t have = row_stream_read(&stream, row, kept), part = have ? have - 1 : 0;

		if (have < 2)
			break;
		unfilter(row[0], row + 1, above + 1, part, step);
		if (y == 0 && png->channels == 4 && png->bit_depth == 8 && part >= step)
			s->drawn = row[4] && (row[1] & row[2] & row[3]) != UINT8_MAX;
		if (y == 0 && png->channels > 2 && png->bit_depth == 8 && part >= step)
			s->on_white = (png->channels == 4 && !row[4]) || (row[1] & row[2] & row[3]) == UINT8_MAX;
		if (png->channels == 1)
			add_grey(s, t, row + 1, part, png->bit_depth, width);
		else
			add_colours(t, row + 1, part, step);
		sampled += have;
		window += have;
		if (have < kept || kept <= row_bytes)
			break; /* the end, or a row too long for the next one to be unfiltered */
		if (window >= SAMPLE_BYTES) {
			keep_busier(&best, t);
			if (!deep || !is_plain(t))
				break;
			*t = (struct texture){ 0 };
			window = 0;
		}
		uint8_t *swapped = above;

		above = row;
		row = swapped;
	}
	inflateEnd(&stream.z);
	keep_busier(&best, t);
	if (best.pairs)
		*t = best;
	for (size_t i = 0; i < ARRAY_SIZE(s->ids); i++)
		s->levels += (unsigned)__builtin_popcountll(s->ids[i]);
	free(rows);
}

/* Returns whether an image that takes as many bits as a photo is none: too few values, noise, or not compressed. */
static bool is_no_photo(const struct png_sight *s, const struct texture *t, const struct png_header *png)
{
	if (t->pairs < SAMPLES_MIN)
		return true; /* what was not seen is audited */
	if (png->channels == 1 && png->bit_depth == 16 && !s->wide_ids)
		return true;
	if (png->channels == 1 && png->bit_depth == 8 && s->levels <= MASK_LEVELS)
		return true;
	bool stored = 10 * s->bits >= 9 * s->pixels * png->channels * png->bit_depth;

	return (s->noise && png->channels == 1) || (stored && 10 * t->equal >= 9 * t->pairs);
}

/* Fills *out with the chunk that begins at a byte of the file. fd: -1 if no more than the head is known. */
static bool chunk_at(const uint8_t *head, size_t n, int fd, uint64_t at, struct chunk *out)
{
	uint8_t frame[8];

	if (at + sizeof(frame) <= n)
		memcpy(frame, head + at, sizeof(frame));
	else if (fd < 0 || pread(fd, frame, sizeof(frame), (off_t)at) != (ssize_t)sizeof(frame))
		return false;
	*out = (struct chunk){ be32(frame), be32(frame + 4) };
	return true;
}

/* Returns the bytes of all IDATs, which alone hold pixels: profiles and texts may be longer. */
static uint64_t data_bytes(const uint8_t *head, size_t n, uint64_t size, int fd)
{
	struct chunk chunk;
	uint64_t data = 0, at = PNG_SIGNATURE_BYTES;

	for (unsigned i = 0; i < CHUNKS_READ; i++, at += CHUNK_FRAME + chunk.length) {
		if (at + CHUNK_FRAME > size || !chunk_at(head, n, fd, at, &chunk))
			return data + (fd < 0 && data && at < size ? size - at : 0);
		if (chunk.type == CHUNK_IEND)
			return data;
		if (chunk.type == CHUNK_IDAT)
			data += MIN((uint64_t)chunk.length, size - at - 8);
	}
	return at < size ? (uint64_t)((double)data * ((double)size / (double)at)) : data;
}

/* Reads the file's beginning without what lies between its IHDR and its pixels, if the head ends before these. */
static bool read_window(int fd, const uint8_t *head, size_t n, uint64_t size, struct strbuf *window)
{
	uint64_t at = PNG_IHDR_END;
	struct chunk chunk;

	for (unsigned i = 0; i < CHUNKS_READ && at + CHUNK_FRAME <= size; i++, at += CHUNK_FRAME + chunk.length) {
		if (!chunk_at(head, n, fd, at, &chunk))
			return false;
		if (chunk.type == CHUNK_IDAT)
			break;
	}
	if (at + PIXEL_BYTES_MIN <= n || at >= size)
		return false;
	strbuf_add(window, (const char *)head, PNG_IHDR_END);
	char *bytes = xmalloc(WINDOW_BYTES);
	ssize_t got = pread(fd, bytes, WINDOW_BYTES, (off_t)at);

	strbuf_add(window, bytes, got > 0 ? (size_t)got : 0);
	free(bytes);
	return got > 0;
}

/* Returns whether an image may be a photo by its bits: these have no palette, whole bytes a sample, and 1.5 bits a
 * pixel and more; masks less than half of that. */
static bool photo_is_possible(const struct png_header *png, uint64_t bits)
{
	return png->colour_type != PNG_PALETTE && png->bit_depth >= 8 &&
	       2 * bits >= 3 * (uint64_t)png->width * png->height;
}

void png_look(const uint8_t *head, size_t n, uint64_t size, int fd, bool with_ids, struct png_sight *out)
{
	struct png_header png;
	struct texture texture = { 0 };
	uint64_t width, height;

	*out = (struct png_sight){ .look = PNG_LOOK_NONE };
	if (n < PNG_IHDR_END || identify(head, n) != CONTENT_PNG ||
	    png_header_parse(head + PNG_IHDR_AT, &png) != PNG_HEADER_LEGAL)
		return;
	const uint64_t data = data_bytes(head, n, size, fd);
	struct strbuf window = STRBUF_INIT;

	if (fd >= 0 && (photo_is_possible(&png, 8 * data) || with_ids) && read_window(fd, head, n, size, &window)) {
		head = (const uint8_t *)window.s;
		n = window.len;
	}
	out->channels = png.channels;
	out->indices = png.colour_type == PNG_PALETTE || png.bit_depth < 8;
	out->alpha = png.colour_type & PNG_GREY_ALPHA;
	out->pixels = (uint64_t)png.width * png.height;
	sampled_size(&png, &width, &height);
	out->small = (width - 1) * height < SAMPLES_MIN;
	out->bits = 8 * data;
	bool photo = photo_is_possible(&png, out->bits);

	if (photo || with_ids)
		sample_rows(head, n, &png, photo, out, &texture);
	out->noise = GUARD(noise_is_a_photo,
			   texture.pairs >= SAMPLES_MIN && texture.difference >= NOISE_DIFFERENCE * texture.pairs);
	out->varied = !out->indices && texture.pairs >= SAMPLES_MIN && !is_plain(&texture);
	strbuf_release(&window);
	photo = photo && !is_no_photo(out, &texture, &png);
	out->look = photo ? PNG_LOOK_PHOTO : png.channels == 1 ? PNG_LOOK_MASK : PNG_LOOK_COLOUR;
}
