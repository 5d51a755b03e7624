/* find/names.h: what one walk has read of its folders, for the next one. */
#include "find/names.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "check_main.h"
#include "find_tree.h"

static struct listings listings;

static void enter(void)
{
	tree_enter();
	listings = (struct listings){ 0 };
	make_folder("a");
	make_folder("b");
	make_folder("empty");
	make_file("1");
	make_file("a/2");
	make_file("a/3");
	make_file("b/4");
	make_file("c");
}

static void leave(void)
{
	listings_release(&listings);
	tree_leave();
}

#define ALL_FILES "./1\n./a/2\n./a/3\n./b/4\n./c\n"

static void walk_and_leave(void)
{
	struct find_options o = options_here();

	o.leave_listings = &listings;
	find_and_expect(&o, ALL_FILES);
}

static void walk_and_take(const char *wanted)
{
	struct find_options o = options_here();

	o.take_listings = &listings;
	find_and_expect(&o, wanted);
}

/* A folder's own time of change is that of the file system's clock, which may stand still for some milliseconds. */
static void let_time_pass(const char *folder)
{
	struct stat before, now;

	ck_assert_int_eq(stat(folder, &before), 0);
	do {
		usleep(1000);
		ck_assert_int_eq(chmod(folder, 0755), 0);
		ck_assert_int_eq(stat(folder, &now), 0);
	} while (now.st_ctim.tv_sec == before.st_ctim.tv_sec && now.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
}

START_TEST(are_taken_once)
{
	walk_and_leave();
	ck_assert_uint_eq(listings.count, 3);
	ck_assert_uint_gt(listings.bytes, 0);
	walk_and_take(ALL_FILES);
	ck_assert_uint_eq(listings.bytes, 0);
	walk_and_take(ALL_FILES);
}
END_TEST

/* That it is the listing that is gone by, not the folder: a name in it that is in no folder. */
START_TEST(are_gone_by)
{
	walk_and_leave();
	for (size_t i = 0; i < listings.count; i++) {
		struct names *names = &listings.v[i].names;

		for (size_t k = 0; k < names->count; k++)
			if (!strcmp(names_text(names, &names->v[k]), "3"))
				names->bytes[names->v[k].at] = '5';
	}
	walk_and_take("./1\n./a/2\n./a/5\n./b/4\n./c\n");
}
END_TEST

START_TEST(of_changed_folders_are_not)
{
	walk_and_leave();
	let_time_pass("a");
	make_file("a/new");
	walk_and_take("./1\n./a/2\n./a/3\n./a/new\n./b/4\n./c\n");
	ck_assert_uint_gt(listings.bytes, 0); /* that of a/ is left */
}
END_TEST

START_TEST(of_filtered_walks_are_not)
{
	static const char *const glob[] = { "4" };
	struct find_options o = options_here();

	o.exclude = glob;
	o.exclude_count = 1;
	o.leave_listings = &listings;
	find_and_expect(&o, "./1\n./a/2\n./a/3\n./c\n");
	ck_assert_uint_eq(listings.count, 0);
	walk_and_leave();
	o.leave_listings = NULL;
	o.take_listings = &listings;
	find_and_expect(&o, "./1\n./a/2\n./a/3\n./c\n");
}
END_TEST

/* Folders that are gone, or new, are skipped; a search never goes on for long. */
START_TEST(are_found_in_order)
{
	enum { COUNT = LISTINGS_SEARCHED + 2 };
	struct folder_state folder = { { 1, 0 }, { 0, 0 } };
	struct names names;

	names = (struct names){ 0 };
	names_add(&names, "x", 1, NAME_FILE, 0);
	for (folder.id.inode = 0; folder.id.inode < COUNT; folder.id.inode++)
		listings_leave(&listings, &folder, &names, 0, 0);
	names_release(&names);
	ck_assert_ptr_null(listings_find(&listings, &folder));
	folder.id.inode = LISTINGS_SEARCHED;
	ck_assert_ptr_null(listings_find(&listings, &folder));
	folder.id.inode = 1;
	ck_assert_ptr_eq(listings_find(&listings, &folder), &listings.v[1]);
	folder.id.inode = 0;
	ck_assert_ptr_null(listings_find(&listings, &folder));
	folder.id.inode = COUNT - 1;
	ck_assert_ptr_eq(listings_find(&listings, &folder), &listings.v[COUNT - 1]);
}
END_TEST

/* A type that could not be found out may be found out the next time. */
START_TEST(of_failures_are_not)
{
	struct find_options o = options_here();
	size_t before;

	ck_assert_int_eq(symlink("nowhere", "b/dangling"), 0);
	o.follow = true;
	o.leave_listings = &listings;
	find_and_expect(&o, "./1\n./a/2\n./a/3\n./b/4\nlink-dangling: ./b/dangling\n./c\n");
	before = listings.count;
	ck_assert_uint_eq(before, 3);
	ck_assert_int_eq(unlink("b/dangling"), 0);
	ck_assert_int_eq(symlink("4", "b/dangling"), 0);
	o.leave_listings = NULL;
	o.take_listings = &listings;
	find_and_expect(&o, "./1\n./a/2\n./a/3\n./b/4\n./b/dangling\n./c\n");
}
END_TEST

/* The room for names, and the one for folders. */
START_TEST(are_bounded)
{
	struct folder_state folder = { { 1, 1 }, { 0, 0 } };
	struct names names;

	names = (struct names){ 0 };
	names_add(&names, "x", 1, NAME_FILE, 0);
	listings.bytes = LISTINGS_BYTES - sizeof(struct name) - 1;
	listings_leave(&listings, &folder, &names, 0, 0);
	ck_assert_uint_eq(listings.count, 0);
	listings.bytes--;
	listings_leave(&listings, &folder, &names, 0, 0);
	ck_assert_uint_eq(listings.count, 1);
	ck_assert_uint_eq(listings.bytes, LISTINGS_BYTES);
	listings.bytes = 0;
	for (unsigned i = 0; i < LISTINGS_MAX; i++)
		listings_leave(&listings, &folder, &names, 0, 0);
	ck_assert_uint_eq(listings.count, LISTINGS_MAX);
	names_release(&names);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("listings");
	TCase *walks = tcase_create("walks");

	tcase_add_checked_fixture(walks, enter, leave);
	tcase_add_test(walks, are_taken_once);
	tcase_add_test(walks, are_gone_by);
	tcase_add_test(walks, of_changed_folders_are_not);
	tcase_add_test(walks, are_found_in_order);
	tcase_add_test(walks, of_filtered_walks_are_not);
	tcase_add_test(walks, of_failures_are_not);
	tcase_add_test(walks, are_bounded);
	suite_add_tcase(s, walks);
	return s;
}

CHECK_MAIN(suite)
