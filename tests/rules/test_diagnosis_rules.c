/*
 * Category range, the rules that name a cause: palette-luma-ids, cityscapes-label-ids, instance-ids,
 * double-reduced-ids, wrapped-negative-ids, ignore-in-range, gap-in-ids.
 */
#include "../unit/check_main.h"
#include "judge/colours.h"
#include "png/view.h"
#include "set.h"

extern const struct rule rule_palette_luma_ids, rule_cityscapes_label_ids, rule_instance_ids, rule_double_reduced_ids,
	rule_wrapped_negative_ids, rule_ignore_in_range, rule_gap_in_ids;

/* ---- palette-luma-ids ------------------------------------------------------------------------------------------- */

TEST(palette_luma_ids_of_voc)
{
	struct measured *m = measured_new("21", "255");

	measured_list(m, 0, 38, 147, 220, 255);
	ck_assert(measured_check(m, &rule_palette_luma_ids));
	ck_assert_str_eq(m->finding.message.s,
			 "ids 0, 38, 147, 220 are the luma of the colours of PASCAL VOC: a colour "
			 "mask that was converted to grey");
	ck_assert_str_eq(m->finding.details.map.s, "0 -> 0, 38 -> 1 or 16, 147 -> 15, 220 -> 255");
	measured_list(m, 0, 37, 75); /* cut, not rounded: class 16 is 37.57 */
	ck_assert(measured_check(m, &rule_palette_luma_ids));
	ck_assert_str_eq(m->finding.details.map.s, "0 -> 0, 37 -> 16, 75 -> 2");
	measured_list(m, 0, 36, 75); /* further off */
	ck_assert(!measured_check(m, &rule_palette_luma_ids));
}

TEST(palette_luma_ids_of_pure_colours)
{
	struct measured *m = measured_new("4", NULL);

	measured_list(m, 0, 29, 76, 149); /* green is 149.685: cut */
	ck_assert(measured_check(m, &rule_palette_luma_ids));
	assert_says(m->finding.message, "ids 0, 29, 76, 149 are the luma of pure red, green and blue: a colour mask");
	ck_assert_str_eq(m->finding.details.map.s, "0 -> #000000, 29 -> #0000ff, 76 -> #ff0000, 149 -> #00ff00");
	measured_list(m, 0, 29, 76, 151);
	ck_assert(!measured_check(m, &rule_palette_luma_ids));
}

TEST(palette_luma_ids_threshold)
{
	struct measured *m = measured_new("21", NULL);

	measured_list(m, 38, 75); /* two ids */
	ck_assert(!measured_check(m, &rule_palette_luma_ids));
	measured_list(m, 0, 15, 38); /* one out of range */
	ck_assert(!measured_check(m, &rule_palette_luma_ids));
	measured_list(m, 0, 38, 75);
	ck_assert(measured_check(m, &rule_palette_luma_ids));
	measured_list(m, 0, 20, 90); /* 2 and 9, times 10 */
	ck_assert(!measured_check(m, &rule_palette_luma_ids));
	measured_list(m, 0, 20, 38, 90);
	ck_assert(measured_check(m, &rule_palette_luma_ids));
	measured_list(m, 0, 38, 75, 200); /* nobody's luma */
	ck_assert(!measured_check(m, &rule_palette_luma_ids));
	measured_list(m, 0, 38, 75);
	m->sample.png.colour_type = PNG_PALETTE;
	ck_assert(!measured_check(m, &rule_palette_luma_ids));
}

/* Each class of each palette, as OpenCV would write it. */
TEST(palette_luma_ids_of_all_classes)
{
	struct measured *m = measured_new("2", NULL);

	for (size_t p = 0; p < known_palettes_count; p++) {
		const struct known_palette *palette = &known_palettes[p];
		int64_t ids[64];

		for (unsigned i = 0; i < palette->classes; i++) {
			uint32_t c = palette->colour_of(i);

			ck_assert_int_eq(palette->id_of(c), i);
			ids[i] = view_luma((uint8_t)(c >> 16), (uint8_t)(c >> 8), (uint8_t)c);
		}
		ck_assert_int_eq(palette->id_of(palette->ignored_colour), 255);
		measured_ids(m, palette->classes, 1, ids);
		ck_assert(measured_check(m, &rule_palette_luma_ids));
		assert_says(m->finding.message, palette->name);
	}
}

/* ---- cityscapes-label-ids --------------------------------------------------------------------------------------- */

TEST(cityscapes_label_ids)
{
	struct set s = set_new("19", "255");

	set_add(&s, 0, 7, 11, 21, 255);
	ck_assert(!set_check(&s, &rule_cityscapes_label_ids)); /* one id past 18 */
	set_add(&s, 7, 33);
	ck_assert(set_check(&s, &rule_cityscapes_label_ids));
	assert_says(s.m->finding.message, "ids 21, 33 occur in up to 1 of 2 files");
	assert_says(s.m->finding.details.map, "33 -> 18");
	set_add(&s, 26001); /* instanceIds beside them */
	ck_assert(set_check(&s, &rule_cityscapes_label_ids));
	s.d->informative_files = 4; /* made up by interpolation, where half of the files show it */
	s.d->informative_flagged = 2;
	ck_assert(!set_check(&s, &rule_cityscapes_label_ids));
	s.d->informative_flagged = 1;
	ck_assert(set_check(&s, &rule_cityscapes_label_ids));
	set_add(&s, 34); /* no label of Cityscapes */
	ck_assert(!set_check(&s, &rule_cityscapes_label_ids));
	s = set_new("34", NULL);
	set_add(&s, 7, 21, 33);
	ck_assert(!set_check(&s, &rule_cityscapes_label_ids));
}

/* ---- instance-ids ----------------------------------------------------------------------------------------------- */

TEST(instance_ids_of_cityscapes)
{
	struct measured *m = measured_new("34", NULL);

	m->sample.png.bit_depth = 16;
	measured_list(m, 0, 7, 26, 24000, 26000, 26003);
	ck_assert(measured_check(m, &rule_instance_ids));
	assert_says(m->finding.message, "3 ids are class * 1000 + n, such as 26003, instance 3 of class 26");
	assert_says(m->finding.advice, "ids // 1000");
	measured_list(m, 0, 7, 26000); /* one alone */
	ck_assert(!measured_check(m, &rule_instance_ids));
	measured_list(m, 0, 26000, 26017); /* instance 17 of two */
	ck_assert(!measured_check(m, &rule_instance_ids));
	measured_list(m, 0, 500, 26000, 26001); /* neither class nor instance */
	ck_assert(!measured_check(m, &rule_instance_ids));
	measured_list(m, 0, 26000, 26001);
	m->sample.png.bit_depth = 8; /* cannot be */
	ck_assert(!measured_check(m, &rule_instance_ids));
}

TEST(instance_ids_beside_ignored_ones)
{
	struct measured *m = measured_new("34", "255,65535");

	m->sample.png.bit_depth = 16;
	measured_list(m, 0, 255, 26000, 26001, 65535);
	ck_assert(measured_check(m, &rule_instance_ids));
	assert_says(m->finding.message, "2 ids are class * 1000 + n, such as 26001, instance 1 of class 26");
	m = measured_new("34", "26000-26010"); /* all of them are */
	m->sample.png.bit_depth = 16;
	measured_list(m, 0, 7, 26000, 26001);
	ck_assert(!measured_check(m, &rule_instance_ids));
}

TEST(instance_ids_of_mapillary)
{
	struct measured *m = measured_new("66", NULL);

	m->sample.png.bit_depth = 16;
	measured_list(m, 0, 13 * 256, 55 * 256, 55 * 256 + 1);
	ck_assert(measured_check(m, &rule_instance_ids));
	assert_says(m->finding.message, "instance 1 of class 55");
	assert_says(m->finding.advice, "ids // 256");
	measured_list(m, 0, 13 * 256, 55 * 256); /* multiples only: scaled-ids */
	ck_assert(!measured_check(m, &rule_instance_ids));
	measured_list(m, 0, 4 * 257, 12 * 257); /* 8 bits made 16: scaled-ids */
	ck_assert(!measured_check(m, &rule_instance_ids));
	measured_list(m, 0, 13 * 256, 66 * 256 + 1); /* no such class */
	ck_assert(!measured_check(m, &rule_instance_ids));
}

TEST(instance_ids_threshold)
{
	struct measured *m = measured_new("34", NULL);
	int64_t ids[201];

	for (int i = 0; i < 201; i++)
		ids[i] = 26000 + i;
	m->sample.png.bit_depth = 16;
	measured_ids(m, 200, 1, ids);
	ck_assert(measured_check(m, &rule_instance_ids));
	measured_ids(m, 201, 1, ids);
	ck_assert(!measured_check(m, &rule_instance_ids));
}

/* A depth map in millimetres uses every remainder. */
TEST(instance_ids_are_not_depths)
{
	struct measured *m = measured_new("40", NULL);
	int64_t depths[2000];

	for (int i = 0; i < 2000; i++)
		depths[i] = 700 + i;
	m->sample.png.bit_depth = 16;
	measured_ids(m, 2000, 1, depths);
	ck_assert(!measured_check(m, &rule_instance_ids));
}

/* ---- double-reduced-ids, wrapped-negative-ids ------------------------------------------------------------------- */

TEST(double_reduced_ids)
{
	struct set s = set_new("149", "255");

	set_add(&s, 0, 148, 255);
	ck_assert(!set_check(&s, &rule_double_reduced_ids));
	set_add(&s, 0, 254);
	ck_assert(set_check(&s, &rule_double_reduced_ids));
	assert_says(s.m->finding.message, "id 254 occurs in 1 of 2 files, first mask.png");
	set_add(&s, 0, 253); /* one of many */
	ck_assert(!set_check(&s, &rule_double_reduced_ids));
	s = set_new("253", "255"); /* 0..252: 254 can be no class */
	set_add(&s, 0, 254);
	ck_assert(set_check(&s, &rule_double_reduced_ids));
	s = set_new("255", "255"); /* 254 is a class */
	set_add(&s, 0, 254);
	ck_assert(!set_check(&s, &rule_double_reduced_ids));
	s = set_new("150", NULL); /* 255 is not ignored */
	set_add(&s, 0, 254);
	ck_assert(!set_check(&s, &rule_double_reduced_ids));
	measured_reduce_zero_label(s.m);
	ck_assert(set_check(&s, &rule_double_reduced_ids));
	assert_says(s.m->finding.advice, "--reduce-zero-label");
}

TEST(wrapped_negative_ids)
{
	struct set s = set_new("21", "255");

	set_add(&s, 0, 1, 255);
	ck_assert(!set_check(&s, &rule_wrapped_negative_ids));
	set_add(&s, 0, 65535);
	ck_assert(set_check(&s, &rule_wrapped_negative_ids));
	assert_says(s.m->finding.message, "ids 255 (1 file) in files of 8 bits and 65535 (1 file) in files of 16 bits");
	set_add(&s, -1);
	ck_assert(set_check(&s, &rule_wrapped_negative_ids));
	assert_says(s.m->finding.message, "three ids");
	set_add(&s, 300);
	ck_assert(!set_check(&s, &rule_wrapped_negative_ids));
	s = set_new("2", NULL); /* black and white at two depths */
	set_add(&s, 0, 255);
	set_add(&s, 0, 65535);
	ck_assert(!set_check(&s, &rule_wrapped_negative_ids));
}

/* ---- ignore-in-range -------------------------------------------------------------------------------------------- */

TEST(ignore_in_range)
{
	struct set s = set_new("8", "0,255");

	ck_assert(!set_check(&s, &rule_ignore_in_range)); /* no masks, no finding */
	set_add(&s, 0, 0, 7);
	ck_assert(set_check(&s, &rule_ignore_in_range));
	assert_says(s.m->finding.message, "id 0 is ignored although declared as a class");
	assert_says(s.m->finding.advice, "--reduce-zero-label");
	ck_assert_uint_eq(s.m->finding.details.ids[0].labels, 2);
	s = set_new("8", "8"); /* the first that is none */
	set_add(&s, 0, 8);
	ck_assert(!set_check(&s, &rule_ignore_in_range));
	s = set_new("8", "7");
	set_add(&s, 0);
	ck_assert(set_check(&s, &rule_ignore_in_range));
	ck_assert(!strstr(s.m->finding.advice.s, "--reduce-zero-label"));
	s = set_new("2000000000", "5-7,10-1999999999"); /* counted, not walked */
	set_add(&s, 0);
	ck_assert(set_check(&s, &rule_ignore_in_range));
	ck_assert_uint_eq(s.m->finding.details.ids_total, 3 + 1999999990);
}

/* ---- gap-in-ids ------------------------------------------------------------------------------------------------- */

TEST(gap_in_ids)
{
	struct set s = set_new("4", NULL);

	for (int i = 0; i < 4; i++)
		set_add(&s, 0, 1, 2, 4);
	ck_assert(!set_check(&s, &rule_gap_in_ids)); /* 3 may just be rare: four files */
	set_add(&s, 0, 1, 2, 4);
	ck_assert(set_check(&s, &rule_gap_in_ids));
	ck_assert_str_eq(s.m->finding.message.s, "ids 0-2, 4 occur, each in at least 5 files, but id 3 never");
	ck_assert_str_eq(s.m->finding.details.map.s, "0 -> 0, 1 -> 1, 2 -> 2, 4 -> 3");
	assert_says(s.m->finding.advice, "--classes 0-2,4");
	set_add(&s, 3);
	ck_assert(!set_check(&s, &rule_gap_in_ids));
}

/* A list that cannot be typed is not advised. */
TEST(gap_in_ids_of_many_runs)
{
	struct set s = set_new("100", NULL);
	int64_t ids[60];

	for (int i = 0; i < 60; i++)
		ids[i] = i * 2 - (i > 0);
	measured_ids(s.m, 60, 1, ids);
	for (int i = 0; i < 5; i++)
		measured_add(s.m, s.d, false);
	class_set_release(&s.m->settings.classes);
	class_set_init(&s.m->settings.classes);
	id_ranges_add(&s.m->settings.classes.classes, 0, 59);
	class_set_finish(&s.m->settings.classes);
	if (set_check(&s, &rule_gap_in_ids))
		ck_assert(!strstr(s.m->finding.advice.s, "more"));
}

TEST(gap_in_ids_stays_silent)
{
	struct set s = set_new("0-2,4", NULL); /* declared with its gap */

	for (int i = 0; i < 5; i++)
		set_add(&s, 0, 1, 2, 4);
	ck_assert(!set_check(&s, &rule_gap_in_ids));
	s = set_new("5", "3"); /* the gap is an ignored id */
	for (int i = 0; i < 5; i++)
		set_add(&s, 0, 1, 2, 4);
	ck_assert(!set_check(&s, &rule_gap_in_ids));
	s = set_new("3", NULL); /* scaled, not sparse */
	for (int i = 0; i < 5; i++)
		set_add(&s, 0, 127, 255);
	ck_assert(!set_check(&s, &rule_gap_in_ids));
	s = set_new("3", NULL); /* one-based */
	for (int i = 0; i < 5; i++)
		set_add(&s, 1, 2, 3);
	ck_assert(!set_check(&s, &rule_gap_in_ids));
	s = set_new("2", NULL); /* as many gaps as ids: 0, 1, 4 */
	for (int i = 0; i < 5; i++)
		set_add(&s, 0, 1, 4);
	ck_assert(set_check(&s, &rule_gap_in_ids));
	for (int i = 0; i < 5; i++)
		set_add(&s, 7);
	ck_assert(set_check(&s, &rule_gap_in_ids)); /* 2, 3, 5, 6 and four ids */
	s = set_new("2", NULL);
	for (int i = 0; i < 5; i++)
		set_add(&s, 0, 1, 5); /* three gaps, three ids */
	ck_assert(set_check(&s, &rule_gap_in_ids));
	s = set_new("2", "255"); /* four gaps, three ids that are not ignored */
	for (int i = 0; i < 5; i++)
		set_add(&s, 0, 1, 6, 255);
	ck_assert(!set_check(&s, &rule_gap_in_ids));
}
