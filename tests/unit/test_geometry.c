/* read/geometry.c: what is wrong with a box, whatever container it is in; and what all boxes of a file tell. */
#include <math.h>
#include <string.h>

#include "check_main.h"

#include "base/mem.h"
#include "random.h"
#include "read/geometry.h"

enum {
	OK = 0,
	NO_AREA = 1 << GEOMETRY_NO_AREA,
	INVERTED = 1 << GEOMETRY_INVERTED,
	OUTSIDE = 1 << GEOMETRY_OUTSIDE,
	AWAY = 1 << GEOMETRY_AWAY
};

/* The same box in each form, of pixels in an image of 100 x 50, and in fractions of it. */
TEST(one_judge_for_all_forms)
{
	static const struct {
		double left, top, right, bottom;
		unsigned expected;
	} v[] = {
		{ 0, 0, 100, 50, OK },       { -1, -1, 101, 51, OK },       { 10, 10, 20, 20, OK },
		{ -1.5, 0, 5, 5, OUTSIDE },  { 0, -2, 5, 5, OUTSIDE },      { 90, 0, 101.5, 5, OUTSIDE },
		{ 0, 40, 5, 51.5, OUTSIDE }, { -9, -9, 300, 300, OUTSIDE }, { 110, 0, 120, 5, AWAY },
		{ 0, 60, 5, 70, AWAY },      { -20, 0, -5, 5, AWAY },       { 0, -20, 5, 0, AWAY },
		{ 5, 5, 5, 9, NO_AREA },     { 5, 5, 9, 5, NO_AREA },       { 9, 5, 5, 9, INVERTED },
		{ 5, 9, 9, 5, INVERTED },    { 300, 5, 300, 9, NO_AREA },
	};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		for (int fractions = 0; fractions < 2; fractions++) {
			const enum box_unit unit = fractions ? BOX_FRACTIONS : BOX_PIXELS;
			const double w = v[i].right - v[i].left, h = v[i].bottom - v[i].top;
			struct box_facts forms[] = {
				{ { v[i].left, v[i].top, v[i].right, v[i].bottom }, BOX_CORNERS, unit, 100, 50, false },
				{ { v[i].left, v[i].top, w, h }, BOX_CORNER_SIZE, unit, 100, 50, false },
				{ { v[i].left + w / 2, v[i].top + h / 2, w, h },
				  BOX_CENTRE_SIZE,
				  unit,
				  100,
				  50,
				  false },
			};

			for (size_t k = 0; k < ARRAY_SIZE(forms); k++) {
				struct box_tally tally = { 0 };

				for (size_t j = 0; fractions && j < 4; j++)
					forms[k].v[j] /= j % 2 ? 50 : 100;
				/* a pixel of this image is more than what fractions are rounded by */
				if (fractions && i == 1)
					continue;
				ck_assert_uint_eq(geometry_judge(&forms[k], &tally), v[i].expected);
				ck_assert_uint_eq(tally.boxes, v[i].expected != NO_AREA && v[i].expected != INVERTED);
				ck_assert_uint_eq(tally.outside, v[i].expected == OUTSIDE || v[i].expected == AWAY);
			}
		}
}

/* It is known where an image of unknown size begins, not where it ends. */
TEST(images_without_a_size)
{
	struct box_tally t = { 0 };

	ck_assert_uint_eq(
		geometry_judge(&(struct box_facts){ { 900, 900, 950, 950 }, BOX_CORNERS, BOX_PIXELS, 0, 0, false }, &t),
		OK);
	ck_assert_uint_eq(
		geometry_judge(&(struct box_facts){ { -5, 900, 950, 950 }, BOX_CORNERS, BOX_PIXELS, 0, 0, false }, &t),
		OUTSIDE);
	ck_assert_uint_eq(
		geometry_judge(&(struct box_facts){ { -5, 900, -1, 950 }, BOX_CORNERS, BOX_PIXELS, 0, 0, false }, &t),
		AWAY);
	ck_assert(t.overshoot == 5);
	ck_assert_uint_eq(t.placed, 0);
}

/* Boxes out by a hundredth of the image at most are cut, if more than rounding is left. */
TEST(clipped_boxes)
{
	static const struct {
		struct box_facts box;
		unsigned clipped, unclipped;
	} cases[] = {
		{ { { 10, 10, 20, 20 }, BOX_CORNERS, BOX_PIXELS, 100, 50, false }, 0, 0 },
		{ { { -1, 10, 20, 20 }, BOX_CORNERS, BOX_PIXELS, 100, 50, false }, 1, 0 },
		{ { { -1.01, 10, 20, 20 }, BOX_CORNERS, BOX_PIXELS, 100, 50, false }, 0, 1 },
		{ { { 10, 40, 5, 10.5 }, BOX_CORNER_SIZE, BOX_PIXELS, 100, 50, false }, 1, 0 },
		{ { { 10, 40, 5, 10.6 }, BOX_CORNER_SIZE, BOX_PIXELS, 100, 50, false }, 0, 0 },
		{ { { 10, 40, 5, 11.6 }, BOX_CORNER_SIZE, BOX_PIXELS, 100, 50, false }, 0, 1 },
		{ { { -2, 10, 20, 20 }, BOX_CORNERS, BOX_EITHER, 0, 0, false }, 0, 1 },
		{ { { .5, .5, 1.02, .1 }, BOX_CENTRE_SIZE, BOX_FRACTIONS, 0, 0, false }, 1, 0 },
		{ { { .5, .5, 1.0 + 1e-10, .1 }, BOX_CENTRE_SIZE, BOX_FRACTIONS, 0, 0, false }, 0, 0 },
		{ { { -.001, .4, .000001, .5 }, BOX_CORNERS, BOX_FRACTIONS, 0, 0, false }, 0, 0 },
		{ { { -.005, .4, .1, .5 }, BOX_CORNERS, BOX_FRACTIONS, 0, 0, true }, 0, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct box_tally t = { 0 };

		geometry_judge(&cases[i].box, &t);
		ck_assert_uint_eq(t.clipped, cases[i].clipped);
		ck_assert_uint_eq(t.unclipped, cases[i].unclipped);
	}
}

/* Adds 40 random boxes inside an image of 640 x 480, each written by `write`. */
static struct box_tally tally_of(uint64_t seed, enum box_numbers form, void (*write)(double v[4]), double scale)
{
	struct box_tally t = { 0 };

	for (int i = 0; i < 40; i++) {
		double left = random_below(&seed, 500), top = random_below(&seed, 400);
		struct box_facts b = { { left, top, left + 1 + random_below(&seed, 639 - (unsigned)left),
					 top + 1 + random_below(&seed, 479 - (unsigned)top) },
				       form,
				       scale != 1 ? BOX_FRACTIONS : BOX_PIXELS,
				       640,
				       480,
				       false };

		write(b.v);
		for (size_t k = 0; k < 4; k++)
			b.v[k] /= scale == 1 ? 1 : k % 2 ? 480 : 640;
		geometry_judge(&b, &t);
	}
	return t;
}

static void as_corners(double v[4])
{
	(void)v;
}

static void as_sizes(double v[4])
{
	v[2] -= v[0];
	v[3] -= v[1];
}

static void as_centres(double v[4])
{
	as_sizes(v);
	v[0] += v[2] / 2;
	v[1] += v[3] / 2;
}

static void as_centres_for_corners(double v[4])
{
	as_centres(v);
	v[2] += v[0];
	v[3] += v[1];
}

static void as_corners_for_sizes(double v[4])
{
	v[2] += v[0];
	v[3] += v[1];
}

static void as_corners_for_centres(double v[4])
{
	v[0] += v[2] / 2;
	v[1] += v[3] / 2;
}

static void exchanged(double v[4])
{
	for (size_t i = 0; i < 4; i += 2) {
		const double x = v[i];

		v[i] = v[i + 1];
		v[i + 1] = x;
	}
}

static void as_fractions(double v[4])
{
	as_sizes(v);
	for (size_t k = 0; k < 4; k++)
		v[k] /= k % 2 ? 480 : 640;
}

TEST(mistakes_of_a_file)
{
	static const struct {
		enum box_numbers form;
		void (*write)(double v[4]);
		double scale;
		enum box_mistake mistake;
	} cases[] = {
		{ BOX_CORNERS, as_corners, 1, MISTAKE_NONE },
		{ BOX_CORNER_SIZE, as_sizes, 1, MISTAKE_NONE },
		{ BOX_CENTRE_SIZE, as_centres, 0, MISTAKE_NONE },
		{ BOX_CORNER_SIZE, as_corners, 1, MISTAKE_CORNERS },
		{ BOX_CENTRE_SIZE, as_corners, 0, MISTAKE_CORNERS },
		{ BOX_CORNER_SIZE, as_centres, 1, MISTAKE_CENTRES },
		{ BOX_CORNER_SIZE, as_fractions, 1, MISTAKE_FRACTIONS },
		{ BOX_CORNERS, as_sizes, 1, MISTAKE_SIZES },
		{ BOX_CENTRE_SIZE, as_sizes, 0, MISTAKE_SIZES },
		{ BOX_CORNERS, as_corners_for_sizes, 1, MISTAKE_MADE_CORNERS },
		{ BOX_CENTRE_SIZE, as_corners_for_centres, 0, MISTAKE_MADE_CORNERS },
		{ BOX_CORNERS, as_centres_for_corners, 1, MISTAKE_MADE_CENTRES },
		{ BOX_CORNERS, exchanged, 1, MISTAKE_SWAPPED },
	};

	for (uint64_t seed = 1; seed < 200; seed++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct box_tally t = tally_of(seed, cases[i].form, cases[i].write, cases[i].scale);

			ck_assert_int_eq(geometry_mistake(&t), cases[i].mistake);
		}
}

/* Corners at the upper left: few sizes lead outside, but all numbers could be corners. */
TEST(corners_of_many)
{
	static const struct {
		uint64_t boxes, as_corners, outside;
		enum box_mistake mistake;
	} v[] = { { 20, 20, 1, MISTAKE_CORNERS },
		  { 20, 20, 0, MISTAKE_NONE },
		  { 21, 21, 1, MISTAKE_NONE },
		  { 20, 19, 1, MISTAKE_NONE },
		  { 19, 19, 1, MISTAKE_NONE } };

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		ck_assert_int_eq(geometry_mistake(&(struct box_tally){ .boxes = v[i].boxes,
								       .placed = v[i].boxes,
								       .as_corners = v[i].as_corners,
								       .outside = v[i].outside }),
				 v[i].mistake);
}

TEST(large_numbers)
{
	static const double large[] = { 1e308, -1e308, 1e154, 0, -0.0, 5e-324 };
	uint64_t seed = 3;

	for (int i = 0; i < 10000; i++) {
		struct box_tally t = { 0 };
		struct box_facts b = { .numbers = (enum box_numbers)random_below(&seed, 3),
				       .unit = (enum box_unit)random_below(&seed, 3),
				       .width = 100,
				       .height = 50 };

		for (size_t k = 0; k < 4; k++)
			b.v[k] = large[random_below(&seed, ARRAY_SIZE(large))] / 4;
		ck_assert_uint_lt(geometry_judge(&b, &t), 1u << GEOMETRY_TROUBLES);
		ck_assert(isfinite(t.overshoot));
	}
}

/* Box, shape and area of one object. */
TEST(box_against_shape)
{
	enum { OFF = 1 << SHAPE_OFF_BOX, NOTHING = 1 << SHAPE_NOTHING, AREA = 1 << SHAPE_AREA };
	static const struct {
		double box[4], shape[5], area; /* left, top, right, bottom, area */
		unsigned expected;
	} v[] = {
		{ { 10, 10, 50, 40 }, { 10, 10, 60, 50, 1500 }, 1500, OK },
		{ { 10, 10, 50, 40 }, { 10, 10, 60, 50, 1500 }, 2000, OK },  /* that of the box */
		{ { 10, 10, 50, 40 }, { 10, 10, 60, 50, 1500 }, -1, OK },    /* none */
		{ { 11, 11, 49, 39 }, { 10, 10, 60, 50, 1500 }, 1500, OK },  /* rounded */
		{ { 10, 10, 70, 57 }, { 10, 10, 60, 50, 1500 }, 1500, OK },  /* half in common */
		{ { 10, 10, 70, 58 }, { 10, 10, 60, 50, 1500 }, 1500, OFF }, /* less */
		{ { 10, 10, 50, 40 }, { 310, 210, 360, 250, 1500 }, 1500, OFF },
		{ { 10, 10, 1, 1 }, { 11, 11, 12, 12, 1 }, 1, OK }, /* a pixel aside */
		{ { 10, 10, 1, 1 }, { 12.5, 11, 13, 12, 1 }, 1, OFF },
		{ { 10, 10, 50, 40 }, { 0, 0, 0, 0, 0 }, 2000, NOTHING },
		{ { 10, 10, 50, 40 }, { 10, 10, 60, 50, 1500 }, 307200, AREA },
		{ { 10, 10, 50, 40 }, { 10, 10, 60, 50, 1500 }, 3050, OK },
		{ { 10, 10, 50, 40 }, { 10, 10, 60, 50, 1500 }, 3051, AREA },
		{ { 10, 10, 50, 40 }, { 10, 10, 60, 50, 1500 }, 700, OK },
		{ { 10, 10, 50, 40 }, { 10, 10, 60, 50, 1500 }, 699, AREA },
		{ { 10, 10, 50, 40 }, { 10, 10, 60, 50, 1500 }, 0, AREA },
		{ { 10, 10, 50, 40 }, { 0, 0, 0, 0, -1 }, 39, OK }, /* no shape */
		{ { 10, 10, 50, 40 }, { 0, 0, 0, 0, -1 }, 38, AREA },
		{ { 10, 10, 50, 40 }, { 0, 0, 0, 0, -1 }, 0, AREA },
		{ { 10, 10, 0.5, 1 }, { 0, 0, 0, 0, -1 }, 0, OK },
	};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct box_facts box = { .numbers = BOX_CORNER_SIZE };
		const double *s = v[i].shape;
		const struct shape_facts shape = { s[0], s[1], s[2], s[3], s[4] };
		struct shape_tally t = { 0 };

		memcpy(box.v, v[i].box, sizeof(box.v));
		ck_assert_msg(geometry_compare(&box, s[4] < 0 ? NULL : &shape, v[i].area, &t) == v[i].expected, "%zu",
			      i);
		ck_assert_uint_eq(t.off_box, v[i].expected == OFF);
	}

	struct box_facts corners = { { 100, 80, 150, 120 }, BOX_CORNER_SIZE, BOX_PIXELS, 0, 0, false },
			 centre = { { 125, 100, 50, 40 }, BOX_CORNER_SIZE, BOX_PIXELS, 0, 0, false };
	const struct shape_facts shape = { 100, 80, 150, 120, 1500 };
	struct shape_tally t = { 0 };

	ck_assert_uint_eq(geometry_compare(&corners, &shape, -1, &t), OFF);
	ck_assert_uint_eq(geometry_compare(&centre, &shape, -1, &t), OFF);
	ck_assert(t.off_box == 2 && t.as_corners == 1 && t.as_centres == 1);
}

TEST(sizes_of_boxes)
{
	struct box_tally t = { 0 };

	for (int i = 0; i < 4; i++) {
		static const double v[4][4] = { { 1, 1, 0.9, 5 }, { 1, 1, 1, 1 }, { 0, 0, 98, 49 }, { 0, 0, 97, 50 } };
		struct box_facts b = { .numbers = BOX_CORNER_SIZE, .width = 100, .height = 50 };

		memcpy(b.v, v[i], sizeof(b.v));
		geometry_judge(&b, &t);
	}
	ck_assert(t.tiny == 2 && t.whole == 1); /* of a pixel, too */
	t = (struct box_tally){ 0 };
	for (int width = 0; width <= 640; width += 320) { /* 0: the image is not there; then 1 and 2 pixels */
		struct box_facts b = { { .5, .5, .003125, .1 }, BOX_CENTRE_SIZE, BOX_FRACTIONS, width, width, false };

		geometry_judge(&b, &t);
	}
	ck_assert_uint_eq(t.tiny, 1);
}

TIMEOUT(20)
