/*
 * A test file includes this, and has
 *
 *     TEST(name) { ... }               run by itself, in a process of its own
 *     TEST_EACH(name, count) { ... }   once for each _i from 0 to count - 1
 *     FIXTURE(set_up, tear_down)       before and after each test of the file; NULL: nothing
 *     TIMEOUT(seconds)                 that a test of the file may take, if not 4
 *
 * They register themselves, in the order of the file. check_main.c runs those of all files that are linked into the
 * program, or of those that its arguments name.
 */
#pragma once

#include <check.h>
#include <stdlib.h>

void check_add(const TTest *test, int count);
void check_fixture(const char *file, SFun set_up, SFun tear_down);
void check_timeout(const char *file, double seconds);

/*
 * To tell where a crash came from, Check writes a line to a file for each assertion that holds: millions in some tests.
 * Here it does so the first time that an assertion holds.
 */
void check_holds(const char *file, int line);
#define _mark_point check_holds /* NOLINT(bugprone-reserved-identifier): Check's */

#define CHECK_AT_START(name) __attribute__((constructor)) static void name(void)

#define TEST_EACH(name, count)                                                       \
	static void name(int _i);                                                    \
	CHECK_AT_START(name##_register)                                              \
	{                                                                            \
		static const TTest check_test = { #name, name, __FILE__, __LINE__ }; \
                                                                                     \
		check_add(&check_test, (int)(count));                                \
	}                                                                            \
	static void name(int _i CK_ATTRIBUTE_UNUSED)
#define TEST(name) TEST_EACH(name, 1)

#define FIXTURE(set_up, tear_down)                          \
	CHECK_AT_START(check_register_fixture)              \
	{                                                   \
		check_fixture(__FILE__, set_up, tear_down); \
	}
#define TIMEOUT(seconds)                          \
	CHECK_AT_START(check_register_timeout)    \
	{                                         \
		check_timeout(__FILE__, seconds); \
	}
