/* Both searches of base/lower_bound.h against one that goes through the whole table and its comparisons. */
#include <stdlib.h>

#include "base/lower_bound.h"
#include "check_main.h"

enum { ENTRIES = 70, KEYS = 30 }; /* several times what is looked at nearby; keys stand in the table more than once */

struct entry {
	char text[4]; /* 5 bytes in all: no power of two */
	unsigned char key;
};

static bool is_before(const void *entry, const void *key)
{
	return ((const struct entry *)entry)->key < *(const unsigned char *)key;
}

static size_t first_not_before(const struct entry *v, size_t from, size_t count, unsigned char key)
{
	while (from < count && v[from].key < key)
		from++;
	return from;
}

TEST(both_find_the_first_that_is_not_before_the_key)
{
	for (size_t count = 0; count <= ENTRIES; count++) {
		struct entry *v = xcalloc(count, sizeof(*v));

		for (size_t i = 0; i < count; i++)
			v[i].key = (unsigned char)(1 + i * KEYS / ENTRIES);
		for (unsigned char key = 0; key <= KEYS + 1; key++) {
			size_t expected = first_not_before(v, 0, count, key);

			for (size_t from = 0; from <= expected; from++) {
				ck_assert_uint_eq(lower_bound(&key, v, from, count, sizeof(*v), is_before), expected);
				ck_assert_uint_eq(lower_bound_near(&key, v, from, count, sizeof(*v), is_before),
						  expected);
			}
		}
		free(v);
	}
}

TEST(numbers_are_compared_without_a_difference_that_overflows)
{
	const int64_t least = INT64_MIN, most = INT64_MAX, zero = 0;
	const uint64_t small = 1, large = UINT64_MAX;

	ck_assert_int_lt(compare_int64(&least, &most), 0);
	ck_assert_int_gt(compare_int64(&most, &least), 0);
	ck_assert_int_gt(compare_int64(&zero, &least), 0);
	ck_assert_int_eq(compare_int64(&least, &least), 0);
	ck_assert_int_lt(compare_uint64(&small, &large), 0);
	ck_assert_int_gt(compare_uint64(&large, &small), 0);
	ck_assert_int_eq(compare_uint64(&large, &large), 0);
}
