/* judge/finding.h, judge/wording.h, and rule_find. */
#include "base/mem.h"
#include "check_main.h"
#include "judge/finding_list.h"
#include "judge/rule.h"
#include "judge/wording.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/fault.h"

static struct finding f;

static const struct rule *some_rule(void)
{
	return rule_find("out-of-range-id");
}

TEST(rules_are_found)
{
	ck_assert_uint_gt(rule_count, 0);
	for (size_t i = 0; i < rule_count; i++) {
		ck_assert_ptr_eq(rule_find(rule_table[i]->name), rule_table[i]);
		ck_assert_uint_eq(rule_index(rule_table[i]), i);
		ck_assert(rule_applies(rule_table[i], ~0U) || rule_table[i]->check_dataset);
		ck_assert(i == 0 || strcmp(rule_table[i - 1]->name, rule_table[i]->name) < 0);
	}
	ck_assert_ptr_null(rule_find("no-such-rule"));
	ck_assert_ptr_null(rule_find(""));
	ck_assert_ptr_null(rule_find("zzz"));
}

/* Whatever the order, the 256 most frequent stay, the smaller id on ties, sorted by id. */
TEST(most_frequent_ids_are_kept)
{
	enum { N = 1000 };
	static struct finding forward, backward;

	finding_init(&forward, some_rule());
	finding_init(&backward, some_rule());
	for (int64_t i = 0; i < N; i++) {
		finding_add_id(&forward, i, (uint64_t)(i % 7));
		finding_add_id(&backward, N - 1 - i, (uint64_t)((N - 1 - i) % 7));
	}
	ck_assert_uint_eq(forward.details.ids_total, N);
	ck_assert_uint_eq(forward.details.ids_count, FINDING_IDS_MAX);
	ck_assert_mem_eq(forward.details.ids, backward.details.ids, sizeof(forward.details.ids));
	/* 142 ids of frequency 6 (all), 114 of 143 of frequency 5 */
	uint64_t six = 0, five = 0;

	for (size_t i = 0; i < FINDING_IDS_MAX; i++) {
		six += forward.details.ids[i].labels == 6;
		five += forward.details.ids[i].labels == 5;
		ck_assert(i == 0 || forward.details.ids[i - 1].id < forward.details.ids[i].id);
	}
	ck_assert_uint_eq(six, 142);
	ck_assert_uint_eq(five, 114);
}

static void add(struct finding_list *l, const char *path, const char *member, const char *rule, enum level level)
{
	finding_init(&f, rule_find(rule));
	f.level = level;
	text_addf(&f.message, "m");
	finding_list_add(l, &f, path, member);
}

TEST(ids_in_any_order)
{
	static const int64_t order[] = { 5, 1, 9, 3, 7, -2, 300, 4 };

	finding_init(&f, some_rule());
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		finding_add_id(&f, order[i], 1);
	ck_assert_uint_eq(f.details.ids_count, ARRAY_SIZE(order));
	for (size_t i = 1; i < f.details.ids_count; i++)
		ck_assert_int_lt(f.details.ids[i - 1].id, f.details.ids[i].id);
}

/* Warnings of the rule become errors. */
TEST(list_raises_what_was_provisional)
{
	const struct rule *rule = rule_find("interpolated-mask");
	struct finding_list l;

	finding_list_init(&l, 0);
	add(&l, "a", NULL, "interpolated-mask", LEVEL_WARNING);
	add(&l, "b", NULL, "interpolated-mask", LEVEL_WARNING);
	add(&l, "b", NULL, "edge-halo", LEVEL_WARNING);
	finding_list_raise(&l, rule, 0);
	ck_assert_uint_eq(l.by_level[LEVEL_WARNING], 3);
	finding_list_raise(&l, rule, 2);
	finding_list_finish(&l);
	ck_assert_uint_eq(l.by_level[LEVEL_ERROR], 2);
	ck_assert_uint_eq(l.by_level[LEVEL_WARNING], 1);
	ck_assert_int_eq(l.rule_worst[rule_index(rule)], LEVEL_ERROR);
	ck_assert_int_eq(l.v[0].level, LEVEL_ERROR);
	ck_assert_int_eq(l.v[1].level, LEVEL_WARNING); /* edge-halo of b */
	ck_assert_int_eq(l.v[2].level, LEVEL_ERROR);
	finding_list_raise(&l, rule, 7); /* a report that claims more than there are */
	ck_assert_uint_eq(l.by_level[LEVEL_WARNING], 0);
	finding_list_release(&l);
}

TEST(list_is_sorted)
{
	struct finding_list l;

	finding_list_init(&l, 0);
	add(&l, NULL, NULL, "missing-class", LEVEL_WARNING);
	add(&l, "b", NULL, "single-id", LEVEL_INFO);
	add(&l, "b", NULL, "out-of-range-id", LEVEL_ERROR);
	add(&l, "a", "y", "single-id", LEVEL_INFO);
	add(&l, "a", NULL, "single-id", LEVEL_INFO);
	add(&l, "\xff", NULL, "single-id", LEVEL_INFO);
	finding_list_finish(&l);
	ck_assert_uint_eq(l.count, 6);
	ck_assert_str_eq(l.v[0].path, "a");
	ck_assert_ptr_null(l.v[0].member);
	ck_assert_str_eq(l.v[1].member, "y");
	ck_assert_str_eq(l.v[2].rule->name, "out-of-range-id");
	ck_assert_str_eq(l.v[3].rule->name, "single-id");
	ck_assert_str_eq(l.v[4].path, "\xff");
	ck_assert_ptr_null(l.v[5].path);
	ck_assert_uint_eq(l.by_level[LEVEL_INFO], 4);
	ck_assert_uint_eq(l.by_level[LEVEL_WARNING], 1);
	ck_assert_uint_eq(l.by_level[LEVEL_ERROR], 1);
	ck_assert_uint_eq(l.by_rule[rule_index(rule_find("single-id"))], 4);
	ck_assert_int_eq(l.rule_worst[rule_index(rule_find("out-of-range-id"))], LEVEL_ERROR);
	finding_list_release(&l);
}

/* The ten that a sorted list begins with, however many came and in whatever order; counts stay exact. */
TEST(list_is_cut)
{
	struct finding_list l;
	char path[16];

	finding_list_init(&l, 10);
	for (int i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), "%03d", i * 7 % 1000);
		add(&l, path, NULL, "single-id", LEVEL_INFO);
		ck_assert_uint_le(l.count, 20);
	}
	finding_list_finish(&l);
	ck_assert_uint_eq(l.count, 10);
	ck_assert_uint_eq(l.total, 1000);
	ck_assert_uint_eq(l.by_level[LEVEL_INFO], 1000);
	for (int i = 0; i < 10; i++) {
		snprintf(path, sizeof(path), "%03d", i);
		ck_assert_str_eq(l.v[i].path, path);
	}
	finding_list_release(&l);
}

/* Paths of 32 MiB, without another limit: those that come first, in any order. */
TEST(list_is_cut_by_bytes)
{
	enum { FINDINGS = 9007, PATH = 9000, STEP = 4001 };
	size_t listed[2];
	char path[PATH + 1];

	for (unsigned way = 0; way < 2; way++) {
		struct finding_list l;

		finding_list_init(&l, 0);
		for (int i = 0; i < FINDINGS; i++) {
			int n = snprintf(path, sizeof(path), "%04d", way ? i * STEP % FINDINGS : FINDINGS - 1 - i);

			memset(path + n, 'x', PATH - (size_t)n);
			path[PATH] = '\0';
			add(&l, path, NULL, "single-id", LEVEL_INFO);
			ck_assert_uint_le(l.bytes, 2 * FINDINGS_BYTES_MAX);
		}
		finding_list_finish(&l);
		ck_assert_uint_le(l.bytes, FINDINGS_BYTES_MAX);
		ck_assert_uint_gt(l.bytes + PATH + 100, FINDINGS_BYTES_MAX);
		ck_assert_uint_eq(l.total, FINDINGS);
		for (size_t i = 0; i < l.count; i++)
			ck_assert_int_eq(atoi(l.v[i].path), (int)i);
		listed[way] = l.count;
		finding_list_release(&l);
	}
	ck_assert_uint_eq(listed[0], listed[1]);
}

/* Findings about the dataset name causes: they stay, and findings of files make room. */
TEST(dataset_findings_are_not_cut)
{
	struct finding_list l;
	char path[16];

	finding_list_init(&l, 5);
	for (int i = 0; i < 7; i++) {
		snprintf(path, sizeof(path), "%d", i);
		add(&l, path, NULL, "single-id", LEVEL_INFO);
	}
	add(&l, NULL, NULL, "missing-class", LEVEL_WARNING);
	add(&l, NULL, NULL, "loader-divergence", LEVEL_WARNING);
	finding_list_finish(&l);
	ck_assert_uint_eq(l.count, 5);
	ck_assert_uint_eq(l.total, 9);
	ck_assert_str_eq(l.v[0].path, "0");
	ck_assert_str_eq(l.v[2].path, "2");
	ck_assert_ptr_null(l.v[3].path);
	ck_assert_str_eq(l.v[3].rule->name, "loader-divergence");
	ck_assert_str_eq(l.v[4].rule->name, "missing-class");
	finding_list_release(&l);

	finding_list_init(&l, 1);
	add(&l, "0", NULL, "single-id", LEVEL_INFO);
	add(&l, NULL, NULL, "missing-class", LEVEL_WARNING);
	add(&l, NULL, NULL, "loader-divergence", LEVEL_WARNING);
	finding_list_finish(&l);
	ck_assert_uint_eq(l.count, 1);
	ck_assert_str_eq(l.v[0].rule->name, "loader-divergence");
	finding_list_release(&l);
}

TEST(details_are_kept)
{
	struct finding_list l;

	finding_list_init(&l, 5);
	finding_init(&f, some_rule());
	finding_list_add(&l, &f, "a", NULL);
	finding_add_id(&f, 21, 5120);
	finding_add_id(&f, 9, 1);
	text_addf(&f.details.map, "21 -> 20");
	f.details.offset = 33;
	finding_list_add(&l, &f, "b", NULL);
	finding_list_finish(&l);
	ck_assert_ptr_null(l.v[0].details);
	ck_assert_uint_eq(l.v[1].details->ids_count, 2);
	ck_assert_int_eq(l.v[1].details->ids[0].id, 9);
	ck_assert_uint_eq(l.v[1].details->ids[1].labels, 5120);
	ck_assert_str_eq(l.v[1].details->map.s, "21 -> 20");
	ck_assert_uint_eq(l.v[1].details->offset, 33);
	finding_list_release(&l);
}

/* ---- wording ---------------------------------------------------------------------------------------------------- */

TEST(shares)
{
	static const struct {
		uint64_t part, whole;
		const char *said;
	} cases[] = {
		{ 5120, 187500, " (2.7 %)" }, { 1, 2000, " (0.1 %)" }, { 1, 2001, " (under 0.1 %)" },
		{ 0, 7, " (0.0 %)" },         { 7, 7, " (100.0 %)" },  { 1, 0, "" },
		{ 1, 3, " (33.3 %)" },        { 2, 3, " (66.7 %)" },   { UINT64_MAX / 2, UINT64_MAX, " (50.0 %)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t = text_percent(cases[i].part, cases[i].whole);

		ck_assert_str_eq(t.s, cases[i].said);
	}
}

TEST(ranges)
{
	struct text t = text_ids((const int64_t[]){ -3, -2, 0, 1, 2, 7 }, 6);
	int64_t ids[40];

	ck_assert_str_eq(t.s, "-3 to -2, 0-2, 7");
	for (int i = 0; i < 40; i++)
		ids[i] = 2 * i;
	t = text_ids(ids, 12);
	ck_assert_str_eq(t.s, "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22");
	t = text_ids(ids, 40);
	ck_assert_str_eq(t.s, "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 28 more");
	t = text_ids((const int64_t[]){ INT64_MAX - 1, INT64_MAX }, 2);
	ck_assert_str_eq(t.s, "9223372036854775806-9223372036854775807");

	finding_init(&f, some_rule());
	finding_add_id(&f, 21, 1);
	t = text_finding_ids(&f);
	ck_assert_str_eq(t.s, "id 21");
	finding_add_id(&f, 22, 1);
	f.details.ids_total = 1000;
	t = text_finding_ids(&f);
	ck_assert_str_eq(t.s, "ids 21-22 and 998 more");
}

static void valid_ids_are(const char *classes, const char *ignore, bool reduced, const char *said)
{
	static struct settings settings;
	struct error err = ERROR_INIT;
	struct text t;

	class_set_init(&settings.classes);
	settings.reduce_zero_label = reduced;
	ck_assert_int_eq(class_set_parse_classes(&settings.classes, classes, &err), STATUS_OK);
	if (ignore)
		ck_assert_int_eq(class_set_parse_ignore(&settings.classes, ignore, &err), STATUS_OK);
	class_set_finish(&settings.classes);
	t = text_valid_ids(&settings);
	ck_assert_str_eq(t.s, said);
	class_set_release(&settings.classes);
}

TEST(valid_ids)
{
	valid_ids_are("21", "255", false, "valid ids are 0-20, ignored 255");
	valid_ids_are("0-18,33", NULL, false, "valid ids are 0-18, 33");
	valid_ids_are("0", NULL, false, "no id is valid");
	valid_ids_are("150", "255", true, "valid ids are 1-150, ignored 0, 255 (--reduce-zero-label)");
	valid_ids_are("256", NULL, true, "valid ids are 1-254, 256, ignored 0, 255 (--reduce-zero-label)");
}

TEST(places)
{
	struct extent p = EXTENT_INIT;
	const struct id_stats nowhere = { .id = 1, .first_index = NO_INDEX };
	const struct id_stats a = { .id = 7, .first_index = 105, .x0 = 5, .y0 = 1, .x1 = 9, .y1 = 4 };
	const struct id_stats b = { .id = 8, .first_index = 103, .x0 = 3, .y0 = 1, .x1 = 3, .y1 = 1 };

	struct sample sample = { .format = FORMAT_PNG, .png = { .width = 100, .height = 100 } };

	finding_init(&f, some_rule());
	extent_add(&p, &nowhere);
	finding_set_extent(&f, &p, &sample);
	ck_assert(!f.details.has_first && !f.details.has_bbox);
	extent_add(&p, &a);
	extent_add(&p, &b);
	finding_set_extent(&f, &p, &sample);
	ck_assert_int_eq(f.details.first_id, 8);
	ck_assert_uint_eq(f.details.first_x, 3);
	ck_assert_uint_eq(f.details.first_y, 1);
	ck_assert_uint_eq(f.details.bbox[0], 3);
	ck_assert_uint_eq(f.details.bbox[1], 1);
	ck_assert_uint_eq(f.details.bbox[2], 7);
	ck_assert_uint_eq(f.details.bbox[3], 4);
}

TEST(places_go_by_the_format)
{
	struct extent p = EXTENT_INIT;
	const struct id_stats cell = { .id = 7, .first_index = 2 * 15 + 4 * 3 + 1 };
	const struct id_stats word = { .id = 9, .first_index = PLACE_OF_TEXT(12, 34) };
	struct sample sample = { .format = FORMAT_IDX, .array = { .rank = 3, .shape = { 9, 5, 3 } } };

	finding_init(&f, some_rule());
	extent_add(&p, &cell);
	finding_set_extent(&f, &p, &sample);
	ck_assert_int_eq(f.details.first_kind, FIRST_INDEX);
	ck_assert_uint_eq(f.details.first_rank, 3);
	ck_assert_uint_eq(f.details.first_at[0], 2);
	ck_assert_uint_eq(f.details.first_at[1], 4);
	ck_assert_uint_eq(f.details.first_at[2], 1);
	ck_assert(!f.details.has_bbox);

	p = (struct extent)EXTENT_INIT;
	sample.format = FORMAT_NONE;
	extent_add(&p, &word);
	finding_set_extent(&f, &p, &sample);
	ck_assert_int_eq(f.details.first_kind, FIRST_LINE);
	ck_assert_uint_eq(f.details.first_y, 12);
	ck_assert_uint_eq(f.details.first_x, 34);
}
