/* Category range: out-of-range-id, one-based-ids, background-off-by-one, foreground-is-ignored, scaled-ids. */
#include "../unit/check_main.h"
#include "base/mem.h"
#include "set.h"

extern const struct rule rule_out_of_range_id, rule_one_based_ids, rule_background_off_by_one,
	rule_foreground_is_ignored, rule_scaled_ids;

/* ---- out-of-range-id -------------------------------------------------------------------------------------------- */

/* The rule fires, and says this part. */
static void expect_message(struct measured *m, const char *part)
{
	ck_assert(measured_check(m, &rule_out_of_range_id));
	assert_says(m->finding.message, part);
}

static void expect_advice(struct measured *m, const char *part)
{
	ck_assert(measured_check(m, &rule_out_of_range_id));
	assert_says(m->finding.advice, part);
}

/* It fires, and advises nothing of that kind. */
static void expect_other_advice(struct measured *m, const char *part)
{
	ck_assert(measured_check(m, &rule_out_of_range_id));
	ck_assert(!strstr(m->finding.advice.s, part));
}

TEST(out_of_range_id)
{
	struct measured *m = measured_new("21", "255");
	const int64_t mask[] = { 0, 0, 20, 255, 0, 21, 21, 0, 0, 0, 22, 0 };

	measured_ids(m, 4, 3, mask);
	ck_assert(measured_check(m, &rule_out_of_range_id));
	ck_assert_str_eq(m->finding.message.s, "3 pixels (25.0 %) have ids 21-22; valid ids are 0-20, ignored 255");
	ck_assert_uint_eq(m->finding.details.first_x, 1);
	ck_assert_uint_eq(m->finding.details.first_y, 1);
	ck_assert_uint_eq(m->finding.details.bbox[0], 1);
	ck_assert_uint_eq(m->finding.details.bbox[2], 2);
	ck_assert_uint_eq(m->finding.details.bbox[3], 2);
	measured_list(m, 0, 20, 255); /* the last class: silent */
	ck_assert(!measured_check(m, &rule_out_of_range_id));
}

TEST(out_of_range_id_asks_about_customary_ignore_ids)
{
	struct measured *m = measured_new("2", NULL);

	measured_list(m, 0, 1, 255);
	expect_message(m, "1 pixel (33.3 %) has id 255");
	assert_says(m->finding.advice, "--ignore=255");
	measured_list(m, 0, 1, 200);
	expect_other_advice(m, "200");
}

/* Many more ids than classes, without gaps, may number instances; fewer may be another list of classes. */
TEST(out_of_range_id_asks_about_instances)
{
	struct measured *m = measured_new("15", NULL);
	int64_t mask[32];

	for (int i = 0; i < 32; i++)
		mask[i] = i;
	measured_ids(m, 8, 4, mask);
	expect_advice(m, "number instances, audit the semantic masks instead");
	mask[31] = 30; /* 31 ids */
	measured_ids(m, 8, 4, mask);
	expect_other_advice(m, "instances");
	mask[31] = 64; /* gaps */
	measured_ids(m, 8, 4, mask);
	expect_other_advice(m, "instances");
	m = measured_new("16", NULL); /* half as many classes as ids */
	mask[31] = 31;
	measured_ids(m, 8, 4, mask);
	expect_other_advice(m, "instances");
}

TEST(out_of_range_id_without_classes)
{
	struct measured *m = measured_new("0", NULL);

	measured_list(m, 0);
	expect_message(m, "no id is valid");
	ck_assert(!measured_check(m, &rule_scaled_ids));
}

TEST(out_of_range_id_with_reduced_zero_label)
{
	struct measured *m = measured_new("3", NULL);

	measured_reduce_zero_label(m);
	measured_list(m, 0, 1, 2, 3, 255);
	ck_assert(!measured_check(m, &rule_out_of_range_id));
	measured_list(m, 0, 4, 254);
	expect_message(m, "ids 4, 254; valid ids are 1-3, ignored 0, 255 (--reduce-zero-label)");
	/* negative ids stay, 0 is ignored, the others move up by one; 254 would have to be 255, which is ignored */
	m = measured_new("-3-1,254", NULL);
	measured_reduce_zero_label(m);
	measured_list(m, -3, 0, 2, 7);
	expect_message(m, "id 7; valid ids are -3 to -1, 1-2, ignored 0, 255");
	m = measured_new("250-260", NULL);
	measured_reduce_zero_label(m);
	measured_list(m, 251, 261, 262);
	expect_message(m, "id 262; valid ids are 251-254, 256-261, ignored 0, 255");
}

TEST(out_of_range_id_of_signs)
{
	struct measured *m = measured_new("2", NULL);

	measured_list(m, -1, 1, 1);
	expect_advice(m, "(labels + 1) // 2");
	measured_list(m, -1, 0, 1);
	expect_advice(m, "--ignore=-1");
}

TEST(out_of_range_id_of_a_shifted_list)
{
	struct measured *m = measured_new("3", NULL);

	m->sample.format = FORMAT_LIST;
	measured_list(m, -1, 0, 1);
	expect_advice(m, "in a row from -1: labels + 1; if -1 is no class, pass --ignore=-1");
	measured_list(m, 2, 3, 4);
	expect_advice(m, "in a row from 2: labels - 2");
	measured_list(m, 2, 3, 5);
	expect_other_advice(m, "in a row");
	measured_list(m, INT64_MIN, 0, 2);
	expect_other_advice(m, "in a row");
}

/* More of them than two classes can be: objects that are numbered. */
TEST(out_of_range_id_of_instances)
{
	struct measured *m = measured_new("2", NULL);

	measured_list(m, 0, 1, 2, 3, 4, 5, 6, 7, 8);
	expect_advice(m, "(mask > 0).astype(np.uint8)");
	measured_list(m, 0, 1, 2, 3, 4, 5, 6, 7);
	expect_other_advice(m, "mask > 0");
	measured_list(m, 0, 1, 2, 3, 4, 5, 6, 7, 255); /* gaps */
	expect_other_advice(m, "mask > 0");
}

/* 0 and one other id where two classes are declared: the other one is the foreground. */
TEST(out_of_range_id_of_an_odd_foreground)
{
	struct measured *m = measured_new("2", "99");

	measured_list(m, 0, 10, 99);
	expect_advice(m, "if 10 is the foreground: mask[mask == 10] = 1");
	measured_list(m, 0, 10, 11);
	expect_other_advice(m, "foreground");
	measured_list(m, 0, 1, 10);
	expect_other_advice(m, "foreground");
	measured_list(m, 1, 10);
	expect_other_advice(m, "foreground");
	m = measured_new("3", NULL);
	measured_list(m, 0, 10);
	expect_other_advice(m, "foreground");
}

/* Where another rule reports how the ids of the same file came about, guesses would mislead. */
TEST(out_of_range_id_names_the_cause)
{
	struct measured *m = measured_new("2", NULL);

	for (size_t i = 0; i < rule_count; i++)
		m->settings.rules.levels[i] = LEVEL_ERROR;
	measured_list(m, 0, 255);
	ck_assert(measured_check(m, &rule_out_of_range_id));
	ck_assert_str_eq(m->finding.advice.s, "correct what scaled-ids reports for this file");
	m->settings.rules.levels[rule_index(&rule_scaled_ids)] = LEVEL_OFF;
	expect_advice(m, "if 255 is the foreground");
	m->settings.rules.levels[rule_index(&rule_scaled_ids)] = LEVEL_INFO;
	measured_list(m, 0, 1, 254);
	expect_advice(m, "if 254 is an ignore id");
}

/* ---- dataset rules ---------------------------------------------------------------------------------------------- */

TEST(one_based_ids)
{
	struct set s = set_new("3", NULL);

	set_add(&s, 1, 2);
	ck_assert(!set_check(&s, &rule_one_based_ids)); /* 3 does not occur */
	set_add(&s, 3);
	ck_assert(set_check(&s, &rule_one_based_ids));
	assert_says(s.m->finding.message, "ids run from 1 to 3 (3 in 1 file, first in mask.png); valid ids are 0-2");
	assert_says(s.m->finding.details.map, "1 -> 0");
	assert_says(s.m->finding.advice, "--reduce-zero-label");
	s.d->masks_with_ids = 0; /* of a list or of boxes */
	ck_assert(set_check(&s, &rule_one_based_ids));
	assert_says(s.m->finding.advice, "subtract 1 from every label that is not ignored, in the files");
	set_add(&s, 0); /* one zero anywhere: the ids are 0-based */
	ck_assert(!set_check(&s, &rule_one_based_ids));
}

TEST(one_based_ids_beside_ignored_zero)
{
	struct set s = set_new("7", "0");

	set_add(&s, 0, 1, 4, 7);
	ck_assert(set_check(&s, &rule_one_based_ids));
	measured_reduce_zero_label(s.m);
	ck_assert(!set_check(&s, &rule_one_based_ids));
	s = set_new("1-7", NULL); /* the list itself begins at 1 */
	set_add(&s, 1, 7);
	ck_assert(!set_check(&s, &rule_one_based_ids));
	s = set_new("3", NULL); /* one past C */
	set_add(&s, 1, 4);
	ck_assert(!set_check(&s, &rule_one_based_ids));
}

TEST(background_off_by_one)
{
	struct set s = set_new("3", "255");

	set_add(&s, 0, 1, 3);
	ck_assert(!set_check(&s, &rule_background_off_by_one)); /* 2 does not occur */
	set_add(&s, 2, 255);
	ck_assert(set_check(&s, &rule_background_off_by_one));
	assert_says(s.m->finding.message, "all ids from 0 to 3 occur (3 in 1 file, first in mask.png)");
	assert_says(s.m->finding.advice, "there are 4 classes; if 0 is not trained on");
	s.d->masks_with_ids = 0; /* of a list or of boxes */
	ck_assert(set_check(&s, &rule_background_off_by_one));
	assert_says(s.m->finding.advice, "if there are 4 classes, declare them; if 3 is never trained on");
	ck_assert(!set_check(&s, &rule_one_based_ids));
	set_add(&s, 4); /* one more: another cause */
	ck_assert(!set_check(&s, &rule_background_off_by_one));
}

/* One file of several is no proof, nor is a tenth of the labels of the rarest class. */
TEST(background_off_by_one_is_no_slip)
{
	struct set s = set_new("2", NULL);
	static int64_t ids[2000];

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = i % 2;
	for (unsigned i = 0; i < 9; i++) {
		measured_ids(s.m, 1000, 2, ids);
		measured_add(s.m, s.d, false);
	}
	ids[7] = 2;
	measured_ids(s.m, 1000, 2, ids);
	measured_add(s.m, s.d, false);
	ck_assert(!set_check(&s, &rule_background_off_by_one)); /* 1 of 20,000 in 1 of 10 */
	set_add(&s, 0, 2);
	ck_assert(!set_check(&s, &rule_background_off_by_one)); /* 2 of 20,000 in two */
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = i < 900 ? 2 : (int64_t)(i % 2);
	measured_ids(s.m, 1000, 2, ids);
	measured_add(s.m, s.d, false);
	measured_ids(s.m, 1000, 2, ids);
	measured_add(s.m, s.d, false);
	ck_assert(set_check(&s, &rule_background_off_by_one));
	s = set_new("2", NULL);
	set_add(&s, 0, 1);
	set_add(&s, 0, 1);
	set_add(&s, 0, 1, 2, 2, 2, 2);
	ck_assert(!set_check(&s, &rule_background_off_by_one)); /* one file */
	set_add(&s, 0, 1, 2);
	ck_assert(set_check(&s, &rule_background_off_by_one));
}

/* A JPEG of 0 and 1 has single pixels of 2. */
TEST(background_off_by_one_is_no_jpeg)
{
	struct set s = set_new("2", NULL);

	for (int i = 0; i < 5; i++)
		set_add(&s, 0, 1, 0, 2, 0, 1);
	ck_assert(!set_check(&s, &rule_background_off_by_one)); /* 10 / 3 > 5 / 2: thin in rows and in columns */
	for (int i = 0; i < 5; i++)
		set_add(&s, 0, 1, 2, 2, 2, 2); /* 30 / 3 > 25 / 2 does not hold */
	ck_assert(set_check(&s, &rule_background_off_by_one));
}

/* Regions of 2 beside 0 and 1 that are under 2 % of the foreground: blocks of a JPEG ring, or a class is rare. */
TEST(background_off_by_one_may_be_jpeg)
{
	struct set s = set_new("2", NULL);
	struct id_total *two = NULL, *one = NULL;

	set_add(&s, 0, 0, 1, 1, 2, 2);
	for (size_t i = 0; i < s.d->ids_count; i++) {
		s.d->ids[i].thin = 0;
		one = s.d->ids[i].id == 1 ? &s.d->ids[i] : one;
		two = s.d->ids[i].id == 2 ? &s.d->ids[i] : two;
	}
	one->labels = 5000;
	two->labels = 99;
	ck_assert(set_check(&s, &rule_background_off_by_one));
	assert_says(s.m->finding.advice, "if the masks were JPEGs once");
	two->labels = 100;
	ck_assert(set_check(&s, &rule_background_off_by_one));
	assert_says(s.m->finding.advice, "if 0 is the background");
}

/* Where bicubic wrote one more than the last class along its borders, no class is missing from the list. */
TEST(background_off_by_one_is_no_overshoot)
{
	struct set s = set_new("3", NULL);

	set_add(&s, 0, 1, 2, 2, 2, 3);
	s.d->informative_flagged = 2;
	for (size_t i = 0; i < s.d->ids_count; i++)
		if (s.d->ids[i].id == 3) {
			s.d->ids[i].labels = 1000;
			s.d->ids[i].thin = 706; /* 10 t <= 7 n, by hundreds */
		}
	ck_assert(set_check(&s, &rule_background_off_by_one));
	for (size_t i = 0; i < s.d->ids_count; i++)
		s.d->ids[i].thin *= s.d->ids[i].id == 3 ? 2 : 1;
	ck_assert(!set_check(&s, &rule_background_off_by_one));
	s.d->informative_flagged = 1; /* a line that somebody drew, in a set that is sound */
	ck_assert(set_check(&s, &rule_background_off_by_one));
	s.d->informative_flagged = 2;
	for (size_t i = 0; i < s.d->ids_count; i++)
		s.d->ids[i].thin = 0;
	s.d->labels = 1000999; /* 1000 of them are not under one in 1000 */
	ck_assert(set_check(&s, &rule_background_off_by_one));
	s.d->labels = 1001000; /* wide, and next to nothing */
	ck_assert(!set_check(&s, &rule_background_off_by_one));
}

TEST(background_off_by_one_of_a_list)
{
	struct set s = set_new("0-1,4", NULL);

	set_add(&s, 0, 1, 4, 5);
	ck_assert(set_check(&s, &rule_background_off_by_one));
	assert_says(s.m->finding.message, "every declared id and 5 occur");
	s = set_new("0", NULL);
	set_add(&s, 0);
	ck_assert(!set_check(&s, &rule_background_off_by_one));
	ck_assert(!set_check(&s, &rule_one_based_ids));
}

TEST(foreground_is_ignored)
{
	struct set s = set_new("2", "255");

	set_add(&s, 0, 255);
	set_add(&s, 0);
	ck_assert(set_check(&s, &rule_foreground_is_ignored)); /* exactly half of the files */
	ck_assert_int_eq(s.m->finding.level, LEVEL_WARNING);
	assert_says(s.m->finding.message, "0 is the only id that is trained on, and 1 of 2 files hold ignored id 255");
	assert_says(s.m->finding.advice, "mask[mask == 255] = 1");
	set_add(&s, 0);
	ck_assert(!set_check(&s, &rule_foreground_is_ignored)); /* a third */
	set_add(&s, 0, 255);
	set_add(&s, 1, 255); /* 3 of 5, but a class is there */
	ck_assert(!set_check(&s, &rule_foreground_is_ignored));
	s = set_new("2", "255"); /* nothing that is ignored */
	set_add(&s, 0);
	ck_assert(!set_check(&s, &rule_foreground_is_ignored));
	s = set_new("1", "255"); /* background is all there is */
	set_add(&s, 0, 255);
	ck_assert(!set_check(&s, &rule_foreground_is_ignored));
}

/* ---- scaled-ids ------------------------------------------------------------------------------------------------- */

static bool scaled(struct measured *m)
{
	return measured_check(m, &rule_scaled_ids);
}

TEST(scaled_ids_black_and_white)
{
	struct measured *m = measured_new("2", NULL);

	measured_list(m, 0, 255);
	ck_assert(scaled(m));
	ck_assert_str_eq(m->finding.details.map.s, "0 -> 0, 255 -> 1");
	assert_says(m->finding.advice, "mask[mask == 255] = 1");
	measured_list(m, 0, 65535);
	ck_assert(scaled(m));
	assert_says(m->finding.message, "65535 means 1");
	measured_list(m, 0, 254); /* no tool's white */
	ck_assert(!scaled(m));
	measured_list(m, 0, 1);
	ck_assert(!scaled(m));
	measured_list(m, 0);
	ck_assert(!scaled(m));
	m = measured_new("2", "255"); /* what is ignored is not scaled */
	measured_list(m, 0, 255);
	ck_assert(!scaled(m));
}

/* Advice that can be followed: ids that are ignored are not divided. */
TEST(scaled_ids_beside_ignored_ones)
{
	struct measured *m = measured_new("5", "255,250");

	measured_list(m, 0, 10, 30, 255);
	ck_assert(scaled(m));
	ck_assert_str_eq(m->finding.advice.s, "divide by it: np.where(mask == 255, mask, mask // 10)");
	measured_list(m, 0, 10, 30, 250, 255);
	ck_assert(scaled(m));
	ck_assert_str_eq(m->finding.advice.s, "divide by it: mask // 10, but not the ignored ids");
	measured_list(m, 0, 10, 30);
	ck_assert(scaled(m));
	ck_assert_str_eq(m->finding.advice.s, "divide by it: mask // 10");
}

/* A file in which several factors fit has no map: others of the set tell which one was meant. */
TEST(scaled_ids_of_several_factors)
{
	struct measured *m = measured_new("20", NULL);

	measured_list(m, 0, 144, 240); /* times 48, 24 or 16 */
	ck_assert(scaled(m));
	ck_assert_str_eq(m->finding.details.map.s, "");
	assert_says(m->finding.message, "classes times 48, or times a divisor of it");
	ck_assert_str_eq(m->finding.advice.s,
			 "divide by it, or by the divisor that fits all files of the set: mask // 48");
	measured_list(m, 0, 144, 240, 304); /* times 16 alone */
	ck_assert(scaled(m));
	ck_assert_str_eq(m->finding.details.map.s, "0 -> 0, 144 -> 9, 240 -> 15, 304 -> 19");
	measured_list(m, 0, 26, 247); /* a prime: times 13 */
	ck_assert(scaled(m));
	ck_assert_str_eq(m->finding.details.map.s, "0 -> 0, 26 -> 2, 247 -> 19");
	measured_list(m, 0, 255); /* 1, or 19 levels of 255 / 19 */
	ck_assert(scaled(m));
	ck_assert_str_eq(m->finding.details.map.s, "");
}

/* One class declared, as for a single logit: the background has no id then. */
TEST(scaled_ids_of_one_class)
{
	struct measured *m = measured_new("1", NULL);

	measured_list(m, 0, 255);
	ck_assert(scaled(m));
	assert_says(m->finding.advice, "mask[mask == 255] = 1, and declare --classes 2");
	measured_list(m, 0, 128, 255);
	ck_assert(!scaled(m));
}

TEST(scaled_ids_levels)
{
	struct measured *m = measured_new("5", NULL);

	measured_list(m, 0, 64, 128, 191, 255); /* rounded */
	ck_assert(scaled(m));
	ck_assert_str_eq(m->finding.details.map.s, "0 -> 0, 64 -> 1, 128 -> 2, 191 -> 3, 255 -> 4");
	assert_says(m->finding.message, "steps of 63.75");
	measured_list(m, 0, 63, 127, 191); /* cut */
	ck_assert(scaled(m));
	ck_assert_str_eq(m->finding.details.map.s, "0 -> 0, 63 -> 1, 127 -> 2, 191 -> 3");
	measured_list(m, 0, 63, 128); /* one of each: neither */
	ck_assert(!scaled(m));
	measured_list(m, 0, 65);
	ck_assert(!scaled(m));
	m = measured_new("1", NULL); /* one class has no levels; nor have more than there are steps to tell */
	measured_list(m, 0, 128);
	ck_assert(!scaled(m));
	m = measured_new("200", NULL);
	measured_list(m, 0, 201, 203, 253);
	ck_assert(!scaled(m));
	/* one level of many says little: 16 classes at most, or two levels */
	m = measured_new("16", NULL);
	measured_list(m, 0, 34);
	ck_assert(scaled(m));
	m = measured_new("17", NULL);
	measured_list(m, 0, 48);
	ck_assert(!scaled(m));
	measured_list(m, 0, 48, 143);
	ck_assert(scaled(m));
}

TEST(scaled_ids_multiples)
{
	struct measured *m = measured_new("3", NULL);

	measured_list(m, 0, 50, 100);
	ck_assert(scaled(m));
	assert_says(m->finding.message, "ids 0, 50, 100 are all multiples of 50");
	ck_assert_str_eq(m->finding.details.map.s, "0 -> 0, 50 -> 1, 100 -> 2");
	assert_says(m->finding.advice, "mask // 50");
	measured_list(m, 0, 2, 4); /* even ids of others by chance */
	ck_assert(!scaled(m));
	measured_list(m, 0, 10, 20); /* one file in 100 */
	ck_assert(scaled(m));
	measured_list(m, 0, 50, 150); /* 150 / 50 is no class */
	ck_assert(!scaled(m));
	measured_list(m, 0, 50); /* a single id divides by itself */
	ck_assert(!scaled(m));
	measured_list(m, 0, 85); /* but 85 is what loaders multiply 2 bits with */
	ck_assert(scaled(m));
	measured_list(m, 1, 2, 3); /* no common divisor */
	ck_assert(!scaled(m));
	m = measured_new("0,2", NULL); /* a list with gaps: the quotients must be in it */
	measured_list(m, 0, 10, 20);
	ck_assert(!scaled(m));
}
