/* layout/sampling.h: the least hashes are kept, sorted, with what belongs to them. */
#include "check_main.h"

#include <stdlib.h>

#include "layout/sampling.h"
#include "random.h"

enum { MOST = 7, HASHES = 40 };

struct element {
	uint64_t hash;
	uint32_t number; /* of the hash, in the order in which they came */
};

static int compare(const void *a, const void *b)
{
	const struct element *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* After each hash, the sample is what sorting all of them gives. */
START_TEST(sample_has_the_least_hashes)
{
	uint64_t state = (uint64_t)_i + 1;
	struct element sample[MOST], all[HASHES], sorted[HASHES];
	unsigned count = 0;

	for (uint32_t n = 0; n < HASHES; n++) {
		all[n] = (struct element){ random_below(&state, 1 << 30), n };
		unsigned at = sample_insert(sample, sizeof(*sample), &count, MOST, all[n].hash);

		ck_assert_uint_le(at, MOST);
		if (at < MOST)
			sample[at].number = n;
		memcpy(sorted, all, (n + 1) * sizeof(*all));
		qsort(sorted, n + 1, sizeof(*sorted), compare);
		ck_assert_uint_eq(count, MIN(n + 1, (uint32_t)MOST));
		for (unsigned i = 0; i < count; i++) {
			ck_assert_uint_eq(sample[i].hash, sorted[i].hash);
			ck_assert_uint_eq(sample[i].number, sorted[i].number);
		}
	}
}
END_TEST

/* A hash has none of k bits in 1 of 2^k files, so that no more than a few are looked at. */
START_TEST(masks_have_as_many_bits_as_the_number)
{
	ck_assert_uint_eq(sample_mask(0), 0);
	ck_assert_uint_eq(sample_mask(1), 1);
	ck_assert_uint_eq(sample_mask(5), 7);
	ck_assert_uint_eq(look_mask(1023, true), 0);
	ck_assert_uint_eq(look_mask(4096, true), 7);
	ck_assert_uint_eq(look_mask(1, false), 63);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampling");
	TCase *t = tcase_create("sampling");

	tcase_add_loop_test(t, sample_has_the_least_hashes, 0, 50);
	tcase_add_test(t, masks_have_as_many_bits_as_the_number);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
