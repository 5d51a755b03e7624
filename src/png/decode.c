/*
 * libpng behind checks of our own. Every byte that libpng reads also goes through a chunk walk, which supplies the
 * evidence of messages and the few judgements that libpng leaves out when it is told to skip ancillary chunks.
 *
 * libpng reports errors by longjmp. All state lives in the decoder; the functions that call setjmp keep nothing in
 * locals across it, so nothing is lost or left over.
 */
#include "png/decode.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "png/adam7_raster.h"
#include "png/decode_parts.h"
#include "png/passes.h"
#include "read/identify.h"
#include "read/peek.h"

/*
 * A row is held many times over (as it is in the stream and without its filter, eight of them at once, and some as
 * ids); with these figures one thread stays within its share of memory for every image that is not interlaced. OpenCV
 * refuses wider images too, and so does libpng if it is not told otherwise. Adam7 gives the pixels of a row in up to
 * seven places: the raster is needed.
 */
#define ROW_BYTES_MAX ((uint64_t)1 << 20)
/*
 * zlib's technical details: "the maximum compression factor is 1032 : 1" (258 bytes from 2 bits). The 64 bytes
 * are room for rounding in files of a few bytes.
 */
#define INFLATE_FACTOR_MAX 1032
#define INFLATE_SLACK      64
/*
 * What may end a zlib stream behind the last pixel: the end-of-block code (15 bits at most), an empty stored block as
 * flushing writes it (5 bytes), the Adler-32. Where IDATs are so short that these stand in chunks of their own, libpng
 * leaves them for png_read_end to skip, so that only more than these is surely too much.
 */
#define STREAM_END_MAX (2 + 5 + 4)

struct decode_evidence png_decoder_evidence(const struct png_decoder *d, const char *message)
{
	const struct png_header *h = &d->sample->png;

	return (struct decode_evidence){
		.walk = &d->walk,
		.message = message ? message : "",
		.at_end = d->at_end,
		.rows_read = d->rows_read,
		.rows_total = d->rows_total,
		.interlaced = h->interlace != 0,
	};
}

/* The callbacks of libpng. */

static void on_error(png_structp png, png_const_charp message) __attribute__((noreturn));

static void on_error(png_structp png, png_const_charp message)
{
	struct png_decoder *d = png_get_error_ptr(png);
	struct decode_evidence e = png_decoder_evidence(d, message);

	decode_error_word(&e, &d->sample->fault);
	png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
	struct png_decoder *d = png_get_error_ptr(png);
	struct decode_evidence e = png_decoder_evidence(d, message);

	if (!d->stand_in.on)
		decode_warning_word(&e, &d->sample->remark);
}

bool png_decoder_read(struct png_decoder *d, uint8_t *out, size_t n)
{
	int64_t got = input_read(d->input, out, n, &d->sample->fault);

	if (got < 0)
		return false;
	chunk_walk_feed(&d->walk, out, (size_t)got);
	d->at_end = (size_t)got < n;
	return !d->at_end;
}

/*
 * In the place of image data that decode_lines.c has read and judged, libpng gets an IDAT of the length that it was
 * told, with a zlib stream of no bytes and zeros; behind one of length 0, another one. It asks for data (of one chunk),
 * a CRC or a header at a time.
 */
static void read_stand_in(struct decoder_stand_in *s, uint8_t *out, size_t n)
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

	if (d->stand_in.on) {
		read_stand_in(&d->stand_in, out, n);
		return;
	}
	if (!png_decoder_read(d, out, n))
		png_error(png, "end of file"); /* unless the fault is filled, at_end says it */
	/* libpng fails here too, in the readers of these chunks, which we keep it from calling */
	if (!d->walk.ihdr_seen && (d->walk.state == WALK_DATA || d->walk.state == WALK_CRC) &&
	    chunk_is_known_ancillary(d->walk.now.type))
		png_error(png, "missing IHDR");
}

/* The calls of libpng, each with its setjmp. False: sample->fault. */

static bool read_info(struct png_decoder *d)
{
	if (setjmp(png_jmpbuf(d->png)))
		return false;
	d->info = png_create_info_struct(d->png);
	d->end_info = png_create_info_struct(d->png);
	if (!d->info || !d->end_info)
		png_error(d->png, "Insufficient memory");
	png_set_read_fn(d->png, d, on_read);
	/* width and height are judged by limits of ours, which name their options */
	png_set_user_limits(d->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
	png_set_chunk_malloc_max(d->png, CHUNK_BYTES_MAX);
	/* all chunks but IHDR, PLTE, tRNS, IDAT and IEND: their CRC is checked and that is all */
	png_set_keep_unknown_chunks(d->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
#ifdef PNG_CHECK_FOR_INVALID_INDEX_SUPPORTED
	/* versions differ in what they see of indices beyond PLTE; a rule counts them exactly */
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
	d->rows_read++;
	return true;
}

static bool read_end(struct png_decoder *d)
{
	if (setjmp(png_jmpbuf(d->png)))
		return false;
	png_read_end(d->png, d->end_info);
	return true;
}

/* The header, and what may be refused on its word alone. */

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
	h->animated = d->walk.actl_before_idat;
	/* in other colour types PLTE only suggests how to show the image with few colours */
	if (h->colour_type != PNG_PALETTE || !png_get_PLTE(d->png, d->info, &palette, &entries))
		return;
	h->palette_entries = (uint16_t)entries;
	for (int i = 0; i < entries; i++) {
		h->palette[i][0] = palette[i].red;
		h->palette[i][1] = palette[i].green;
		h->palette[i][2] = palette[i].blue;
	}
}

/* Whether the file ends as a whole PNG does; what is streamed is not looked at. */
static bool ends_in_iend(const struct input *in)
{
	static const uint8_t iend[12] = { 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82 };

	return !in->bytes ||
	       (in->size >= sizeof(iend) && memcmp(in->bytes + in->size - sizeof(iend), iend, sizeof(iend)) == 0);
}

/* Before memory is taken for pixels: can the file hold them, and do we want them? */
static bool within_limits(struct png_decoder *d, const struct limits *limits)
{
	const struct png_header *h = &d->sample->png;
	struct fault *f = &d->sample->fault;
	uint64_t pixels = limit_pixels(h->width, h->height);
	uint64_t inflated = filtered_bytes(h, &d->rows_total);
	uint64_t can_hold = size_mul_saturating(d->input->size, INFLATE_FACTOR_MAX);
	uint64_t row = (uint64_t)h->width * d->pixel_bytes;
	/* of IHDR's data, at 16 in every file that begins with IHDR */
	const uint64_t offset = PNG_SIGNATURE_BYTES + 8;

	if (!size_add(can_hold, INFLATE_SLACK, &can_hold))
		can_hold = UINT64_MAX;
	if (inflated > can_hold)
		fault_set(f, ends_in_iend(d->input) ? FAULT_CORRUPT : FAULT_TRUNCATED, offset,
			  "declares %" PRIu32 " x %" PRIu32 " pixels, %s%" PRIu64 " bytes, but a file of %" PRIu64
			  " bytes can hold at most %" PRIu64 " (deflate expands 1032 times at best)",
			  h->width, h->height, inflated == UINT64_MAX ? "over " : "", inflated, d->input->size,
			  can_hold);
	else if (limits->max_pixels && pixels > limits->max_pixels)
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
			  "is interlaced, so its %" PRIu32 " x %" PRIu32 " pixels must be held at once: %" PRIu64
			  " bytes of samples; at most %" PRIu64 " are held",
			  h->width, h->height, size_mul_saturating(row, h->height), ADAM7_RASTER_MAX);
	else
		return true;
	return false;
}

/* The first bytes of the file; leaves the input at byte 0. */
static bool check_signature(struct input *input, struct fault *fault)
{
	uint8_t head[32]; /* more than the signature, for what is said of other formats */
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

void png_decoder_drop_rows(struct png_decoder *d)
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
	fault_no_memory(&d->sample->fault, FAULT_NO_OFFSET, "no memory for %" PRIu32 " x %" PRIu32 " pixels%s",
			h->width, h->height, h->interlace ? " (interlaced, so they must be held at once)" : "");
	return false;
}

bool png_decoder_open(struct png_decoder **out, struct input *input, const struct limits *limits, struct sample *sample)
{
	struct png_decoder *d = xcalloc(1, sizeof(*d));

	*out = NULL;
	d->input = input;
	d->sample = sample;
	chunk_walk_init(&d->walk);
	if (!check_signature(input, &sample->fault))
		goto fail;
	sample->format = FORMAT_PNG;
	/* A fast path that gave the file up may have left a header; what is said of the file must not depend on that.
	 */
	memset(&sample->png, 0, sizeof(sample->png));
	d->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, d, on_error, on_warning);
	if (!d->png) {
		fault_no_memory(&sample->fault, FAULT_NO_OFFSET, "no memory to read a PNG");
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
	fault_clear(&sample->remark); /* a consequence of what failed, or not worth a word beside it */
	png_decoder_close(d);
	return false;
}

/* All passes into the raster. */
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

	if (!d->sample->png.interlace)
		ok = read_row(d, d->row);
	else if (d->next_row == 0)
		ok = read_interlaced(d);
	if (!ok) {
		fault_clear(&d->sample->remark);
		return NULL;
	}
	if (d->raster)
		row = d->raster + d->next_row * d->row_bytes;
	d->next_row++;
	return row;
}

/* Whether there is more than the PNG; of what is unpacked as it is read, not how much. False: sample->fault. */
static bool look_behind(struct png_decoder *d)
{
	struct input *in = d->input;
	uint64_t from = in->at, behind = in->size - from;
	uint8_t byte;

	if (in->size == INPUT_SIZE_UNKNOWN) {
		int64_t got = input_read(in, &byte, 1, &d->sample->fault);

		if (got > 0)
			fault_set(&d->sample->remark, FAULT_MALFORMED, from,
				  "other data after IEND, from byte %" PRIu64 " on", from);
		return got >= 0;
	}
	if (behind)
		fault_set(&d->sample->remark, FAULT_MALFORMED, from,
			  "%" PRIu64 " byte%s of other data after IEND, from byte %" PRIu64 " on", behind,
			  behind == 1 ? "" : "s", from);
	return true;
}

bool png_decoder_finish(struct png_decoder *d)
{
	uint64_t idat_bytes = d->walk.idat_bytes;

	if (!read_end(d)) {
		fault_clear(&d->sample->remark);
		return false;
	}
	/* after the last row libpng has read the zlib stream to its end, or nearly; it skips in silence what more there
	 * is */
	if (d->walk.idat_bytes - idat_bytes > STREAM_END_MAX)
		fault_set(&d->sample->remark, FAULT_MALFORMED, FAULT_NO_OFFSET,
			  "%" PRIu64 " bytes of IDAT come after the image data have ended",
			  d->walk.idat_bytes - idat_bytes);
	if (look_behind(d))
		return true;
	fault_clear(&d->sample->remark);
	return false;
}

void png_decoder_close(struct png_decoder *d)
{
	if (!d)
		return;
	if (d->png)
		png_destroy_read_struct(&d->png, &d->info, &d->end_info);
	png_decoder_lines_release(d);
	png_decoder_drop_rows(d);
	free(d);
}
