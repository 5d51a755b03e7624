/* layout/class_folders.h: which folders are classes, and of which class a file is. */
#include "layout/class_folders.h"

#include "check_main.h"
#include "find_tree.h"
#include "layout/folder_table.h"

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

static void make_images(const char *folder)
{
	char path[64];

	make_folders(folder);
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%d.jpg", folder, i);
		make_file(path);
	}
}

static enum status open_declared(const struct find_options *find, struct error *err)
{
	static const struct settings settings = { .kind = KIND_IMAGEFOLDER };
	struct folder_table table;

	ck_assert_int_eq(folder_table_fill(&table, find, &settings, err), STATUS_OK);
	const enum status status = class_folders_open_declared(&folders, &table, err);

	folder_table_release(&table);
	return status;
}

static void open_paths(const char *const *paths, size_t n)
{
	const struct find_options find = { .paths = paths, .paths_count = n };
	struct error err = ERROR_INIT;

	ck_assert_int_eq(open_declared(&find, &err), STATUS_OK);
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

FIXTURE(tree_enter, tree_leave)

TEST(all_folders_in_order_of_bytes)
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

TEST(splits_are_roots)
{
	make_images("d/train/x");
	make_images("d/val/y");
	make_images("d/extra/z");
	make_images("coco/train/1");
	make_images("coco/bus/1");
	make_images("alone/test/z");
	make_folders("alone/.git");
	OPEN("d");
	expect("d/train/: x\nd/val/: y\n"); /* two splits: what lies beside them is no class */
	OPEN("coco");
	expect("coco/: bus train\n"); /* one name among others: a class */
	OPEN("alone");
	expect("alone/test/: z\n");
	OPEN("d/train", "d/val", "d", "-");
	expect("d/train/: x\nd/val/: y\n");
}

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

TEST(the_class_of_a_file)
{
	make_images("d/train/a");
	make_images("d/train/ab");
	make_images("d/val/ab");
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

/* Finds the roots below d/, as where nothing is declared. wanted: as expect()'s. */
static void expect_found(const char *wanted)
{
	const struct find_options find = { .paths = (const char *const[]){ "d/" }, .paths_count = 1 };
	const struct settings settings = { .kind = KIND_AUTO };
	struct folder_table table;
	struct error err = ERROR_INIT;

	folders.count = 0;
	ck_assert_int_eq(folder_table_fill(&table, &find, &settings, &err), STATUS_OK);
	class_folders_find_roots(&table, 0);
	ck_assert_int_eq(class_folders_open(&folders, &table, 0, &err), STATUS_OK);
	folder_table_release(&table);
	expect(wanted);
}

TEST(roots_are_found)
{
	make_images("d/set/data/train/a");
	expect_found("");
	make_images("d/set/data/train/b");
	make_folders("d/set/data/train/.empty");
	expect_found("d/set/data/train/: .empty a b\n");
	make_images("d/set/data/val/a");
	make_images("d/set/data/val/b");
	expect_found("d/set/data/train/: .empty a b\nd/set/data/val/: a b\n");
	/* folders of a class are none */
	make_images("d/set/data/train/a/large");
	make_images("d/set/data/train/b/large");
	make_images("d/set/data/train/b/small");
	make_images("d/set/data/train/c/large");
	make_images("d/set/data/train/c/small");
	expect_found("d/set/data/train/: .empty a b c\nd/set/data/val/: a b\n");
}

TEST(too_many)
{
	struct error err = ERROR_INIT;
	char names[CLASS_ROOTS_MAX + 1][16];
	const char *paths[CLASS_ROOTS_MAX + 1];
	struct find_options find = { .paths = paths, .paths_count = CLASS_ROOTS_MAX };

	for (int i = 0; i <= CLASS_ROOTS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "%d", i);
		make_folders(names[i]);
		paths[i] = names[i];
	}
	ck_assert_int_eq(open_declared(&find, &err), STATUS_OK);
	class_folders_release(&folders);
	find.paths_count++;
	ck_assert_int_eq(open_declared(&find, &err), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "more than 65536 class folders in a folder"));
}
