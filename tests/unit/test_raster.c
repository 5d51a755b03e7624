/* BMP and GIF masks: their rows, the PNG that is made of them, and damaged files. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "check_main.h"
#include "effort.h"
#include "png/decode.h"
#include "png/raster_png.h"
#include "random.h"
#include "read/raster.h"

static const struct limits limits = { .max_pixels = 1 << 20, .max_inflated = 1 << 24 };

static void add_le(struct strbuf *out, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		strbuf_addch(out, (char)(i < 8 ? v >> 8 * i : 0));
}

/* The id of a pixel of the test's images. */
static unsigned pixel(uint32_t x, uint32_t y, unsigned ids)
{
	return (x / 3 + y * 5) % ids;
}

struct bmp_shape {
	unsigned bits;
	bool top_down, grey;
	uint32_t compression;
	unsigned used; /* entries of the palette, as declared; 0: all */
};

static void make_bmp(struct strbuf *out, uint32_t width, uint32_t height, const struct bmp_shape *s)
{
	unsigned entries = s->used ? s->used : s->bits <= 8 ? 1u << s->bits : 0;
	uint32_t stride = (width * s->bits + 31) / 32 * 4;

	strbuf_add(out, "BM", 2);
	add_le(out, 0, 8);
	add_le(out, 14 + 40 + entries * 4, 4);
	add_le(out, 40, 4);
	add_le(out, width, 4);
	add_le(out, s->top_down ? 0u - height : height, 4);
	add_le(out, 1, 2);
	add_le(out, s->bits, 2);
	add_le(out, s->compression, 4);
	add_le(out, 0, 12);
	add_le(out, s->used, 8);
	for (unsigned i = 0; i < entries; i++) {
		unsigned grey = entries == 2 ? 255 * i : i;

		add_le(out, s->grey ? grey * 0x010101 : i * 0x070301, 4);
	}
	for (uint32_t row = 0; row < height; row++) {
		uint32_t y = s->top_down ? row : height - 1 - row;
		size_t start = out->len;

		for (uint32_t n = 0; n < stride; n++)
			strbuf_addch(out, 0);
		for (uint32_t x = 0; x < width; x++) {
			uint8_t *at = (uint8_t *)out->s + start + (size_t)x * s->bits / 8;

			if (s->bits >= 24)
				for (unsigned c = 0; c < 3; c++) /* blue, green, red */
					at[c] = (uint8_t)(pixel(x, y, 200) + 2 - c);
			else if (entries)
				*at |= (uint8_t)(pixel(x, y, 1u << s->bits) << (8 - s->bits - x * s->bits % 8));
		}
	}
}

/* Which row of an interlaced GIF is stored as the i-th. */
static uint32_t interlaced_row(uint32_t i, uint32_t height)
{
	static const uint8_t first[] = { 0, 4, 2, 1 }, step[] = { 8, 8, 4, 2 };
	uint32_t n = 0;

	for (uint32_t pass = 0; pass < 4; pass++)
		for (uint32_t y = first[pass]; y < height; y += step[pass])
			if (n++ == i)
				return y;
	ck_abort_msg("there are fewer rows");
}

/* With a clear code before every pair of codes, so that none grows: GIF89a, appendix F. */
static void make_gif(struct strbuf *out, uint32_t width, uint32_t height, unsigned frames, bool interlaced)
{
	strbuf_add(out, "GIF89a", 6);
	add_le(out, width, 2);
	add_le(out, height, 2);
	strbuf_add(out, "\xf1\0\0", 3); /* a palette of 4 */
	strbuf_add(out, "\0\0\0\x80\0\0\0\x80\0\0\0\x80", 12);
	for (unsigned f = 0; f < frames; f++) {
		uint8_t block[256] = { 0 };
		unsigned bits = 0, held = 0, n = 0;

		strbuf_addch(out, ',');
		add_le(out, 0, 4);
		add_le(out, width, 2);
		add_le(out, height, 2);
		strbuf_addch(out, interlaced ? '\x40' : 0);
		strbuf_addch(out, 2); /* codes of 3 bits: 4 clears, 5 ends */
		for (uint32_t i = 0; i < height; i++)
			for (uint32_t x = 0, y = interlaced ? interlaced_row(i, height) : i;
			     x < 2 * width + (i + 1 == height); x++) {
				unsigned code = x == 2 * width ? 5 : x % 2 ? pixel(x / 2, y, 4) : 4;

				for (int bit = 0; bit < 3; bit++) {
					bits |= (code >> bit & 1) << held;
					if (++held < 8)
						continue;
					block[++n] = (uint8_t)bits;
					bits = held = 0;
					if (n < 255)
						continue;
					block[0] = 255;
					strbuf_add(out, block, 256);
					n = 0;
				}
			}
		if (held)
			block[++n] = (uint8_t)bits;
		block[0] = (uint8_t)n;
		strbuf_add(out, block, n + 1);
		strbuf_addch(out, 0);
	}
	strbuf_addch(out, ';');
}

/* Decodes a file as the PNG that is made of it. Returns the pixels of its rows, or NULL with *sample's fault set. */
static uint8_t *decode(const void *bytes, size_t n, bool gif, const struct limits *l, struct sample *sample)
{
	struct input in;
	struct raster raster;
	struct png_decoder *d;
	uint8_t *pixels = NULL;

	memset(sample, 0, sizeof(*sample));
	fault_clear(&sample->fault);
	fault_clear(&sample->warning);
	input_init(&in);
	input_from_memory(&in, bytes, n);
	if (raster_open(&raster, gif ? CONTENT_GIF : CONTENT_BMP, &in, VIEW_PIL, &sample->fault) &&
	    raster_as_png(&in, &raster, l, &sample->fault) && png_decoder_open(&d, &in, l, sample)) {
		const struct png_header *h = &sample->png;
		size_t row = (size_t)h->width * h->channels;
		bool read = true;

		pixels = xmalloc(row * h->height);
		for (uint32_t y = 0; read && y < h->height; y++) {
			const void *p = png_decoder_row(d);

			read = p != NULL;
			if (read)
				memcpy(pixels + row * y, p, row);
		}
		if (!read || !png_decoder_finish(d)) {
			free(pixels);
			pixels = NULL;
		}
		png_decoder_close(d);
	}
	input_release(&in);
	ck_assert((pixels == NULL) == (sample->fault.kind != FAULT_NONE));
	return pixels;
}

static const struct bmp_shape shapes[] = {
	{ .bits = 8 },
	{ .bits = 8, .grey = true },
	{ .bits = 8, .top_down = true },
	{ .bits = 1 },
	{ .bits = 1, .grey = true },
	{ .bits = 4 },
	{ .bits = 24 },
	{ .bits = 32 },
	{ .bits = 32, .top_down = true },
};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

TEST_EACH(bmp_is_read, SHAPES)
{
	const struct bmp_shape *s = &shapes[_i];

	for (uint32_t width = 1; width < 40; width += 1 + width / 9) {
		const uint32_t height = 7;
		struct strbuf file = STRBUF_INIT;
		struct sample sample;

		make_bmp(&file, width, height, s);
		uint8_t *pixels = decode(file.s, file.len, false, &limits, &sample);

		ck_assert_msg(pixels != NULL, "%s", sample.fault.text);
		ck_assert_uint_eq(sample.png.width, width);
		ck_assert_uint_eq(sample.png.height, height);
		ck_assert_int_eq(sample.png.colour_type, s->bits >= 24 ? PNG_RGB : s->grey ? PNG_GREY : PNG_PALETTE);
		ck_assert_int_eq(sample.png.bit_depth, s->bits >= 24 ? 8 : s->bits);
		for (uint32_t y = 0; y < height; y++)
			for (uint32_t x = 0; x < width; x++)
				for (unsigned c = 0; c < sample.png.channels; c++)
					ck_assert_uint_eq(pixels[((size_t)y * width + x) * sample.png.channels + c],
							  pixel(x, y, s->bits >= 24 ? 200 : 1u << s->bits) + c);
		free(pixels);
		strbuf_release(&file);
	}
}

/* Rows are read in blocks of 64 KiB, from the first or from the last one on. */
TEST_EACH(bmp_of_many_rows, 2)
{
	const struct bmp_shape shape = { .bits = 8, .top_down = _i % 2, .grey = true };
	struct limits more = limits;

	more.max_pixels = 1 << 30;

	for (uint32_t height = 16383; height < 40000; height = height < 16386 ? height + 1 : 2 * height - 3) {
		struct strbuf file = STRBUF_INIT;
		struct sample sample;

		make_bmp(&file, 1, height, &shape);
		uint8_t *pixels = decode(file.s, file.len, false, &more, &sample);

		ck_assert_msg(pixels != NULL, "%s", sample.fault.text);
		for (uint32_t y = 0; y < height; y++)
			ck_assert_uint_eq(pixels[y], pixel(0, y, 256));
		free(pixels);
		strbuf_release(&file);
	}
}

TEST(bmp_is_refused)
{
	static const struct {
		struct bmp_shape shape;
		enum fault_kind kind;
		const char *words;
	} cases[] = {
		{ { .bits = 8, .compression = 1 }, FAULT_UNREAD, "run-length" },
		{ { .bits = 4, .compression = 2 }, FAULT_UNREAD, "run-length" },
		{ { .bits = 16 }, FAULT_UNREAD, "of 16 bits" },
		{ { .bits = 32, .compression = 3 }, FAULT_UNREAD, "compression 3" },
		/* Pillow takes these for mode 1 and mode L, whatever the bits of their rows */
		{ { .bits = 8, .grey = true, .used = 2 }, FAULT_UNREAD, "black and white" },
		{ { .bits = 4, .grey = true, .used = 2 }, FAULT_UNREAD, "black and white" },
		{ { .bits = 4, .grey = true }, FAULT_UNREAD, "takes the rows for bytes" },
		{ { .bits = 4, .grey = true, .used = 11 }, FAULT_UNREAD, "takes the rows for bytes" },
		{ { .bits = 1, .grey = true, .used = 1 }, FAULT_UNREAD, "takes the rows for bytes" },
		{ { .bits = 1, .grey = true, .used = 16 }, FAULT_UNREAD, "takes the rows for bytes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf file = STRBUF_INIT;
		struct sample sample;

		make_bmp(&file, 5, 4, &cases[i].shape);
		ck_assert(!decode(file.s, file.len, false, &limits, &sample));
		ck_assert_int_eq(sample.fault.kind, cases[i].kind);
		ck_assert_msg(strstr(sample.fault.text, cases[i].words), "%s", sample.fault.text);
		strbuf_release(&file);
	}
}

/* A header that declares too much is refused before memory is taken for it. */
TEST(huge_sizes_are_refused)
{
	static const struct {
		uint32_t width, height;
		enum fault_kind kind;
	} sizes[] = {
		{ 0, 5, FAULT_CORRUPT },
		{ 5, 0, FAULT_CORRUPT },
		{ 0x7fffffff, 0x7fffffff, FAULT_TRUNCATED },
		{ 0x80000000, 1, FAULT_CORRUPT },
		{ 1, 0x80000000, FAULT_CORRUPT },
		{ 5, 6, FAULT_TRUNCATED },
	};
	struct strbuf file = STRBUF_INIT;
	const struct limits small = { .max_pixels = 64 * 4 };
	struct sample sample;

	make_bmp(&file, 5, 5, &shapes[0]);
	uint8_t *bytes = (uint8_t *)file.s;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (int k = 0; k < 4; k++) {
			bytes[18 + k] = (uint8_t)(sizes[i].width >> 8 * k);
			bytes[22 + k] = (uint8_t)(sizes[i].height >> 8 * k);
		}
		ck_assert(!decode(file.s, file.len, false, &limits, &sample));
		ck_assert_int_eq(sample.fault.kind, sizes[i].kind);
	}
	strbuf_clear(&file);
	make_bmp(&file, 5, 5, &shapes[0]);
	ck_assert(!decode(file.s, file.len, false, &small, &sample));
	ck_assert_int_eq(sample.fault.kind, FAULT_LIMIT);
	/* before its rows are made, not by the decoder after that */
	ck_assert_msg(strstr(sample.fault.text, "pixels; the limit is 256"), "%s", sample.fault.text);
	strbuf_release(&file);
}

/* Rows that the decoder would not read are not made either. */
TEST(long_rows_are_refused)
{
	struct strbuf file = STRBUF_INIT;
	const struct limits none = { 0 };
	struct sample sample;

	make_bmp(&file, (1 << 20) + 1, 1, &shapes[0]);
	ck_assert(!decode(file.s, file.len, false, &none, &sample));
	ck_assert_int_eq(sample.fault.kind, FAULT_LIMIT);
	ck_assert_msg(strstr(sample.fault.text, "rows of 1048577 pixels, 1048577 bytes; at most"), "%s",
		      sample.fault.text);
	strbuf_release(&file);
}

TEST(gif_is_read)
{
	for (uint32_t width = 1; GIF_IS_BUILT_IN && width < 60; width += 1 + width / 7) {
		const uint32_t height = 19;
		struct strbuf file = STRBUF_INIT;
		struct sample sample;

		make_gif(&file, width, height, 1, width % 2);
		uint8_t *pixels = decode(file.s, file.len, true, &limits, &sample);

		ck_assert_msg(pixels != NULL, "%s", sample.fault.text);
		ck_assert_int_eq(sample.png.colour_type, PNG_PALETTE);
		ck_assert_int_eq(sample.png.bit_depth, 8);
		ck_assert_uint_eq(sample.png.palette_entries, 4);
		ck_assert_int_eq(sample.png.palette[1][0], 0x80);
		for (uint32_t y = 0; y < height; y++)
			for (uint32_t x = 0; x < width; x++)
				ck_assert_uint_eq(pixels[(size_t)y * width + x], pixel(x, y, 4));
		free(pixels);
		strbuf_release(&file);
	}
}

TEST(gif_of_frames_is_refused)
{
	struct strbuf file = STRBUF_INIT;
	struct sample sample;

	if (!GIF_IS_BUILT_IN)
		return;
	make_gif(&file, 5, 4, 2, false);
	ck_assert(!decode(file.s, file.len, true, &limits, &sample));
	ck_assert_int_eq(sample.fault.kind, FAULT_UNREAD);
	ck_assert_msg(strstr(sample.fault.text, "several frames"), "%s", sample.fault.text);
	strbuf_clear(&file);
	make_gif(&file, 5, 4, 1, false);
	file.s[6] = 9; /* the screen is wider than the frame */
	ck_assert(!decode(file.s, file.len, true, &limits, &sample));
	ck_assert_int_eq(sample.fault.kind, FAULT_UNREAD);
	ck_assert_msg(strstr(sample.fault.text, "does not cover"), "%s", sample.fault.text);
	strbuf_clear(&file);
	make_gif(&file, 5000, 4000, 0, false);
	ck_assert(!decode(file.s, file.len, true, &limits, &sample));
	ck_assert_int_eq(sample.fault.kind, FAULT_CORRUPT);
	strbuf_clear(&file);
	make_gif(&file, 5200, 5200, 0, true);
	file.s[file.len - 1] = ','; /* a frame of 27 million pixels */
	strbuf_add(&file, "\0\0\0\0\x50\x14\x50\x14\x40\2", 10);
	ck_assert(!decode(file.s, file.len, true, &limits, &sample));
	ck_assert_int_eq(sample.fault.kind, FAULT_LIMIT);
	ck_assert_msg(strstr(sample.fault.text, "interlaced"), "%s", sample.fault.text);
	strbuf_release(&file);
}

/* A file that ends early never passes; damage never does harm. In memory of its own: for the sanitizers. */
TEST_EACH(damaged_files, SHAPES + 1)
{
	struct strbuf file = STRBUF_INIT;
	uint64_t random = 7;
	struct sample sample;
	bool gif = _i >= SHAPES;

	if (gif && !GIF_IS_BUILT_IN)
		return;
	if (gif)
		make_gif(&file, 23, 17, 1, false);
	else
		make_bmp(&file, 23, 17, &shapes[_i]);
	for (size_t n = 0; n < file.len; n++) {
		uint8_t *part = memcpy(xmalloc(n + !n), file.s, n);

		ck_assert(!decode(part, n, gif, &limits, &sample));
		ck_assert_int_eq(sample.fault.kind, FAULT_TRUNCATED);
		free(part);
	}
	for (uint32_t i = 0; i < effort(1200, 4000); i++) {
		uint8_t *copy = memcpy(xmalloc(file.len), file.s, file.len);

		for (uint32_t k = random_below(&random, 4) + 1; k; k--)
			copy[random_below(&random, random_below(&random, 2) ? (uint32_t)file.len : 60)] =
				(uint8_t)random_below(&random, 256);
		free(decode(copy, file.len, gif, &limits, &sample));
		free(copy);
	}
	strbuf_release(&file);
}
