/* report/extent.h: what reaches no further than it did; base/relative_path.h and base/key_set.h beside it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/relative_path.h"
#include "check_main.h"
#include "judge/rule.h"
#include "report/extent.h"

static struct finding f;

/* The extent of a finding with ids [0, ids), whose labels add up to `labels`, and keys [first_key, last_key). */
static struct extent make(struct extent_lists *lists, enum level level, int64_t ids, uint64_t labels,
			  uint64_t first_key, uint64_t last_key)
{
	finding_init(&f, rule_table[0]);
	f.level = level;
	for (int64_t id = 0; id < ids; id++)
		finding_add_id(&f, id - 2, id ? 0 : labels);
	for (uint64_t key = first_key; key < last_key; key++)
		finding_add_key(&f, key * UINT64_C(0x9e3779b97f4a7c15));
	return extent_of(&f, lists);
}

static const struct {
	struct {
		enum level level;
		int64_t ids;
		uint64_t labels, first_key, last_key;
	} known, now;
	uint64_t percent;
	bool covers;
} cases[] = {
	{ { LEVEL_ERROR, 3, 10, 0, 0 }, { LEVEL_ERROR, 3, 10, 0, 0 }, 0, true },
	{ { LEVEL_ERROR, 3, 10, 0, 0 }, { LEVEL_ERROR, 2, 9, 0, 0 }, 0, true },
	{ { LEVEL_ERROR, 3, 10, 0, 0 }, { LEVEL_ERROR, 3, 11, 0, 0 }, 0, false },
	{ { LEVEL_ERROR, 3, 10, 0, 0 }, { LEVEL_ERROR, 3, 11, 0, 0 }, 9, false },
	{ { LEVEL_ERROR, 3, 10, 0, 0 }, { LEVEL_ERROR, 3, 11, 0, 0 }, 10, true },
	{ { LEVEL_ERROR, 3, UINT64_MAX, 0, 0 }, { LEVEL_ERROR, 3, UINT64_MAX, 0, 0 }, 10000, true },
	{ { LEVEL_ERROR, 3, 10, 0, 0 }, { LEVEL_ERROR, 4, 10, 0, 0 }, 10000, false },
	{ { LEVEL_WARNING, 3, 10, 0, 0 }, { LEVEL_ERROR, 3, 10, 0, 0 }, 10000, false },
	{ { LEVEL_ERROR, 3, 10, 0, 0 }, { LEVEL_INFO, 3, 10, 0, 0 }, 0, true },
	{ { LEVEL_ERROR, 0, 0, 0, 0 }, { LEVEL_ERROR, 0, 0, 0, 0 }, 0, true },
	{ { LEVEL_ERROR, 0, 0, 0, 0 }, { LEVEL_ERROR, 1, 1, 0, 0 }, 0, false },
	{ { LEVEL_ERROR, 1, 10, 0, 10 }, { LEVEL_ERROR, 1, 5, 3, 8 }, 0, true },
	{ { LEVEL_ERROR, 1, 10, 0, 10 }, { LEVEL_ERROR, 1, 5, 8, 11 }, 0, false },
	{ { LEVEL_ERROR, 1, 10, 0, 10 }, { LEVEL_ERROR, 1, 5, 8, 11 }, 10, true },
	{ { LEVEL_ERROR, 1, 10, 0, 10 }, { LEVEL_ERROR, 1, 5, 8, 12 }, 10, false },
	{ { LEVEL_ERROR, 1, 10, 0, 0 }, { LEVEL_ERROR, 1, 10, 0, 1 }, 0, false },
	/* at the limit of what is listed, and past it */
	{ { LEVEL_ERROR, 1, 9, 0, KEY_SET_MAX }, { LEVEL_ERROR, 1, 9, 1, KEY_SET_MAX }, 0, true },
	{ { LEVEL_ERROR, 1, 9, 0, KEY_SET_MAX + 1 }, { LEVEL_ERROR, 1, 9, 0, KEY_SET_MAX + 1 }, 0, true },
	{ { LEVEL_ERROR, 1, 9, 0, KEY_SET_MAX + 1 }, { LEVEL_ERROR, 1, 9, 1, KEY_SET_MAX + 2 }, 0, false },
	{ { LEVEL_ERROR, 1, 9, 0, KEY_SET_MAX + 1 }, { LEVEL_ERROR, 1, 9, 0, KEY_SET_MAX }, 0, false },
	{ { LEVEL_ERROR, 1, 9, 0, KEY_SET_MAX + 1 }, { LEVEL_ERROR, 1, 9, 0, 0 }, 0, true },
	{ { LEVEL_ERROR, FINDING_IDS_MAX, 9, 0, 0 }, { LEVEL_ERROR, 7, 9, 0, 0 }, 0, true },
	{ { LEVEL_ERROR, FINDING_IDS_MAX + 1, 9, 0, 0 }, { LEVEL_ERROR, FINDING_IDS_MAX + 1, 9, 0, 0 }, 0, true },
	{ { LEVEL_ERROR, FINDING_IDS_MAX + 1, 9, 0, 0 }, { LEVEL_ERROR, FINDING_IDS_MAX + 2, 9, 0, 0 }, 0, false },
};

TEST_EACH(covers, ARRAY_SIZE(cases))
{
	struct extent_lists lists[2];
	struct extent known = make(&lists[0], cases[_i].known.level, cases[_i].known.ids, cases[_i].known.labels,
				   cases[_i].known.first_key, cases[_i].known.last_key);
	struct extent now = make(&lists[1], cases[_i].now.level, cases[_i].now.ids, cases[_i].now.labels,
				 cases[_i].now.first_key, cases[_i].now.last_key);

	ck_assert_int_eq(extent_covers(&known, &now, cases[_i].percent), cases[_i].covers);
}

/* A finding's extent is the same in whatever order its keys come. */
TEST(order_of_keys)
{
	struct extent_lists lists[2];
	struct extent up, down;

	up = make(&lists[0], LEVEL_ERROR, 0, 0, 0, 100);
	finding_init(&f, rule_table[0]);
	for (uint64_t key = 100; key-- > 0;)
		finding_add_key(&f, key * UINT64_C(0x9e3779b97f4a7c15));
	down = extent_of(&f, &lists[1]);
	down.level = LEVEL_ERROR;
	ck_assert(extent_covers(&up, &down, 0) && extent_covers(&down, &up, 0));
	ck_assert_uint_eq(up.keys.digest, down.keys.digest);
}

TEST(sets_of_keys)
{
	struct key_set all = KEY_SET_INIT, few = KEY_SET_INIT;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 200; i++) {
		key_set_add(&all, i, KEY_SET_MAX);
		key_set_add(&few, 1000 + i, 3);
		sum += 1000 + 2 * i;
	}
	ck_assert_uint_eq(few.count, 3);
	ck_assert_uint_eq(few.total, 200);
	key_set_merge(&all, &few);
	ck_assert_uint_eq(all.count, 203);
	ck_assert_uint_eq(all.total, 400);
	ck_assert_uint_eq(all.sum, sum);
	finding_init(&f, rule_table[0]);
	finding_add_keys(&f, &all);
	ck_assert_uint_eq(f.keys_total, 400);
	ck_assert_uint_eq(f.keys_count, 203);
	ck_assert_uint_eq(f.details.digest, sum);
	key_set_release(&all);
	key_set_release(&few);

	/* a key that is not kept: a baseline must not say that so few are listed */
	struct key_set one = KEY_SET_INIT;
	struct extent_lists lists;

	key_set_add(&one, 7, 0);
	finding_init(&f, rule_table[0]);
	finding_add_keys(&f, &one);
	struct extent e = extent_of(&f, &lists);

	ck_assert_ptr_null(e.keys.v);
	ck_assert_uint_gt(e.keys.total, EXTENT_LISTED_MAX);
}

static const struct {
	const char *folder, *current, *path, *relative;
} paths[] = {
	{ "/a/b", "/a/b", "c.png", "c.png" },
	{ "/a/b", "/a/b", "./c//d/../e.png", "c/e.png" },
	{ "/a/b", "/a", "b/c.png", "c.png" },
	{ "/a/b", "/a", "c.png", "../c.png" },
	{ "/a/b", "/x/y", "c.png", "../../x/y/c.png" },
	{ "/a/b", "/a/bc", "d", "../bc/d" },
	{ "/a/bc", "/a/b", "d", "../b/d" },
	{ "/a/b", "/x", "/a/b/c", "c" },
	{ "/a/b", "/x", "/a/b", "." },
	{ "/a/b", "/x", "/a", ".." },
	{ "/a/b", "/x", "/", "../.." },
	{ "/", "/x", "y", "x/y" },
	{ "/", "/", "..", "." },
	{ "/a", "/a/b/c", "../../../../d", "../d" },
	{ "/a/b/", "/a/b/", "c/", "c" },
};

TEST_EACH(relative, ARRAY_SIZE(paths))
{
	struct strbuf out = STRBUF_INIT;

	strbuf_adds(&out, "=");
	relative_path(&out, paths[_i].folder, paths[_i].current, paths[_i].path);
	ck_assert_str_eq(out.s + 1, paths[_i].relative);
	strbuf_release(&out);
}
