/* Rules about class folders: hidden-class-folder. Their sums: folder_totals in judge/dataset.h. */
#include "../unit/check_main.h"
#include "set.h"

extern const struct rule rule_hidden_class_folder, rule_background_off_by_one, rule_one_based_ids;

enum { TRAIN = 1, VAL = 2, BOTH = 3 };

static struct set new_set(const char *classes)
{
	struct set s = set_new(classes, NULL);

	folder_totals_name_root(&s.d->folders, 0, "d/train/");
	folder_totals_name_root(&s.d->folders, 1, "d/val/");
	folder_totals_add(&s.d->folders, "cat", BOTH, BOTH);
	folder_totals_add(&s.d->folders, "ape", BOTH, BOTH);
	return s;
}

static void says(struct set *s, const char *message)
{
	ck_assert_int_eq(set_check(s, &rule_hidden_class_folder), message != NULL);
	if (message)
		ck_assert_str_eq(s->m->finding.message.s, message);
}

TEST(silent)
{
	struct set s = new_set("2");

	says(&s, NULL);
	s = set_new("2", NULL); /* no ImageFolder */
	says(&s, NULL);
}

TEST(hidden)
{
	struct set s = new_set("3");

	folder_totals_add(&s.d->folders, "__MACOSX", BOTH, TRAIN);
	ck_assert(set_check(&s, &rule_hidden_class_folder));
	ck_assert_int_eq(s.m->finding.level, LEVEL_ERROR);
	says(&s, "the hidden folder train/__MACOSX is class 0 and shifts the ids after it; "
		 "the hidden folder val/__MACOSX is class 0 and shifts the ids after it");
	s = new_set("3");
	folder_totals_add(&s.d->folders, "b.cat", BOTH, BOTH); /* a dot elsewhere */
	says(&s, NULL);
	s = set_new("5", NULL); /* a single root needs no name; three are said */
	folder_totals_name_root(&s.d->folders, 0, "d/");
	folder_totals_add(&s.d->folders, "z", 1, 1);
	folder_totals_add(&s.d->folders, ".a", 1, 0);
	folder_totals_add(&s.d->folders, ".b", 1, 0);
	folder_totals_add(&s.d->folders, ".c", 1, 0);
	folder_totals_add(&s.d->folders, "__pycache__", 1, 0);
	says(&s, "the hidden folder .a is class 0 and shifts the ids after it; "
		 "the hidden folder .b is class 1 and shifts the ids after it; "
		 "the hidden folder .c is class 2 and shifts the ids after it; and 1 more of them");
}

TEST(empty)
{
	struct set s = new_set("3");

	folder_totals_add(&s.d->folders, "bee", BOTH, TRAIN);
	says(&s, "the class folder val/bee (id 1) holds no image");
	ck_assert_int_eq(s.m->finding.level, LEVEL_ERROR); /* torchvision stops */
}

TEST(numbers_and_differences)
{
	struct set s = new_set("1");

	says(&s, "there are 2 class folders in train/ for 1 class; there are 2 class folders in val/ for 1 class");
	s = new_set("0"); /* none are declared */
	says(&s, NULL);
	s = new_set("3");
	folder_totals_add(&s.d->folders, "bee", TRAIN, TRAIN);
	folder_totals_add(&s.d->folders, "cow", VAL, VAL);
	says(&s, "class 1 is 'bee' in train/, but 'cat' in val/; 'bee' is in train/ but not in val/; 'cow' is in val/ "
		 "but not in train/");
	ck_assert_int_eq(s.m->finding.level, LEVEL_ERROR);
	s = new_set("3");
	folder_totals_add(&s.d->folders, "dog", TRAIN, TRAIN); /* the last one: no other id changes */
	says(&s, "there are 2 class folders in val/ for 3 classes; 'dog' is in train/ but not in val/");
	ck_assert_int_eq(s.m->finding.level, LEVEL_WARNING);
	s = set_new("3", NULL); /* the roots are no splits */
	folder_totals_name_root(&s.d->folders, 0, "d/photos/");
	folder_totals_name_root(&s.d->folders, 1, "d/drawings/");
	folder_totals_add(&s.d->folders, "bee", BOTH, BOTH);
	folder_totals_add(&s.d->folders, "ape", TRAIN, TRAIN);
	folder_totals_add(&s.d->folders, "cat", VAL, VAL);
	folder_totals_add(&s.d->folders, "dog", BOTH, BOTH);
	says(&s, "'ape' is in photos/ but not in drawings/; 'cat' is in drawings/ but not in photos/");
	ck_assert_int_eq(s.m->finding.level, LEVEL_WARNING);
}

TEST(levels)
{
	struct set s = set_new("2", NULL);

	folder_totals_name_root(&s.d->folders, 0, "d/train/");
	folder_totals_name_root(&s.d->folders, 1, "d/val/data/");
	folder_totals_add(&s.d->folders, "cat", BOTH, BOTH);
	folder_totals_add(&s.d->folders, "ape", BOTH, BOTH);
	says(&s, "the class folders of val/data/ lie one level deeper than those of train/: a loader finds the one "
		 "class 'data'");
	ck_assert_int_eq(s.m->finding.level, LEVEL_ERROR);
	s = set_new("2", NULL); /* both are deeper, so this is how they are read */
	folder_totals_name_root(&s.d->folders, 0, "d/train/data/");
	folder_totals_name_root(&s.d->folders, 1, "d/val/data/");
	folder_totals_add(&s.d->folders, "cat", BOTH, BOTH);
	folder_totals_add(&s.d->folders, "ape", BOTH, BOTH);
	says(&s, NULL);
}

TEST(capitals)
{
	struct set s = new_set("3");

	folder_totals_add(&s.d->folders, "Cat", BOTH, BOTH);
	says(&s, "'Cat' and 'cat' are two classes");
	ck_assert_int_eq(s.m->finding.level, LEVEL_WARNING);
	s = new_set("4");
	folder_totals_add(&s.d->folders, "A", BOTH, BOTH); /* letters */
	folder_totals_add(&s.d->folders, "a", BOTH, BOTH);
	says(&s, NULL);
}

/* A hidden folder before all others leaves id 0 empty: the ids are shifted, not counted from 1. */
TEST(shifted_ids_are_not_one_based)
{
	struct set s = set_new("2", NULL);

	set_add(&s, 1, 2);
	ck_assert(set_check(&s, &rule_one_based_ids));
	folder_totals_name_root(&s.d->folders, 0, "d/");
	folder_totals_add(&s.d->folders, ".ipynb_checkpoints", 1, 0);
	ck_assert(!set_check(&s, &rule_one_based_ids));
}

/* A folder too many is no background; and shards, which see parts, add up. */
TEST(merging)
{
	struct set s = new_set("2");
	struct dataset_stats more;

	set_add(&s, 0, 1, 2);
	ck_assert(!set_check(&s, &rule_background_off_by_one));
	dataset_init(&more);
	folder_totals_name_root(&more.folders, 0, "d/train/");
	folder_totals_name_root(&more.folders, 1, "d/val/");
	folder_totals_add(&more.folders, "ape", BOTH, TRAIN);
	folder_totals_add(&more.folders, "bee", BOTH, VAL);
	folder_totals_add(&s.d->folders, "bee", BOTH, TRAIN);
	dataset_merge(s.d, &more);
	ck_assert_uint_eq(more.folders.count, 0);
	ck_assert_uint_eq(s.d->folders.count, 3);
	ck_assert_str_eq(s.d->folders.v[1].name, "bee");
	ck_assert_uint_eq(s.d->folders.v[1].filled, BOTH);
	folder_totals_release(&s.d->folders);
	ck_assert(set_check(&s, &rule_background_off_by_one)); /* of masks it is one */
}
