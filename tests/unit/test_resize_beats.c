/*
 * measure/resize_beats.h on masks drawn here: discs over each other, resized with and without a filter. The filter
 * takes the place of mixed colours: a pixel of two classes becomes background, which no counter tells from a sliver.
 */
#include "check_main.h"

#include "base/mem.h"
#include "engine_fixture.h"
#include "measure/grey_plane.h"
#include "measure/resize_beats.h"
#include "png_maker.h"
#include "random.h"

enum { SIDE = 240, SIDE_OUT_MAX = 480, IDS = 4 };

static uint8_t source[SIDE][SIDE], result[SIDE_OUT_MAX][SIDE_OUT_MAX];

static void draw(uint64_t seed)
{
	memset(source, 0, sizeof(source));
	for (int i = 0; i < 300; i++) {
		int cx = (int)random_below(&seed, SIDE), cy = (int)random_below(&seed, SIDE);
		int r = 8 + (int)random_below(&seed, 19);
		uint8_t id = (uint8_t)random_below(&seed, IDS);

		for (int y = MAX(cy - r, 0); y < MIN(cy + r, SIDE); y++)
			for (int x = MAX(cx - r, 0); x < MIN(cx + r, SIDE); x++)
				if ((x - cx) * (x - cx) + (y - cy) * (y - cy) < r * r)
					source[y][x] = id;
	}
}

static uint8_t mix(uint8_t a, uint8_t b)
{
	return a == b ? a : 0;
}

/* The source pixels that are closer to the middle of a pixel than half of its width are mixed. */
static void resize_mixed(uint32_t w, uint32_t h)
{
	for (uint32_t y = 0; y < h; y++)
		for (uint32_t x = 0; x < w; x++) {
			uint32_t left = (2 * x * SIDE + w) / (2 * w), top = (2 * y * SIDE + h) / (2 * h);
			uint32_t right = MAX((2 * (x + 1) * SIDE + w) / (2 * w), left + 1) - 1;
			uint32_t bottom = MAX((2 * (y + 1) * SIDE + h) / (2 * h), top + 1) - 1;

			right = MIN(right, SIDE - 1);
			bottom = MIN(bottom, SIDE - 1);
			left = MIN(left, right);
			top = MIN(top, bottom);
			result[y][x] = mix(mix(source[top][left], source[top][right]),
					   mix(source[bottom][left], source[bottom][right]));
		}
}

/* centred: as Pillow resizes; else as OpenCV. */
static void resize_nearest(uint32_t w, uint32_t h, bool centred)
{
	for (uint32_t y = 0; y < h; y++)
		for (uint32_t x = 0; x < w; x++)
			result[y][x] = source[(2 * y + centred) * SIDE / (2 * h)][(2 * x + centred) * SIDE / (2 * w)];
}

static struct engine_fixture engine;

static void set_up(void)
{
	engine_fixture_init(&engine, "0-3", "255");
}

static void tear_down(void)
{
	engine_fixture_release(&engine);
}

/* Returns the beats of the result as a PNG of one channel or three equal ones; NONE if it is not suspicious. */
enum { NONE = -1 };
static int beats_of(uint32_t w, uint32_t h, unsigned channels)
{
	static struct png_maker png;
	static uint8_t rows[SIDE_OUT_MAX * (1 + 3 * SIDE_OUT_MAX)];
	struct resize_beats beats = { 0 };
	struct grey_plane plane = { 0 };
	struct batch batch;
	size_t n = 0;

	for (uint32_t y = 0; y < h; y++) {
		rows[n++] = 0;
		for (uint32_t x = 0; x < w * channels; x++)
			rows[n++] = result[y][x / channels];
	}
	maker_signature(&png);
	maker_ihdr(&png, w, h, 8, channels == 1 ? 0 : 2, 0);
	maker_idat(&png, rows, n);
	maker_chunk(&png, "IEND", NULL, 0);

	batch_init(&batch);
	struct batch_item *item = engine_file(&batch, &(struct bytes){ png.bytes, png.size });

	engine_measure_reference(&engine, &batch, item);
	grey_plane_measure(&plane, &engine.settings, item, &batch);
	int found = NONE;

	if (resize_beats_is_suspicious(item, &batch)) {
		resize_beats_measure(&beats, &engine.settings, item);
		found = (int)item->stats.resize_beats;
	}
	resize_beats_release(&beats);
	grey_plane_release(&plane);
	batch_release(&batch);
	return found;
}

/* From 240 to w pixels it is mixed 240 - w times. */
START_TEST(mixed)
{
	const uint32_t sides[] = { 222, 216 };

	draw((uint64_t)_i);
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		resize_mixed(sides[i], sides[i]);
		ck_assert_int_eq(beats_of(sides[i], sides[i], 1), (int)(SIDE - sides[i]));
		ck_assert_int_eq(beats_of(sides[i], sides[i], 3), (int)(SIDE - sides[i]));
	}
}
END_TEST

static void expect_no_beats(void)
{
	const uint32_t hard[] = { 255, 384, 411, 417, 423, 429 }; /* found by earlier forms of the tests */

	for (int centred = 0; centred <= 1; centred++) {
		for (size_t i = 0; i < ARRAY_SIZE(hard); i++) {
			resize_nearest(hard[i], hard[i], centred);
			ck_assert_int_le(beats_of(hard[i], hard[i], 1), 0);
		}
		for (uint32_t side = 144; side <= SIDE_OUT_MAX; side += 24) {
			resize_nearest(side, side, centred);
			ck_assert_int_le(beats_of(side, side, 1), 0);
		}
	}
}

START_TEST(nearest)
{
	draw((uint64_t)_i);
	expect_no_beats();
}
END_TEST

/* A line of one pixel around everything: where nearest doubles a pixel, nothing is lone. */
START_TEST(outlines_by_nearest)
{
	draw((uint64_t)_i);
	for (int y = SIDE - 1; y > 0; y--)
		for (int x = SIDE - 1; x > 0; x--)
			if (source[y][x] != source[y][x - 1] || source[y][x] != source[y - 1][x])
				source[y][x] = IDS;
	expect_no_beats();
}
END_TEST

/* In one direction alone it is no resize of a mask. */
START_TEST(mixed_in_rows)
{
	draw((uint64_t)_i);
	resize_mixed(216, SIDE);
	ck_assert_int_le(beats_of(216, SIDE, 1), 0);
}
END_TEST

/* 50 lone pixels and one in 16 edges make a mask suspicious. */
START_TEST(suspicious)
{
	struct batch_item item = { .sample = { .status = SAMPLE_READ, .format = FORMAT_PNG } };
	struct id_stats ids[] = { { .id = 0, .lone = { 20, 10 } }, { .id = 1, .lone = { 0, 20 } } };
	struct batch batch = { .items = &item, .ids = ids };

	item.sample.png.bit_depth = 8;
	item.stats = (struct label_stats){ .width = 64, .height = 8192, .neighbours = 1, .ids_count = 2 };
	item.stats.edges[LINE_ROW] = 500;
	item.stats.edges[LINE_COLUMN] = 299; /* 800 / 16 = 50 is not less than 50 */
	ck_assert(resize_beats_is_suspicious(&item, &batch));
	item.stats.edges[LINE_COLUMN] = 300;
	ck_assert(!resize_beats_is_suspicious(&item, &batch));
	item.stats.edges[LINE_COLUMN] = 0;
	ids[1].lone[1] = 19;
	ck_assert(!resize_beats_is_suspicious(&item, &batch));
	ids[1].lone[1] = 20;
	item.cached = true;
	ck_assert(!resize_beats_is_suspicious(&item, &batch));
	item.cached = false;
	item.stats.width = 63;
	ck_assert(!resize_beats_is_suspicious(&item, &batch));
	item.stats.width = 64;
	item.stats.height = 8193;
	ck_assert(!resize_beats_is_suspicious(&item, &batch));
	item.stats.height = 8192;
	item.sample.png.bit_depth = 16;
	ck_assert(!resize_beats_is_suspicious(&item, &batch));
	item.sample.png.bit_depth = 4;
	ck_assert(resize_beats_is_suspicious(&item, &batch));
	item.stats.coded = 1;
	ck_assert(!resize_beats_is_suspicious(&item, &batch));
}
END_TEST

static Suite *suite(void)
{
	enum { MASKS = 3 };
	Suite *suite = suite_create("resize beats");
	TCase *tests = tcase_create("resize beats");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_loop_test(tests, mixed, 0, MASKS);
	tcase_add_loop_test(tests, nearest, 0, MASKS);
	tcase_add_loop_test(tests, outlines_by_nearest, 0, MASKS);
	tcase_add_loop_test(tests, mixed_in_rows, 0, MASKS);
	tcase_add_test(tests, suspicious);
	suite_add_tcase(suite, tests);
	return suite;
}
CHECK_MAIN(suite)
