/*
 * Runs the suites of the test files that are linked into the program. Check prints the totals; the exit status is 0
 * only if every test passed.
 *
 * usage: PROGRAM [SUITE...]     test_glob or glob for the suite of test_glob.c; all suites without an argument
 */
#include "check_main.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SUITES_MAX = 256, TESTS_MAX = 2048, PLACES = 1 << 14 };

/* The tests of a file, which follow each other in `tests`. */
static struct suite {
	const char *file;
	SFun set_up, tear_down;
	double timeout; /* 0: Check's */
	unsigned first, count;
} suites[SUITES_MAX];
static unsigned suite_count;

static struct {
	const TTest *test;
	int times;
} tests[TESTS_MAX];
static unsigned test_count;

/* The constructors of a file run one after the other. */
static struct suite *suite_of(const char *file)
{
	if (suite_count && strcmp(suites[suite_count - 1].file, file) == 0)
		return &suites[suite_count - 1];
	if (suite_count == SUITES_MAX)
		abort();
	suites[suite_count] = (struct suite){ .file = file, .first = test_count };
	return &suites[suite_count++];
}

void check_add(const TTest *test, int count)
{
	if (test_count == TESTS_MAX)
		abort();
	suite_of(test->file)->count++;
	tests[test_count].test = test;
	tests[test_count++].times = count;
}

void check_fixture(const char *file, SFun set_up, SFun tear_down)
{
	suite_of(file)->set_up = set_up;
	suite_of(file)->tear_down = tear_down;
}

void check_timeout(const char *file, double seconds)
{
	suite_of(file)->timeout = seconds;
}

static Suite *make_suite(const struct suite *s)
{
	const char *base = strrchr(s->file, '/') ? strrchr(s->file, '/') + 1 : s->file;

	Suite *suite = suite_create(base);
	TCase *tcase = tcase_create(base);

	tcase_add_checked_fixture(tcase, s->set_up, s->tear_down);
	if (s->timeout > 0)
		tcase_set_timeout(tcase, s->timeout);
	for (unsigned i = s->first; i < s->first + s->count; i++)
		tcase_add_loop_test(tcase, tests[i].test, 0, tests[i].times);
	suite_add_tcase(suite, tcase);
	return suite;
}

static bool is_named(const char *file, const char *name)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	size_t n = strlen(name);

	if (strncmp(name, "test_", strlen("test_")) != 0)
		base += strlen("test_");
	return strncmp(base, name, n) == 0 && strcmp(base + n, ".c") == 0;
}

static void add_suites(SRunner *runner, const char *name)
{
	bool found = false;

	for (unsigned i = 0; i < suite_count; i++)
		if (!name || is_named(suites[i].file, name)) {
			srunner_add_suite(runner, make_suite(&suites[i]));
			found = true;
		}
	if (!found) {
		fprintf(stderr, "no suite is called %s\n", name ? name : "anything");
		exit(2);
	}
}

#undef _mark_point
void check_holds(const char *file, int line)
{
	static atomic_bool held[PLACES];

	if (!atomic_exchange_explicit(&held[((uintptr_t)file + (unsigned)line) % PLACES], true, memory_order_relaxed))
		_mark_point(file, line);
}

int main(int argc, char **argv)
{
	SRunner *runner = srunner_create(NULL);

	if (argc < 2)
		add_suites(runner, NULL);
	for (int i = 1; i < argc; i++)
		add_suites(runner, argv[i]);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);

	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
