/*
 * For each program in tests/unit: include this, write `static Suite *suite(void)`, and CHECK_MAIN(suite).
 * The exit status is 0 only if every test passed; Check prints the totals.
 */
#ifndef TESTS_CHECK_MAIN_H
#define TESTS_CHECK_MAIN_H

#include <check.h>
#include <stdlib.h>

#define CHECK_MAIN(make_suite)                                  \
	int main(void)                                          \
	{                                                       \
		SRunner *runner = srunner_create(make_suite()); \
                                                                \
		srunner_run_all(runner, CK_NORMAL);             \
		int failed = srunner_ntests_failed(runner);     \
                                                                \
		srunner_free(runner);                           \
		return failed ? EXIT_FAILURE : EXIT_SUCCESS;    \
	}

#endif
