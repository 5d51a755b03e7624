/* Rules about what is there twice and what a split lacks: duplicate-mask, split-leak, split-drift. */
#include "../unit/check_main.h"
#include "set.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "read/name_table.h"

extern const struct rule rule_duplicate_mask, rule_split_leak, rule_split_drift, rule_class_names_differ,
	rule_guessed_label_column, rule_image_leak, rule_group_leak;

static struct set new_set(const char *classes, const char *ignore)
{
	struct set s = set_new(classes, ignore);

	dataset_name_split(s.d, 1, "train");
	dataset_name_split(s.d, 2, "val");
	dataset_name_split(s.d, 3, "test");
	return s;
}

/* ---- class-names-differ ----------------------------------------------------------------------------------------- */

/* Adds a list with these names; labels: the ids in the numbering of the list alone. */
#define add_names(s, names_, path_, ...)             \
	do {                                         \
		measured_list((s)->m, __VA_ARGS__);  \
		(s)->m->sample.names = (names_);     \
		(s)->m->sample.path = (path_);       \
		measured_add((s)->m, (s)->d, false); \
		(s)->m->sample.names = NULL;         \
	} while (0)

static struct list_names *new_names(size_t count, const char *const *words)
{
	struct list_names *names = xmalloc(sizeof(*names) + count * sizeof(names->at[0]));

	names->next = NULL;
	names->count = count;
	for (size_t i = 0; i < count; i++)
		names->at[i] = words[i];
	return names;
}

TEST(names_are_numbered_over_the_set)
{
	struct list_names *all = new_names(3, (const char *const[]){ "a", "b", "c" });
	struct list_names *some = new_names(2, (const char *const[]){ "b", "d" });
	struct set s = new_set("4", NULL);

	add_names(&s, some, "val.csv", 0, 1, 1);
	ck_assert(!set_check(&s, &rule_class_names_differ)); /* one list */
	add_names(&s, all, "train.csv", 0, 1, 2);
	dataset_number_names(s.d, &s.m->settings);
	ck_assert_uint_eq(dataset_id(s.d, 1)->labels, 2);
	ck_assert_uint_eq(dataset_id(s.d, 1)->files, 2);
	ck_assert_uint_eq(dataset_id(s.d, 3)->labels, 2);
	ck_assert(dataset_names_fit(s.d));
	ck_assert(set_check(&s, &rule_class_names_differ));
	ck_assert_str_eq(s.m->finding.message.s, "val lacks 2 of 3 class names of train: a, c; "
						 "train lacks 1 of 2 class names of val: d");
	ck_assert(set_check(&s, &rule_guessed_label_column));
	ck_assert_str_eq(s.m->finding.message.s, "class names of lists are numbered in byte order: a 0, b 1, c 2, d 3");
	ck_assert_str_eq(s.m->finding.details.map.s, "a 0, b 1, c 2, d 3");

	/* a part of which that was done is merged as if it was not */
	dataset_take_back_names(s.d);
	ck_assert_ptr_null(dataset_id(s.d, 0));
	ck_assert(!dataset_names_fit(s.d));
	free(all);
	free(some);
}

/* ---- duplicate-mask, split-leak --------------------------------------------------------------------------------- */

/* content: 0 for a file that has no key */
#define add_content(s, content_, split_, path_, ...)           \
	do {                                                   \
		measured_list((s)->m, __VA_ARGS__);            \
		(s)->m->stats.content[0] = (content_);         \
		(s)->m->stats.content[1] = (content_) ? 9 : 0; \
		(s)->m->sample.split = (uint8_t)(split_);      \
		(s)->m->sample.path = (path_);                 \
		measured_add((s)->m, (s)->d, false);           \
	} while (0)

TEST(duplicate_mask)
{
	struct set s = new_set("3", "255");

	ck_assert(!set_check(&s, &rule_duplicate_mask));
	add_content(&s, 1, 0, "a.png", 0, 1);
	add_content(&s, 2, 0, "b.png", 0, 2);
	ck_assert(!set_check(&s, &rule_duplicate_mask));
	add_content(&s, 2, 0, "d.png", 0, 2);
	ck_assert(set_check(&s, &rule_duplicate_mask));
	ck_assert_str_eq(s.m->finding.message.s,
			 "1 mask occurs more than once, in 2 files: b.png and d.png are the same");
	add_content(&s, 2, 0, "c.png", 0, 2);
	add_content(&s, 1, 0, "e.png", 0, 1);
	ck_assert(set_check(&s, &rule_duplicate_mask));
	ck_assert_str_eq(s.m->finding.message.s,
			 "2 masks occur more than once, in 5 files: a.png and e.png are the same");
	ck_assert(!set_check(&s, &rule_split_leak)); /* no splits */
}

TEST(blank_masks_are_no_duplicates)
{
	struct set s = new_set("3", "255");

	for (int i = 0; i < 2; i++) {
		const char *path = i ? "a.png" : "b.png";

		add_content(&s, 1, 1 + i, path, 0, 0);
		add_content(&s, 2, 1 + i, path, 1, 255); /* blank but for a border */
		add_content(&s, 3, 1 + i, path, 255, 255);
		add_content(&s, 0, 1 + i, path, 0, 1); /* not known */
	}
	ck_assert(!set_check(&s, &rule_duplicate_mask));
	ck_assert(!set_check(&s, &rule_split_leak));
	add_content(&s, 4, 1, "a.png", 0, 1, 255);
	add_content(&s, 4, 1, "b.png", 0, 1, 255);
	ck_assert(set_check(&s, &rule_duplicate_mask));
}

TEST(split_leak)
{
	struct set s = new_set("3", NULL);

	add_content(&s, 1, 1, "train/a.png", 0, 1);
	add_content(&s, 2, 1, "train/b.png", 0, 2);
	add_content(&s, 3, 2, "val/a.png", 0, 2);
	ck_assert(!set_check(&s, &rule_split_leak));
	add_content(&s, 2, 2, "val/c.png", 0, 2);
	ck_assert(set_check(&s, &rule_split_leak));
	ck_assert_str_eq(s.m->finding.message.s,
			 "1 mask is in more than one of train, val: train/b.png and val/c.png are the same");
	ck_assert(!set_check(&s, &rule_duplicate_mask)); /* one cause, one finding */
	add_content(&s, 2, 0, "all/b.png", 0, 2);
	ck_assert(set_check(&s, &rule_split_leak));
	assert_says(s.m->finding.message, "train/b.png and val/c.png are the same");
	ck_assert(set_check(&s, &rule_duplicate_mask));
	assert_says(s.m->finding.message, "in 3 files: all/b.png and train/b.png are the same");
}

TEST(image_leak)
{
	static const uint64_t same[] = { 5, 6 }, other[] = { 5, 7 };
	struct set s = new_set("3", NULL);

	dataset_add_image(s.d, same, 1, "train/a.jpg");
	dataset_add_image(s.d, same, 1, "train/b.jpg");
	dataset_add_image(s.d, other, 2, "val/a.jpg");
	ck_assert(!set_check(&s, &rule_image_leak));
	dataset_add_image(s.d, same, 2, "val/c.jpg");
	ck_assert(set_check(&s, &rule_image_leak));
	ck_assert_str_eq(s.m->finding.message.s,
			 "1 image is in more than one of train, val: train/a.jpg and val/c.jpg are the same");
	ck_assert(!set_check(&s, &rule_split_leak));
}

TEST(group_leak)
{
	struct error err = ERROR_INIT;
	struct group_pattern *group = group_pattern_compile("group", "p(\\d+)", &err);
	struct set s = new_set("3", NULL);

	ck_assert_ptr_nonnull(group);
	s.m->settings.group = group;
	add_content(&s, 1, 1, "train/p1_a.png", 0, 1);
	add_content(&s, 2, 1, "train/p1_b.png", 0, 1);
	add_content(&s, 3, 2, "val/p11.png", 0, 1);
	add_content(&s, 4, 2, "val/x.png", 0, 1);
	add_content(&s, 5, 1, "train/x.png", 0, 1);
	ck_assert(!set_check(&s, &rule_group_leak));
	add_content(&s, 6, 2, "val/p1_c.png", 0, 1);
	ck_assert(set_check(&s, &rule_group_leak));
	ck_assert_str_eq(s.m->finding.message.s,
			 "1 group is in more than one of train, val: train/p1_a.png and val/p1_c.png are of one group");
	group_pattern_free(group);
}

/* Twice in one split, or in one split and in a folder that is none: repeated, but nothing leaks. */
TEST(within_a_split_nothing_leaks)
{
	struct set s = new_set("3", NULL);

	add_content(&s, 1, 1, "train/a.png", 0, 1);
	add_content(&s, 1, 1, "train/b.png", 0, 1);
	ck_assert(!set_check(&s, &rule_split_leak));
	ck_assert(set_check(&s, &rule_duplicate_mask));
	s = new_set("3", NULL);
	add_content(&s, 1, 1, "train/a.png", 0, 1);
	add_content(&s, 1, 0, "raw/a.png", 0, 1);
	ck_assert(!set_check(&s, &rule_split_leak));
	ck_assert(set_check(&s, &rule_duplicate_mask));
}

TEST(a_part_was_compared)
{
	struct set s = new_set("3", NULL);
	size_t kept = 0;

	for (uint64_t i = 1; i <= 64; i++) {
		add_content(&s, i, 1, "train/a.png", 0, 1);
		add_content(&s, i, 1, "train/b.png", 0, 1);
		add_content(&s, i, 2, "val/a.png", 0, 1);
	}
	content_table_limit(s.d->contents[CONTENT_MASKS], UINT64_MAX >> 2);
	kept = s.d->contents[CONTENT_MASKS]->count;
	ck_assert_uint_gt(kept, 1);
	ck_assert(set_check(&s, &rule_split_leak));
	assert_says(s.m->finding.message, "at least ");
	assert_says(s.m->finding.message, "train/a.png and val/a.png are the same (1 in 4 masks was compared)");
	ck_assert_uint_eq(strtoul(s.m->finding.message.s + strlen("at least "), NULL, 10), kept);
	ck_assert(set_check(&s, &rule_duplicate_mask));
	assert_says(s.m->finding.message, "at least ");
	assert_says(s.m->finding.message, "(1 in 4 masks was compared)");
}

/* ---- split-drift ------------------------------------------------------------------------------------------------ */

/* n files of that split; the ids are 0 and those given. */
#define add_files(s, split_, n, ...)                         \
	do {                                                 \
		measured_list((s)->m, 0, __VA_ARGS__);       \
		(s)->m->sample.split = (uint8_t)(split_);    \
		for (int file = 0; file < (n); file++)       \
			measured_add((s)->m, (s)->d, false); \
	} while (0)

TEST(split_drift)
{
	struct set s = new_set("4", "255");

	add_files(&s, 1, 60, 1, 255);
	add_files(&s, 1, 20, 1, 2); /* a quarter: 5 of 20 */
	add_files(&s, 2, 19, 1);
	ck_assert(!set_check(&s, &rule_split_drift));
	add_files(&s, 2, 1, 1);
	ck_assert(set_check(&s, &rule_split_drift));
	ck_assert_str_eq(s.m->finding.message.s, "class 2 is in 20 of 80 files of train but in none of 20 of val");
	ck_assert_uint_eq(s.m->finding.details.ids_total, 1);
	ck_assert_int_eq(s.m->finding.details.ids[0].id, 2);
	add_files(&s, 1, 1, 1); /* 20 of 81 */
	ck_assert(!set_check(&s, &rule_split_drift));
}

TEST(split_drift_by_name)
{
	struct set s = new_set("4", NULL);

	class_set_name(&s.m->settings.classes, 2, "cat");
	class_set_finish(&s.m->settings.classes);
	add_files(&s, 1, 20, 1, 2);
	add_files(&s, 2, 20, 1);
	ck_assert(set_check(&s, &rule_split_drift));
	ck_assert_str_eq(s.m->finding.message.s,
			 "class 2 (cat) is in 20 of 20 files of train but in none of 20 of val");
}

TEST(split_drift_needs_files_with_the_class)
{
	struct set s = new_set("4", NULL);

	add_files(&s, 1, 20, 1);
	add_files(&s, 1, 4, 1, 3);
	add_files(&s, 2, 500, 1);
	ck_assert(!set_check(&s, &rule_split_drift));
	add_files(&s, 1, 1, 1, 3);
	ck_assert(set_check(&s, &rule_split_drift));
	ck_assert_str_eq(s.m->finding.message.s, "class 3 is in 5 of 25 files of train but in none of 500 of val");
}

/* However few files it has: it is never learned. */
TEST(class_that_train_lacks)
{
	struct set s = new_set("4", NULL);

	class_set_name(&s.m->settings.classes, 3, "cat");
	add_files(&s, 1, 3, 1, 2);
	add_files(&s, 2, 1, 1, 2);
	ck_assert(!set_check(&s, &rule_split_drift));
	add_files(&s, 2, 1, 1, 3);
	ck_assert(set_check(&s, &rule_split_drift));
	ck_assert_str_eq(s.m->finding.message.s, "class 3 (cat) is in 1 file of val but in none of train");
	ck_assert_int_eq(s.m->finding.details.ids[0].id, 3);
	add_files(&s, 1, 1, 3);
	ck_assert(!set_check(&s, &rule_split_drift));
	s = new_set("4", NULL); /* no split of training, or one without labels */
	add_files(&s, 2, 3, 1, 2);
	add_files(&s, 3, 3, 1, 3);
	ck_assert(!set_check(&s, &rule_split_drift));
}

TEST(split_drift_of_several)
{
	struct set s = new_set("9", NULL);

	add_files(&s, 1, 40, 1, 2, 3, 4, 5);
	add_files(&s, 2, 30, 1, 2);
	add_files(&s, 3, 30, 1, 2, 3);
	ck_assert(set_check(&s, &rule_split_drift));
	ck_assert_str_eq(s.m->finding.message.s,
			 "class 3 is in 70 of 70 files of train, test but in none of 30 of val; "
			 "class 4 is in 40 of 70 files of train, test but in none of 30 of val; "
			 "class 4 is in 40 of 70 files of train, val but in none of 30 of test; and 2 more");
	ck_assert_uint_eq(s.m->finding.details.ids_total, 3);
}

/* A test set whose labels were kept back, or that are all of one class in its stead. */
TEST(unlabelled_splits_are_silent)
{
	struct set s = new_set("4", "255");

	add_files(&s, 1, 100, 1, 2, 3);
	add_files(&s, 2, 100, 255);
	measured_list(s.m, 1);
	s.m->sample.split = 3;
	for (int i = 0; i < 100; i++)
		measured_add(s.m, s.d, false);
	ck_assert(!set_check(&s, &rule_split_drift));
	add_files(&s, 3, 1, 1); /* 0 and 1: labelled after all */
	ck_assert(set_check(&s, &rule_split_drift));
}

TEST(instances_do_not_drift)
{
	struct set s = new_set("0-255", NULL);

	for (int n = 0; n < 30; n++) {
		add_files(&s, 1, 5, 1, 2, 3, 4, 5, 6, 7, 8);
		add_files(&s, 1, 5, 1, 2, 3);
		add_files(&s, 2, 5, 1, 2, 3);
	}
	ck_assert(!set_check(&s, &rule_split_drift));
	add_files(&s, 1, 500, 8); /* not rarer than 7: a class */
	ck_assert(set_check(&s, &rule_split_drift));
}

/* Files of no split count for none, and the rest of the file's class list does not matter. */
TEST(outside_of_splits)
{
	struct set s = new_set("3", NULL);

	add_files(&s, 1, 100, 1);
	add_files(&s, 0, 100, 1, 2);
	add_files(&s, 2, 100, 1, 7);
	ck_assert(!set_check(&s, &rule_split_drift));
}

TEST(split_drift_of_merged_parts)
{
	struct set s = new_set("9", NULL);
	struct dataset_stats part;

	add_files(&s, 1, 40, 1, 5);
	part = *s.d;
	dataset_init(s.d);
	add_files(&s, 2, 30, 1, 3);
	dataset_merge(s.d, &part); /* with the names */
	ck_assert(set_check(&s, &rule_split_drift));
	ck_assert_str_eq(s.m->finding.message.s, "class 3 is in 30 files of val but in none of train; "
						 "class 5 is in 40 of 40 files of train but in none of 30 of val");
}

/* If there are more classes than are counted, the first stay, whatever the order. */
TEST(classes_are_bounded)
{
	struct split_totals up = { 0 }, down = { 0 };

	for (int64_t id = 0; id < SPLIT_IDS_MAX + 10; id++) {
		struct split_total *u = split_totals_entry(&up, id);
		struct split_total *d = split_totals_entry(&down, SPLIT_IDS_MAX + 9 - id);

		ck_assert_int_eq(u != NULL, id < SPLIT_IDS_MAX);
		ck_assert_ptr_nonnull(d);
		d->files[1] = (uint64_t)d->id;
	}
	split_totals_merge(&up, &down);
	ck_assert_uint_eq(up.count, SPLIT_IDS_MAX);
	for (size_t i = 0; i < up.count; i++) {
		ck_assert_int_eq(up.v[i].id, (int64_t)i);
		ck_assert_uint_eq(up.v[i].files[1], i);
	}
	split_totals_release(&up);
}
