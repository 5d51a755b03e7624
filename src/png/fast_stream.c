/* Chunks and filtered rows of well-formed PNGs. */
#include "png/fast_stream.h"

#include <assert.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "png/chunks.h"

enum {
	CHUNK_FRAME = 12, /* length, type and CRC */
	ZLIB_HEADER = 2,
	ZLIB_TRAILER = 4, /* Adler-32 */
	ZLIB_DEFLATE = 8, /* RFC 1950, CM */
	ZLIB_WINDOW_MAX = 7,
	/* Larger chunks that are no IDAT are libpng's to judge. */
	ANCILLARY_MAX = 1 << 20,
};

void fast_stream_init(struct fast_stream *f)
{
	memset(f, 0, sizeof(*f));
}

void fast_stream_release(struct fast_stream *f)
{
	free(f->buffer);
	free(f->joined);
	memset(f, 0, sizeof(*f));
}

static bool take_ihdr(struct png_header *png, const uint8_t *data)
{
	/* PNG specification, table 11.1: bit i set: depth i is allowed. Indexed by colour type. */
	static const uint32_t depths[7] = { 0x10116, 0, 0x10100, 0x116, 0x10100, 0, 0x10100 };
	static const uint8_t channels[7] = { 1, 0, 3, 1, 2, 0, 4 };

	memset(png, 0, sizeof(*png));
	png->width = be32(data);
	png->height = be32(data + 4);
	png->bit_depth = data[8];
	png->colour_type = data[9];
	if (!png->width || !png->height || png->width > PNG_LENGTH_MAX || png->height > PNG_LENGTH_MAX)
		return false;
	if (png->colour_type > 6 || png->bit_depth > 16 || !(depths[png->colour_type] >> png->bit_depth & 1))
		return false;
	png->channels = channels[png->colour_type];
	/* methods 0 and 0, not interlaced */
	return data[10] == 0 && data[11] == 0 && data[12] == 0;
}

static bool take_palette(struct png_header *png, const uint8_t *data, uint32_t length)
{
	if (png->colour_type != PNG_PALETTE || png->palette_entries || length % 3 || !length ||
	    length / 3 > 1u << png->bit_depth)
		return false;
	png->palette_entries = (uint16_t)(length / 3);
	memcpy(png->palette, data, length);
	return true;
}

static bool transparency_fits(const struct png_header *png, const uint8_t *data, uint32_t length)
{
	uint32_t samples = png->colour_type == PNG_RGB ? 3 : 1;

	if (png->colour_type == PNG_PALETTE)
		return length > 0 && length <= png->palette_entries;
	if ((png->colour_type != PNG_GREY && png->colour_type != PNG_RGB) || length != 2 * samples)
		return false;
	/* samples of 16 bits each, but none larger than the image's own can be */
	for (uint32_t i = 0; i < samples; i++)
		if ((data[2 * i] << 8 | data[2 * i + 1]) >> png->bit_depth)
			return false;
	return true;
}

static bool size_is_fine(struct fast_stream *f, const struct png_header *png, const struct limits *limits)
{
	uint64_t pixels = limit_pixels(png->width, png->height);
	uint64_t bits = (uint64_t)png->width * png->channels * png->bit_depth;

	f->row_bytes = (size_t)((bits + 7) / 8);
	f->pixel_bytes = (size_t)MAX(png->channels * png->bit_depth / 8, 1);
	uint64_t inflated = (f->row_bytes + 1) * (uint64_t)png->height;

	if (bits / 8 > FAST_ROW_MAX || inflated > FAST_STREAM_MAX)
		return false;
	return (!limits->max_pixels || pixels <= limits->max_pixels) &&
	       (!limits->max_inflated || inflated <= limits->max_inflated);
}

bool fast_stream_open(struct fast_stream *f, const struct input *input, const struct limits *limits,
		      struct png_header *png, struct fast_chunks *chunks)
{
	static const uint8_t head[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R' };
	const uint8_t *p = input->bytes, *end;
	bool transparency = false, idat_over = false;

	if (!p || input->size < sizeof(head) + PNG_IHDR_BYTES + 4 || memcmp(p, head, sizeof(head)))
		return false;
	if (!take_ihdr(png, p + sizeof(head)) || !size_is_fine(f, png, limits))
		return false;
	end = p + input->size;
	p += PNG_SIGNATURE_BYTES;
	memset(chunks, 0, sizeof(*chunks));
	for (bool first = true;; first = false) {
		if ((size_t)(end - p) < CHUNK_FRAME)
			return false;
		uint32_t length = be32(p), type = be32(p + 4);

		if (length > (size_t)(end - p) - CHUNK_FRAME || !chunk_type_is_valid(type))
			return false;
		if (libdeflate_crc32(0, p + 4, (size_t)length + 4) != be32(p + 8 + length))
			return false;
		const uint8_t *data = p + 8;

		p += CHUNK_FRAME + (size_t)length;
		if (type == PNG_TYPE_IDAT) {
			if (!length || idat_over || (png->colour_type == PNG_PALETTE && !png->palette_entries))
				return false;
			if (!chunks->idat)
				chunks->idat = data;
			chunks->idat_chunks++;
			chunks->idat_bytes += length;
			continue;
		}
		idat_over = chunks->idat;
		if (type == PNG_TYPE_IEND)
			return length == 0 && chunks->idat && p == end;
		if (length > ANCILLARY_MAX)
			return false;
		if (type == PNG_TYPE_IHDR) {
			if (!first)
				return false;
		} else if (type == PNG_TYPE_PLTE) {
			if (transparency || chunks->idat || !take_palette(png, data, length))
				return false;
		} else if (type == PNG_TYPE_TRNS) {
			if (transparency || chunks->idat || !transparency_fits(png, data, length))
				return false;
			transparency = true;
		} else if (!chunk_is_ancillary(type)) {
			return false;
		} else if (type == PNG_TYPE_ACTL && !chunks->idat) {
			png->animated = true;
		}
	}
}

static bool make_room(uint8_t **bytes, size_t *cap, size_t want)
{
	if (want <= *cap)
		return true;
	free(*bytes);
	*bytes = mem_try(want, 1);
	*cap = *bytes ? want : 0;
	return *bytes;
}

/* The data of all IDATs in one piece, followed by INPUT_PADDING bytes at least. */
static const uint8_t *join(struct fast_stream *f, const struct fast_chunks *chunks)
{
	size_t at = 0, total = (size_t)chunks->idat_bytes;
	const uint8_t *p = chunks->idat;

	if (!make_room(&f->joined, &f->joined_cap, total + INPUT_PADDING))
		return NULL;
	while (at < total) {
		uint32_t length = be32(p - 8);

		memcpy(f->joined + at, p, length);
		at += length;
		p += length + CHUNK_FRAME;
	}
	memset(f->joined + total, 0, INPUT_PADDING);
	return f->joined;
}

bool fast_stream_together(struct fast_stream *f, uint32_t rows)
{
	size_t row = f->row_bytes + 1;

	f->step = MAX(rows * row, (size_t)FAST_STREAM_STEP);
	/* a window, what a step leaves of a row, and a step; more only saves moving the window */
	size_t least = INFLATE_WINDOW + 2 * row + f->step;

	if (!make_room(&f->buffer, &f->buffer_cap,
		       MAX(least, (size_t)FAST_STREAM_BUFFER) + INFLATE_WRITE_AHEAD + FAST_STREAM_SLACK))
		return false;
	f->out = f->buffer;
	f->row = f->buffer;
	return true;
}

bool fast_stream_begin(struct fast_stream *f, const struct png_header *png, const struct fast_chunks *chunks)
{
	const uint8_t *data = chunks->idat;
	size_t total = (size_t)chunks->idat_bytes, row = f->row_bytes + 1;

	if (total < ZLIB_HEADER + ZLIB_TRAILER || !fast_stream_together(f, 1))
		return false;
	if (chunks->idat_chunks > 1) {
		data = join(f, chunks);
		if (!data)
			return false;
	}
	/* A single IDAT is followed by its CRC and IEND, which may be read ahead of. */
	_Static_assert((int)INFLATE_READ_AHEAD <= 4 + (int)CHUNK_FRAME, "a CRC and IEND");
	_Static_assert((int)INFLATE_READ_AHEAD <= (int)INPUT_PADDING, "behind joined data");
	unsigned method = data[0], window = method >> 4;

	if ((method & 15) != ZLIB_DEFLATE || window > ZLIB_WINDOW_MAX || (method << 8 | data[1]) % 31 || data[1] & 0x20)
		return false;
	/* with a smaller window zlib refuses distances that we would take */
	if (window < ZLIB_WINDOW_MAX && row * (uint64_t)png->height > (uint64_t)256 << window)
		return false;
	f->data = data;
	f->data_bytes = total;
	f->adler = be32(data + total - ZLIB_TRAILER);
	f->rows_left = png->height;
	f->ended = false;
	inflate_begin(&f->inflate, data + ZLIB_HEADER, total - ZLIB_HEADER);
	return true;
}

/* Moves what is needed to the front of the buffer: the window, and the row that is not complete. */
static void make_way(struct fast_stream *f)
{
	size_t made = (size_t)(f->out - f->buffer), rest = (size_t)(f->out - f->row);
	size_t keep = MIN(made, MAX(rest, (size_t)INFLATE_WINDOW));

	memmove(f->buffer, f->out - keep, keep);
	f->out = f->buffer + keep;
	f->row = f->out - rest;
}

const uint8_t *fast_stream_rows(struct fast_stream *f, uint32_t *count)
{
	size_t row = f->row_bytes + 1;
	const uint8_t *rows;

	if (!f->rows_left)
		return NULL;
	if ((size_t)(f->out - f->row) < row) {
		size_t want = MAX(row - (size_t)(f->out - f->row), f->step);
		const uint8_t *end = f->buffer + f->buffer_cap - INFLATE_WRITE_AHEAD - FAST_STREAM_SLACK;

		if (f->ended)
			return NULL;
		/* a step may have passed its limit, and so the end */
		if (f->out > end || want > (size_t)(end - f->out))
			make_way(f);
		switch (inflate_step(&f->inflate, f->buffer, &f->out, f->out + want)) {
		case INFLATE_BAD:
			return NULL;
		case INFLATE_END:
			f->ended = true;
			break;
		case INFLATE_MORE:
			break;
		}
		if ((size_t)(f->out - f->row) < row)
			return NULL;
	}
	*count = (uint32_t)MIN((size_t)(f->out - f->row) / row, (size_t)f->rows_left);
	rows = f->row;
	f->row += *count * row;
	f->rows_left -= *count;
	return rows;
}

bool fast_stream_end(struct fast_stream *f)
{
	assert(!f->rows_left);
	if (f->out != f->row)
		return false;
	if (!f->ended) {
		make_way(f);
		if (inflate_step(&f->inflate, f->buffer, &f->out, f->out + 1) != INFLATE_END || f->out != f->row)
			return false;
	}
	return inflate_used(&f->inflate, f->data + ZLIB_HEADER) == f->data_bytes - ZLIB_HEADER - ZLIB_TRAILER;
}
