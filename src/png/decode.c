/*
 * libpng with checks of our own around it. Every byte that libpng reads also goes through a chunk walk, which supplies
 * the evidence for messages and the few judgements that libpng omits when it skips ancillary chunks.
 *
 * libpng reports errors by longjmp. All state lives in the decoder; functions that call setjmp keep nothing in locals
 * across it.
 */
#include "png/decode.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/work_units.h"
#include "png/chunks.h"
#include "png/decoder.h"
#include "png/passes.h"
#include "read/identify.h"
#include "read/input.h"

/*
 * A measuring thread holds several copies of a row (eight filtered, eight unfiltered, some as ids). This limit keeps it
 * within its share of memory for every image that is not interlaced. OpenCV refuses wider images too, and so does
 * libpng by default.
 */
#define ROW_BYTES_MAX ((uint64_t)1 << 20)
/* Bytes of an interlaced image, which is held whole, since the rows around a row are in up to seven passes. */
#define RASTER_MAX ((uint64_t)128 << 20)
/* Half of a worker's 32 MiB: only one image in the process may have more at a time, and other threads wait for it. */
#define RASTER_SMALL ((size_t)16 << 20)
/* Covers the rounding of DEFLATE_RATIO_MAX. */
#define INFLATE_SLACK 64
/*
 * Bytes that a valid zlib stream may have after the last pixel: the end-of-block code (at most 15 bits), an empty
 * stored block from a flush (5), the Adler-32 (4). In short IDATs these may be in chunks of their own, which libpng
 * leaves for png_read_end to skip, so only more bytes than these are too many.
 */
#define STREAM_END_MAX (2 + 5 + 4)

/* Held by the thread whose interlaced image has more than RASTER_SMALL bytes. */
static pthread_mutex_t large_image = PTHREAD_MUTEX_INITIALIZER;

bool decoder_refuse(struct png_decoder *d, const char *message)
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

void decoder_stream_fails_late(struct png_decoder *d)
{
	const struct chunk_walk *w = &d->seen.walk;
	uint32_t read = w->state == WALK_DATA ? w->got : w->now.length;

	loaders_stream_end(&d->loaders, read ? (read - 1) / PIECE_BYTES * PIECE_BYTES : 0);
}

void decoder_warn(struct png_decoder *d, const char *message)
{
	decode_warning_word(&d->seen, message, &d->sample->warning);
}

/* ---- callbacks of libpng ---------------------------------------------------------------------------------------- */

static void on_error(png_structp png, png_const_charp message) __attribute__((noreturn));

static void on_error(png_structp png, png_const_charp message)
{
	decoder_refuse(png_get_error_ptr(png), message);
	png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
	struct png_decoder *d = png_get_error_ptr(png);

	if (d->dummy.on)
		return;
	/* Pillow does not inflate more rows than the image has, nor what follows them */
	if (d->seen.walk.now.type == PNG_TYPE_IDAT && is_of_zlib(message) && !d->tail.has_more_rows)
		decoder_stream_fails_late(d);
	decoder_warn(d, message);
}

bool decoder_read(struct png_decoder *d, uint8_t *out, size_t n)
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
	if (!decoder_read(d, out, n))
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
	uint64_t can_hold = size_mul_saturating(d->input->size, DEFLATE_RATIO_MAX);
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
	else if (h->interlace && size_mul_saturating(row, h->height) > RASTER_MAX)
		fault_set(f, FAULT_LIMIT, offset,
			  "is interlaced, so all of its %" PRIu32 " x %" PRIu32
			  " pixels must be in memory at once: %" PRIu64 " bytes of samples; at most %" PRIu64
			  " are kept in memory",
			  h->width, h->height, size_mul_saturating(row, h->height), RASTER_MAX);
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

void decoder_free_rows(struct png_decoder *d)
{
	free(d->row);
	free(d->raster);
	if (d->raster && d->raster_bytes > RASTER_SMALL)
		pthread_mutex_unlock(&large_image);
	d->row = d->raster = NULL;
}

static bool take_memory(struct png_decoder *d)
{
	const struct png_header *h = &d->sample->png;

	d->row_bytes = h->width * d->pixel_bytes;
	d->row = mem_try(d->row_bytes, 1);
	d->raster_bytes = d->row_bytes * h->height;
	if (h->interlace) {
		bool large = d->raster_bytes > RASTER_SMALL;

		if (large)
			pthread_mutex_lock(&large_image);
		d->raster = mem_try(d->raster_bytes, 1);
		if (large && !d->raster)
			pthread_mutex_unlock(&large_image);
	}
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
	sample->refusals.pil = sample->refusals.cv2 = (struct refusal){ 0 };
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

/* Writes pixels `apart` bytes from one to the next; inlined for a size that is known. */
static inline __attribute__((always_inline)) void spread(uint8_t *to, const uint8_t *from, uint32_t n, size_t apart,
							 size_t pixel_bytes)
{
	for (; n; n--, to += apart, from += pixel_bytes)
		memcpy(to, from, pixel_bytes);
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
			uint8_t *to = d->raster + (p->y0 + (size_t)y * p->dy) * d->row_bytes + p->x0 * d->pixel_bytes;

			if (!read_row(d, d->row))
				return false;
			if (d->pixel_bytes == 1)
				spread(to, d->row, width, p->dx, 1);
			else
				spread(to, d->row, width, p->dx * d->pixel_bytes, d->pixel_bytes);
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
		d->sample->refusals.pil = d->loaders.pil;
		d->sample->refusals.cv2 = d->loaders.cv2;
		return true;
	}
	fault_clear(&d->sample->warning);
	return false;
}

void png_decoder_close(struct png_decoder *d)
{
	if (!d)
		return;
	if (d->png)
		png_destroy_read_struct(&d->png, &d->info, &d->end_info);
	stream_tail_release(&d->tail);
	decoder_free_lines(d);
	decoder_free_rows(d);
	loaders_release(&d->loaders);
	free(d);
}
