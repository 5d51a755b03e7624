/* --sizes: what is a size, what is none, and what a list of them holds. */
#include "base/size_list.h"

#include <stdint.h>
#include <string.h>

#include "check_main.h"

static bool holds(const char *text, uint32_t width, uint32_t height)
{
	struct error err = ERROR_INIT;
	struct size_list *l = size_list_parse("sizes", text, &err);
	bool contains;

	ck_assert_msg(l, "%s", err.text);
	ck_assert_str_eq(l->text, text);
	contains = size_list_contains(l, width, height);
	size_list_free(l);
	return contains;
}

START_TEST(sizes)
{
	ck_assert(holds("640x480", 640, 480));
	ck_assert(!holds("640x480", 480, 640));
	ck_assert(!holds("640x480", 640, 481));
	ck_assert(holds("1x1,640x480", 640, 480));
	ck_assert(holds("512-1024x512-", 512, INT32_MAX));
	ck_assert(holds("512-1024x512-", 1024, 512));
	ck_assert(!holds("512-1024x512-", 1025, 512));
	ck_assert(!holds("512-1024x512-", 511, 512));
	ck_assert(!holds("512-1024x512-", 700, 511));
	ck_assert(holds("7-7x1-", 7, 1));
	ck_assert(holds("2147483647x1", INT32_MAX, 1));
}
END_TEST

START_TEST(none)
{
	static const char *const texts[] = {
		"",           "640",          "640x",           "x480",     "0x480", "640x0", "640x480,", ",1x1",
		"640X480",    "640x480x3",    "640 x 480",      "-640x480", "-5x5",  "9-8x5", "1.5x2",    "640x480;",
		"640x4-8-16", "2147483648x1", "1-2147483648x1", "+6x4",     "1xx1",  "0-5x5",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct error err = ERROR_INIT;

		ck_assert_msg(!size_list_parse("sizes", texts[i], &err), "%s", texts[i]);
		ck_assert(!strncmp(err.text, "--sizes: '", 10));
	}
	size_list_free(NULL);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("size_list");
	TCase *c = tcase_create("size_list");

	tcase_add_test(c, sizes);
	tcase_add_test(c, none);
	suite_add_tcase(s, c);
	return s;
}

CHECK_MAIN(suite)
