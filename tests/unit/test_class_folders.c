/* layout/class_folders.h: which folders are classes, and of which class a file is. */
#include "layout/class_folders.h"

#include "check_main.h"
#include "find/member_folders.h"
#include "find_tree.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct class_folders folders;

/* With all folders above it. */
static void make_folders(const char *path)
{
	char part[64];

	for (size_t n = 1; path[n - 1]; n++) {
		if (path[n] && path[n] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		if (access(part, F_OK) < 0)
			make_folder(part);
	}
}

static bool search;

static void open_paths(const char *const *paths, size_t n)
{
	struct error err = ERROR_INIT;

	ck_assert_int_eq(class_folders_open(&folders, paths, n, NULL, search, &err), STATUS_OK);
}
#define OPEN(...) \
	open_paths((const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

/* wanted: each root's path and its folders, "a/: x y\n". */
static void expect(const char *wanted)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < folders.count; i++) {
		strbuf_addf(&text, "%s:", folders.roots[i].path);
		for (size_t k = 0; k < folders.roots[i].count; k++)
			strbuf_addf(&text, " %s", folders.roots[i].names[k]);
		strbuf_adds(&text, "\n");
	}
	ck_assert_str_eq(text.s, wanted);
	strbuf_release(&text);
	ck_assert(!folders.too_many);
	class_folders_release(&folders);
}

START_TEST(all_folders_in_order_of_bytes)
{
	make_folders("d/b");
	make_folders("d/B");
	make_folders("d/.ipynb_checkpoints");
	make_folders("d/b-1");
	make_folders("d/a/deeper");
	make_folders("d/\xc3\xa9");
	make_file("d/c");
	make_folders("elsewhere");
	ck_assert_int_eq(symlink("../elsewhere", "d/link"), 0);
	ck_assert_int_eq(symlink("../nowhere", "d/dead"), 0);
	OPEN("d//");
	expect("d/: .ipynb_checkpoints B a b b-1 link \xc3\xa9\n");
}
END_TEST

START_TEST(splits_are_roots)
{
	make_folders("d/train/x");
	make_folders("d/val/y");
	make_folders("d/extra/z");
	make_folders("coco/train/1");
	make_folders("coco/bus/1");
	make_folders("alone/test/z");
	make_folders("alone/.git");
	OPEN("d");
	expect("d/train/: x\nd/val/: y\n"); /* two splits: what lies beside them is no class */
	OPEN("coco");
	expect("coco/: bus train\n"); /* one name among others: a class */
	OPEN("alone");
	expect("alone/test/: z\n");
	OPEN("d/train", "d/val", "d", "-", "nowhere");
	expect("d/train/: x\nd/val/: y\n");
}
END_TEST

static void expect_class(const char *path, size_t below, unsigned root, uint32_t id)
{
	unsigned found_root = 99;
	uint32_t found_id = 99;

	ck_assert_msg(class_folders_find(&folders, path, below, NULL, &found_root, &found_id), "%s is in none", path);
	ck_assert_uint_eq(found_root, root);
	ck_assert_uint_eq(found_id, id);
}

static void expect_none(const char *path, size_t below)
{
	unsigned root;
	uint32_t id;

	ck_assert_msg(!class_folders_find(&folders, path, below, NULL, &root, &id), "%s is in class %u", path, id);
}

START_TEST(the_class_of_a_file)
{
	make_folders("d/train/a");
	make_folders("d/train/ab");
	make_folders("d/val/ab");
	OPEN("d");
	expect_class("d/train/a/1.jpg", 2, 0, 0);
	expect_class("d/train/ab/deep/er/1.jpg", 2, 0, 1);
	expect_class("d/val/ab/1.jpg", 2, 1, 0);
	expect_none("d/train/1.jpg", 2);
	expect_none("d/1.jpg", 2);
	expect_none("d/val/a/1.jpg", 2);
	expect_none("d/train/abc/1.jpg", 2);
	expect_none("d/train/a", 2);
	expect_none("d/train/a/1.jpg", 9); /* d/train/a/ was walked: its own folders would be the classes */
	class_folders_release(&folders);
}
END_TEST

START_TEST(deeper_folders_and_bare_splits)
{
	make_folders("d/set/data/train/b");
	make_folders("d/set/data/train/a");
	make_folders("d/set/data/.git");
	make_folders("d/set/data/test");
	make_folders("d/set/data/val/all");
	make_folders("d/one/x/y");
	make_file("d/set/data/test/1.jpg");
	make_file("d/one/x/y/1.jpg");
	OPEN("d/set");
	expect("d/set/: data\n");
	search = true;
	OPEN("d/set/");
	expect("d/set/data/train/: a b\n");
	OPEN("d/one");
	expect("d/one/x/y/:\n");
	/* an image beside the only folder is a plot where splits or several folders lie below, but not beside a class
	 */
	make_file("d/set/2.jpg");
	OPEN("d/set");
	expect("d/set/data/train/: a b\n");
	make_folders("d/pets/cat/small");
	make_file("d/pets/cat/1.jpg");
	make_file("d/pets/2.jpg");
	OPEN("d/pets");
	expect("d/pets/: cat\n");
	make_folders("d/deep/data/images/train/b");
	make_folders("d/deep/data/images/val/b");
	make_file("d/deep/2.jpg");
	OPEN("d/deep");
	expect("d/deep/data/images/train/: b\nd/deep/data/images/val/: b\n");
	/* folders of texts beside the one of the class folders */
	make_folders("d/food/images/apple");
	make_folders("d/food/images/beet");
	make_folders("d/food/meta/deep");
	make_file("d/food/meta/deep/1.txt");
	make_file("d/food/readme.txt");
	OPEN("d/food");
	expect("d/food/images/: apple beet\n");
	make_folders("d/food/other"); /* a class without images */
	OPEN("d/food");
	expect("d/food/: images meta other\n");
	make_folders("d/birds/cub/1");
	make_folders("d/birds/cub/2");
	make_folders("d/birds/more/1");
	make_file("d/birds/more/1/1.jpg");
	OPEN("d/birds");
	expect("d/birds/: cub more\n");
	make_folders("d/pair/cat");
	make_file("d/pair/cat/1.jpg");
	make_folders("d/pair/dog");
	make_file("d/pair/dog/1.txt");
	OPEN("d/pair");
	expect("d/pair/: cat dog\n");
	search = false;
}
END_TEST

START_TEST(folders_in_archives)
{
	const char *const paths[] = { "set.tar", "d" };
	struct member_folders packed = { 0 };
	struct error err = ERROR_INIT;
	unsigned root;
	uint32_t id;

	make_folders("d/x");
	make_file("set.tar");
	member_folders_add(&packed, "set.tar", "./pets/train/cat/1.jpg", true);
	member_folders_add(&packed, "set.tar", "./pets/train/.ipynb_checkpoints/", false);
	member_folders_add(&packed, "set.tar", "./pets/val/dog/deep/er/and/deeper/1.jpg", true);
	member_folders_add(&packed, "set.tar", "./pets/val/cat/1.jpg", true);
	member_folders_add(&packed, "set.tar", "./pets/test/1.jpg", true);
	member_folders_add(&packed, "set.tar", "./__MACOSX/x", false);
	member_folders_add(&packed, "d/b.zip", "ape/1.jpg", true);
	member_folders_add(&packed, "d/b.zip", "bee/", false);
	member_folders_add(&packed, "d/c.zip", "docs/readme.txt", false); /* without images: no root */
	ck_assert_uint_eq(member_folders_find(&packed, "set.tar/pets/cat", 16), NO_FOLDER);
	ck_assert_uint_eq(member_folders_find(&packed, "set.ta", 6), NO_FOLDER);
	ck_assert(packed.v[member_folders_find(&packed, "set.tar/pets/val/dog/deep/er/and", 32)].images_deeper);
	ck_assert_int_eq(class_folders_open(&folders, paths, 2, &packed, true, &err), STATUS_OK);
	ck_assert(class_folders_find(&folders, "set.tar", 0, "./pets/val/dog/2.jpg", &root, &id));
	ck_assert_str_eq(folders.roots[root].path, "set.tar/pets/val/");
	ck_assert(class_folders_find(&folders, "d/b.zip", 2, "bee/2.jpg", &root, &id));
	ck_assert_uint_eq(id, 1);
	ck_assert(!class_folders_find(&folders, "d/b.zip", 2, "fly/2.jpg", &root, &id));
	ck_assert(!class_folders_find(&folders, "d/b.zi", 2, "bee/2.jpg", &root, &id));
	ck_assert(!class_folders_find(&folders, "set.tar", 0, "pets/train/1.jpg", &root, &id));
	expect("set.tar/pets/train/: .ipynb_checkpoints cat\n"
	       "set.tar/pets/val/: cat dog\nd/b.zip/: ape bee\n");
	member_folders_release(&packed);
}
END_TEST

START_TEST(too_many_folders_in_archives)
{
	struct member_folders packed = { 0 };
	const char *const paths[] = { "." };
	struct error err = ERROR_INIT;
	char name[24];

	for (int i = 0; i < CLASS_FOLDERS_ALL; i++) {
		snprintf(name, sizeof(name), "%d/1.jpg", i);
		member_folders_add(&packed, "a.zip", name, true);
	}
	ck_assert(packed.too_many);
	ck_assert_int_eq(class_folders_open(&folders, paths, 1, &packed, true, &err), STATUS_OK);
	ck_assert(folders.too_many);
	class_folders_release(&folders);
	member_folders_release(&packed);
}
END_TEST

/* Makes n folders of n folders of a text below a path. */
static void make_texts(const char *path, int n)
{
	char name[64];

	for (int i = 0; i < n * n; i++) {
		snprintf(name, sizeof(name), "%s/%d/%d", path, i / n, i % n);
		make_folders(name);
		snprintf(name, sizeof(name), "%s/%d/%d/1.txt", path, i / n, i % n);
		make_file(name);
	}
}

START_TEST(a_budget_of_folders_to_look_into)
{
	search = true;
	make_folders("d/food/images/apple");
	make_folders("d/food/images/beet");
	make_texts("d/food/meta", 15); /* 241 folders */
	OPEN("d/food");
	expect("d/food/images/: apple beet\n");
	/* one budget for all folders of a root */
	make_texts("d/food/more", 15);
	OPEN("d/food");
	expect("d/food/: images meta more\n");
	search = false;
}
END_TEST

START_TEST(too_many)
{
	struct error err = ERROR_INIT;
	char names[CLASS_ROOTS_MAX + 1][16];
	const char *paths[CLASS_ROOTS_MAX + 1];

	for (int i = 0; i <= CLASS_ROOTS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "%d", i);
		make_folders(names[i]);
		paths[i] = names[i];
	}
	ck_assert_int_eq(class_folders_open(&folders, paths, CLASS_ROOTS_MAX, NULL, false, &err), STATUS_OK);
	ck_assert(!folders.too_many);
	class_folders_release(&folders);
	ck_assert_int_eq(class_folders_open(&folders, paths, CLASS_ROOTS_MAX + 1, NULL, false, &err), STATUS_OK);
	ck_assert(folders.too_many);
	class_folders_release(&folders);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("class_folders");
	TCase *t = tcase_create("class_folders");

	tcase_add_checked_fixture(t, tree_enter, tree_leave);
	tcase_add_test(t, all_folders_in_order_of_bytes);
	tcase_add_test(t, splits_are_roots);
	tcase_add_test(t, the_class_of_a_file);
	tcase_add_test(t, deeper_folders_and_bare_splits);
	tcase_add_test(t, folders_in_archives);
	tcase_add_test(t, too_many_folders_in_archives);
	tcase_add_test(t, a_budget_of_folders_to_look_into);
	tcase_add_test(t, too_many);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
