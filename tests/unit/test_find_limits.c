/* find/walk.c and find/work_unit.c where descriptors end, and folders lie deep. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"

#include "find_tree.h"

#include "find/walk.h"

/* ---- deep trees and few descriptors ------------------------------------------------------------------------------ */

/* depth folders below each other of name_len bytes each, in each a file before and one after the next folder. */
static void make_deep(unsigned depth, size_t name_len)
{
	char name[256];

	memset(name, 'm', name_len);
	name[name_len] = '\0';
	for (unsigned i = 0; i < depth; i++) {
		make_file("a");
		make_file("z");
		make_folder(name);
		ck_assert_int_eq(chdir(name), 0);
	}
	make_file("last");
	ck_assert_int_eq(chdir(tree_path), 0);
}

static void limit_descriptors(rlim_t n)
{
	struct rlimit limit = { n, n };

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* How many descriptors are in use: among the first thousand, which are given out first. */
static int descriptors_in_use(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) != -1;
	return count;
}

/* Four workers with few descriptors; and what lies too deep is named, and the rest is found. */
TEST(few_descriptors_and_many_levels)
{
	enum { UNITS = 4, FILES = 2 * WALK_DEPTH_MAX };
	struct find_options o = options_here();
	struct error err = ERROR_INIT;
	struct work_unit units[UNITS];
	struct found f = { 0 };
	size_t failed = 0;

	make_deep(WALK_DEPTH_MAX + 1, 100); /* paths below PATH_MAX, and over it */
	limit_descriptors(WALK_DEPTH_MAX + 32);
	for (size_t i = 0; i < UNITS; i++)
		work_unit_init(&units[i]);
	struct source *s = open_source(&o);

	/* each of four workers keeps its unit until its next turn */
	for (size_t turn = 0;; turn++) {
		struct work_unit *u = &units[turn % UNITS];

		work_unit_clear(u);
		ck_assert_msg(source_draw(s, u, 50, &err) == STATUS_OK, "%s", err.text);
		if (!u->count)
			break;
		found_add(&f, u);
	}
	source_close(s);
	for (size_t i = 0; i < UNITS; i++)
		work_unit_release(&units[i]);
	ck_assert_uint_eq(f.count, FILES + 1);
	found_expect_sorted(&f);
	for (size_t i = 0; i < f.count; i++) {
		failed += f.v[i].failed;
		ck_assert(!f.v[i].failed || !strcmp(f.v[i].fault, "lies more than 64 folders deep: not walked"));
	}
	ck_assert_uint_eq(failed, 1);
	found_release(&f);
}

/* A million folders must not become a million descriptors, however large the unit. */
TEST(a_unit_keeps_few_folders_open)
{
	enum { FOLDERS = 300 };
	struct find_options o = options_here();
	char name[32];

	for (unsigned i = 0; i < FOLDERS; i++) {
		snprintf(name, sizeof(name), "%03u", i);
		make_folder(name);
		snprintf(name, sizeof(name), "%03u/x", i);
		make_file(name);
	}
	struct source *s = open_source(&o);
	struct error err = ERROR_INIT;
	struct found f = { 0 };
	struct work_unit u;
	int before = descriptors_in_use();

	work_unit_init(&u);
	ck_assert_int_eq(source_draw(s, &u, 10000, &err), STATUS_OK);
	ck_assert_uint_eq(u.count, FOLDERS);
	ck_assert_int_le(descriptors_in_use() - before, 20);
	found_add(&f, &u);
	found_expect_opens(&f);
	found_release(&f);

	source_close(s); /* the unit outlives it */
	ck_assert(entry_opens(&u.entries[0]));
	work_unit_release(&u);
	ck_assert_int_le(descriptors_in_use(), before);
}

TIMEOUT(120)
FIXTURE(tree_enter, tree_leave)
