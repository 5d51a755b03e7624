/* Category content. The interpolation tests themselves are in tests/unit/test_interpolation.c. */
#include "../unit/check_main.h"
#include "judge/interpolation.h"
#include "measured.h"

extern const struct rule rule_all_ignored, rule_mostly_ignored, rule_only_background, rule_single_id,
	rule_missing_class, rule_interpolated_mask, rule_suspected_interpolation, rule_interpolated_dataset,
	rule_image_as_mask;

TEST(all_ignored)
{
	struct measured *m = measured_new("3", "254-255");

	measured_list(m, 255, 254, 255);
	ck_assert(measured_check(m, &rule_all_ignored));
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
	ck_assert_str_eq(m->finding.message.s, "all 3 pixels are ignored (ids 254-255)");
	ck_assert(!measured_check(m, &rule_mostly_ignored));
	ck_assert(!measured_check(m, &rule_only_background));
	ck_assert(!measured_check(m, &rule_single_id));

	struct dataset_stats d;

	dataset_init(&d);
	measured_add(m, &d, false);
	ck_assert(!measured_check_dataset(m, &rule_all_ignored, &d)); /* one mask is no set */
	measured_add(m, &d, false);
	ck_assert(measured_check_dataset(m, &rule_all_ignored, &d));
	ck_assert_int_eq(m->finding.level, LEVEL_ERROR);
	assert_says(m->finding.message, "all 6 labels of 2 files are ignored (ids 254-255)");
	measured_list(m, 255, 255, 0);
	ck_assert(!measured_check(m, &rule_all_ignored));
	measured_add(m, &d, false);
	ck_assert(!measured_check_dataset(m, &rule_all_ignored, &d));
	dataset_release(&d);
	measured_list(m, 255, 255, 7); /* an id that is no class is not ignored either */
	ck_assert(!measured_check(m, &rule_all_ignored));
}

/* n pixels, all but `others` of them ignored */
static bool mostly(struct measured *m, uint32_t n, uint32_t others)
{
	int64_t *ids = calloc(n, sizeof(*ids));

	for (uint32_t i = others; i < n; i++)
		ids[i] = 255;
	measured_ids(m, n, 1, ids);
	free(ids);
	return measured_check(m, &rule_mostly_ignored);
}

TEST(mostly_ignored)
{
	struct measured *m = measured_new("3", "255");

	ck_assert(mostly(m, 1000, 49));
	ck_assert_str_eq(m->finding.message.s, "951 pixels (95.1 %) are ignored (id 255)");
	ck_assert_int_eq(m->finding.level, LEVEL_INFO);
	ck_assert(!mostly(m, 1000, 50)); /* 95 % */
	ck_assert(mostly(m, 1001, 50));
	ck_assert(!mostly(m, 1000, 0));
	m->settings.thresholds.max_ignored = 300000; /* --max-ignored 30 */
	ck_assert(mostly(m, 1000, 699));
	ck_assert(!mostly(m, 1000, 700));
	m->settings.thresholds.max_ignored = 999000;
	ck_assert(!mostly(m, 1000, 49));
	ck_assert(!mostly(m, 1000, 1));
	ck_assert(mostly(m, 2000, 1));
}

TEST(only_background)
{
	struct measured *m = measured_new("3", "255");
	struct dataset_stats d;

	dataset_init(&d);
	measured_list(m, 0, 255);
	ck_assert(measured_check(m, &rule_only_background));
	ck_assert_int_eq(m->finding.level, LEVEL_INFO);
	measured_add(m, &d, false);
	measured_list(m, 0, 1);
	ck_assert(!measured_check(m, &rule_only_background));
	measured_add(m, &d, false);
	ck_assert(!measured_check_dataset(m, &rule_only_background, &d)); /* exactly half */
	measured_list(m, 0, 0);
	measured_add(m, &d, false);
	ck_assert(measured_check_dataset(m, &rule_only_background, &d));
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
	assert_says(m->finding.message, "2 of 3 files (66.7 %) hold no id but 0");
	dataset_release(&d);

	/* foreground-is-ignored says why */
	dataset_init(&d);
	measured_list(m, 0, 0);
	measured_add(m, &d, false);
	measured_add(m, &d, false);
	measured_list(m, 0, 255);
	measured_add(m, &d, false);
	ck_assert(measured_check_dataset(m, &rule_only_background, &d)); /* in a third of the files */
	measured_add(m, &d, false);
	ck_assert(!measured_check_dataset(m, &rule_only_background, &d));
	dataset_release(&d);
	m = measured_new("1", NULL); /* 0 is all there is */
	measured_list(m, 0);
	ck_assert(!measured_check(m, &rule_only_background));
	m = measured_new("1-3", NULL); /* 0 is no class: out-of-range-id speaks */
	measured_list(m, 0);
	ck_assert(!measured_check(m, &rule_only_background));
}

TEST(single_id)
{
	struct measured *m = measured_new("3", "255");

	measured_list(m, 2, 2);
	ck_assert(measured_check(m, &rule_single_id));
	ck_assert_str_eq(m->finding.message.s, "all 2 pixels have id 2");
	ck_assert_int_eq(m->finding.level, LEVEL_INFO);
	measured_list(m, 2, 2, 1);
	ck_assert(!measured_check(m, &rule_single_id));
	measured_list(m, 0, 0);
	ck_assert(!measured_check(m, &rule_single_id));
	measured_list(m, 255);
	ck_assert(!measured_check(m, &rule_single_id));
}

static bool misses(struct measured *m, size_t n, const int64_t *ids)
{
	struct dataset_stats d;

	dataset_init(&d);
	measured_ids(m, (uint32_t)n, 1, ids);
	measured_add(m, &d, false);
	bool fired = measured_check_dataset(m, &rule_missing_class, &d);

	dataset_release(&d);
	return fired;
}
#define MISSES(m, ...) misses(m, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), (int64_t[]){ __VA_ARGS__ })

TEST(missing_class)
{
	struct measured *m = measured_new("10", "255");

	ck_assert(MISSES(m, 0, 1, 2, 5, 255, 12));
	ck_assert_str_eq(m->finding.message.s, "classes 3-4, 6-9 have no label in 1 file");
	ck_assert_uint_eq(m->finding.details.ids_total, 6);
	ck_assert(MISSES(m, 0, 1, 2, 3, 4, 5, 6, 7, 8));
	ck_assert_str_eq(m->finding.message.s, "class 9 has no label in 1 file");
	ck_assert(!MISSES(m, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
	m = measured_new("0-2,30-31", "1"); /* a list, and a class that is ignored */
	ck_assert(MISSES(m, 0, 31));
	ck_assert_str_eq(m->finding.message.s, "classes 2, 30 have no label in 1 file");
	ck_assert(!MISSES(m, 0, 2, 30, 31));
	m = measured_new("0-255", NULL); /* of 255 places 254 are left when the first is given away */
	measured_reduce_zero_label(m);
	ck_assert(MISSES(m, 0, 1, 253));
	ck_assert_uint_eq(m->finding.details.ids_total, 256 - 2 - 1);
	m = measured_new("0", NULL);
	ck_assert(!MISSES(m, 0));
	m = measured_new("2147483648", NULL); /* counted, not walked */
	ck_assert(MISSES(m, 0, 1));
	ck_assert_uint_eq(m->finding.details.ids_total, 2147483646);
}

/* 30 masks, or 30 labels of a list. */
/* One cause, one finding: scaled-ids says where the classes are. */
TEST(missing_class_of_scaled_ids)
{
	struct measured *m = measured_new("4", NULL);
	size_t scaled = rule_index(rule_find("scaled-ids"));

	ck_assert(MISSES(m, 0, 85, 255)); /* that rule is off */
	m->settings.rules.levels[scaled] = LEVEL_ERROR;
	ck_assert(!MISSES(m, 0, 85, 170, 255));
	ck_assert(!MISSES(m, 0, 64, 128, 255));
	ck_assert(!MISSES(m, 0, 2, 6)); /* 2 is a class, and twice 1 */
	ck_assert(MISSES(m, 0, 2, 10)); /* 5 is none */
	ck_assert(MISSES(m, 0, 1, 255));
	ck_assert(MISSES(m, 0, 7, 8));
	ck_assert(MISSES(m, 0, 2)); /* nothing is out of range */
	m->settings.rules.levels[rule_index(rule_find("out-of-range-id"))] = LEVEL_ERROR;
	ck_assert(!MISSES(m, 0, 7, 8)); /* no class is there at all: their numbers are wrong */
	ck_assert(MISSES(m, 0, 1, 7));
	ck_assert(MISSES(m, 0, 2));
	m = measured_new("20", NULL);
	m->settings.rules.levels[scaled] = LEVEL_ERROR;
	ck_assert(!MISSES(m, 0, 13, 27, 255)); /* steps of 13.42: 13 is a class, and means 1 */
	ck_assert(MISSES(m, 0, 13, 28, 255));
}

TEST(missing_class_in_a_small_sample)
{
	struct measured *m = measured_new("3", NULL);
	struct dataset_stats masks, list;

	dataset_init(&masks);
	dataset_init(&list);
	measured_list(m, 0, 1, 0, 1, 0, 1);
	for (int i = 0; i < 29; i++)
		measured_add(m, &masks, false);
	ck_assert(measured_check_dataset(m, &rule_missing_class, &masks));
	ck_assert_int_eq(m->finding.level, LEVEL_INFO);
	measured_add(m, &masks, false);
	ck_assert(measured_check_dataset(m, &rule_missing_class, &masks));
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);

	m->sample.format = FORMAT_IDX;
	m->sample.array.rank = 1;
	m->stats.labels = 29;
	measured_add(m, &list, false);
	ck_assert(measured_check_dataset(m, &rule_missing_class, &list));
	ck_assert_int_eq(m->finding.level, LEVEL_INFO);
	m->stats.labels = 1;
	measured_add(m, &list, false);
	ck_assert(measured_check_dataset(m, &rule_missing_class, &list));
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
	dataset_release(&masks);
	dataset_release(&list);
}

/* That is one-based-ids. */
TEST(missing_class_is_not_the_zero_of_one_based_ids)
{
	struct measured *m = measured_new("3", NULL);

	ck_assert(!MISSES(m, 1, 2, 3));
	ck_assert(MISSES(m, 1, 3));
	ck_assert(MISSES(m, 1, 2));
	ck_assert(MISSES(m, 1, 2, 4));
}

TEST(missing_class_with_reduced_zero_label)
{
	struct measured *m = measured_new("3", NULL);

	measured_reduce_zero_label(m);
	ck_assert(!MISSES(m, 0, 1, 2, 3, 255));
	ck_assert(MISSES(m, 0, 1, 2));
	ck_assert_str_eq(m->finding.message.s, "class 2 has no label in 1 file");
}

TEST(missing_class_is_not_asked_without_ids)
{
	struct measured *m = measured_new("3", NULL);
	struct dataset_stats d;

	dataset_init(&d);
	m->sample.status = SAMPLE_FAILED;
	measured_add(m, &d, false);
	ck_assert(!measured_check_dataset(m, &rule_missing_class, &d));
	dataset_release(&d);
}

/* ---- interpolation ---------------------------------------------------------------------------------------------- */

enum { SIDE = 64 };

/* Discs of ids 0, 40, 80, 120; with_fringe: each border pixel becomes the mean of its neighbours, as linear resizing
 * does. */
static void discs(struct measured *m, bool with_fringe)
{
	static int64_t sharp[SIDE * SIDE], soft[SIDE * SIDE];

	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			int a = (x - 20) * (x - 20) + (y - 22) * (y - 22),
			    b = (x - 44) * (x - 44) + (y - 40) * (y - 40);

			sharp[y * SIDE + x] = a < 150 ? 40 : b < 200 ? 120 : (x + y) % SIDE < 6 ? 80 : 0;
		}
	}
	memcpy(soft, sharp, sizeof(sharp));
	for (int y = 1; with_fringe && y < SIDE - 1; y++)
		for (int x = 1; x < SIDE - 1; x++)
			soft[y * SIDE + x] =
				(2 * sharp[y * SIDE + x] + sharp[y * SIDE + x + 1] + sharp[(y + 1) * SIDE + x]) / 4;
	measured_ids(m, SIDE, SIDE, soft);
}

TEST(interpolated_mask)
{
	struct measured *m = measured_new("256", NULL);

	discs(m, true);
	ck_assert(measured_check(m, &rule_interpolated_mask));
	ck_assert_int_eq(m->finding.level, LEVEL_ERROR);
	assert_says(m->finding.message, "an id numerically between the classes on both sides");
	ck_assert_uint_gt(m->finding.details.pixels, 0);
	ck_assert_uint_gt(m->finding.details.ids_count, 3);
	ck_assert(!measured_check(m, &rule_suspected_interpolation));
	discs(m, false);
	ck_assert(!measured_check(m, &rule_interpolated_mask));
	ck_assert(!measured_check(m, &rule_suspected_interpolation));
	m->stats.neighbours = 0;
	ck_assert(!measured_check(m, &rule_interpolated_mask));
}

/* Cells of 1, 1 and 3 pixels in any ids: a photo whose palette numbers its colours in any order. It has one finding. */
TEST(photograph_is_not_interpolated)
{
	static const int cell_of[] = { 0, 1, 2, 2, 2 };
	static int64_t ids[SIDE * SIDE];
	struct measured *m = measured_new("256", NULL);
	struct dataset_stats d;

	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) {
			unsigned cell_x = (unsigned)(x / 5 * 3 + cell_of[x % 5]),
				 cell_y = (unsigned)(y / 5 * 3 + cell_of[y % 5]);

			ids[y * SIDE + x] = (cell_x * 2654435761u + cell_y * 2246822519u) >> 24;
		}
	measured_ids(m, SIDE, SIDE, ids);
	ck_assert(interpolation_tests(&m->stats, m->ids));
	ck_assert(measured_check(m, &rule_image_as_mask));
	ck_assert(!measured_check(m, &rule_interpolated_mask));
	ck_assert(!measured_check(m, &rule_suspected_interpolation));
	dataset_init(&d);
	for (int i = 0; i < 9; i++)
		measured_add(m, &d, false);
	ck_assert(!measured_check_dataset(m, &rule_interpolated_dataset, &d));
	ck_assert_uint_eq(d.informative_files, 0);
	dataset_release(&d);
}

TEST(interpolated_mask_names_the_worst_place)
{
	struct measured *m = measured_new("256", NULL);

	discs(m, true);
	m->stats.worst =
		(struct worst_place){ .key = (uint64_t)120 << 48 | (WORST_INDEX_MASK - (5 * SIDE + 7)) << 1 | 1,
				      .left = 0,
				      .id = 60,
				      .right = 120 };
	ck_assert(measured_check(m, &rule_interpolated_mask));
	assert_says(m->finding.message, "(worst: id 60 between 0 and 120 at x 7, y 5)");
	ck_assert_uint_eq(m->finding.details.first_x, 7);
	ck_assert_uint_eq(m->finding.details.first_y, 5);
}

TEST(interpolated_mask_says_the_likely_cause)
{
	struct measured *m = measured_new("256", NULL);

	discs(m, true);
	ck_assert(measured_check(m, &rule_interpolated_mask));
	assert_says(m->finding.advice, "likely cause: resized or warped with bilinear");
	assert_says(m->finding.advice, "cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST)");

	/* lone pixels of two ids that lie between nothing, and one of a region that does */
	measured_begin(m, 100, 100);
	m->stats.labels = 10000;
	m->stats.neighbours = 1;
	m->stats.max = 3;
	m->stats.ids_count = 0;
	for (int64_t id = 0; id < 4; id++)
		measured_row(m, id)->labels = 2500;
	for (int d = 0; d < 2; d++) {
		m->ids[1].lone[d] = 90;
		m->ids[2].lone[d] = 80 + (uint64_t)d;
		m->ids[3].lone[d] = m->ids[3].between[d] = 1;
		m->stats.edges[d] = 500;
	}
	ck_assert(measured_check(m, &rule_interpolated_mask));
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING); /* weak, so the set decides */
	ck_assert(m->finding.provisional);
	assert_says(m->finding.message,
		    "at least 172 lone pixels are of a different id from the classes on both sides");
	ck_assert_uint_eq(m->finding.details.pixels, 172);
	ck_assert_uint_eq(m->finding.details.ids_count, 3);
	ck_assert_uint_eq(m->finding.details.ids[1].labels, 81);
	assert_says(m->finding.advice, "likely cause: a colour-coded mask was resized");
}

/* One id alone in all gaps, and once elsewhere: 4 B > W + 40 is suspicion, and no more. */
static void one_id_in_gaps(struct measured *m, uint64_t between, uint64_t wide)
{
	measured_begin(m, 100, 100);
	m->stats.labels = 10000;
	m->stats.neighbours = 1;
	m->stats.max = 2;
	for (int64_t id = 0; id < 3; id++)
		measured_row(m, id)->labels = 3000;
	for (int d = 0; d < 2; d++) {
		m->ids[1].between[d] = m->ids[1].lone[d] = between;
		m->stats.wide_edges[d] = wide;
		m->stats.edges[d] = wide + 2 * between;
	}
	m->ids[1].thin = 2 * between;
	m->ids[1].labels = 2 * between + 1; /* not solid, no ghost */
	m->stats.between_pixels = between;
}

TEST(suspected_interpolation)
{
	struct measured *m = measured_new("3", NULL);

	one_id_in_gaps(m, 100, 359);
	ck_assert(measured_check(m, &rule_suspected_interpolation));
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
	assert_says(m->finding.message, "at least 100 one-pixel gaps hold");
	ck_assert(!measured_check(m, &rule_interpolated_mask));
	one_id_in_gaps(m, 100, 360); /* 400 > 400 no more */
	ck_assert(!measured_check(m, &rule_suspected_interpolation));
}

/* files informative ones of which flagged were flagged; gaps between and wide borders a direction in each. */
static bool set_damaged(struct measured *m, int files, int flagged, uint64_t between, uint64_t wide, bool one_id)
{
	struct dataset_stats d;

	dataset_init(&d);
	for (int i = 0; i < files; i++) {
		one_id_in_gaps(m, between, wide);
		if (!one_id)
			for (int line = 0; line < 2; line++) {
				m->ids[2].between[line] = between / 10;
				m->ids[1].between[line] = between - between / 10;
			}
		measured_add(m, &d, i < flagged);
	}
	bool fired = measured_check_dataset(m, &rule_interpolated_dataset, &d);

	dataset_release(&d);
	return fired;
}

TEST(interpolated_dataset_by_files)
{
	struct measured *m = measured_new("3", NULL);

	ck_assert(set_damaged(m, 8, 2, 0, 1000, true)); /* a quarter */
	ck_assert_int_eq(m->finding.level, LEVEL_ERROR);
	assert_says(m->finding.message, "2 of 8 files with enough borders to judge are damaged");
	ck_assert(!set_damaged(m, 9, 2, 0, 1000, true)); /* under a quarter */
	ck_assert(!set_damaged(m, 3, 1, 0, 1000, true)); /* a single file */
	ck_assert(!set_damaged(m, 8, 8, 0, 29, true));   /* too few borders to tell */
}

TEST(interpolated_dataset_pooled)
{
	struct measured *m = measured_new("3", NULL);

	/* 5 files: 600 / (600 + 4350 + 50) = 0.12 */
	ck_assert(set_damaged(m, 5, 0, 120, 870, false));
	ck_assert_int_eq(m->finding.level, LEVEL_ERROR);
	assert_says(m->finding.message, "over 5 files");
	assert_says(m->finding.message, "5 more files show weak signs of it, first mask.png");
	ck_assert(!set_damaged(m, 5, 0, 120, 871, false));
	ck_assert(!set_damaged(m, 4, 0, 120, 100, false)); /* too few files */
	ck_assert(set_damaged(m, 5, 0, 120, 870, true));   /* one id in all gaps */
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
	assert_says(m->finding.advice, "unless id 1 is a boundary class");
}

/* Gaps over 12 % of everything, but all in one file of eight: a quarter, two, must have some. */
TEST(interpolated_dataset_is_not_one_file)
{
	struct measured *m = measured_new("3", NULL);
	struct dataset_stats d;

	for (int damaged = 1; damaged <= 2; damaged++) {
		dataset_init(&d);
		for (int i = 0; i < 8; i++) {
			one_id_in_gaps(m, i < damaged ? 2000 : 0, 100);
			m->ids[2].between[0] = m->ids[2].between[1] = m->ids[1].between[0] / 10;
			measured_add(m, &d, i == 0);
		}
		ck_assert_int_eq(measured_check_dataset(m, &rule_interpolated_dataset, &d), damaged == 2);
		dataset_release(&d);
	}
}
