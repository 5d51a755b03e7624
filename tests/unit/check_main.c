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

enum { SUITES_MAX = 256, PLACES = 1 << 14 };

static struct {
	const char *file;
	Suite *(*make)(void);
} suites[SUITES_MAX];
static unsigned suite_count;

void check_register(const char *file, Suite *(*make_suite)(void))
{
	if (suite_count == SUITES_MAX)
		abort();
	suites[suite_count].file = file;
	suites[suite_count++].make = make_suite;
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
			srunner_add_suite(runner, suites[i].make());
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
