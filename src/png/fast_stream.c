/* Inflates the filtered rows of well-formed PNGs. */
#include "png/fast_stream.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "png/passes.h"

enum {
	ZLIB_HEADER = 2,
	ZLIB_TRAILER = 4, /* Adler-32 */
	ZLIB_DEFLATE = 8, /* RFC 1950, CM */
	ZLIB_WINDOW_MAX = 7,
	/*
	 * Bytes of deflate after the last row: the end of a block of fixed codes, and an empty stored block.
	 * png_decoder reports files with more (decode.c); the bound there depends on how libpng reads, but never
	 * reports so few.
	 */
	STREAM_REST_MAX = 2 + 5,
};
_Static_assert((int)FAST_STREAM_PIECE > 2 * (int)INFLATE_LEFT_MAX, "a piece has new bytes");

void fast_stream_release(struct fast_stream *f)
{
	fast_chunks_release(&f->chunks);
	free(f->buffer);
	free(f->piece);
	memset(f, 0, sizeof(*f));
}

/* ---- the zlib stream -------------------------------------------------------------------------------------------- */

/* Loads the next piece, after the bytes that inflate has left of the current one. False: use png_decoder. */
static bool next_piece(struct fast_stream *f, const uint8_t *left, size_t left_bytes)
{
	size_t got;

	if (!f->piece)
		f->piece = mem_try_zero(FAST_STREAM_PIECE + INFLATE_READ_AHEAD, 1);
	if (!f->piece || left_bytes >= FAST_STREAM_PIECE)
		return false;
	if (left_bytes)
		memmove(f->piece, left, left_bytes);
	if (!fast_chunks_take(&f->chunks, f->piece + left_bytes, FAST_STREAM_PIECE - left_bytes, &got))
		return false;
	f->data = f->piece;
	f->data_bytes = left_bytes + got;
	f->data_end += got;
	return true;
}

static bool begin_zlib(struct fast_stream *f, uint64_t inflated)
{
	const struct fast_chunks *chunks = &f->chunks;
	bool whole = chunks->idat_chunks == 1;

	f->data_end = 0;
	f->bytes_left = inflated;

	/* inflate may read ahead: a single IDAT is followed by its CRC and IEND */
	_Static_assert((int)INFLATE_READ_AHEAD <= 4 + (int)CHUNK_FRAME, "a CRC and IEND");
	if (whole) {
		f->data = chunks->idat;
		f->data_bytes = (size_t)chunks->idat_bytes;
		f->data_end = chunks->idat_bytes;
	} else if (!next_piece(f, NULL, 0)) {
		return false;
	}
	if (f->data_bytes < ZLIB_HEADER + ZLIB_TRAILER)
		return false;
	unsigned method = f->data[0], flags = f->data[1], window = method >> 4;

	if ((method & 15) != ZLIB_DEFLATE || window > ZLIB_WINDOW_MAX || (method << 8 | flags) % 31 || flags & 0x20)
		return false;
	/* with a smaller window zlib refuses distances that struct inflate would accept */
	if (window < ZLIB_WINDOW_MAX && inflated > (uint64_t)256 << window)
		return false;
	f->ended = false;
	inflate_begin(&f->inflate, f->data + ZLIB_HEADER, f->data_bytes - ZLIB_HEADER, whole || chunks->over);
	return true;
}

static enum inflate_result step(struct fast_stream *f, const uint8_t *limit)
{
	enum inflate_result r;

	while ((r = inflate_step(&f->inflate, f->buffer, &f->out, limit)) == INFLATE_WAITS) {
		const uint8_t *rest;
		size_t left = inflate_left(&f->inflate, &rest);

		if (!next_piece(f, rest, left))
			return INFLATE_BAD;
		inflate_go_on(&f->inflate, f->data, f->data_bytes, f->chunks.over);
	}
	return r;
}

/* Returns how many bytes of the zlib stream are consumed. */
static uint64_t used_bytes(const struct fast_stream *f)
{
	const uint8_t *rest;
	size_t left = inflate_left(&f->inflate, &rest);

	return left > f->data_bytes ? UINT64_MAX : f->data_end - left;
}

/* Returns whether exactly the right Adler-32 follows the deflate stream, which has ended. */
static bool ends_with(struct fast_stream *f, uint32_t adler)
{
	const uint8_t *rest;
	size_t left = inflate_left(&f->inflate, &rest);

	if (left > ZLIB_TRAILER)
		return false;
	if (!f->inflate.last_piece) {
		if (!next_piece(f, rest, left) || !f->chunks.over)
			return false;
		rest = f->data;
		left = f->data_bytes;
	}
	return left == ZLIB_TRAILER && be32(rest) == adler;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* Moves the window and the incomplete row to the front of the buffer. */
static void make_space(struct fast_stream *f)
{
	size_t made = (size_t)(f->out - f->buffer), rest = (size_t)(f->out - f->row);
	size_t keep = MIN(made, MAX(rest, (size_t)INFLATE_WINDOW));

	memmove(f->buffer, f->out - keep, keep);
	f->out = f->buffer + keep;
	f->row = f->out - rest;
}

/* Returns the upper bound of a step's limit. */
static const uint8_t *end_of_buffer(const struct fast_stream *f)
{
	return f->buffer + f->buffer_cap - INFLATE_WRITE_AHEAD - FAST_STREAM_SLACK;
}

/* Packs a row of samples, as png_decoder_row gives them, into the line that they have with filter 0. */
static void pack_row(const struct png_header *png, const void *row, uint8_t *line, size_t line_bytes)
{
	const size_t samples = (size_t)png->width * png->channels;
	const uint8_t *shallow = row;
	const uint16_t *deep = row;

	memset(line, 0, png->bit_depth < 8 ? line_bytes : 1);
	line++;
	if (png->bit_depth == 8)
		memcpy(line, row, samples);
	for (size_t i = 0; png->bit_depth == 16 && i < samples; i++) {
		line[2 * i] = (uint8_t)(deep[i] >> 8);
		line[2 * i + 1] = (uint8_t)deep[i];
	}
	for (size_t i = 0, bit = 0; png->bit_depth < 8 && i < samples; i++, bit += png->bit_depth)
		line[bit / 8] |= (uint8_t)(shallow[i] << (8 - png->bit_depth - bit % 8));
}

static const uint8_t *next_decoder_lines(struct fast_stream *f, size_t line, uint32_t *count)
{
	*count = (uint32_t)MIN(MAX(f->step / line, (size_t)1), (size_t)*count);
	if (!f->interlaced)
		return png_decoder_lines(f->decoder, f->buffer, line, *count) ? f->buffer : NULL;
	for (uint32_t i = 0; i < *count; i++) {
		const void *row = png_decoder_row(f->decoder);

		if (!row)
			return NULL;
		pack_row(f->interlaced, row, f->buffer + i * line, line);
	}
	return f->buffer;
}

/* Returns the next rows of `line` bytes each, up to *count; NULL: there are none, or png_decoder must read them. */
static const uint8_t *next_lines(struct fast_stream *f, size_t line, uint32_t *count)
{
	const uint8_t *lines;

	if (f->decoder)
		return next_decoder_lines(f, line, count);
	if ((size_t)(f->out - f->row) < line) {
		size_t want = (size_t)MIN(MAX(line - (size_t)(f->out - f->row), f->step), f->bytes_left), made;
		const uint8_t *end = end_of_buffer(f);

		if (f->ended)
			return NULL;
		/* a step may have passed its limit, and so the end */
		if (f->out > end || want > (size_t)(end - f->out))
			make_space(f);
		const uint8_t *before = f->out;

		switch (step(f, f->out + want)) {
		case INFLATE_END:
			f->ended = true;
			break;
		case INFLATE_MORE:
			break;
		default:
			return NULL;
		}
		made = (size_t)(f->out - before);
		f->bytes_left -= MIN(made, f->bytes_left);
		if ((size_t)(f->out - f->row) < line)
			return NULL;
	}
	*count = (uint32_t)MIN((size_t)(f->out - f->row) / line, (size_t)*count);
	lines = f->row;
	f->row += *count * line;
	return lines;
}

/* After the last row: returns whether the stream ends here. */
static bool ends(struct fast_stream *f, uint32_t adler)
{
	if (f->decoder)
		return png_decoder_finish(f->decoder);
	if (f->out != f->row)
		return false;
	if (!f->ended) {
		const uint64_t used = used_bytes(f);

		if (f->out >= end_of_buffer(f))
			make_space(f);
		if (step(f, f->out + 1) != INFLATE_END || f->out != f->row || used_bytes(f) - used > STREAM_REST_MAX)
			return false;
	}
	return ends_with(f, adler);
}

bool fast_stream_min_rows(struct fast_stream *f, uint32_t rows)
{
	size_t line = f->row_bytes + 1, together = rows * line;

	f->step = MAX(FAST_STREAM_STEP / together, (size_t)1) * together;
	/* a window, an incomplete row, and a step; more only saves moving the window */
	size_t least = INFLATE_WINDOW + 2 * line + f->step;
	size_t cap = MAX(least, (size_t)FAST_STREAM_BUFFER) + INFLATE_WRITE_AHEAD + FAST_STREAM_SLACK;

	f->buffer = mem_try_fit(f->buffer, &f->buffer_cap, cap);
	f->out = f->buffer;
	f->row = f->buffer;
	return f->buffer;
}

static bool begin_rows(struct fast_stream *f, const struct png_header *png)
{
	f->row_bytes = (size_t)filtered_row_bytes(png, png->width) - 1;
	f->pixel_bytes = png_pixel_bytes(png);
	f->rows_left = png->height;
	return fast_stream_min_rows(f, 1);
}

bool fast_stream_open(struct fast_stream *f, struct input *input, const struct limits *limits, struct png_header *png)
{
	uint64_t rows;

	f->decoder = NULL;
	return fast_chunks_open(&f->chunks, input, limits, png) && !png->interlace && begin_rows(f, png) &&
	       begin_zlib(f, filtered_bytes(png, &rows));
}

bool fast_stream_open_decoder(struct fast_stream *f, struct png_decoder *decoder, const struct png_header *png)
{
	f->decoder = decoder;
	f->interlaced = png->interlace ? png : NULL;
	return (f->interlaced || png_decoder_lines_begin(decoder)) && begin_rows(f, png);
}

const uint8_t *fast_stream_rows(struct fast_stream *f, uint32_t *count)
{
	size_t line = f->row_bytes + 1;
	const uint8_t *rows;

	*count = f->rows_left;
	rows = f->rows_left ? next_lines(f, line, count) : NULL;
	f->rows_left -= rows ? *count : 0;
	return rows;
}

bool fast_stream_end(struct fast_stream *f, uint32_t adler)
{
	return !f->rows_left && ends(f, adler);
}
