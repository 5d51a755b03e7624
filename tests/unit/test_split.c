/* find/split.h: splits by the names of folders, and by several folders that were typed. */
#include "find/split.h"

#include "check_main.h"
#include "find_tree.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void named(const char *path, unsigned split)
{
	ck_assert_msg(split_by_name(path, 0) == split, "%s: split %u, not %u", path, split_by_name(path, 0), split);
}

TEST(names)
{
	named("train/a.png", SPLIT_TRAIN);
	named("gtFine/val/frankfurt/a.png", SPLIT_VAL);
	named("annotations/Training/a.png", SPLIT_TRAIN);
	named("annotations/validation/a.png", SPLIT_VAL);
	named("train2017/a.png", SPLIT_TRAIN);
	named("CamVid/testannot/a.png", SPLIT_TEST);
	named("stage1_train/0a1b/masks/a.png", SPLIT_TRAIN);
	named("val-labels/a.png", SPLIT_VAL);
	named("labelsTr/a.png", SPLIT_TRAIN);
	named("labelsTs/a.png", SPLIT_TEST);
	named("test/train/a.png", SPLIT_TRAIN); /* the deepest */
	named("train//a.png", SPLIT_TRAIN);
	named("/train/a.png", SPLIT_TRAIN);
}

TEST(other_names)
{
	named("train.png", SPLIT_NONE);
	named("a/train", SPLIT_NONE); /* the file's own name */
	named("trainval/a.png", SPLIT_NONE);
	named("train_val/a.png", SPLIT_NONE);
	named("valley/a.png", SPLIT_NONE);
	named("testdata/a.png", SPLIT_NONE);
	named("gtFine_labelTrainIds/a.png", SPLIT_NONE);
	named("trains/a.png", SPLIT_NONE);
	named("trainxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/a.png", SPLIT_NONE);
	named("", SPLIT_NONE);
	named("/", SPLIT_NONE);
}

TEST(only_below_the_root)
{
	ck_assert_uint_eq(split_by_name("test/masks/a.png", strlen("test/")), SPLIT_NONE);
	ck_assert_uint_eq(split_by_name("test/masks/a.png", 0), SPLIT_TEST);
	ck_assert_uint_eq(split_by_name("test/val/a.png", strlen("test/")), SPLIT_VAL);
}

/* wanted: the split of each PATH, as digits; "" if the names tell. */
static void typed(const char *const *paths, size_t n, const char *wanted)
{
	struct splits s;

	splits_init(&s, &(struct find_options){ .paths = paths, .paths_count = n });
	ck_assert_int_eq(s.typed, *wanted != '\0');
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(s.of_path[i], *wanted ? (unsigned)(wanted[i] - '0') : 0);
		if (*wanted && wanted[i] != '0')
			ck_assert_ptr_nonnull(s.names[s.of_path[i]]);
	}
	if (!*wanted)
		ck_assert_str_eq(s.names[SPLIT_VAL], "val");
	splits_release(&s);
}
#define typed(wanted, ...) \
	typed((const char *const[]){ __VA_ARGS__ }, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), wanted)

TEST(typed_folders)
{
	make_folder("a");
	make_folder("a/b");
	make_folder("a/c");
	make_folder("ab");
	make_folder("d");
	make_file("f");
	ck_assert_int_eq(symlink("d", "link"), 0);
	typed("", "a");
	typed("", "a", "f");
	typed("12", "a", "d");
	typed("102", "a", "f", "ab");
	typed("012", "-", "a", "d/");
	typed("", "a", "a/", "./a"); /* one folder, three times */
	typed("", "a/b", "a");
	typed("", "d", "link");
	typed("112", "a/b", "a", "d");
	typed("1112", "a/b", "a/c", "a", "d"); /* two that turn out to be one */
	typed("1121", "a/b", "a/c", "d", "a");
	typed("1213", "a/b", "ab", "a", "d");
	typed("12111", "a/b", "d", "a/c", "a", "a/c");
}

TEST(names_as_typed)
{
	static const char *const paths[] = { "a/b", "d/", "a" };
	struct splits s;

	make_folder("a");
	make_folder("a/b");
	make_folder("d");
	splits_init(&s, &(struct find_options){ .paths = paths, .paths_count = 3 });
	ck_assert_str_eq(s.names[1], "a/b");
	ck_assert_str_eq(s.names[2], "d/");
	ck_assert_ptr_null(s.names[3]);
	splits_release(&s);
}

/* More folders than are distinguished are parts of one set. */
TEST(many_folders)
{
	static const char *const paths[] = { "1", "2", "3", "4", "5", "6", "7", "8" };
	struct splits s;

	for (size_t i = 0; i < SPLITS_MAX; i++)
		make_folder(paths[i]);
	splits_init(&s, &(struct find_options){ .paths = paths, .paths_count = SPLITS_MAX });
	ck_assert(!s.typed);
	splits_release(&s);
	splits_init(&s, &(struct find_options){ .paths = paths, .paths_count = SPLITS_MAX - 1 });
	ck_assert(s.typed);
	ck_assert_uint_eq(s.of_path[6], 7);
	splits_release(&s);
}

/* wanted: "path split" of each file, one a line. */
static void drawn(const struct find_options *o, const char *wanted)
{
	struct source *s = open_source(o);
	struct work_unit unit;
	struct error err = ERROR_INIT;
	char all[1024] = "";

	work_unit_init(&unit);
	do {
		work_unit_clear(&unit);
		ck_assert_int_eq(source_draw(s, &unit, 2, &err), STATUS_OK);
		for (size_t i = 0; i < unit.count; i++) {
			size_t n = strlen(all);

			snprintf(all + n, sizeof(all) - n, "%s %u\n", unit.entries[i].path,
				 source_split(s, &unit.entries[i]));
		}
	} while (unit.count);
	ck_assert_str_eq(all, wanted);
	work_unit_release(&unit);
	source_close(s);
}

TEST(of_entries)
{
	static const char *const one[] = { "test", "f" }, *const two[] = { "test/train", "f", "test/val" };
	struct find_options o = { .paths = one, .paths_count = 2 };

	make_folder("test");
	make_folder("test/train");
	make_folder("test/val");
	make_file("test/train/a");
	make_file("test/train/b");
	make_file("test/val/c");
	make_file("test/d");
	make_file("f");
	drawn(&o, "test/d 0\ntest/train/a 1\ntest/train/b 1\ntest/val/c 2\nf 0\n");
	o.paths = two;
	o.paths_count = 3;
	drawn(&o, "test/train/a 1\ntest/train/b 1\nf 0\ntest/val/c 2\n");
}

/* Paths in a list are judged by the whole path, and listed folders are no splits. */
TEST(of_listed_entries)
{
	struct find_options o = { .files_from = "list" };

	make_folder("val");
	make_folder("test");
	make_file("val/a");
	make_file("test/b");
	write_file("list", "val/a\ntest/b\n", 13);
	drawn(&o, "val/a 2\ntest/b 3\n");
}

FIXTURE(tree_enter, tree_leave)
