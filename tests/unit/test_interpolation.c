/* The tests of judge/interpolation.h, each at its threshold, on counters made by hand. */
#include "check_main.h"
#include "judge/interpolation.h"

#include <string.h>

/* Three ids 10, 20, 30, of which every test is silent: nothing between anything. */
struct counters {
	struct label_stats stats;
	struct id_stats ids[6];
};

static struct counters plain(void)
{
	struct counters c;

	memset(&c, 0, sizeof(c));
	c.stats.labels = 6000;
	c.stats.width = 60;
	c.stats.height = 100;
	c.stats.neighbours = 1;
	c.stats.max = 60;
	c.stats.ids_count = 6;
	for (int i = 0; i < 6; i++) {
		c.ids[i].id = 10 * (i + 1);
		c.ids[i].labels = 1000;
		c.ids[i].thin = 1000; /* neither solid (10 sh <= 7 n) nor a ghost (sh == 2 n) */
	}
	return c;
}

/* W in both directions, all of it direct jumps. */
static void set_wide(struct counters *c, uint64_t wide)
{
	c->stats.wide_edges[0] = c->stats.wide_edges[1] = wide;
}

static void set_between(struct counters *c, int id, uint64_t n)
{
	c->ids[id].between[0] = c->ids[id].between[1] = n;
}

static unsigned tests(const struct counters *c)
{
	return interpolation_tests(&c->stats, c->ids);
}

START_TEST(nothing_between)
{
	struct counters c = plain();

	ck_assert_uint_eq(tests(&c), 0);
	c.stats.ids_count = 0;
	ck_assert_uint_eq(tests(&c), 0);
}
END_TEST

/* A: 19 (sum - largest) > W + 10. The largest, 40, does not count. */
START_TEST(several)
{
	struct counters c = plain();

	set_between(&c, 1, 40);
	set_between(&c, 2, 10);
	set_wide(&c, 179);
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, INTERPOLATION_SEVERAL); /* 190 > 189 */
	set_wide(&c, 180);
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, 0); /* 190 > 190 */
	set_wide(&c, 179);
	c.stats.wide_edges[LINE_COLUMN] = 180; /* both directions must hold */
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, 0);
	c.stats.wide_edges[LINE_COLUMN] = 178;
	c.stats.long_between[LINE_COLUMN] = 2; /* W is K + X */
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, 0);
}
END_TEST

/* On ties the smallest id is a*, over both directions together, not each its own. */
START_TEST(several_leaves_out_one_id_for_both_directions)
{
	struct counters c = plain();

	c.ids[1].between[LINE_ROW] = 40;
	c.ids[1].between[LINE_COLUMN] = 10;
	c.ids[2].between[LINE_ROW] = 10;
	c.ids[2].between[LINE_COLUMN] = 40;
	set_wide(&c, 179);
	/* a* is ids[1]: 10 are left in rows, 40 in columns */
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, INTERPOLATION_SEVERAL);
	c.stats.wide_edges[LINE_COLUMN] = 749; /* 760 > 759 only with 40 left */
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, INTERPOLATION_SEVERAL);
	c.stats.wide_edges[LINE_COLUMN] = 750;
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, 0);
}
END_TEST

/* S: 5 B over solid ids > W + 40; solid: 10 sh <= 7 n. */
START_TEST(solid)
{
	struct counters c = plain();

	set_between(&c, 1, 60);
	c.ids[1].thin = 700;
	set_wide(&c, 259);
	c.stats.long_between[0] = c.stats.long_between[1] = 0;
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, INTERPOLATION_SOLID); /* 300 > 299 */
	set_wide(&c, 260);
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, 0);
	set_wide(&c, 259);
	c.ids[1].thin = 701; /* 7010 <= 7000 no more */
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, 0);
	c.ids[1].labels = 1005;
	c.ids[1].thin = 703; /* 7030 <= 7035 */
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, INTERPOLATION_SOLID);
	c.ids[1].thin = 704;
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, 0);
}
END_TEST

/* The exception of S: K > B and 4 X > 3 B where one id holds everything. W + 40 = 5 * 60 - 1 at most. */
START_TEST(rim)
{
	struct counters c = plain();

	set_between(&c, 1, 60);
	c.ids[1].thin = 700;
	set_wide(&c, 46);
	c.stats.long_between[0] = c.stats.long_between[1] = 61;
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, 0); /* 184 > 180 and 61 > 60 */
	set_wide(&c, 45);
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, INTERPOLATION_SOLID); /* 180 > 180 */
	set_wide(&c, 46);
	c.stats.long_between[0] = c.stats.long_between[1] = 60;
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, INTERPOLATION_SOLID);
	c.stats.long_between[0] = c.stats.long_between[1] = 100;
	set_between(&c, 2, 1); /* not alone: 61 of it are solid, 60 the largest */
	c.ids[2].thin = 0;
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_SOLID, INTERPOLATION_SOLID);
}
END_TEST

/* P: 7 (sum Q - largest Q) > E + 10 */
START_TEST(thin)
{
	struct counters c = plain();

	for (int d = 0; d < 2; d++) {
		c.ids[1].lone[d] = 500;
		c.ids[2].lone[d] = 30;
		c.stats.edges[d] = 199;
	}
	ck_assert_uint_eq(tests(&c), INTERPOLATION_THIN); /* 210 > 209 */
	c.stats.edges[LINE_ROW] = 200;
	ck_assert_uint_eq(tests(&c), 0);
}
END_TEST

/* C: 4 B > W + 40, whatever holds it; alone it is a suspicion. */
START_TEST(suspicion)
{
	struct counters c = plain();

	set_between(&c, 1, 60);
	set_wide(&c, 199);
	ck_assert_uint_eq(tests(&c), INTERPOLATION_SUSPICION); /* 240 > 239 */
	set_wide(&c, 200);
	ck_assert_uint_eq(tests(&c), 0);
}
END_TEST

/* G: at least 3 ids with sh == 2 n that are between others in both directions. */
START_TEST(ghosts)
{
	struct counters c = plain();

	set_wide(&c, 10000);
	for (int i = 1; i < 4; i++) {
		c.ids[i].labels = 5;
		c.ids[i].thin = 10;
		set_between(&c, i, 1);
	}
	ck_assert_uint_eq(tests(&c), INTERPOLATION_GHOSTS);
	c.ids[3].between[LINE_COLUMN] = 0;
	ck_assert_uint_eq(tests(&c), 0);
	c.ids[3].between[LINE_COLUMN] = 1;
	c.ids[3].thin = 9;
	ck_assert_uint_eq(tests(&c), 0);
	c.ids[3].thin = 11; /* cannot be, and is no ghost */
	ck_assert_uint_eq(tests(&c), 0);
}
END_TEST

START_TEST(applies)
{
	struct counters c = plain();

	ck_assert(interpolation_applies(&c.stats));
	c.stats.max = 255;
	ck_assert(interpolation_applies(&c.stats));
	c.stats.max = 256; /* instance ids */
	ck_assert(!interpolation_applies(&c.stats));
	c.stats.max = 3;
	c.stats.min = -1;
	ck_assert(!interpolation_applies(&c.stats));
	c.stats.min = 0;
	c.stats.neighbours = 0;
	ck_assert(!interpolation_applies(&c.stats));
}
END_TEST

/* No test overflows at the largest counters that a PNG can give: 2^62 pixels. */
START_TEST(huge_counters)
{
	struct counters c = plain();
	const uint64_t huge = (uint64_t)1 << 61;

	set_between(&c, 1, huge);
	set_between(&c, 2, huge);
	c.ids[1].labels = c.ids[2].labels = huge * 2;
	set_wide(&c, huge);
	ck_assert_uint_eq(tests(&c), INTERPOLATION_SEVERAL | INTERPOLATION_SOLID | INTERPOLATION_SUSPICION);
}
END_TEST

START_TEST(informative_and_weak)
{
	struct counters c = plain();
	struct interpolation_sums sums;

	set_between(&c, 1, 3);
	set_wide(&c, 16); /* 3 / (3 + 16 + 40) = 0.0508 */
	c.stats.long_between[0] = c.stats.long_between[1] = 0;
	interpolation_sum(c.ids, c.stats.ids_count, &sums);
	ck_assert_uint_eq(sums.between[LINE_COLUMN], 3);
	ck_assert(interpolation_weak(&c.stats, &sums));
	set_wide(&c, 17); /* 3 / 60 = 0.05 */
	ck_assert(!interpolation_weak(&c.stats, &sums));
	set_wide(&c, 0);
	sums.between[LINE_ROW] = 2;
	ck_assert(!interpolation_weak(&c.stats, &sums));

	sums.between[LINE_ROW] = 3;
	set_wide(&c, 27);
	ck_assert(interpolation_informative(&c.stats, &sums));
	c.stats.wide_edges[LINE_ROW] = 26;
	ck_assert(!interpolation_informative(&c.stats, &sums));
	c.stats.long_between[LINE_ROW] = 1;
	ck_assert(interpolation_informative(&c.stats, &sums));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("interpolation");
	TCase *t = tcase_create("interpolation");

	tcase_add_test(t, nothing_between);
	tcase_add_test(t, several);
	tcase_add_test(t, several_leaves_out_one_id_for_both_directions);
	tcase_add_test(t, solid);
	tcase_add_test(t, rim);
	tcase_add_test(t, thin);
	tcase_add_test(t, suspicion);
	tcase_add_test(t, ghosts);
	tcase_add_test(t, applies);
	tcase_add_test(t, huge_counters);
	tcase_add_test(t, informative_and_weak);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
