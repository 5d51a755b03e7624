/*
 * For each test file: include this, write `static Suite *suite(void)`, and CHECK_MAIN(suite).
 * check_main.c runs the suites of all files that are linked into the program, or those that its arguments name.
 */
#pragma once

#include <check.h>
#include <stdlib.h>

/* Registers the suite of a file. Its name is that of the file, without directory and extension. */
void check_register(const char *file, Suite *(*make_suite)(void));

/*
 * To tell where a crash came from, Check writes a line to a file for each assertion that holds: millions in some tests.
 * Here it does so the first time that an assertion holds.
 */
void check_holds(const char *file, int line);
#define _mark_point check_holds /* NOLINT(bugprone-reserved-identifier): Check's */

#define CHECK_MAIN(make_suite)                                             \
	__attribute__((constructor)) static void register_this_suite(void) \
	{                                                                  \
		check_register(__FILE__, make_suite);                      \
	}
