/*
 * The fast path of pictures with several channels against the reference, bit for bit: every colour type, depth, filter,
 * view and odd sizes, few colours and about as many as are counted, and damaged files.
 */
#include "check_main.h"

#include <string.h>

#include "effort.h"
#include "engine_fixture.h"
#include "measure/engine/colour.h"

static struct engine_fixture engine;

/* Ids come of the view cv2. */
static void set_up(void)
{
	engine_fixture_init(&engine, "0-9,40-90", "255");
}

static void tear_down(void)
{
	engine_fixture_release(&engine);
}

struct picture {
	uint32_t width, height;
	unsigned channels; /* 2..4 */
	bool deep;
	size_t pixel_bytes, row_bytes;
	uint8_t *samples; /* owned; as PNG has them, without filter bytes */
};

static struct picture picture_new(uint32_t width, uint32_t height, unsigned channels, bool deep)
{
	struct picture p = { .width = width, .height = height, .channels = channels, .deep = deep };

	p.pixel_bytes = channels * (deep ? 2u : 1u);
	p.row_bytes = width * p.pixel_bytes;
	p.samples = xcalloc(height, p.row_bytes);
	return p;
}

/* All kinds of blocks; the window is the largest, since a smaller one is libpng's to judge. */
static struct bytes zlib_stream(const struct bytes *data, uint64_t *s)
{
	static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED };
	struct bytes out = { xmalloc(2 * data->n + 1000), 2 * data->n + 1000 };
	z_stream z = { .next_in = data->p, .avail_in = (uInt)data->n, .next_out = out.p, .avail_out = (uInt)out.n };

	ck_assert_int_eq(deflateInit2(&z, (int)random_below(s, 10), Z_DEFLATED, 15, 8, strategies[random_below(s, 5)]),
			 Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	out.n = z.total_out;
	deflateEnd(&z);
	return out;
}

/* filter: 0..4, or 5: another one each row. transparency: with a tRNS, of RGB. */
static struct bytes picture_png(const struct picture *p, unsigned filter, bool transparency, uint64_t *s)
{
	static const uint8_t types[] = { 0, 0, PNG_GREY_ALPHA, PNG_RGB, PNG_RGBA }; /* by channels */
	struct bytes rows = filter_rows(p->samples, p->row_bytes, p->height, p->pixel_bytes, filter, s);
	struct bytes stream = zlib_stream(&rows, s), png = { 0 };

	png_begin(&png, p->width, p->height, p->deep ? 16 : 8, types[p->channels]);
	if (transparency)
		bytes_chunk(&png, "tRNS", "\0\1\0\2\0\3", 6);
	png_end(&png, &stream, 500, s);
	free(stream.p);
	free(rows.p);
	return png;
}

/* Ways to colour a mask's ids. */
enum palette_style { ANY_COLOURS, ONE_HOT, REPLICATED, HIGH_BYTES_ALIKE, PALETTE_STYLES };

static void colour_of(uint32_t id, enum palette_style style, uint32_t peak, unsigned channels, uint16_t out[4])
{
	uint64_t s = id * UINT64_C(7919) + 1;

	for (unsigned c = 0; c < 4; c++)
		out[c] = (uint16_t)(random_next(&s) % (peak + 1));
	if (style == ONE_HOT)
		for (unsigned c = 0; c < 3; c++)
			out[c] = c == id % 4 ? (uint16_t)peak : 0; /* one in four is blank */
	else if (style == REPLICATED)
		out[1] = out[2] = out[0];
	else if (style == HIGH_BYTES_ALIKE)
		for (unsigned c = 0; c < 3; c++)
			out[c] = (uint16_t)((id % 3) << 8 | out[c] % 256);
	/* alpha comes after the colours */
	if (id % 5)
		out[channels - 1] = channels % 2 ? out[channels - 1] : (uint16_t)peak;
}

static struct picture random_picture(uint64_t seed, uint64_t *s)
{
	bool deep = random_below(s, 3) == 0;
	struct mask m = mask_random(seed, random_below(s, 2) ? 256 : 65536, 200);
	struct picture p = picture_new(m.width, m.height, 2 + random_below(s, 3), deep);
	enum palette_style style = (enum palette_style)random_below(s, PALETTE_STYLES);
	uint32_t most = deep ? 65535 : 255, peak = random_below(s, 3) ? most : 1 + random_below(s, most);

	for (size_t i = 0; i < (size_t)m.width * m.height; i++) {
		uint16_t v[4];

		colour_of(m.ids[i], style, peak, p.channels, v);
		for (unsigned c = 0; c < p.channels; c++) {
			if (deep)
				p.samples[i * p.pixel_bytes + 2 * c] = (uint8_t)(v[c] >> 8);
			p.samples[i * p.pixel_bytes + c * (deep ? 2 : 1) + deep] = (uint8_t)v[c];
		}
	}
	mask_release(&m);
	return p;
}

static struct bytes random_png(uint64_t seed)
{
	uint64_t s = seed * 977 + 3;
	struct picture p = random_picture(seed, &s);
	struct bytes png = picture_png(&p, random_below(&s, 6), p.channels == 3 && random_below(&s, 3) == 0, &s);

	free(p.samples);
	return png;
}

static const enum view views[] = { VIEW_PIL, VIEW_RAW, VIEW_CV2 };

START_TEST(random_pictures)
{
	for (uint64_t seed = 0; seed < effort(250, 3000); seed++) {
		struct bytes png = random_png(seed);

		engine.settings.view = views[seed % 3];
		/* every one of them is a good file, so every one of them must go the fast way */
		ck_assert_uint_eq(engine_compare(&engine, &png, seed), engine.count);
		free(png.p);
	}
}
END_TEST

/* About as many colours as are counted, the last of them anywhere, with facts that stand or fall with it. */
START_TEST(many_colours)
{
	uint64_t s = 31;

	engine.settings.view = VIEW_PIL;
	for (uint64_t seed = 0; seed < effort(72, 240); seed++) {
		bool deep = seed & 1;
		unsigned channels = 2 + (unsigned)(seed / 2 % 3);
		struct picture p = picture_new(70 + random_below(&s, 60), 100, channels, deep);
		uint32_t colours = COLOURS_MAX - 1 + random_below(&s, 3), rate = 1 + random_below(&s, 3);
		/* of 16 bits: distinct in the low bytes only, in the high ones only, or in both */
		unsigned low = random_below(&s, 3), peak = random_below(&s, 2) ? 200 : 63;
		size_t pixels = (size_t)p.width * p.height, bright = random_below(&s, (uint32_t)pixels);

		for (size_t i = 0; i < pixels; i++) {
			uint32_t n = (uint32_t)MIN(i / rate, (size_t)colours - 1);
			uint8_t *at = p.samples + i * p.pixel_bytes;

			/* rows that repeat for a while, once there are enough */
			if (i / rate > colours && random_below(&s, 3)) {
				memcpy(at, at - p.row_bytes, p.pixel_bytes);
				continue;
			}
			for (unsigned c = 0; c < channels; c++, n >>= 6) {
				uint8_t v = (uint8_t)(n & 63 ? (n & 63) : peak);

				if (!deep)
					*at++ = v;
				else
					memcpy(at, (uint8_t[]){ low == 0 ? 7 : v, low == 1 ? 7 : v }, 2), at += 2;
			}
		}
		memset(p.samples + bright * p.pixel_bytes, 255, p.pixel_bytes);
		struct bytes png = picture_png(&p, (unsigned)(seed % 6), false, &s);

		ck_assert_uint_eq(engine_compare(&engine, &png, seed), engine.count);
		free(png.p);
		free(p.samples);
	}
}
END_TEST

/* Rows of many lengths, and more than the stream's buffer holds, with long matches and short ones. */
START_TEST(large)
{
	uint64_t s = 41;

	for (uint64_t seed = 0; seed < 30; seed++) {
		/* in `make check` a fifth of them, and those with long rows */
		if (seed % 5 && seed < 26 && effort(1, 0))
			continue;
		unsigned channels = 2 + (unsigned)(seed % 3);
		bool deep = seed % 4 == 3;
		uint32_t width = seed < 26 ? 300 + random_below(&s, 900) : 60000 + random_below(&s, 20000);
		struct picture p = picture_new(width, 1 + 800000 / (width * channels), channels, deep);
		size_t n = p.row_bytes * p.height;

		for (size_t at = 0; at < n;) {
			uint32_t kind = random_below(&s, 4), length = 1 + random_below(&s, kind ? 60 : 4000);
			uint8_t value = (uint8_t)random_below(&s, 20);

			for (; length && at < n; length--, at++)
				p.samples[at] = kind < 2 && at >= p.row_bytes      ? p.samples[at - p.row_bytes]
						: kind == 2 && at >= p.pixel_bytes ? p.samples[at - p.pixel_bytes]
										   : value;
		}
		struct bytes png = picture_png(&p, (unsigned)(seed % 6), false, &s);

		engine.settings.view = views[seed / 2 % 3];
		ck_assert_uint_eq(engine_compare(&engine, &png, seed), engine.count);
		free(png.p);
		free(p.samples);
	}
}
END_TEST

/* One in four of them has right checksums of its chunks. */
START_TEST(damaged)
{
	const size_t files = effort(150, 1500);
	uint64_t s = 99;
	size_t taken = 0;

	for (uint64_t seed = 0; seed < files; seed++) {
		struct bytes whole = random_png(seed), png = bytes_damaged(&whole, &s);

		engine.settings.view = views[seed % 3];
		if (random_below(&s, 4) == 0)
			png_mend_crcs(&png);
		taken += engine_compare(&engine, &png, seed);
		/* and nothing of it is left */
		if (seed % 16 == 0)
			ck_assert_uint_eq(engine_compare(&engine, &whole, seed), engine.count);
		free(png.p);
		free(whole.p);
	}
	ck_assert_uint_lt(taken, files / 10 * engine.count);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("engine colour");
	TCase *tests = tcase_create("engine colour");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, random_pictures);
	tcase_add_test(tests, many_colours);
	tcase_add_test(tests, large);
	tcase_add_test(tests, damaged);
	suite_add_tcase(suite, tests);
	return suite;
}

CHECK_MAIN(suite)
