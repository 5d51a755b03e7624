/* Which paths stay beneath a folder. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/mem.h"
#include "check_main.h"

static char root[] = "/tmp/labelaudit-beneath-XXXXXX";
static int folder;

static void make_link(const char *target, const char *name)
{
	ck_assert_int_eq(symlinkat(target, folder, name), 0);
}

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(root));
	folder = open(root, O_PATH | O_DIRECTORY);
	ck_assert_int_ge(folder, 0);
	ck_assert_int_eq(mkdirat(folder, "a", 0700), 0);
	ck_assert_int_eq(mkdirat(folder, "a/b", 0700), 0);
	close(openat(folder, "a/b/file", O_CREAT | O_WRONLY, 0600));
	make_link("a/b/file", "to-file");
	make_link("../a/b", "a/to-b");
	make_link("..", "a/up");
	make_link("../..", "a/out");
	make_link("..", "parent");
	make_link("/etc", "absolute");
	make_link("to-file", "to-link");
	make_link("loop", "loop");
	make_link("missing", "dangling");
	make_link("../missing", "dangling-out");
	make_link("a/b/../../../x", "a-b-out");
	make_link("/proc/self/cwd", "magic");
}

static void teardown(void)
{
	char command[128];

	close(folder);
	snprintf(command, sizeof(command), "rm -r %s", root);
	ck_assert_int_eq(system(command), 0);
	memcpy(root + sizeof(root) - 7, "XXXXXX", 6);
}

static const struct {
	const char *path;
	bool beneath;
} cases[] = {
	{ "a", true },
	{ "a/b/file", true },
	{ "./a//b/./file", true },
	{ "a/..", true },
	{ "a/../a/b/../../a/b/file", true },
	{ "missing", true },
	{ "a/missing/x", true },
	{ "to-file", true },
	{ "to-link", true },
	{ "a/to-b/file", true },
	{ "a/up", true },
	{ "a/up/a/b/file", true },
	{ "dangling", true },
	{ "..", false },
	{ "../x", false },
	{ "a/../..", false },
	{ "a/b/../../../etc/passwd", false },
	{ "/", false },
	{ "/etc/passwd", false },
	{ "a/out", false },
	{ "a/out/x", false },
	{ "a/up/..", false },
	{ "parent/x", false },
	{ "absolute", false },
	{ "absolute/passwd", false },
	{ "loop", false },
	{ "loop/x", false },
	{ "dangling-out", false },
	{ "a-b-out", false },
	{ "magic", false },
};

TEST_EACH(stays_or_leads_out, ARRAY_SIZE(cases))
{
	ck_assert_msg(path_is_beneath(folder, cases[_i].path) == cases[_i].beneath, "%s", cases[_i].path);
}

/* A folder that is no longer there, and a name that no file system takes. */
TEST(nothing_is_there)
{
	char name[300];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert(path_is_beneath(folder, name));
	ck_assert(!path_is_beneath(-2, "a"));
}

FIXTURE(setup, teardown)
