/*
 * Lines: the filtered rows, read as libpng reads them but without its unfiltering, which takes several times as long as
 * inflating. zlib gets the same input, so it reports the same error for a broken stream, at the same place.
 *
 * libpng (1.6, pngrutil.c) fills one row after the other (png_read_IDAT_data). After the last row it inflates on to
 * find the stream's end, and turns errors there into warnings (png_read_finish_IDAT). Here zlib gets many rows at once,
 * which gives the same bytes unless zlib fails: at the end of a row it processes input as far as it can without output,
 * so that libpng may see an error one row earlier. Then the same input is inflated once more, one row at a time.
 *
 * After the image data libpng itself continues, with a dummy IDAT in their place.
 */
#include "png/decode.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "png/chunks.h"
#include "png/decoder.h"
#include "png/passes.h"

enum {
	FILTER_MAX = 4,
	VERDICT_BYTES = 256 << 10, /* inflated at a time by png_decoder_verdict */
	SKIP_BYTES = 1024,         /* as libpng's buffer for skipped data (PNG_INFLATE_BUF_SIZE) */
	WINDOW_REFUSED = -100,     /* our results beside those of zlib */
	CHECK_REFUSED = -101,
	ZLIB_TRAILER = 4,    /* Adler-32 */
	ZLIB_WINDOW_MAX = 7, /* RFC 1950, CINFO */
	HELD_BACK = 1,
};

/* png_zstream_error */
static const char *zlib_message(const z_stream *z, int result)
{
	if (result == WINDOW_REFUSED)
		return "invalid window size (libpng)";
	if (result == CHECK_REFUSED)
		return "incorrect data check"; /* zlib's */
	if (z->msg)
		return z->msg;
	switch (result) {
	case Z_NEED_DICT:
		return "missing LZ dictionary";
	case Z_STREAM_ERROR:
		return "bad parameters to zlib";
	case Z_DATA_ERROR:
		return "damaged LZ stream";
	case Z_MEM_ERROR:
		return "insufficient memory";
	case Z_BUF_ERROR:
		return "truncated";
	default:
		return "unexpected zlib return code";
	}
}

/* ---- chunks ----------------------------------------------------------------------------------------------------- */

static bool read_bytes(struct png_decoder *d, uint8_t *out, size_t n)
{
	return decoder_read(d, out, n) || decoder_refuse(d, "end of file");
}

/* Skips the rest of the current IDAT and checks its CRC, as png_crc_finish does. */
static bool end_chunk(struct png_decoder *d)
{
	uint8_t skipped[SKIP_BYTES];

	while (d->lines.idat_left) {
		uint32_t n = MIN(d->lines.idat_left, (uint32_t)sizeof(skipped));

		if (!read_bytes(d, skipped, n))
			return false;
		d->lines.idat_left -= n;
	}
	if (!read_bytes(d, skipped, 4))
		return false;
	return !chunk_walk_crc_wrong(&d->seen.walk) || decoder_refuse(d, "CRC error");
}

/* Reads the header of the next chunk, which must be an IDAT. */
static bool begin_chunk(struct png_decoder *d)
{
	const struct chunk *now = &d->seen.walk.now;
	uint8_t header[8];

	if (!read_bytes(d, header, sizeof(header)))
		return false;
	if (now->length > PNG_LENGTH_MAX)
		return decoder_refuse(d, "PNG unsigned integer out of range");
	if (!chunk_type_is_valid(now->type))
		return decoder_refuse(d, "invalid chunk type");
	if (now->type != PNG_TYPE_IDAT)
		return decoder_refuse(d, "Not enough image data");
	if (now->length > idat_bytes_max(&d->sample->png))
		decoder_warn(d, "chunk data is too large");
	d->lines.idat_left = now->length;
	return true;
}

/* ---- the zlib stream: png_read_IDAT_data ------------------------------------------------------------------------ */

/* Gives zlib more input. */
static bool refill(struct png_decoder *d)
{
	struct line_reader *l = &d->lines;

	while (!l->idat_left)
		if (!end_chunk(d) || !begin_chunk(d))
			return false;
	uint32_t n = (uint32_t)MIN((size_t)l->idat_left, l->piece_max);

	/* the Adler-32 may span two pieces; keep it contiguous */
	memmove(l->piece, l->piece + l->piece_bytes, ZLIB_TRAILER);
	l->piece_bytes = n;
	if (!read_bytes(d, l->piece + ZLIB_TRAILER, n))
		return false;
	l->idat_left -= n;
	l->z.next_in = l->piece + ZLIB_TRAILER;
	l->z.avail_in = n;
	return true;
}

/* Inflates up to n bytes from the current input, which is not empty. */
static int inflate_some(struct line_reader *l, uint8_t *out, size_t n)
{
	l->z.next_out = out;
	l->z.avail_out = (uInt)n;
	if (!l->begun) {
		unsigned window = *l->z.next_in >> 4;

		if (window > ZLIB_WINDOW_MAX)
			return WINDOW_REFUSED;
		l->begun = true;
		/* whether zlib detects a distance beyond a smaller window depends on how the output is divided */
		l->one_row_at_a_time = window < ZLIB_WINDOW_MAX;
	}
	int result = inflate(&l->z, Z_NO_FLUSH);

	l->adler = libdeflate_adler32(l->adler, out, n - l->z.avail_out);
	return result == Z_STREAM_END && be32(l->z.next_in - ZLIB_TRAILER) != l->adler ? CHECK_REFUSED : result;
}

static void end_stream(struct png_decoder *d)
{
	d->lines.ended = true;
	if (d->lines.z.avail_in || d->lines.idat_left)
		decoder_warn(d, "Extra compressed data");
}

/* Inflates n bytes, the rest of a line. */
static bool fill_line(struct png_decoder *d, uint8_t *out, size_t n)
{
	struct line_reader *l = &d->lines;

	do {
		if (!l->z.avail_in && !refill(d))
			return false;
		int result = inflate_some(l, out, n);

		out += n - l->z.avail_out;
		n = l->z.avail_out;
		if (result == Z_STREAM_END) {
			end_stream(d);
			break;
		}
		if (result != Z_OK)
			return decoder_refuse(d, zlib_message(&l->z, result));
	} while (n);
	return !n || decoder_refuse(d, "Not enough image data");
}

/*
 * Inflates up to n bytes, *made of them, from the current input. If zlib fails, makes none and has the next calls go
 * one row at a time.
 *
 * The last byte of the input is held back, because libpng reads more input once all is used, even if zlib could make
 * more output. zlib gets it only at the end of a line, where it looks ahead.
 */
static bool inflate_lines(struct png_decoder *d, uint8_t *out, size_t n, size_t line_left, size_t line, size_t *made)
{
	struct line_reader *l = &d->lines;
	z_stream before;

	uint32_t adler = l->adler;

	*made = 0;
	if (inflateCopy(&before, &l->z) != Z_OK) {
		l->one_row_at_a_time = true;
		return true;
	}
	l->z.avail_in -= HELD_BACK;
	int result = inflate_some(l, out, n);
	size_t got = n - l->z.avail_out;
	bool looks_ahead = !l->z.avail_in && got >= line_left && (got - line_left) % line == 0;

	l->z.avail_in += HELD_BACK;
	if (result == Z_OK && looks_ahead) {
		result = inflate_some(l, out + got, 0);
		l->z.avail_out = (uInt)(n - got);
		if (result == Z_BUF_ERROR) /* no progress was possible */
			result = Z_OK;
	}
	if (result == Z_OK || (result == Z_STREAM_END && got == n)) {
		inflateEnd(&before);
		*made = got;
		if (result == Z_STREAM_END)
			end_stream(d);
		return true;
	}
	l->one_row_at_a_time = true;
	l->adler = adler;
	inflateEnd(&l->z);
	result = inflateCopy(&l->z, &before);
	inflateEnd(&before);
	l->has_z = result == Z_OK;
	return l->has_z || decoder_refuse(d, zlib_message(&l->z, Z_MEM_ERROR));
}

/* After the last row, as png_read_finish_IDAT: errors of zlib are only warnings here. */
static bool finish_image(struct png_decoder *d)
{
	struct line_reader *l = &d->lines;
	uint8_t extra[SKIP_BYTES];
	bool too_much = false;

	while (!l->ended) {
		if (!l->z.avail_in && !refill(d))
			return false;
		int result = inflate_some(l, extra, sizeof(extra));

		too_much |= l->z.avail_out < sizeof(extra);
		if (result == Z_STREAM_END) {
			end_stream(d);
		} else if (result != Z_OK) {
			decoder_warn(d, zlib_message(&l->z, result));
			if (!too_much)
				decoder_stream_fails_late(d);
			too_much = false;
			break;
		}
		if (!too_much) { /* libpng does not inflate the rest of the stream */
			if (!l->ended)
				stream_tail_go_on(&d->tail, &l->z, l->piece + l->piece_bytes, l->adler);
			break;
		}
	}
	if (too_much)
		decoder_warn(d, "Too much image data");
	return end_chunk(d);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

void decoder_free_lines(struct png_decoder *d)
{
	if (d->lines.has_z)
		inflateEnd(&d->lines.z);
	free(d->lines.piece);
	memset(&d->lines, 0, sizeof(d->lines));
}

bool png_decoder_lines_begin(struct png_decoder *d)
{
	struct line_reader *l = &d->lines;

	decoder_free_rows(d); /* libpng's are not needed */
	/* libpng has read the header of the first IDAT */
	l->idat_left = d->seen.walk.now.length;
	d->dummy = (struct dummy_idat){ .on = true, .length = l->idat_left };
	l->piece_max = png_get_compression_buffer_size(d->png);
	l->piece = mem_try_zero(ZLIB_TRAILER + l->piece_max, 1);
	l->has_z = l->piece && inflateInit2(&l->z, 0) == Z_OK; /* 0: the window that the stream declares */
	l->adler = 1;
	/* leave the Adler-32 to libdeflate: zlib spends a third of its time on it */
	return (l->has_z && inflateValidate(&l->z, 0) == Z_OK) || decoder_refuse(d, "Insufficient memory");
}

/* Counts a complete line; filter: its first byte. */
static bool end_line(struct png_decoder *d, uint8_t filter)
{
	if (filter > FILTER_MAX)
		return decoder_refuse(d, "bad adaptive filter value");
	if (d->seen.rows_read + 1 == d->seen.rows_total && !finish_image(d))
		return false;
	d->seen.rows_read++;
	return true;
}

bool png_decoder_lines(struct png_decoder *d, uint8_t *out, size_t line, uint32_t count)
{
	struct line_reader *l = &d->lines;
	size_t total = line * count, made, done = 0, ended = 0;

	while (done < total) {
		size_t line_left = line - done % line;

		if (l->begun && !l->one_row_at_a_time && l->z.avail_in > HELD_BACK) {
			if (!inflate_lines(d, out + done, total - done, line_left, line, &made))
				return false;
		} else {
			made = line_left;
			if (!fill_line(d, out + done, made))
				return false;
		}
		for (done += made; ended + line <= done; ended += line)
			if (!end_line(d, out[ended]))
				return false;
	}
	return true;
}

/* ---- the verdict alone ------------------------------------------------------------------------------------------ */

/* Reads `count` lines and discards them. */
static bool drain(struct png_decoder *d, uint8_t *out, size_t line, uint32_t count)
{
	uint32_t most = (uint32_t)MAX(VERDICT_BYTES / line, (size_t)1);

	for (uint32_t n; count; count -= n) {
		n = MIN(count, most);
		if (!png_decoder_lines(d, out, line, n))
			return false;
	}
	return true;
}

bool png_decoder_verdict(struct png_decoder *d)
{
	const struct png_header *h = &d->sample->png;
	size_t line = (size_t)filtered_row_bytes(h, h->width);
	uint8_t *out = mem_try(MAX(line, (size_t)VERDICT_BYTES), 1);
	bool ok = out ? png_decoder_lines_begin(d) : decoder_refuse(d, "Insufficient memory");

	if (!h->interlace) {
		ok = ok && drain(d, out, line, h->height);
	} else {
		for (size_t i = 0; ok && i < ADAM7_PASSES; i++) {
			line = (size_t)filtered_row_bytes(h, pass_width(h, &adam7[i]));
			ok = line == 1 || drain(d, out, line, pass_height(h, &adam7[i]));
		}
	}
	free(out);
	return ok && png_decoder_finish(d);
}
