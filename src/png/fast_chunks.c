/* Reads the chunks of well-formed PNGs, in memory or streamed. */
#include "png/fast_chunks.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"
#include "png/chunks.h"
#include "png/passes.h"

/* Bytes of all texts, inflated. A file with more is left to png_decoder, so that it is not inflated twice. */
#define TEXT_BYTES_MAX LOADER_TEXT_MAX

void fast_chunks_release(struct fast_chunks *c)
{
	free(c->window);
	loaders_release(&c->loaders);
	*c = (struct fast_chunks){ 0 };
}

/* ---- bytes of the file ------------------------------------------------------------------------------------------ */

/* Moves the rest of the window to its front and reads on. False if there are not at least n bytes then. */
static bool read_on(struct fast_chunks *c, size_t n)
{
	size_t left = (size_t)(c->end - c->at), want = MAX(n - left, (size_t)FAST_CHUNKS_READ);
	struct fault fault; /* libpng will report it */

	if (left)
		memmove(c->window, c->at, left);
	c->at = c->end = c->window;
	c->end += left;
	fault_clear(&fault);
	int64_t got = input_read(c->streamed, c->window + left, MIN(want, FAST_CHUNKS_WINDOW - left), &fault);

	if (got < 0)
		return false;
	c->end += got;
	return left + (size_t)got >= n;
}

/* Makes n bytes of the file available at c->at. False if there are fewer. */
static inline bool need(struct fast_chunks *c, uint64_t n)
{
	if (n <= (uint64_t)(c->end - c->at))
		return true;
	return c->streamed && n <= FAST_CHUNKS_WINDOW && read_on(c, (size_t)n);
}

static bool at_end(const struct fast_chunks *c)
{
	return c->at == c->end && (!c->streamed || c->streamed->at == c->streamed->size);
}

static bool begin_bytes(struct fast_chunks *c, struct input *input)
{
	struct fault fault = FAULT_INIT;

	c->streamed = input->bytes ? NULL : input;
	if (!c->streamed) {
		c->at = input->bytes;
		c->end = input->bytes + input->size;
		return true;
	}
	if (!input_can_rewind(input) || !input_rewind(input, &fault))
		return false;
	if (!c->window)
		c->window = mem_try(FAST_CHUNKS_WINDOW, 1);
	c->at = c->end = c->window;
	return c->window;
}

/* ---- data of chunks --------------------------------------------------------------------------------------------- */

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
	/* 16 bits each, but not larger than the image's samples can be */
	for (uint32_t i = 0; i < samples; i++)
		if ((data[2 * i] << 8 | data[2 * i + 1]) >> png->bit_depth)
			return false;
	return true;
}

static bool size_is_fine(struct fast_chunks *c, const struct limits *limits)
{
	uint64_t pixels = limit_pixels(c->png->width, c->png->height), rows;
	uint64_t inflated = filtered_bytes(c->png, &rows);

	if (filtered_row_bytes(c->png, c->png->width) - 1 > FAST_ROW_MAX || inflated > FAST_STREAM_MAX)
		return false;
	if (GUARD(limit_of_pixels_on_the_fast_path, limits->max_pixels && pixels > limits->max_pixels) ||
	    (limits->max_inflated && inflated > limits->max_inflated))
		return false;
	c->idat_max = idat_bytes_max(c->png);
	return true;
}

static bool take_other(struct fast_chunks *c, uint32_t type, const uint8_t *data, uint32_t length)
{
	loaders_whole_chunk(&c->loaders, type, data, length);
	if (!loaders_read(&c->loaders) || c->loaders.inflated > TEXT_BYTES_MAX)
		return false;
	if (type == PNG_TYPE_PLTE)
		return !c->has_trns && !c->idat_seen && take_palette(c->png, data, length);
	if (type == PNG_TYPE_TRNS) {
		if (c->has_trns || c->idat_seen || !transparency_fits(c->png, data, length))
			return false;
		c->has_trns = true;
		return true;
	}
	if (type == PNG_TYPE_ACTL && !c->idat_seen)
		c->png->animated = true;
	return chunk_is_ancillary(type);
}

/* ---- the walk --------------------------------------------------------------------------------------------------- */

/* Checks chunks: of a streamed file up to the data of the next IDAT, else up to the end, which sets c->over. */
static bool walk(struct fast_chunks *c)
{
	for (;;) {
		if (!need(c, CHUNK_FRAME))
			return false;
		uint32_t length = be32(c->at), type = be32(c->at + 4);
		bool idat = type == PNG_TYPE_IDAT;

		if (length > (idat ? PLANTED(length_of_an_idat, c->idat_max, PNG_LENGTH_MAX) : FAST_CHUNKS_OTHER_MAX) ||
		    !chunk_type_is_valid(type))
			return false;
		if (idat &&
		    (!length || c->idat_over || (c->png->colour_type == PNG_PALETTE && !c->png->palette_entries)))
			return false;
		if (idat && !c->idat_seen) {
			loaders_begin_chunk(&c->loaders, &(struct chunk){ .length = length, .type = type });
			if (!loaders_read(&c->loaders))
				return false;
			c->idat_seen = true;
		}
		if (idat && c->streamed) {
			c->crc = libdeflate_crc32(0, c->at + 4, 4);
			c->at += 8;
			c->left = length;
			return true;
		}
		if (!need(c, (uint64_t)CHUNK_FRAME + length) ||
		    libdeflate_crc32(0, c->at + 4, (size_t)length + 4) != be32(c->at + 8 + length))
			return false;
		const uint8_t *data = c->at + 8;

		c->at += CHUNK_FRAME + (size_t)length;
		if (idat) {
			if (!c->idat)
				c->idat = data;
			c->idat_chunks++;
			c->idat_bytes += length;
			continue;
		}
		c->idat_over = c->idat_seen;
		if (type == PNG_TYPE_IEND) {
			c->over = true;
			return length == 0 && c->idat_seen && at_end(c);
		}
		if (!take_other(c, type, data, length))
			return false;
	}
}

bool fast_chunks_open(struct fast_chunks *c, struct input *input, const struct limits *limits, struct png_header *png)
{
	static const uint8_t head[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R' };
	uint8_t *window = c->window;
	struct loaders loaders = c->loaders;

	loaders_begin(&loaders);
	memset(c, 0, sizeof(*c));
	c->window = window;
	c->loaders = loaders;
	c->png = png;
	if (!begin_bytes(c, input) || !need(c, sizeof(head) + PNG_IHDR_BYTES + 4) || memcmp(c->at, head, sizeof(head)))
		return false;
	if (png_header_parse(c->at + sizeof(head), png) != PNG_HEADER_LEGAL || !size_is_fine(c, limits))
		return false;
	const uint8_t *ihdr = c->at + PNG_SIGNATURE_BYTES + 4;

	if (libdeflate_crc32(0, ihdr, 4 + PNG_IHDR_BYTES) != be32(ihdr + 4 + PNG_IHDR_BYTES))
		return false;
	loaders_whole_chunk(&c->loaders, PNG_TYPE_IHDR, ihdr + 4, PNG_IHDR_BYTES);
	c->at += sizeof(head) + PNG_IHDR_BYTES + 4;
	if (!walk(c))
		return false;
	if (!c->streamed) {
		/* back to the first IDAT, whose data are taken next */
		c->at = c->idat;
		c->left = be32(c->at - 8);
		c->idats_left = c->idat_chunks - 1;
		c->over = false;
	}
	return true;
}

/* After the data of an IDAT: checks its CRC and goes on to the data of the next one. */
static bool end_idat(struct fast_chunks *c)
{
	if (c->streamed) {
		if (!need(c, 4) || GUARD(crc_of_a_streamed_idat, be32(c->at) != c->crc))
			return false;
		c->at += 4;
		return walk(c);
	}
	c->over = !c->idats_left;
	if (c->over)
		return true;
	c->idats_left--;
	c->at += CHUNK_FRAME;
	c->left = be32(c->at - 8);
	return true;
}

bool fast_chunks_take(struct fast_chunks *c, uint8_t *out, size_t size, size_t *n)
{
	*n = 0;
	while (*n < size && !c->over) {
		if (!need(c, 1))
			return false;
		size_t part = MIN(MIN((size_t)c->left, size - *n), (size_t)(c->end - c->at));

		memcpy(out + *n, c->at, part);
		if (c->streamed)
			c->crc = libdeflate_crc32(c->crc, c->at, part);
		c->at += part;
		c->left -= (uint32_t)part;
		*n += part;
		if (!c->left && !end_idat(c))
			return false;
	}
	return true;
}
