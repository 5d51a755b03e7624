/*
 * The fast path against the reference, bit for bit: every set of inner loops that this processor has, over generated
 * one-channel images of every depth, filter and odd sizes. All are good files. (Damaged ones: test_engine_damage.c;
 * several channels: test_engine_colour.c; noise: test_engine_full.c.)
 */
#include "check_main.h"

#include <string.h>

#include "effort.h"
#include "engine_fixture.h"
#include "engine_masks.h"
#include "measure/engine/delta.h"

static struct engine_fixture engine;

static void set_up(void)
{
	engine_fixture_init(&engine, "0-9,300-400", "255");
}

static void tear_down(void)
{
	engine_fixture_release(&engine);
}

/* A good file must go the fast way. Frees it. */
static void expect_taken(struct bytes *png, uint64_t seed)
{
	ck_assert_uint_eq(engine_compare(&engine, png, seed), engine.count);
	free(png->p);
}

static void compare_random(unsigned depth, uint64_t seeds)
{
	static const enum view views[] = { VIEW_PIL, VIEW_RAW, VIEW_CV2 };

	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct bytes png = mask_png(seed, depth);

		engine.settings.view = views[seed % 3];
		expect_taken(&png, seed);
	}
}

START_TEST(depth_8)
{
	compare_random(8, effort(300, 3000));
}
END_TEST

START_TEST(depth_16)
{
	compare_random(16, effort(100, 600));
}
END_TEST

START_TEST(depth_below_8)
{
	compare_random(1, effort(60, 400));
	compare_random(2, effort(60, 400));
	compare_random(4, effort(60, 400));
}
END_TEST

/* Sizes around the edges of a block and of as many as are marked side by side, each with each filter. */
START_TEST(block_edges)
{
	static const uint32_t widths[] = { 1,   2,   3,    62,   63,   64,   65,   66,   127, 128, 129, 191,
					   192, 193, 255,  256,  257,  319,  320,  321,  383, 448, 511, 512,
					   513, 575, 576,  577,  640,  703,  767,  768,  769, 831, 832, 833,
					   960, 992, 1023, 1024, 1025, 4095, 4096, 4097, 4160 };
	uint64_t s = 7;

	for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
		for (unsigned filter = (unsigned)w % effort(2, 1); filter <= 5; filter += effort(2, 1)) {
			struct image im = { .width = widths[w], .height = 1 + random_below(&s, 80), .depth = 8 };
			uint8_t *samples = xcalloc(im.width, im.height);

			/* rows that mostly repeat, so that blocks stay, and change at their edges */
			for (size_t i = 0, n = (size_t)im.width * im.height; i < n; i++) {
				uint32_t kind = random_below(&s, 40);

				samples[i] = kind == 0       ? (uint8_t)random_below(&s, 12)
					     : kind < 4 && i ? samples[i - 1]
					     : i >= im.width ? samples[i - im.width]
							     : (uint8_t)(i / 50);
			}
			struct bytes png = image_png(&im, samples, im.width, filter, &s);

			expect_taken(&png, w * 6 + filter);
			free(samples);
		}
	}
}
END_TEST

/* Heights around a group of rows (delta.h), of narrow and of wide rows, 8 and 16 bits: most rows repeat. */
START_TEST(group_edges)
{
	static const uint32_t widths[] = { 1, 63, 64, 65, 8000 };
	uint64_t s = 19;

	for (size_t i = 0; i < ARRAY_SIZE(widths) * 5 * 2; i++) {
		uint32_t width = widths[i / 10], bytes = i % 2 ? 2 : 1;
		uint32_t group = MIN((uint32_t)DELTA_GROUP, DELTA_GROUP_BYTES / ((width / 64 + 1) * 64 * bytes));
		struct image im = { .width = width,
				    .height = (uint32_t)(group * (1 + i / 10 % 2) - 2 + i % 10 / 2),
				    .depth = 8 * bytes };
		size_t row = (size_t)width * bytes;
		uint8_t *samples = xcalloc(row, im.height);

		for (uint32_t y = 0; y < im.height; y++) {
			if (y)
				memcpy(samples + y * row, samples + (y - 1) * row, row);
			for (unsigned n = y ? random_below(&s, 3) : 9; n; n--)
				samples[y * row + random_below(&s, (uint32_t)row)] = (uint8_t)random_below(&s, 4);
		}
		struct bytes png = image_png(&im, samples, row, (unsigned)i % 6, &s);

		expect_taken(&png, i);
		free(samples);
	}
}
END_TEST

/* More than the stream's buffer holds, so that its window moves; in rows of many lengths. */
START_TEST(large)
{
	uint64_t s = 11;

	for (unsigned i = 0; i < 24; i++) {
		struct image im = { .depth = i % 4 == 3 ? 16 : 8 };
		size_t pixel = im.depth / 8, n;
		uint8_t *samples;

		if (i % 3 && effort(1, 0))
			continue;
		im.width = i < 20 ? 500 + random_below(&s, 1500) : 200000 + random_below(&s, 300000);
		im.height = (uint32_t)((3 << 19) / im.width / pixel + 1);
		n = im.width * pixel * im.height;
		samples = xcalloc(n, 1);
		/* long matches and short ones, a few of them from far away */
		for (size_t at = 0; at < n;) {
			uint32_t kind = random_below(&s, 4), length = 1 + random_below(&s, kind ? 40 : 3000);
			uint8_t id = (uint8_t)random_below(&s, 20);

			for (; length && at < n; length--, at++)
				samples[at] = kind == 1 && at >= im.width * pixel ? samples[at - im.width * pixel]
					      : kind == 2 && at >= 32768          ? samples[at - 32768]
										  : id;
		}
		struct bytes png = image_png(&im, samples, im.width * pixel, i % 6, &s);

		expect_taken(&png, i);
		free(samples);
	}
}
END_TEST

/* More rows than weights are kept for, and than a queue tells apart (delta.h). */
START_TEST(tall)
{
	uint64_t s = 13;
	struct image tower = { .width = 2, .height = DELTA_QUEUE_ROWS + 5000, .depth = 8 };
	uint8_t *still = xcalloc(tower.width, tower.height);

	for (uint32_t y = 0; y < tower.height; y++)
		still[2 * y] = (uint8_t)(1 + (y > 10) + (y > DELTA_QUEUE_ROWS - 1) + (y > DELTA_QUEUE_ROWS + 100));
	for (unsigned filter = 0; filter <= 5; filter++) {
		struct bytes png = image_png(&tower, still, tower.width, filter, &s);

		expect_taken(&png, filter);
	}
	free(still);

	for (unsigned filter = 0; filter <= 5; filter++) {
		struct image im = { .width = 1 + random_below(&s, 70), .height = DELTA_WEIGHTS + 100, .depth = 8 };
		uint8_t *samples = xcalloc(im.width, im.height);

		for (size_t i = 0, n = (size_t)im.width * im.height; i < n; i++)
			samples[i] = i && random_below(&s, 30) ? samples[i - 1] : (uint8_t)random_below(&s, 12);
		struct bytes png = image_png(&im, samples, im.width, filter, &s);

		expect_taken(&png, filter);
		free(samples);
	}
}
END_TEST

/* Adler-32 beyond 2^28 bytes, where its weights are reduced: rows of the largest bytes, as wide as they may be. */
START_TEST(long_adler)
{
	enum { WIDTH = DELTA_WIDTH_MAX, HEIGHT = 280 };
	uint8_t *row = xcalloc(1 + WIDTH + DELTA_SLACK, 1);
	uLong expected = adler32(0, NULL, 0);

	for (size_t i = 0; i < engine.count; i++) {
		struct delta *delta = delta_new(&engine.settings.classes, engine.isas[i]);
		uint64_t s = 17;

		ck_assert(delta_begin(delta, WIDTH, HEIGHT, false));
		memset(row + 1, 0xff, WIDTH);
		for (uint32_t y = 0; y < HEIGHT; y++) {
			row[0] = y % 70 ? FILTER_NONE : (uint8_t)(y / 70 + 1);
			row[1 + random_below(&s, WIDTH)] ^= 1;
			ck_assert(delta_add_filtered(delta, row, 1));
			if (i == 0) /* the rows are the same for all */
				expected = adler32(expected, row, 1 + WIDTH);
		}
		delta_end(delta);
		ck_assert_uint_eq(delta_adler32(delta), expected);
		delta_free(delta);
	}
	free(row);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("engine");
	TCase *tests = tcase_create("engine");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, depth_8);
	tcase_add_test(tests, depth_16);
	tcase_add_test(tests, depth_below_8);
	tcase_add_test(tests, block_edges);
	tcase_add_test(tests, group_edges);
	tcase_add_test(tests, large);
	tcase_add_test(tests, tall);
	tcase_add_test(tests, long_adler);
	suite_add_tcase(suite, tests);
	return suite;
}

CHECK_MAIN(suite)
