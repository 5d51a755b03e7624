/*
 * The image data, read as libpng reads them and without its rows: it takes several times as long to undo filters as
 * they take to inflate, and where it finds something odd behind them all was for nothing. zlib is the same one, and is
 * asked for the same: so it says the same of a broken stream, at the same place.
 *
 * What libpng (1.6, pngrutil.c) does: it fills one row after the other (png_read_IDAT_data), reads so many bytes of an
 * IDAT at a time as its buffer holds, and the next chunk when it wants more than there are; behind the last row it
 * inflates on, to see the stream's end, and takes what is wrong there for a warning (png_read_finish_IDAT). Here zlib
 * is asked for many rows at once. That makes the same of them, unless it fails: its state does not depend on how output
 * is cut, but it looks ahead of a row's end as far as it can without making output, so that the row in which libpng
 * meets an error may be one earlier. Then the same input is taken once more, row by row.
 *
 * Behind the image data libpng goes on itself, with a stand-in for them (decode.c).
 */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "png/decode_parts.h"
#include "png/passes.h"

enum {
	FILTER_MAX = 4,
	VERDICT_BYTES = 256 << 10, /* are inflated at a time where nobody wants them */
	TEMPORARY = 1024,          /* libpng's own, for what it skips (PNG_INFLATE_BUF_SIZE) */
	WINDOW_REFUSED = -100,     /* of what zlib returns */
	CHECK_REFUSED = -101,
	ZLIB_TRAILER = 4,    /* Adler-32 */
	ZLIB_WINDOW_MAX = 7, /* RFC 1950, CINFO */
	HELD_BACK = 1,
};

/* ---- libpng's words --------------------------------------------------------------------------------------------- */

static bool refuse(struct png_decoder *d, const char *message)
{
	struct decode_evidence e = png_decoder_evidence(d, message);

	decode_error_word(&e, &d->sample->fault);
	fault_clear(&d->sample->remark);
	return false;
}

static void warn(struct png_decoder *d, const char *message)
{
	struct decode_evidence e = png_decoder_evidence(d, message);

	decode_warning_word(&e, &d->sample->remark);
}

/* png_zstream_error */
static const char *zlib_words(const z_stream *z, int result)
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
	return png_decoder_read(d, out, n) || refuse(d, "end of file");
}

/* What is left of the IDAT at hand, and its CRC: png_crc_finish. */
static bool end_chunk(struct png_decoder *d)
{
	uint8_t skipped[TEMPORARY];

	while (d->lines.idat_left) {
		uint32_t n = MIN(d->lines.idat_left, (uint32_t)sizeof(skipped));

		if (!read_bytes(d, skipped, n))
			return false;
		d->lines.idat_left -= n;
	}
	if (!read_bytes(d, skipped, 4))
		return false;
	return !chunk_walk_crc_wrong(&d->walk) || refuse(d, "CRC error");
}

/* The longest IDAT that libpng takes without a word: png_check_chunk_length. */
static uint64_t idat_limit(const struct png_header *h)
{
	uint64_t row = (uint64_t)h->width * h->channels * (h->bit_depth > 8 ? 2 : 1) + 1 + (h->interlace ? 6 : 0);
	uint64_t limit = h->height > UINT32_MAX / row ? PNG_LENGTH_MAX : h->height * row;

	limit += 6 + 5 * (limit / MIN(row, (uint64_t)32566) + 1);
	return MAX(MIN(limit, (uint64_t)PNG_LENGTH_MAX), (uint64_t)CHUNK_BYTES_MAX);
}

/* The header of a chunk, which must be another IDAT. */
static bool begin_chunk(struct png_decoder *d)
{
	const struct chunk *now = &d->walk.now;
	uint8_t header[8];

	if (!read_bytes(d, header, sizeof(header)))
		return false;
	if (now->length > PNG_LENGTH_MAX)
		return refuse(d, "PNG unsigned integer out of range");
	if (!chunk_type_is_valid(now->type))
		return refuse(d, "invalid chunk type");
	if (now->type != PNG_TYPE_IDAT)
		return refuse(d, "Not enough image data");
	if (now->length > idat_limit(&d->sample->png))
		warn(d, "chunk data is too large");
	d->lines.idat_left = now->length;
	return true;
}

/* ---- the zlib stream: png_read_IDAT_data ------------------------------------------------------------------------ */

/* Gives zlib the next bytes. */
static bool refill(struct png_decoder *d)
{
	struct decoder_lines *l = &d->lines;

	while (!l->idat_left)
		if (!end_chunk(d) || !begin_chunk(d))
			return false;
	uint32_t n = (uint32_t)MIN((size_t)l->idat_left, l->piece_max);

	/* behind the stream, its last bytes are in front of what comes next */
	memmove(l->piece, l->piece + l->piece_bytes, ZLIB_TRAILER);
	l->piece_bytes = n;
	if (!read_bytes(d, l->piece + ZLIB_TRAILER, n))
		return false;
	l->idat_left -= n;
	l->z.next_in = l->piece + ZLIB_TRAILER;
	l->z.avail_in = n;
	return true;
}

/* Up to n bytes, as many as zlib makes of the input at hand, of which there is some. */
static int inflate_some(struct decoder_lines *l, uint8_t *out, size_t n)
{
	l->z.next_out = out;
	l->z.avail_out = (uInt)n;
	if (!l->begun) {
		unsigned window = *l->z.next_in >> 4;

		if (window > ZLIB_WINDOW_MAX)
			return WINDOW_REFUSED;
		l->begun = true;
		/* a match that reaches beyond the window is found or not by where output is cut */
		l->line_by_line = window < ZLIB_WINDOW_MAX;
	}
	int result = inflate(&l->z, Z_NO_FLUSH);

	l->adler = libdeflate_adler32(l->adler, out, n - l->z.avail_out);
	return result == Z_STREAM_END && be32(l->z.next_in - ZLIB_TRAILER) != l->adler ? CHECK_REFUSED : result;
}

static void end_stream(struct png_decoder *d)
{
	d->lines.ended = true;
	if (d->lines.z.avail_in || d->lines.idat_left)
		warn(d, "Extra compressed data");
}

/* n bytes, up to the end of a line. */
static bool fill_line(struct png_decoder *d, uint8_t *out, size_t n)
{
	struct decoder_lines *l = &d->lines;

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
			return refuse(d, zlib_words(&l->z, result));
	} while (n);
	return !n || refuse(d, "Not enough image data");
}

/*
 * Up to n bytes, *made of them, which are more of a line or lines: what zlib makes of the input at hand. Where it
 * fails, nothing, and from then on it is asked for single lines.
 *
 * The last byte of the input is held back: once that is used, libpng reads on before it asks for another row, even if
 * zlib has more to give. Only where a line ends zlib sees it, as it looks ahead there.
 */
static bool stride(struct png_decoder *d, uint8_t *out, size_t n, size_t line_left, size_t line, size_t *made)
{
	struct decoder_lines *l = &d->lines;
	z_stream before;

	uint32_t adler = l->adler;

	*made = 0;
	if (inflateCopy(&before, &l->z) != Z_OK) {
		l->line_by_line = true;
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
		if (result == Z_BUF_ERROR) /* it did not have to */
			result = Z_OK;
	}
	if (result == Z_OK || (result == Z_STREAM_END && got == n)) {
		inflateEnd(&before);
		*made = got;
		if (result == Z_STREAM_END)
			end_stream(d);
		return true;
	}
	l->line_by_line = true;
	l->adler = adler;
	inflateEnd(&l->z);
	result = inflateCopy(&l->z, &before);
	inflateEnd(&before);
	l->has_z = result == Z_OK;
	return l->has_z || refuse(d, zlib_words(&l->z, Z_MEM_ERROR));
}

/* Behind the last row: png_read_finish_IDAT. Nothing that zlib finds wrong is an error here. */
static bool finish_image(struct png_decoder *d)
{
	struct decoder_lines *l = &d->lines;
	uint8_t extra[TEMPORARY];
	bool too_much = false;

	while (!l->ended) {
		if (!l->z.avail_in && !refill(d))
			return false;
		int result = inflate_some(l, extra, sizeof(extra));

		too_much |= l->z.avail_out < sizeof(extra);
		if (result == Z_STREAM_END) {
			end_stream(d);
		} else if (result != Z_OK) {
			warn(d, zlib_words(&l->z, result));
			too_much = false;
			break;
		}
		if (!too_much) /* what else the stream has, libpng leaves where it is */
			break;
	}
	if (too_much)
		warn(d, "Too much image data");
	return end_chunk(d);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

void png_decoder_lines_release(struct png_decoder *d)
{
	if (d->lines.has_z)
		inflateEnd(&d->lines.z);
	free(d->lines.piece);
	memset(&d->lines, 0, sizeof(d->lines));
}

bool png_decoder_lines_begin(struct png_decoder *d)
{
	struct decoder_lines *l = &d->lines;

	png_decoder_drop_rows(d); /* libpng's are not needed */
	/* libpng has read the header of the first IDAT */
	l->idat_left = d->walk.now.length;
	d->stand_in = (struct decoder_stand_in){ .on = true, .length = l->idat_left };
	l->piece_max = png_get_compression_buffer_size(d->png);
	l->piece = mem_try_zero(ZLIB_TRAILER + l->piece_max, 1);
	l->has_z = l->piece && inflateInit2(&l->z, 0) == Z_OK; /* 0: the window that the stream declares */
	l->adler = 1;
	/* that takes zlib a third of its time */
	return (l->has_z && inflateValidate(&l->z, 0) == Z_OK) || refuse(d, "Insufficient memory");
}

/* A row has come out, with this filter. */
static bool end_line(struct png_decoder *d, uint8_t filter)
{
	if (filter > FILTER_MAX)
		return refuse(d, "bad adaptive filter value");
	if (d->rows_read + 1 == d->rows_total && !finish_image(d))
		return false;
	d->rows_read++;
	return true;
}

bool png_decoder_lines(struct png_decoder *d, uint8_t *out, size_t line, uint32_t count)
{
	struct decoder_lines *l = &d->lines;
	size_t total = line * count, made, done = 0, ended = 0;

	while (done < total) {
		size_t line_left = line - done % line;

		if (l->begun && !l->line_by_line && l->z.avail_in > HELD_BACK) {
			if (!stride(d, out + done, total - done, line_left, line, &made))
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
	bool ok = out ? png_decoder_lines_begin(d) : refuse(d, "Insufficient memory");

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
