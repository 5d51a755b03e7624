/* Tables of indices and sets of hashes: every element is found, also among equal hashes and after growing. */
#include "base/hash.h"
#include "base/table.h"
#include "check_main.h"

enum { COUNT = 5000 };

/* few: hashes of which many are equal, in the lower half or whole. */
static uint64_t hash_of(uint64_t id, bool few)
{
	return few ? id % 50 << 40 | id % 7 : hash_mix(id ^ hash_seed());
}

static uint32_t find(const struct table *t, const uint64_t *ids, uint64_t id, bool few)
{
	uint64_t hash = hash_of(id, few);
	uint32_t i;

	for (size_t at = table_start(t, hash); (i = table_next(t, hash, &at)) != TABLE_NONE;)
		if (ids[i] == id)
			return i;
	return TABLE_NONE;
}

TEST_EACH(indices, 2)
{
	static uint64_t ids[COUNT];
	struct table t = { 0 };
	bool few = _i;
	size_t count = few ? 500 : COUNT;

	ck_assert_uint_eq(find(&t, ids, 1, few), TABLE_NONE);
	for (size_t i = 0; i < count; i++) {
		ids[i] = i * i;
		ck_assert_uint_eq(find(&t, ids, ids[i], few), TABLE_NONE);
		table_add(&t, hash_of(ids[i], few), i);
	}
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(find(&t, ids, ids[i], few), i);
	ck_assert_uint_eq(find(&t, ids, 2, few), TABLE_NONE);
	ck_assert_uint_eq(t.count, count);
	ck_assert_uint_le(2 * t.count, t.cap);
	table_clear(&t);
	ck_assert_uint_eq(find(&t, ids, 4, few), TABLE_NONE);
	table_add(&t, hash_of(4, few), 2);
	ck_assert_uint_eq(find(&t, ids, 4, few), 2);
	table_release(&t);
	ck_assert_uint_eq(t.cap, 0);
}

TEST(hashes)
{
	struct hash_set s = { 0 };

	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < COUNT; i++)
			ck_assert_int_eq(hash_set_add(&s, i << 30), !round);
	ck_assert_uint_eq(s.count, COUNT);
	ck_assert(!hash_set_add(&s, 1)); /* 0 is taken for it */
	ck_assert_uint_le(2 * s.count, s.cap);
	hash_set_release(&s);
}
