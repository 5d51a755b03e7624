/*
 * libpng with checks of our own around it. Every byte that libpng reads also goes through a chunk walk, which supplies
 * the evidence for messages and the few judgements that libpng omits when it skips ancillary chunks. The second half
 * reads the image data without libpng ("Lines" below); both halves give the same verdict.
 *
 * libpng reports errors by longjmp. All state lives in the decoder; functions that call setjmp keep nothing in locals
 * across it.
 */
#include "png/decode.h"

#include <inttypes.h>
#include <libdeflate.h>
#include <png.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"
#include "png/adam7_raster.h"
#include "png/chunks.h"
#include "png/decode_errors.h"
#include "png/loaders.h"
#include "png/passes.h"
#include "png/stream_tail.h"
#include "read/identify.h"
#include "read/input.h"

/*
 * A measuring thread holds several copies of a row (eight filtered, eight unfiltered, some as ids). This limit keeps it
 * within its share of memory for every image that is not interlaced. OpenCV refuses wider images too, and so does
 * libpng by default.
 */
#define ROW_BYTES_MAX ((uint64_t)1 << 20)
/* zlib: "the maximum compression factor is 1032 : 1" (258 bytes from 2 bits); the slack covers rounding. */
#define INFLATE_FACTOR_MAX 1032
#define INFLATE_SLACK      64
/*
 * Bytes that a valid zlib stream may have after the last pixel: the end-of-block code (at most 15 bits), an empty
 * stored block from a flush (5), the Adler-32 (4). In short IDATs these may be in chunks of their own, which libpng
 * leaves for png_read_end to skip, so only more bytes than these are too many.
 */
#define STREAM_END_MAX (2 + 5 + 4)

enum {
	FILTER_MAX = 4,
	VERDICT_BYTES = 256 << 10, /* inflated at a time by png_decoder_verdict */
	PIECE_BYTES = 8192,        /* of image data that libpng reads at a time (PNG_IDAT_READ_SIZE) */
	SKIP_BYTES = 1024,         /* as libpng's buffer for skipped data (PNG_INFLATE_BUF_SIZE) */
	WINDOW_REFUSED = -100,     /* our results beside those of zlib */
	CHECK_REFUSED = -101,
	ZLIB_TRAILER = 4,    /* Adler-32 */
	ZLIB_WINDOW_MAX = 7, /* RFC 1950, CINFO */
	HELD_BACK = 1,
};

/* State of inflating the image data without libpng. */
struct line_reader {
	z_stream z;
	bool has_z;     /* z is initialised */
	uint8_t *piece; /* the input of z, after the last 4 bytes of the previous piece; owned */
	size_t piece_bytes;
	uint32_t adler;         /* of the output of z */
	size_t piece_max;       /* bytes that libpng would read at a time */
	uint32_t idat_left;     /* unread bytes of the current IDAT */
	bool begun;             /* z got its first byte */
	bool one_row_at_a_time; /* z gets no space beyond the current line, as in libpng */
	bool ended;             /* the zlib stream ended */
};

/* The image data that libpng gets in place of those that the line reader consumed: a zlib stream of no bytes. */
struct dummy_idat {
	bool on;
	uint32_t length; /* of the IDAT; the first one has the length that libpng has already read */
	uint64_t at;     /* offset of the next byte in its data, CRC included */
	uint32_t crc;
};

struct png_decoder {
	png_structp png;
	png_infop info, end_info;
	struct input *input;
	struct sample *sample;
	struct decode_evidence seen;
	struct loaders loaders;
	size_t pixel_bytes; /* of a returned row: one or two bytes per sample */
	size_t row_bytes;
	uint8_t *row;    /* owned; of a pass if interlaced */
	uint8_t *raster; /* owned; only if interlaced (adam7_memory_take) */
	size_t raster_bytes;
	uint32_t next_row; /* the next one that png_decoder_row returns */
	struct line_reader lines;
	struct dummy_idat dummy;
	struct stream_tail tail;
};

/* Returns false, and makes libpng's message the fault. */
static bool refuse(struct png_decoder *d, const char *message)
{
	decode_error_word(&d->seen, message, &d->sample->fault);
	fault_clear(&d->sample->warning); /* the fault is the cause, or matters more */
	return false;
}

/* Returns whether libpng warns of an error of zlib: as it reports errors of image data otherwise. */
static bool is_of_zlib(const char *message)
{
	static const char *const others[] = { "Extra compressed data", "Too much image data", "Too many IDATs found",
					      "chunk data is too large", "CRC error" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strstr(message, others[i]))
			return false;
	return true;
}

/* Notes an error of zlib after the last row, in the piece of image data that was read last. */
static void note_stream_end(struct png_decoder *d)
{
	const struct chunk_walk *w = &d->seen.walk;
	uint32_t read = w->state == WALK_DATA ? w->got : w->now.length;

	loaders_stream_end(&d->loaders, read ? (read - 1) / PIECE_BYTES * PIECE_BYTES : 0);
}

static void warn(struct png_decoder *d, const char *message)
{
	decode_warning_word(&d->seen, message, &d->sample->warning);
}

/* ---- callbacks of libpng ---------------------------------------------------------------------------------------- */

static void on_error(png_structp png, png_const_charp message) __attribute__((noreturn));

static void on_error(png_structp png, png_const_charp message)
{
	refuse(png_get_error_ptr(png), message);
	png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
	struct png_decoder *d = png_get_error_ptr(png);

	if (d->dummy.on)
		return;
	/* Pillow does not inflate more rows than the image has, nor what follows them */
	if (d->seen.walk.now.type == PNG_TYPE_IDAT && is_of_zlib(message) && !d->tail.has_more_rows)
		note_stream_end(d);
	warn(d, message);
}

/* Reads the next n bytes of the file. Returns false if there are fewer (at_end), or with sample->fault set. */
static bool read_file(struct png_decoder *d, uint8_t *out, size_t n)
{
	int64_t got = input_read(d->input, out, n, &d->sample->fault);

	if (got < 0)
		return false;
	if (d->seen.walk.state == WALK_DATA && d->seen.walk.now.type == PNG_TYPE_IDAT)
		stream_tail_add(&d->tail, out, (size_t)got); /* reads end where chunks do */
	chunk_walk_feed(&d->seen.walk, out, (size_t)got);
	d->seen.at_end = (size_t)got < n;
	return !d->seen.at_end;
}

/*
 * Reads from the dummy IDAT: a zlib stream of no bytes, then zeros up to its length. One of length 0 is followed by
 * another one. libpng reads data (of one chunk), a CRC or a header at a time.
 */
static void read_dummy_idat(struct dummy_idat *s, uint8_t *out, size_t n)
{
	static const uint8_t header[] = { 0, 0, 0, 8, 'I', 'D', 'A', 'T' };
	static const uint8_t stream[] = { 0x78, 0x9c, 3, 0, 0, 0, 0, 1 };

	if (s->at == 0)
		s->crc = (uint32_t)crc32(0, header + 4, 4);
	if (s->at < s->length) {
		for (size_t i = 0; i < n; i++, s->at++)
			out[i] = s->at < sizeof(stream) ? stream[s->at] : 0;
		s->crc = (uint32_t)crc32(s->crc, out, (uInt)n);
	} else if (s->at == s->length) {
		for (unsigned i = 0; i < 4; i++)
			out[i] = (uint8_t)(s->crc >> (24 - 8 * i));
		s->on = s->length == 0;
		s->at++;
	} else {
		memcpy(out, header, MIN(n, sizeof(header)));
		s->length = sizeof(stream);
		s->at = 0;
	}
}

static void on_read(png_structp png, png_bytep out, size_t n)
{
	struct png_decoder *d = png_get_io_ptr(png);

	if (d->dummy.on) {
		read_dummy_idat(&d->dummy, out, n);
		return;
	}
	if (!read_file(d, out, n))
		png_error(png, "end of file"); /* the message comes from at_end unless the fault is set */
	/* libpng's own readers of these chunks fail here too, but are not called */
	if (!d->seen.walk.ihdr_seen && (d->seen.walk.state == WALK_DATA || d->seen.walk.state == WALK_CRC) &&
	    chunk_is_known_ancillary(d->seen.walk.now.type))
		png_error(png, "missing IHDR");
}

/* ---- calls of libpng, each with its setjmp; false: sample->fault is set ------------------------------------------ */

static bool read_info(struct png_decoder *d)
{
	if (setjmp(png_jmpbuf(d->png)))
		return false;
	d->info = png_create_info_struct(d->png);
	d->end_info = png_create_info_struct(d->png);
	if (!d->info || !d->end_info)
		png_error(d->png, "Insufficient memory");
	png_set_read_fn(d->png, d, on_read);
	/* within_limits() checks width and height, and names the options */
	png_set_user_limits(d->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
	png_set_chunk_malloc_max(d->png, CHUNK_BYTES_MAX);
	/* check only the CRC of all chunks but IHDR, PLTE, tRNS, IDAT and IEND */
	png_set_keep_unknown_chunks(d->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
#ifdef PNG_CHECK_FOR_INVALID_INDEX_SUPPORTED
	/* versions differ in which indices beyond PLTE they report; a rule counts them exactly */
	png_set_check_for_invalid_index(d->png, 0);
#endif
	png_read_info(d->png, d->info);
	return true;
}

static bool start_rows(struct png_decoder *d)
{
	if (setjmp(png_jmpbuf(d->png)))
		return false;
	if (d->sample->png.bit_depth < 8)
		png_set_packing(d->png);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (d->sample->png.bit_depth == 16)
		png_set_swap(d->png);
#endif
	png_read_update_info(d->png, d->info);
	return true;
}

static bool read_row(struct png_decoder *d, uint8_t *out)
{
	if (setjmp(png_jmpbuf(d->png)))
		return false;
	png_read_row(d->png, out, NULL);
	d->seen.rows_read++;
	return true;
}

static bool read_end(struct png_decoder *d)
{
	if (setjmp(png_jmpbuf(d->png)))
		return false;
	png_read_end(d->png, d->end_info);
	return true;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static void take_header(struct png_decoder *d)
{
	struct png_header *h = &d->sample->png;
	png_colorp palette;
	int entries = 0;

	memset(h, 0, sizeof(*h));
	h->width = png_get_image_width(d->png, d->info);
	h->height = png_get_image_height(d->png, d->info);
	h->bit_depth = png_get_bit_depth(d->png, d->info);
	h->colour_type = png_get_color_type(d->png, d->info);
	h->interlace = png_get_interlace_type(d->png, d->info);
	h->channels = png_get_channels(d->png, d->info);
	h->animated = d->seen.walk.actl_before_idat;
	d->seen.interlaced = h->interlace != 0;
	/* in other colour types PLTE is only a suggestion for displays with few colours */
	if (h->colour_type != PNG_PALETTE || !png_get_PLTE(d->png, d->info, &palette, &entries))
		return;
	h->palette_entries = (uint16_t)entries;
	_Static_assert(sizeof(png_color) == sizeof(h->palette[0]), "red, green, blue");
	memcpy(h->palette, palette, (size_t)entries * sizeof(*palette));
}

/* Returns whether the file ends with an IEND chunk; true for a stream, whose end is not known yet. */
static bool ends_in_iend(const struct input *in)
{
	static const uint8_t iend[12] = { 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82 };

	return !in->bytes ||
	       (in->size >= sizeof(iend) && memcmp(in->bytes + in->size - sizeof(iend), iend, sizeof(iend)) == 0);
}

/* Checks, before memory is allocated for pixels, that the file can hold them and that the limits allow them. */
static bool within_limits(struct png_decoder *d, const struct limits *limits)
{
	const struct png_header *h = &d->sample->png;
	struct fault *f = &d->sample->fault;
	uint64_t pixels = limit_pixels(h->width, h->height);
	uint64_t inflated = filtered_bytes(h, &d->seen.rows_total);
	uint64_t can_hold = size_mul_saturating(d->input->size, INFLATE_FACTOR_MAX);
	uint64_t row = (uint64_t)h->width * d->pixel_bytes;
	/* of IHDR's data */
	const uint64_t offset = PNG_SIGNATURE_BYTES + 8;

	can_hold = size_add_saturating(can_hold, INFLATE_SLACK);
	if (GUARD(bomb_ratio_of_png, inflated > can_hold))
		fault_set(f, ends_in_iend(d->input) ? FAULT_CORRUPT : FAULT_TRUNCATED, offset,
			  "declares %" PRIu32 " x %" PRIu32 " pixels, %s%" PRIu64 " bytes, but a file of %" PRIu64
			  " bytes can hold at most %" PRIu64 " (deflate expands at most 1032 times)",
			  h->width, h->height, inflated == UINT64_MAX ? "over " : "", inflated, d->input->size,
			  can_hold);
	else if (GUARD(limit_of_pixels, limits->max_pixels && pixels > limits->max_pixels))
		fault_set(f, FAULT_LIMIT, offset,
			  "declares %" PRIu32 " x %" PRIu32 " %s %" PRIu64 "%s; the limit is %" PRIu64
			  " (--max-pixels)",
			  h->width, h->height, h->width < LIMIT_ROW_PIXELS ? "pixels, which count as" : "=", pixels,
			  h->width < LIMIT_ROW_PIXELS ? " (each row as 64)" : " pixels", limits->max_pixels);
	else if (limits->max_inflated && inflated > limits->max_inflated)
		fault_set(f, FAULT_LIMIT, offset,
			  "declares %" PRIu32 " x %" PRIu32 " pixels, which inflate to %" PRIu64
			  " bytes; the limit is %" PRIu64 " (--max-inflated)",
			  h->width, h->height, inflated, limits->max_inflated);
	else if (row > ROW_BYTES_MAX)
		fault_set(f, FAULT_LIMIT, offset,
			  "declares rows of %" PRIu32 " pixels, %" PRIu64 " bytes of samples; at most %" PRIu64
			  " are read",
			  h->width, row, ROW_BYTES_MAX);
	else if (h->interlace && size_mul_saturating(row, h->height) > ADAM7_RASTER_MAX)
		fault_set(f, FAULT_LIMIT, offset,
			  "is interlaced, so all of its %" PRIu32 " x %" PRIu32
			  " pixels must be in memory at once: %" PRIu64 " bytes of samples; at most %" PRIu64
			  " are kept in memory",
			  h->width, h->height, size_mul_saturating(row, h->height), ADAM7_RASTER_MAX);
	else
		return true;
	return false;
}

/* The first bytes of the file; leaves the input at byte 0. */
static bool check_signature(struct input *input, struct fault *fault)
{
	uint8_t head[32]; /* more than the signature, to name other formats */
	int64_t n;

	if (!input_rewind(input, fault))
		return false;
	n = input_read(input, head, sizeof(head), fault);
	if (n < 0 || !input_rewind(input, fault))
		return false;

	enum content content = identify(head, (size_t)n);

	if (content == CONTENT_PNG)
		return true;
	identify_fault(content, head, (size_t)n, "a PNG", fault);
	return false;
}

static void free_rows(struct png_decoder *d)
{
	free(d->row);
	adam7_memory_give(d->raster, d->raster_bytes);
	d->row = d->raster = NULL;
}

static bool take_memory(struct png_decoder *d)
{
	const struct png_header *h = &d->sample->png;

	d->row_bytes = h->width * d->pixel_bytes;
	d->row = mem_try(d->row_bytes, 1);
	d->raster_bytes = d->row_bytes * h->height;
	if (h->interlace)
		d->raster = adam7_memory_take(h->height, d->row_bytes);
	if (d->row && (d->raster || !h->interlace))
		return true;
	return fault_no_memory(&d->sample->fault, FAULT_NO_OFFSET,
			       "not enough memory for %" PRIu32 " x %" PRIu32 " pixels%s", h->width, h->height,
			       h->interlace ? " (interlaced, so all must be in memory at once)" : "");
}

bool png_decoder_open(struct png_decoder **out, struct input *input, const struct limits *limits, struct sample *sample)
{
	struct png_decoder *d = xcalloc(1, sizeof(*d));

	*out = NULL;
	d->input = input;
	d->sample = sample;
	d->seen.walk.loaders = &d->loaders;
	sample->pil_refusal = sample->cv2_refusal = (struct refusal){ 0 };
	if (!check_signature(input, &sample->fault))
		goto fail;
	sample->format = FORMAT_PNG;
	/* the fast path may have left a header before it gave up; the result must not depend on that */
	memset(&sample->png, 0, sizeof(sample->png));
	d->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, d, on_error, on_warning);
	if (!d->png) {
		fault_no_memory(&sample->fault, FAULT_NO_OFFSET, "not enough memory to read a PNG");
		goto fail;
	}
	if (!read_info(d))
		goto fail;
	take_header(d);
	d->pixel_bytes = (size_t)sample->png.channels * (sample->png.bit_depth == 16 ? 2 : 1);
	if (!within_limits(d, limits) || !start_rows(d) || !take_memory(d))
		goto fail;
	*out = d;
	return true;
fail:
	fault_clear(&sample->warning); /* the fault is the cause, or matters more */
	png_decoder_close(d);
	return false;
}

/* Reads all passes into the raster. */
static bool read_interlaced(struct png_decoder *d)
{
	const struct png_header *h = &d->sample->png;

	for (size_t i = 0; i < ADAM7_PASSES; i++) {
		const struct adam7_pass *p = &adam7[i];
		uint32_t width = pass_width(h, p), height = pass_height(h, p);

		/* an empty pass has no rows in the file either */
		for (uint32_t y = 0; width && y < height; y++) {
			if (!read_row(d, d->row))
				return false;
			for (uint32_t x = 0; x < width; x++)
				memcpy(d->raster + (p->y0 + (size_t)y * p->dy) * d->row_bytes +
					       (p->x0 + (size_t)x * p->dx) * d->pixel_bytes,
				       d->row + x * d->pixel_bytes, d->pixel_bytes);
		}
	}
	return true;
}

const void *png_decoder_row(struct png_decoder *d)
{
	const uint8_t *row = d->row;
	bool ok = true;

	if (d->next_row == 0) {
		uint64_t rows;

		stream_tail_begin(&d->tail, filtered_bytes(&d->sample->png, &rows));
	}
	if (!d->sample->png.interlace)
		ok = read_row(d, d->row);
	else if (d->next_row == 0)
		ok = read_interlaced(d);
	if (!ok)
		return NULL;
	if (d->raster)
		row = d->raster + d->next_row * d->row_bytes;
	d->next_row++;
	return row;
}

/* Sets the warning if data follow IEND; a stream's are not counted. Returns false if reading fails. */
static bool check_trailing_data(struct png_decoder *d)
{
	struct input *in = d->input;
	uint64_t from = in->at, after = in->size - from;
	uint8_t byte;

	if (in->size == INPUT_SIZE_UNKNOWN) {
		int64_t got = input_read(in, &byte, 1, &d->sample->fault);

		if (got > 0)
			fault_set(&d->sample->warning, FAULT_MALFORMED, from,
				  "other data after IEND, from byte %" PRIu64 " on", from);
		return got >= 0;
	}
	if (after)
		fault_set(&d->sample->warning, FAULT_MALFORMED, from,
			  "%" PRIu64 " byte%s of other data after IEND, from byte %" PRIu64 " on", after,
			  after == 1 ? "" : "s", from);
	return true;
}

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
	return read_file(d, out, n) || refuse(d, "end of file");
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
	return !chunk_walk_crc_wrong(&d->seen.walk) || refuse(d, "CRC error");
}

/* Reads the header of the next chunk, which must be an IDAT. */
static bool begin_chunk(struct png_decoder *d)
{
	const struct chunk *now = &d->seen.walk.now;
	uint8_t header[8];

	if (!read_bytes(d, header, sizeof(header)))
		return false;
	if (now->length > PNG_LENGTH_MAX)
		return refuse(d, "PNG unsigned integer out of range");
	if (!chunk_type_is_valid(now->type))
		return refuse(d, "invalid chunk type");
	if (now->type != PNG_TYPE_IDAT)
		return refuse(d, "Not enough image data");
	if (now->length > idat_bytes_max(&d->sample->png))
		warn(d, "chunk data is too large");
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
		warn(d, "Extra compressed data");
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
			return refuse(d, zlib_message(&l->z, result));
	} while (n);
	return !n || refuse(d, "Not enough image data");
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
	return l->has_z || refuse(d, zlib_message(&l->z, Z_MEM_ERROR));
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
			warn(d, zlib_message(&l->z, result));
			if (!too_much)
				note_stream_end(d);
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
		warn(d, "Too much image data");
	return end_chunk(d);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static void release_lines(struct png_decoder *d)
{
	if (d->lines.has_z)
		inflateEnd(&d->lines.z);
	free(d->lines.piece);
	memset(&d->lines, 0, sizeof(d->lines));
}

bool png_decoder_lines_begin(struct png_decoder *d)
{
	struct line_reader *l = &d->lines;

	free_rows(d); /* libpng's are not needed */
	/* libpng has read the header of the first IDAT */
	l->idat_left = d->seen.walk.now.length;
	d->dummy = (struct dummy_idat){ .on = true, .length = l->idat_left };
	l->piece_max = png_get_compression_buffer_size(d->png);
	l->piece = mem_try_zero(ZLIB_TRAILER + l->piece_max, 1);
	l->has_z = l->piece && inflateInit2(&l->z, 0) == Z_OK; /* 0: the window that the stream declares */
	l->adler = 1;
	/* leave the Adler-32 to libdeflate: zlib spends a third of its time on it */
	return (l->has_z && inflateValidate(&l->z, 0) == Z_OK) || refuse(d, "Insufficient memory");
}

/* Counts a complete line; filter: its first byte. */
static bool end_line(struct png_decoder *d, uint8_t filter)
{
	if (filter > FILTER_MAX)
		return refuse(d, "bad adaptive filter value");
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

bool png_decoder_finish(struct png_decoder *d)
{
	uint64_t idat_bytes = d->seen.walk.idat_bytes;

	if (!read_end(d))
		return false;
	/* libpng has read the zlib stream to its end, or nearly, and skips the remaining IDATs silently */
	if (d->seen.walk.idat_bytes - idat_bytes > STREAM_END_MAX && !stream_tail_is_clean(&d->tail))
		fault_set(&d->sample->warning, FAULT_MALFORMED, FAULT_NO_OFFSET,
			  "%" PRIu64 " bytes of IDAT come after the end of the image data",
			  d->seen.walk.idat_bytes - idat_bytes);
	if (check_trailing_data(d)) {
		d->sample->pil_refusal = d->loaders.pil;
		d->sample->cv2_refusal = d->loaders.cv2;
		return true;
	}
	fault_clear(&d->sample->warning);
	return false;
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

void png_decoder_close(struct png_decoder *d)
{
	if (!d)
		return;
	if (d->png)
		png_destroy_read_struct(&d->png, &d->info, &d->end_info);
	stream_tail_release(&d->tail);
	release_lines(d);
	free_rows(d);
	loaders_release(&d->loaders);
	free(d);
}
