/* judge/mixed_colours.h on colours made by hand. */
#include "check_main.h"

#include <string.h>

#include "base/mem.h"
#include "judge/mixed_colours.h"

enum { RARE = 10, OFTEN = 80 };

static struct id_stats colours[MIXED_COLOURS_MAX];
static size_t count;

static void add(int64_t colour, uint64_t pixels)
{
	colours[count++] = (struct id_stats){ .id = colour, .labels = pixels };
}

/* Begins with red and blue, which are no mixtures. */
static void begin(void)
{
	count = 0;
	add(0xff0000, OFTEN);
	add(0x0000ff, OFTEN);
}

/* Adds n of the mixtures of red and blue. */
static void add_mixtures(int n, uint64_t pixels)
{
	for (int i = 1; i <= n; i++)
		add((int64_t)(0xff - 20 * i) << 16 | 20 * i, pixels);
}

START_TEST(between)
{
	begin();
	add_mixtures(8, RARE);
	ck_assert_uint_eq(mixed_colours(colours, count), 8);
	begin();
	add_mixtures(7, RARE);
	ck_assert_uint_eq(mixed_colours(colours, count), 0);
	begin();
	add_mixtures(8, RARE + 1); /* not an eighth of either */
	ck_assert_uint_eq(mixed_colours(colours, count), 0);
	begin();
	colours[1].labels = OFTEN - 1;
	add_mixtures(8, RARE);
	ck_assert_uint_eq(mixed_colours(colours, count), 0);
}
END_TEST

/* By 2 in each channel, as rounding is; beyond the ends nothing is mixed. */
START_TEST(off_the_line)
{
	begin();
	add_mixtures(8, RARE);
	for (size_t i = 2; i < count; i++)
		colours[i].id += 0x000200;
	ck_assert_uint_eq(mixed_colours(colours, count), 8);
	for (size_t i = 2; i < count; i++)
		colours[i].id += 0x000100;
	ck_assert_uint_eq(mixed_colours(colours, count), 0);

	count = 0;
	add(0x404040, OFTEN);
	add(0x808080, OFTEN);
	for (int i = 0; i < 4; i++) {
		add(0x010101 * (0x10 + 8 * i), RARE);
		add(0x010101 * (0xa0 + 8 * i), RARE);
	}
	ck_assert_uint_eq(mixed_colours(colours, count), 0);
}
END_TEST

/* By 12 in each channel, as JPEG's noise is. */
START_TEST(close_to_one)
{
	for (int off = 12; off <= 13; off++) {
		count = 0;
		add(0x808080, OFTEN);
		for (int i = 0; i < 8; i++)
			add(0x800080 | (0x80 + (i & 1 ? off : -off)) << 8 | i, RARE);
		ck_assert_uint_eq(mixed_colours(colours, count), off == 12 ? 8 : 0);
	}
}
END_TEST

/* Half of the colours; the rest are far from any line. */
START_TEST(share)
{
	begin();
	add_mixtures(8, RARE);
	for (int i = 0; i < 6; i++)
		add(0x00ff00 | i * 30, RARE);
	ck_assert_uint_eq(mixed_colours(colours, count), 8);
	add(0x00ffff, RARE);
	ck_assert_uint_eq(mixed_colours(colours, count), 0);
}
END_TEST

/* The 32 most frequent may be mixed, wherever they are in the list. */
START_TEST(frequent)
{
	for (int more = 30; more <= 31; more++) {
		count = 0;
		add_mixtures(12, RARE);
		for (int i = 0; i < more; i++)
			add(0x00ff00 | (i / 6 * 40) << 16 | i % 6 * 40, OFTEN + 1);
		add(0xff0000, OFTEN + 1);
		add(0x0000ff, OFTEN);
		for (int i = 0; i < more; i++) /* so that they are half */
			add(0x00ff00 | (i / 6 * 40) << 16 | (i % 6 * 40 + 5), RARE);
		ck_assert_uint_eq(mixed_colours(colours, count), more == 30 ? 42 : 0);
	}
	ck_assert_uint_eq(mixed_colours(colours, 0), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("mixed colours");
	TCase *tests = tcase_create("mixed colours");

	tcase_add_test(tests, between);
	tcase_add_test(tests, off_the_line);
	tcase_add_test(tests, close_to_one);
	tcase_add_test(tests, share);
	tcase_add_test(tests, frequent);
	suite_add_tcase(suite, tests);
	return suite;
}
CHECK_MAIN(suite)
