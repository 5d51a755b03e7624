/* Texts of boxes in pixels, by their lines. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"
#include "read/text_boxes.h"

static const struct {
	const char *text;
	enum text_boxes kind;
} texts[] = {
	{ "a/1.jpg 48,240,195,371,11 8,12,352,498,14\na/2.jpg 1,2,3,4,0\n", BOXES_GROUPED },
	{ "my images/1.jpg 48,240,195,371,11\n", BOXES_GROUPED },
	{ "a/1.jpg 48,240,195,371,11\na/2.jpg 1,2,3,4\n", BOXES_NONE },
	{ "a/1.jpg,48,240,195,371,cat\n", BOXES_CORNERS },
	{ "a/1.jpg,48,240,195,371,cat,640,480\n", BOXES_CORNERS }, /* SKU-110K */
	{ "1 48,240,195,371,11\n", BOXES_NONE },
	{ "person 0.471781 0 13 174 244\n", BOXES_NAMED }, /* a detection */
	{ "person 4 0 13 174 244\n", BOXES_NONE },
	{ "person 25 16 38 56\ndog 5 6 90 80", BOXES_NAMED },
	{ "person 25.5 16 38.25 56\r\n", BOXES_NAMED },
	{ "person 0.5 0.5 0.6 0.7\n", BOXES_NONE }, /* fractions: YOLO with a name */
	{ "person 38 56 25 16\n", BOXES_NONE },     /* no corners */
	{ "a.jpg 25 16 38 56\n", BOXES_NONE },      /* a path */
	{ "a.jpg 25 16 38 56\nb.jpg\t0\t0\t4\t9\nc.jpg,1,2,3,4\n", BOXES_BARE },
	{ "a.jpg 25 16 38 56\nb.jpg 0 0 4 9\nc.jpg 1 2 3 1\n", BOXES_NONE },
	{ "a 25 16 38 56\nb 0 0 4 9\nc 1 2 30 40\n", BOXES_NAMED },
	{ "25 16 38 56\n5,6,90,80\n", BOXES_BARE },
	{ "25 16 38 56\n5 6 1 2\n", BOXES_NONE },
	{ "0 0 1 2\n", BOXES_NONE },
	{ "0 0.5 0.5 0.1 0.1\n", BOXES_NONE },
	{ "Car 0.00 0 -1.58 587.01 173.33 614.12 200.12 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59\n", BOXES_KITTI },
	{ "Car 0.00 0 -1.58 587.01 173.33 614.12 200.12 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59 0.9\n", BOXES_KITTI },
	{ "Car 0.00 0 -1.58 587.01 173.33 614.12 200.12 1.65 1.67 3.64 -0.65 1.71 46.70 x\n", BOXES_NONE },
	{ "Car 0.00 0 -1.58 687.01 173.33 614.12 200.12 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59\n", BOXES_NONE },
	{ "25 16 38 56 dog\n5 6 90 80 cat\n", BOXES_AFTER },
	{ "25 16 38 56 a.jpg\n", BOXES_NONE },
	{ "2\n25 16 38 56 dog\n5 6 90 80 cat\n", BOXES_AFTER },
	{ "2\n1 25 16 38 56\n5 6 7 90 80\n", BOXES_NUMBERED },
	{ "2 25 16 38 56\n1 6 7 90 80\n", BOXES_NONE },          /* nothing says which number is the class */
	{ "3\n1 25 16 38 56\n5 6 7 90 80\n", BOXES_NONE },       /* not as many */
	{ "2\n300 425 416 438 456\n5 6 7 90 80\n", BOXES_NONE }, /* no class */
	{ "2\n25 16 38 56\n5 6 90 80\n", BOXES_NONE },           /* read/text_coordinates.h */
	{ "", BOXES_NONE },
	{ "\n\n", BOXES_NONE },
};

START_TEST(kinds_of_lines)
{
	const char *text = texts[_i].text;
	size_t n = strlen(text);
	char *copy = memcpy(xmalloc(n + !n), text, n); /* without a NUL: for the sanitizers */

	ck_assert_int_eq(text_boxes_of(copy, n, true), texts[_i].kind);
	free(copy);
}
END_TEST

START_TEST(class_of_a_box)
{
	ck_assert_uint_eq(box_class("48,240,195,371,11", 17), 15);
	ck_assert_uint_eq(box_class("48,240,195,371,", 15), 0);
	ck_assert_uint_eq(box_class("48,240,195,371", 14), 0);
	ck_assert_uint_eq(box_class("48,240,195,371,1,2", 18), 0);
	ck_assert_uint_eq(box_class("48,240,195,371,1x", 17), 0);
	ck_assert_uint_eq(box_class("", 0), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("text boxes");
	TCase *t = tcase_create("lines");

	tcase_add_loop_test(t, kinds_of_lines, 0, sizeof(texts) / sizeof(texts[0]));
	tcase_add_test(t, class_of_a_box);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
