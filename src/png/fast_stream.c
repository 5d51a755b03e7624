/* Chunks and inflation of well-formed PNGs, with libdeflate. */
#include "png/fast_stream.h"

#include <assert.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

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

static uint32_t read_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

void fast_stream_init(struct fast_stream *f)
{
	memset(f, 0, sizeof(*f));
	f->inflater = libdeflate_alloc_decompressor();
}

void fast_stream_release(struct fast_stream *f)
{
	libdeflate_free_decompressor(f->inflater);
	free(f->bytes);
	free(f->joined);
	memset(f, 0, sizeof(*f));
}

static bool take_ihdr(struct png_header *png, const uint8_t *data)
{
	/* PNG specification, table 11.1: bit i set: depth i is allowed. Indexed by colour type. */
	static const uint32_t depths[7] = { 0x10116, 0, 0x10100, 0x116, 0x10100, 0, 0x10100 };
	static const uint8_t channels[7] = { 1, 0, 3, 1, 2, 0, 4 };

	memset(png, 0, sizeof(*png));
	png->width = read_be32(data);
	png->height = read_be32(data + 4);
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

static bool transparency_fits(const struct png_header *png, uint32_t length)
{
	switch (png->colour_type) {
	case PNG_GREY:
		return length == 2;
	case PNG_RGB:
		return length == 6;
	case PNG_PALETTE:
		return length > 0 && length <= png->palette_entries;
	default:
		return false;
	}
}

static bool size_is_fine(struct fast_stream *f, const struct png_header *png, const struct limits *limits)
{
	uint64_t pixels = (uint64_t)png->width * png->height;
	uint64_t bits = (uint64_t)png->width * png->channels * png->bit_depth;

	f->row_bytes = (size_t)((bits + 7) / 8);
	f->pixel_bytes = (size_t)MAX(png->channels * png->bit_depth / 8, 1);
	uint64_t inflated = (f->row_bytes + 1) * (uint64_t)png->height;

	if (f->row_bytes > FAST_STREAM_MAX || inflated > FAST_STREAM_MAX)
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

	if (!p || !f->inflater || input->size < sizeof(head) + PNG_IHDR_BYTES + 4 || memcmp(p, head, sizeof(head)))
		return false;
	if (!take_ihdr(png, p + sizeof(head)) || !size_is_fine(f, png, limits))
		return false;
	end = p + input->size;
	p += PNG_SIGNATURE_BYTES;
	memset(chunks, 0, sizeof(*chunks));
	for (bool first = true;; first = false) {
		if ((size_t)(end - p) < CHUNK_FRAME)
			return false;
		uint32_t length = read_be32(p), type = read_be32(p + 4);

		if (length > (size_t)(end - p) - CHUNK_FRAME || !chunk_type_is_valid(type))
			return false;
		if (libdeflate_crc32(0, p + 4, (size_t)length + 4) != read_be32(p + 8 + length))
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
			if (transparency || chunks->idat || !transparency_fits(png, length))
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
		uint32_t length = read_be32(p - 8);

		memcpy(f->joined + at, p, length);
		at += length;
		p += length + CHUNK_FRAME;
	}
	memset(f->joined + total, 0, INPUT_PADDING);
	return f->joined;
}

bool fast_stream_inflate(struct fast_stream *f, const struct input *input, const struct png_header *png,
			 const struct fast_chunks *chunks)
{
	const uint8_t *data = chunks->idat;
	size_t total = (size_t)chunks->idat_bytes, readable, used, made;
	size_t wanted = (f->row_bytes + 1) * (size_t)png->height;

	if (total < ZLIB_HEADER + ZLIB_TRAILER || !make_room(&f->bytes, &f->bytes_cap, wanted + FAST_STREAM_SLACK))
		return false;
	if (chunks->idat_chunks > 1) {
		data = join(f, chunks);
		if (!data)
			return false;
		readable = total + INPUT_PADDING;
	} else {
		/* the CRC, IEND and, if the memory is the input's own, its padding may be read on */
		readable = (size_t)(input->bytes + MAX(input->cap, (size_t)input->size) - data);
		readable = MIN(readable, total + INPUT_PADDING);
	}
	unsigned method = data[0], window = method >> 4;

	if ((method & 15) != ZLIB_DEFLATE || window > ZLIB_WINDOW_MAX || (method << 8 | data[1]) % 31 || data[1] & 0x20)
		return false;
	/* with a smaller window zlib refuses distances that libdeflate would take */
	if (window < ZLIB_WINDOW_MAX && wanted > (size_t)256 << window)
		return false;
	/*
	 * Both sizes are larger than they have to be: libdeflate leaves its fast loop near the end of either. It may then read bytes
	 * that are not of the stream; but if it did, it has used too many.
	 */
	if (libdeflate_deflate_decompress_ex(f->inflater, data + ZLIB_HEADER, readable - ZLIB_HEADER, f->bytes,
					     wanted + FAST_STREAM_SLACK, &used, &made) != LIBDEFLATE_SUCCESS)
		return false;
	if (made != wanted || used != total - ZLIB_HEADER - ZLIB_TRAILER)
		return false;
	memset(f->bytes + wanted, 0, FAST_STREAM_SLACK);
	f->adler = read_be32(data + total - ZLIB_TRAILER);
	return true;
}

static uint8_t paeth(unsigned left, unsigned up, unsigned corner)
{
	int to_left = abs((int)up - (int)corner), to_up = abs((int)left - (int)corner);
	int to_corner = abs((int)left + (int)up - 2 * (int)corner);

	if (to_left <= to_up && to_left <= to_corner)
		return (uint8_t)left;
	return (uint8_t)(to_up <= to_corner ? up : corner);
}

void fast_unfilter(uint8_t *row, const uint8_t *prior, size_t n, size_t pixel_bytes, unsigned filter)
{
	/* above the first row lie zeros: then Up is None, and Paeth is Sub */
	assert(filter <= 4);
	if (filter == 1 || (filter == 4 && !prior)) {
		for (size_t i = pixel_bytes; i < n; i++)
			row[i] = (uint8_t)(row[i] + row[i - pixel_bytes]);
	} else if (filter == 2 && prior) {
		for (size_t i = 0; i < n; i++)
			row[i] = (uint8_t)(row[i] + prior[i]);
	} else if (filter == 3) {
		for (size_t i = 0; i < n; i++) {
			unsigned left = i < pixel_bytes ? 0 : row[i - pixel_bytes], up = prior ? prior[i] : 0;

			row[i] = (uint8_t)(row[i] + (left + up) / 2);
		}
	} else if (filter == 4) {
		for (size_t i = 0; i < pixel_bytes && i < n; i++)
			row[i] = (uint8_t)(row[i] + prior[i]);
		for (size_t i = pixel_bytes; i < n; i++)
			row[i] = (uint8_t)(row[i] + paeth(row[i - pixel_bytes], prior[i], prior[i - pixel_bytes]));
	}
}
