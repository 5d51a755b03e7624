/* measure/resize_echo.h: against a count pixel by pixel, and on a disc that a filter overshot. */
#include "check_main.h"

#include "base/mem.h"
#include "engine_fixture.h"
#include "measure/grey_plane.h"
#include "measure/resize_echo.h"
#include "png_maker.h"
#include "random.h"

enum { SIDE_MAX = 210 };

static uint8_t mask[SIDE_MAX][SIDE_MAX];
static uint32_t width, height;

static struct engine_fixture engine;

static void set_up(void)
{
	engine_fixture_init(&engine, "0-3", "255");
}

static void tear_down(void)
{
	engine_fixture_release(&engine);
}

/* Measures the mask as a PNG of one channel or three equal ones. Returns whether it is suspicious. */
static bool measure(unsigned channels, struct label_stats *stats)
{
	static struct png_maker png;
	static uint8_t rows[SIDE_MAX * (1 + 3 * SIDE_MAX)];
	struct resize_echo echo = { 0 };
	struct grey_plane plane = { 0 };
	struct batch batch;
	size_t n = 0;

	for (uint32_t y = 0; y < height; y++) {
		rows[n++] = 0;
		for (uint32_t x = 0; x < width * channels; x++)
			rows[n++] = mask[y][x / channels];
	}
	maker_signature(&png);
	maker_ihdr(&png, width, height, 8, channels == 1 ? 0 : 2, 0);
	maker_idat(&png, rows, n);
	maker_chunk(&png, "IEND", NULL, 0);

	batch_init(&batch);
	struct batch_item *item = engine_file(&batch, &(struct bytes){ png.bytes, png.size });

	engine_measure_reference(&engine, &batch, item);
	grey_plane_measure(&plane, &engine.settings, item, &batch);
	bool suspicious = resize_echo_is_suspicious(item, &batch);

	resize_echo_measure(&echo, &engine.settings, item);
	*stats = item->stats;
	resize_echo_release(&echo);
	grey_plane_release(&plane);
	batch_release(&batch);
	return suspicious;
}

/* Returns whether four pixels alternate, from x, y on in the direction dx, dy. */
static bool alternates(uint32_t x, uint32_t y, uint32_t dx, uint32_t dy)
{
	if (x + 3 * dx >= width || y + 3 * dy >= height)
		return false;
	uint8_t a = mask[y][x], b = mask[y + dy][x + dx];

	return a != b && mask[y + 2 * dy][x + 2 * dx] == a && mask[y + 3 * dy][x + 3 * dx] == b;
}

/* The next line is across the direction. */
static bool goes_on(uint32_t x, uint32_t y, uint32_t dx, uint32_t dy)
{
	if (!alternates(x, y, dx, dy) || !alternates(x + dy, y + dx, dx, dy))
		return false;
	uint8_t a = mask[y][x], b = mask[y + dy][x + dx], c = mask[y + dx][x + dy], d = mask[y + dx + dy][x + dx + dy];

	return (a == c && b == d) || (a == d && b == c);
}

static void expect_counts(void)
{
	uint32_t places = 0, on = 0;
	struct label_stats stats;

	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++) {
			places += alternates(x, y, 1, 0) + (uint32_t)alternates(x, y, 0, 1);
			on += goes_on(x, y, 1, 0) + (uint32_t)goes_on(x, y, 0, 1);
		}
	for (unsigned channels = 1; channels <= 3; channels += 2) {
		measure(channels, &stats);
		ck_assert_uint_eq(stats.alternations, places + 1);
		ck_assert_uint_eq(stats.alternations_on, on);
	}
}

/* Stripes of two ids in tiles, and some noise of three: all sizes around those of a word. */
START_TEST(counted)
{
	static const uint32_t widths[] = { 1, 3, 4, 5, 63, 64, 65, 66, 67, 68, 128, 131, 210 };
	uint64_t seed = (uint64_t)_i + 1;

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		width = widths[i];
		height = 1 + (uint32_t)random_below(&seed, 40);
		for (uint32_t y = 0; y < height; y++)
			for (uint32_t x = 0; x < width; x++) {
				uint32_t tile = x / 9 + 7 * (y / 9);
				uint32_t along = tile % 3 ? x : tile % 2 ? y : x + y;

				mask[y][x] = (uint8_t)(along % 2 ? tile % 4 : (tile + 1) % 4);
				if (!random_below(&seed, 12))
					mask[y][x] = (uint8_t)random_below(&seed, 3);
			}
		expect_counts();
	}
}
END_TEST

enum what { OVERSHOT, NOISE, CLEAN };

/* A disc; beside its border are waves of one pixel, or noise that is as wide. Equal channels count with three levels.
 */
static void draw(enum what what, uint64_t seed)
{
	enum { SIDE = 200, RADIUS = 70, WAVES = 6 };

	width = height = SIDE;
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) {
			int dx = 2 * x - SIDE, dy = 2 * y - SIDE, r = 0;

			while (r * r < dx * dx + dy * dy)
				r++;
			int depth = RADIUS - r / 2;
			bool wave = what == OVERSHOT ? depth % 2 != 0 : what == NOISE && random_below(&seed, 2);

			mask[y][x] = x < SIDE / 10 ? 2 : depth > 0 && !(depth < WAVES && wave);
		}
}

START_TEST(drawn)
{
	struct label_stats stats;

	draw(OVERSHOT, 0);
	ck_assert(measure(1, &stats));
	ck_assert(measure(3, &stats));
	ck_assert_uint_gt(2 * stats.alternations_on, stats.alternations);
	ck_assert_uint_gt(20 * stats.alternations_on, 3 * (stats.edges[0] + stats.edges[1]));
	draw(NOISE, (uint64_t)_i);
	ck_assert(measure(1, &stats));
	ck_assert_uint_gt(stats.alternations, 100);
	ck_assert_uint_lt(5 * stats.alternations_on, stats.alternations);
	draw(CLEAN, 0);
	ck_assert(!measure(1, &stats));
	ck_assert_uint_eq(stats.alternations, 1);
}
END_TEST

/* The second id has 64 thin labels, and over 3 for 10 edges; edges are at most half of the labels. */
START_TEST(suspicious)
{
	struct id_stats ids[] = { { .id = 0, .thin = 500 }, { .id = 1, .thin = 3 }, { .id = 2, .thin = 64 } };
	struct batch batch = { .ids = ids };
	struct batch_item item = { .sample = { .status = SAMPLE_READ, .format = FORMAT_PNG, .png = { .bit_depth = 8 } },
				   .stats = { .width = 20, .height = 20, .neighbours = 1, .ids_count = 3 } };

	item.stats.edges[LINE_ROW] = 100;
	item.stats.edges[LINE_COLUMN] = 100;
	ck_assert(resize_echo_is_suspicious(&item, &batch));
	item.stats.edges[LINE_COLUMN] = 101;
	ck_assert(!resize_echo_is_suspicious(&item, &batch));
	item.stats.height = 21;
	ck_assert(resize_echo_is_suspicious(&item, &batch));
	ids[2].thin = 63;
	ck_assert(!resize_echo_is_suspicious(&item, &batch));
	ids[1].thin = 64;
	ck_assert(resize_echo_is_suspicious(&item, &batch));
	item.stats.edges[LINE_COLUMN] = 110; /* 640 > 3 * 210 */
	item.stats.height = 100;
	ck_assert(resize_echo_is_suspicious(&item, &batch));
	item.stats.edges[LINE_COLUMN] = 114;
	ck_assert(!resize_echo_is_suspicious(&item, &batch));
	item.stats.edges[LINE_COLUMN] = 110;
	item.cached = true;
	ck_assert(!resize_echo_is_suspicious(&item, &batch));
	item.cached = false;
	item.stats.coded = 1;
	ck_assert(!resize_echo_is_suspicious(&item, &batch));
}
END_TEST

static Suite *suite(void)
{
	enum { MASKS = 3 };
	Suite *suite = suite_create("resize echo");
	TCase *tests = tcase_create("resize echo");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_loop_test(tests, counted, 0, MASKS);
	tcase_add_loop_test(tests, drawn, 0, MASKS);
	tcase_add_test(tests, suspicious);
	suite_add_tcase(suite, tests);
	return suite;
}
CHECK_MAIN(suite)
