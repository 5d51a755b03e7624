/* find/walk.c and find/work_unit.c where descriptors end, and folders move while they are walked. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"

#include "find_tree.h"

#include "base/mem.h"

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

TEST_EACH(few_descriptors, 2)
{
	enum { DEPTH = 150, UNITS = 4 };
	const rlim_t limits[] = { 32, 20 };
	struct find_options o = options_here();
	struct error err = ERROR_INIT;
	struct work_unit units[UNITS];
	struct found f = { 0 };

	make_deep(DEPTH, _i ? 5 : 100); /* with paths below PATH_MAX, and over it */
	limit_descriptors(limits[_i]);
	for (size_t i = 0; i < UNITS; i++)
		work_unit_init(&units[i]);
	int before = descriptors_in_use(), most = 0;
	struct source *s = open_source(&o);

	/* each of four workers keeps its unit until its next turn */
	for (size_t turn = 0;; turn++) {
		struct work_unit *u = &units[turn % UNITS];

		work_unit_clear(u);
		ck_assert_msg(source_draw(s, u, 50, &err) == STATUS_OK, "%s", err.text);
		if (!u->count)
			break;
		found_add(&f, u);
		most = MAX(most, descriptors_in_use());
	}
	source_close(s);
	for (size_t i = 0; i < UNITS; i++)
		work_unit_release(&units[i]);
	ck_assert_uint_eq(f.count, 2 * DEPTH + 1);
	found_expect_sorted(&f);
	found_expect_opens(&f);
	/* a half, and one of each unit where paths are long */
	ck_assert_int_le(most - before, (int)limits[_i] / 2 + UNITS);
	found_release(&f);
}

/* The rest of the process may need more than its half: the walk then makes do with less. */
TEST(descriptors_that_others_hold)
{
	enum { DEPTH = 40, LEFT = 6 };
	struct find_options o = options_here();

	make_deep(DEPTH, 5);
	limit_descriptors(64);
	while (fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0) >= 0)
		;
	for (int fd = 63; fd > 63 - LEFT; fd--)
		close(fd);
	struct found f = find_with(&o, 1);

	ck_assert_uint_eq(f.count, 2 * DEPTH + 1);
	found_expect_sorted(&f);
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

/* Draws up to the deepest file, so that all ancestors but a few are closed. */
static void draw_to_last(struct source *s, struct work_unit *u)
{
	struct error err = ERROR_INIT;

	do {
		work_unit_clear(u);
		ck_assert_int_eq(source_draw(s, u, 1, &err), STATUS_OK);
		ck_assert_uint_eq(u->count, 1);
	} while (strcmp(u->entries[0].name, "last") != 0);
}

/* The walk comes back by "..", or by names where that leads elsewhere; what it cannot find again it says. */
TEST_EACH(folders_that_move_meanwhile, 2)
{
	static const char *const roots[] = { "r" };
	struct find_options o = { .paths = roots, .paths_count = 1 };
	struct found f = { 0 };
	struct work_unit u;
	size_t failed = 0;

	make_folder("r");
	ck_assert_int_eq(chdir("r"), 0);
	for (unsigned i = 0; i < 20; i++) {
		make_file("a");
		make_file("z");
		make_folder("m");
		ck_assert_int_eq(chdir("m"), 0);
	}
	make_file("last");
	ck_assert_int_eq(chdir(tree_path), 0);
	limit_descriptors(16);
	work_unit_init(&u);
	struct source *s = open_source(&o);

	draw_to_last(s, &u);
	uint64_t u_last = u.number;

	work_unit_clear(&u);
	f.units_before = u_last + 1;
	ck_assert_int_eq(rename("r/m/m/m/m/m/m/m/m/m/m", "moved"), 0);
	if (_i) /* the parent of what was moved moves too: nothing leads there */
		ck_assert_int_eq(rename("r/m/m/m/m/m/m/m/m/m", "moved too"), 0);
	source_draw_all(s, 1, &f);
	source_close(s);
	work_unit_release(&u);

	/* 20 files z are to come, from the deepest one up; the tenth folder from the root is r/m*10, the ninth r/m*9 */
	for (size_t i = 0; i < f.count; i++)
		failed += f.v[i].failed;
	ck_assert_uint_eq(f.count, 20);
	ck_assert_uint_eq(failed, _i ? 1 : 0);
	if (_i) {
		ck_assert_str_eq(found_entry_of(&f, "r/m/m/m/m/m/m/m/m/m")->fault,
				 "cannot open the folder again: No such file or directory");
		found_entry_of(&f, "r/m/m/m/m/m/m/m/m/z");
	}
	found_release(&f);
}

TIMEOUT(120)
FIXTURE(tree_enter, tree_leave)
