/*
 * base/png_writer.c: the decoder reads what was written, at every size beside a power of two and beside the largest
 * image that is compressed at once. png/sample_rows.c: the rows and the verdict are the decoder's, for PNGs of every
 * kind, whole and damaged.
 */
#include <string.h>

#include "check_main.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/png_writer.h"
#include "base/settings.h"
#include "effort.h"
#include "input_maker.h"
#include "pictures.h"
#include "png/decode.h"
#include "png/sample_rows.h"

/* Fills rows of `line` bytes: runs of ids, each row like the one above but for some changes; or noise. */
static void fill_rows(uint8_t *rows, size_t line, size_t height, uint64_t *state)
{
	uint32_t ids = 1 + random_below(state, random_below(state, 2) ? 256 : 6), kind = random_below(state, 4);

	for (size_t y = 0; y < height; y++) {
		uint8_t *row = rows + y * line;

		if (y && kind && random_below(state, 30)) {
			memcpy(row, row - line, line);
			for (uint32_t changes = random_below(state, 4); changes; changes--) {
				size_t at = random_below(state, (uint32_t)line);
				size_t n = random_below(state, 9);

				memset(row + at, (int)random_below(state, ids), MIN(n, line - at));
			}
			continue;
		}
		for (size_t x = 0; x < line;) {
			size_t n = kind ? 1 + random_below(state, 700) : 1;

			n = MIN(n, line - x);
			memset(row + x, (int)random_below(state, ids), n);
			x += n;
		}
	}
}

/* Reads a PNG; appends its rows. Returns whether it is sound. */
static bool read_decoder(struct input *in, const struct limits *limits, struct strbuf *out, struct sample *sample)
{
	struct png_decoder *d;
	const void *row = out;

	memset(sample, 0, sizeof(*sample));
	if (!png_decoder_open(&d, in, limits, sample))
		return false;
	size_t n = (size_t)sample->png.width * sample->png.channels * (sample->png.bit_depth == 16 ? 2 : 1);

	for (uint32_t y = 0; row && y < sample->png.height; y++)
		if ((row = png_decoder_row(d)))
			strbuf_add(out, row, n);
	bool sound = row && png_decoder_finish(d);

	png_decoder_close(d);
	return sound;
}

static void write_png(struct png_writer *png, const struct png_header *header, const uint8_t *rows, struct strbuf *out)
{
	const size_t line = (size_t)header->width * (header->bit_depth / 8);
	struct fault fault = FAULT_INIT;

	ck_assert(png_writer_begin(png, header, out, &fault));
	for (uint32_t y = 0; y < header->height; y++) {
		memcpy(png_writer_next_row(png), rows + y * line, line);
		ck_assert(png_writer_row(png, &fault));
	}
	ck_assert(png_writer_end(png, &fault));
}

/* Writes an image of random rows, reads it, and compares. Returns the bytes of the file. */
static size_t check_size(struct png_writer *png, uint32_t width, uint32_t height, uint8_t depth, uint64_t *state)
{
	static const uint8_t palette[256][3] = { { 1, 2, 3 } };
	const struct limits limits = { .max_pixels = 0 };
	struct png_header header = { .width = width, .height = height, .bit_depth = depth };
	const size_t line = (size_t)width * (depth / 8), bytes = line * height;
	uint8_t *rows = xmalloc(bytes);
	struct strbuf file = STRBUF_INIT, have = STRBUF_INIT;
	struct sample sample;
	struct input in;

	if (depth == 8 && random_below(state, 2)) {
		header.colour_type = PNG_PALETTE;
		header.palette_entries = 256;
		memcpy(header.palette, palette, sizeof(palette));
	}
	fill_rows(rows, line, height, state);
	write_png(png, &header, rows, &file);
	make_input(&in, file.s, file.len, false);
	ck_assert_msg(read_decoder(&in, &limits, &have, &sample), "%u x %u: %s", width, height, sample.fault.text);
	input_release(&in);
	ck_assert_uint_eq(sample.png.colour_type, header.colour_type);
	ck_assert_mem_eq(sample.png.palette, header.palette, sizeof(palette));
	ck_assert_uint_eq(have.len, bytes);
	if (depth == 8) {
		ck_assert_mem_eq(have.s, rows, bytes);
	} else {
		for (size_t i = 0; i < bytes; i += 2)
			ck_assert_uint_eq(((const uint16_t *)(const void *)have.s)[i / 2], be16(rows + i));
	}
	size_t n = file.len;

	strbuf_release(&file);
	strbuf_release(&have);
	free(rows);
	return n;
}

TEST(every_size_is_read_as_it_was_written)
{
	struct png_writer *png = png_writer_new();
	uint64_t state = 7;

	for (uint32_t power = 1; power <= 1024; power *= 2) {
		for (int beside = -1; beside <= 1; beside++) {
			uint32_t side = (uint32_t)((int)power + beside);
			uint32_t other = 1 + random_below(&state, 300);

			if (!side)
				continue;
			check_size(png, side, power, 8, &state);
			check_size(png, side, side, 8, &state);
			check_size(png, side, other, 16, &state);
			check_size(png, other, side, 16, &state);
		}
	}
	png_writer_free(png);
}

/* 4,096 rows of 4,096 bytes with their filter bytes are as many as are compressed at once. */
TEST(large_images_are_streamed)
{
	struct png_writer *png = png_writer_new();
	uint64_t state = 9;

	check_size(png, 4095, 4096, 8, &state);
	check_size(png, 4096, 4096, 8, &state);
	png_writer_free(png);
}

static bool read_rows(void *context, struct sample_rows *r)
{
	const struct png_header *png = &r->sample.png;
	struct strbuf *out = context;
	size_t n = (size_t)png->width * png->channels * (png->bit_depth == 16 ? 2 : 1);
	const void *row = out;

	strbuf_clear(out);
	for (uint32_t y = 0; row && y < png->height; y++)
		if ((row = sample_rows_next(r)))
			strbuf_add(out, row, n);
	return row && sample_rows_end(r);
}

TEST(rows_are_the_decoders)
{
	const struct limits limits = { .max_pixels = 0 };
	struct strbuf want = STRBUF_INIT, have = STRBUF_INIT;
	struct sample_rows r = { 0 };
	uint32_t unsound = 0, judged = 0, n = effort(600, 20000);

	for (uint32_t i = 0; i < n; i++) {
		struct bytes png = mask_png_random(i, 60);
		struct sample sample;
		struct input in;

		strbuf_clear(&want);
		make_input(&in, (const char *)png.p, png.n, i % 5 == 4);
		bool sound = read_decoder(&in, &limits, &want, &sample);

		input_release(&in);
		make_input(&in, (const char *)png.p, png.n, i % 5 == 4);
		bool same = sample_rows_read(&r, &in, &limits, read_rows, &have);

		judged += r.judged;
		unsound += !sound;
		ck_assert_msg(same == sound, "file %u: %s, not %s", i, same ? "sound" : r.sample.fault.text,
			      sound ? "sound" : sample.fault.text);
		if (sound) {
			ck_assert_uint_eq(have.len, want.len);
			ck_assert_mem_eq(have.s, want.s, want.len);
		} else {
			ck_assert_str_eq(r.sample.fault.text, sample.fault.text);
		}
		input_release(&in);
		free(png.p);
	}
	ck_assert_uint_gt(unsound, n / 20);
	ck_assert_uint_lt(judged, n / 2);
	sample_rows_release(&r);
	strbuf_release(&want);
	strbuf_release(&have);
}

TIMEOUT(120)
