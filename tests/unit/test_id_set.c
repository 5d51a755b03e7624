/* struct id_set against a plain list: every way an id is held, the limit, and ids made to collide. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"
#include "random.h"
#include "read/id_set.h"

enum { ROOM = 64 << 20 };

static struct id_set set;

static void renew(size_t bytes)
{
	id_set_release(&set);
	id_set_init(&set, bytes);
}

START_TEST(test_every_container)
{
	/* through few, array and bitmap, up and down; every id is new once and there ever after */
	static const uint64_t steps[] = { 1, 3, 32767, 40503, 65535 }; /* odd: each visits all of 2^16 */
	static const uint32_t counts[] = { 1, 4, 5, 8, 9, 4095, 4096, 4097, 65536 };

	for (size_t c = 0; c < ARRAY_SIZE(counts); c++)
		for (size_t k = 0; k < ARRAY_SIZE(steps); k++) {
			renew(ROOM);
			uint32_t news = 0, there = 0; /* an assertion is a system call */

			for (uint32_t i = 0; i < counts[c]; i++)
				news += id_set_add(&set, 0, 7 << 16 | (uint16_t)(i * steps[k])) == ID_SET_NEW;
			for (uint32_t i = 0; i < counts[c]; i++)
				there += id_set_add(&set, 0, 7 << 16 | (uint16_t)(i * steps[k])) == ID_SET_THERE;
			ck_assert_uint_eq(news, counts[c]);
			ck_assert_uint_eq(there, counts[c]);
			ck_assert_uint_eq(set.count, 1);
		}
}
END_TEST

START_TEST(test_values_apart)
{
	static const uint64_t ids[] = { 0,
					1,
					65535,
					65536,
					UINT32_MAX,
					UINT64_C(1) << 32,
					INT64_MAX,
					(uint64_t)INT64_MIN,
					UINT64_MAX,
					UINT64_C(9007199254740992),
					UINT64_C(9007199254740993) };

	renew(ROOM);
	for (unsigned tag = 0; tag < 4; tag++)
		for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
			ck_assert_int_eq(id_set_add(&set, tag, ids[i]), ID_SET_NEW);
	for (unsigned tag = 0; tag < 4; tag++)
		for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
			ck_assert_int_eq(id_set_add(&set, tag, ids[i]), ID_SET_THERE);
}
END_TEST

static int compare(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

START_TEST(test_random)
{
	enum { N = 200000 };
	uint64_t *ids = xmalloc(N * sizeof(*ids)), state = 1, news = 0, distinct = 0;

	renew(ROOM);
	for (size_t i = 0; i < N; i++) {
		ids[i] = random_next64(&state) >> (i % 3 == 0   ? 1
						   : i % 3 == 1 ? 40
								: 48); /* sparse, middling and dense */
		news += id_set_add(&set, 0, ids[i]) == ID_SET_NEW;
	}
	qsort(ids, N, sizeof(*ids), compare);
	for (size_t i = 0; i < N; i++)
		distinct += !i || ids[i] != ids[i - 1];
	ck_assert_uint_eq(news, distinct);
	free(ids);
}
END_TEST

/* Ids that are numbered through take a bit or two, in whatever order they come. */
START_TEST(test_many)
{
	enum { N = 4000000 };
	uint64_t news = 0;

	renew(ROOM);
	for (uint64_t i = 0; i < N; i++)
		news += id_set_add(&set, 0, i * 9999991 % N) == ID_SET_NEW;
	ck_assert_uint_eq(news, N);
	ck_assert_int_eq(id_set_add(&set, 0, N - 1), ID_SET_THERE);
	ck_assert_uint_lt(set.bytes, 1 << 20);
}
END_TEST

START_TEST(test_limit)
{
	uint64_t news = 0;

	renew(1 << 20);
	for (uint64_t i = 0; i < 100000; i++)
		news += id_set_add(&set, 0, i << 32) == ID_SET_NEW;
	ck_assert_uint_gt(news, 10000);
	ck_assert_uint_lt(news, 100000);
	ck_assert_uint_le(set.bytes, 1 << 20);
	ck_assert_int_eq(id_set_add(&set, 0, 0), ID_SET_THERE);
	ck_assert_int_eq(id_set_add(&set, 0, 1), ID_SET_NEW); /* its chunk is there */
	ck_assert_int_eq(id_set_add(&set, 0, UINT64_MAX), ID_SET_FULL);
	renew(0);
	ck_assert_int_eq(id_set_add(&set, 0, 1), ID_SET_FULL);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("id_set");
	TCase *t = tcase_create("id_set");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_every_container);
	tcase_add_test(t, test_values_apart);
	tcase_add_test(t, test_random);
	tcase_add_test(t, test_many);
	tcase_add_test(t, test_limit);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
