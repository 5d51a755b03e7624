/* The tests of judge/interpolation.h, each at its threshold, on counters made by hand. */
#include "check_main.h"
#include "interpolation_counters.h"

TEST(nothing_between)
{
	struct counters c = plain();

	ck_assert_uint_eq(tests(&c), 0);
	c.stats.ids_count = 0;
	ck_assert_uint_eq(tests(&c), 0);
	ck_assert_uint_eq(INTERPOLATION_DAMAGED & INTERPOLATION_SUSPICION, 0);
	ck_assert_uint_eq(INTERPOLATION_DAMAGED & INTERPOLATION_GHOSTS, INTERPOLATION_GHOSTS);
	ck_assert_uint_eq(INTERPOLATION_DAMAGED & INTERPOLATION_GHOSTS, INTERPOLATION_GHOSTS);
}

/* Some d: 17 B > 5 (W + 40), and some d: 400 (B - B*) > B. */
TEST(many)
{
	struct counters c = plain();

	c.ids[1].between[LINE_ROW] = 419; /* in rows alone, but for one */
	c.ids[1].between[LINE_COLUMN] = 1;
	c.ids[2].between[LINE_ROW] = 1; /* B = 420: 7140, and 400 * 1 > 420 does not hold */
	set_wide(&c, 1387);             /* 5 * 1427 = 7135 */
	ck_assert(!holds(&c, INTERPOLATION_MANY));
	c.ids[1].between[LINE_ROW] = 418;
	c.ids[2].between[LINE_ROW] = 2; /* 800 > 420 */
	ck_assert_uint_eq(tests(&c), INTERPOLATION_MANY);
	set_wide(&c, 1388); /* 7140 > 7140 */
	ck_assert(!holds(&c, INTERPOLATION_MANY));

	set_wide(&c, 100);
	c.ids[1].between[LINE_ROW] = 399;
	c.ids[2].between[LINE_ROW] = 1; /* 400 > 400 */
	ck_assert(!holds(&c, INTERPOLATION_MANY));
	c.ids[1].between[LINE_ROW] = 398; /* 400 > 399 */
	ck_assert(holds(&c, INTERPOLATION_MANY));
}

/* Weak. Some d: 2 (B - B*) > K + 40; every d: 5 B > 2 (K + 100). */
TEST(many_short)
{
	struct counters c = plain();

	set_between(&c, 1, 81);          /* 405 > 400 */
	c.ids[2].between[LINE_ROW] = 71; /* 142 > 140 */
	set_long(&c, 100);
	set_wide(&c, 9000); /* so that the other tests do not hold */
	ck_assert_uint_eq(tests(&c), INTERPOLATION_MANY);
	ck_assert(!strong(&c));
	c.ids[2].between[LINE_ROW] = 70;
	ck_assert_uint_eq(tests(&c), 0);
	c.ids[2].between[LINE_ROW] = 71;
	c.ids[1].between[LINE_COLUMN] = 80;
	ck_assert_uint_eq(tests(&c), 0);
}

/* On ties B* is that of the smallest id, for both directions the same one. */
TEST(many_short_leaves_out_one_id_for_both_directions)
{
	struct counters c = plain();

	c.ids[1].between[LINE_ROW] = 400;
	c.ids[1].between[LINE_COLUMN] = 100;
	c.ids[2].between[LINE_ROW] = 100;
	c.ids[2].between[LINE_COLUMN] = 400;
	c.stats.long_between[LINE_ROW] = 1000;
	c.stats.long_between[LINE_COLUMN] = 759; /* 800 > 799 only with the 400 left */
	set_wide(&c, 9000);
	ck_assert_uint_eq(tests(&c), INTERPOLATION_MANY);
	c.stats.long_between[LINE_COLUMN] = 760;
	ck_assert_uint_eq(tests(&c), 0);
}

/* One id in all gaps, which are 2 wide; some d: 9 B > 5 (W + 40); 3 U < E + E. */
TEST(middle)
{
	struct counters c = plain();

	set_gap(&c, 2);
	for (int i = 0; i < 6; i++)
		c.ids[i].thin = i == 1 ? 701 : 0; /* U is the 1000 labels of ids[1] */
	set_between(&c, 1, 100);
	set_long(&c, 40); /* so that short gaps are not many */
	set_wide(&c, 99); /* 900 > 895 */
	set_edges(&c, 1501);
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, INTERPOLATION_MIDDLE);
	set_between(&c, 1, 1000); /* ten times as much is not strong */
	set_long(&c, 490);
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, INTERPOLATION_MIDDLE);
	ck_assert(!strong(&c));
	set_between(&c, 1, 100);
	set_long(&c, 40);
	set_wide(&c, 100); /* 900 > 900 */
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, 0);
	set_wide(&c, 99);
	set_edges(&c, 1500); /* 3000 < 3000 */
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, 0);
	set_edges(&c, 1501);
	set_gap(&c, 3);
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, 0);
	set_gap(&c, 2);
	c.ids[1].between[LINE_COLUMN] = 99; /* the rim that overpainted strokes leave: 891 > 895 */
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, 0);
	set_between(&c, 1, 100);
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, INTERPOLATION_MIDDLE);
	c.ids[2].between[LINE_COLUMN] = 1; /* another id, in the other direction */
	ck_assert(!holds(&c, INTERPOLATION_MIDDLE));
}

/* 5 B(solid) > W + 40; solid: 10 t <= 7 n. */
TEST(solid)
{
	struct counters c = plain();

	set_between(&c, 1, 60);
	c.ids[1].thin = 700;
	set_wide(&c, 259);
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_DAMAGED, INTERPOLATION_SOLID); /* 300 > 299 */
	c.stats.wide_edges[LINE_ROW] = 260;
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

/* Some d: 6 B(solid) > W + 40; some d: 30 B(thick) > X + 40; 8 (Q - Q*) > B(solid), over both. */
TEST(solid_in_one_direction)
{
	struct counters c = plain();

	c.ids[1].thin = 700;
	c.ids[1].between[LINE_ROW] = 60;
	c.ids[2].thin = 30;
	c.ids[2].between[LINE_COLUMN] = 10;
	set_lone(&c, 4, 20);
	c.ids[3].lone[LINE_COLUMN] = 9; /* 8 * 9 > 70 */
	set_wide(&c, 259);
	c.stats.long_between[LINE_ROW] = 60; /* W = 319: 360 > 359, and 300 > 299 */
	ck_assert_uint_eq(tests(&c), INTERPOLATION_SOLID);
	c.stats.long_between[LINE_ROW] = 61;
	ck_assert_uint_eq(tests(&c), 0);
	c.stats.long_between[LINE_ROW] = 0;
	c.stats.wide_edges[LINE_COLUMN] = 260;
	ck_assert_uint_eq(tests(&c), 0);
	c.stats.wide_edges[LINE_COLUMN] = 259;
	ck_assert_uint_eq(tests(&c), INTERPOLATION_SOLID);
	c.ids[3].lone[LINE_COLUMN] = 8; /* nearly all of one id */
	ck_assert_uint_eq(tests(&c), 0);
	c.ids[3].lone[LINE_COLUMN] = 9;
	c.ids[2].thin = 31; /* not thick */
	ck_assert_uint_eq(tests(&c), 0);
}

/* Some d: 4 B > X + 40 over ids with 100 t <= n, at least 8 in each. K does not count. */
TEST(massive)
{
	struct counters c = plain();

	for (int i = 0; i < 6; i++)
		c.ids[i].thin = 10;
	c.ids[1].labels = 10000;
	c.ids[1].thin = 100; /* 10000 <= 10000 */
	c.ids[1].between[LINE_ROW] = 20;
	c.ids[1].between[LINE_COLUMN] = 8;
	set_long(&c, 5000);
	set_wide(&c, 39); /* 80 > 79 */
	ck_assert_uint_eq(tests(&c), INTERPOLATION_MASSIVE);
	set_wide(&c, 40);
	ck_assert_uint_eq(tests(&c), 0);
	set_wide(&c, 39);
	c.ids[1].between[LINE_COLUMN] = 7;
	ck_assert_uint_eq(tests(&c), 0);
	c.ids[1].between[LINE_COLUMN] = 8;
	c.ids[1].thin = 101;
	ck_assert_uint_eq(tests(&c), 0);
}

/* 6 (Q - Q*) > E + 10, and 20 B > Q - Q* in both directions together */
TEST(thin)
{
	struct counters c = plain();

	set_lone(&c, 1, 500);
	set_lone(&c, 2, 30);
	c.ids[1].between[LINE_ROW] = 4; /* 80 > 60 */
	set_edges(&c, 169);
	ck_assert(holds(&c, INTERPOLATION_THIN)); /* 180 > 179 */
	c.stats.edges[LINE_ROW] = 170;
	ck_assert(!holds(&c, INTERPOLATION_THIN));
	c.stats.edges[LINE_ROW] = 169;
	c.ids[1].between[LINE_ROW] = 3; /* 60 > 60 */
	ck_assert(!holds(&c, INTERPOLATION_THIN));
}

/* Some d: 10 (Q - Q*) > E + 10, at least 220 in each. */
TEST(thin_and_many)
{
	struct counters c = plain();

	set_lone(&c, 1, 500);
	set_lone(&c, 2, 220);
	set_between(&c, 1, 12);
	c.ids[0].labels = 60000; /* no speckle */
	set_edges(&c, 9999);
	c.stats.edges[LINE_ROW] = 2189; /* 2200 > 2199 */
	ck_assert(holds(&c, INTERPOLATION_THIN));
	c.stats.edges[LINE_ROW] = 2190;
	ck_assert(!holds(&c, INTERPOLATION_THIN));
	c.stats.edges[LINE_ROW] = 2189;
	c.ids[2].lone[LINE_COLUMN] = 219;
	ck_assert(!holds(&c, INTERPOLATION_THIN));
}

/* Weak. Every d: 6 B(solid) > W + 40, and a lone pixel in no gap, of another id than the one with most. */
TEST(solid_apart)
{
	struct counters c = plain();

	c.ids[1].thin = 700; /* solid */
	set_between(&c, 1, 100);
	set_lone(&c, 1, 100);
	set_lone(&c, 2, 1);
	set_wide(&c, 559); /* 600 > 599 */
	ck_assert_uint_eq(tests(&c), INTERPOLATION_SOLID);
	ck_assert(!strong(&c));
	c.stats.long_between[LINE_COLUMN] = 1;
	ck_assert_uint_eq(tests(&c), 0);
	c.stats.long_between[LINE_COLUMN] = 0;
	set_between(&c, 2, 1); /* in a gap */
	ck_assert_uint_eq(tests(&c), 0);
	set_between(&c, 2, 0);
	c.ids[2].lone[LINE_COLUMN] = 0;
	ck_assert_uint_eq(tests(&c), 0);
}

/* Weak. Some d: 11 B(thick) > 7 (X + 10); every d: 16 B > W + 10. */
TEST(thick_once)
{
	struct counters c = plain();

	c.ids[5].thin = 30;              /* thick */
	c.ids[5].between[LINE_ROW] = 71; /* 781 > 770 */
	c.ids[1].between[LINE_COLUMN] = 10;
	set_wide(&c, 100);
	set_long(&c, 49); /* 160 > 159 */
	c.stats.long_between[LINE_ROW] = 110;
	ck_assert_uint_eq(tests(&c), INTERPOLATION_MASSIVE);
	ck_assert(!strong(&c));
	c.stats.long_between[LINE_COLUMN] = 50;
	ck_assert_uint_eq(tests(&c), 0);
	c.stats.long_between[LINE_COLUMN] = 49;
	c.ids[5].between[LINE_ROW] = 70;
	ck_assert_uint_eq(tests(&c), 0);
	c.ids[5].between[LINE_ROW] = 71;
	c.ids[5].thin = 31;
	ck_assert_uint_eq(tests(&c), 0);
}

/* Weak. Some d: 80 B(massive) > K + 10; every d: 6 B > X + 60. */
TEST(massive_once)
{
	struct counters c = plain();

	c.ids[5].thin = 10; /* massive */
	c.ids[5].between[LINE_ROW] = 1;
	set_between(&c, 1, 20);
	set_wide(&c, 59); /* 120 > 119 */
	set_long(&c, 69); /* 80 > 79 */
	ck_assert_uint_eq(tests(&c), INTERPOLATION_MASSIVE);
	ck_assert(!strong(&c));
	set_long(&c, 70);
	ck_assert_uint_eq(tests(&c), 0);
	set_long(&c, 69);
	c.stats.wide_edges[LINE_COLUMN] = 60;
	ck_assert_uint_eq(tests(&c), 0);
	c.stats.wide_edges[LINE_COLUMN] = 59;
	c.ids[5].thin = 11;
	ck_assert_uint_eq(tests(&c), 0);
}

/* Weak. Every d: 15 A > W + 100, the lone pixels in no gap of other ids than the one with most; 120 B(thick) > K + 100.
 */
TEST(mixed)
{
	struct counters c = plain();

	c.ids[5].thin = 30; /* thick */
	set_between(&c, 5, 2);
	set_lone(&c, 5, 2);
	set_lone(&c, 1, 200);
	set_lone(&c, 2, 100);
	set_edges(&c, 700); /* so that other lone pixels are no share of them */
	set_long(&c, 139);  /* 240 > 239 */
	set_wide(&c, 1260); /* 1500 > 1499 */
	ck_assert_uint_eq(tests(&c), INTERPOLATION_MIXED);
	ck_assert(!strong(&c));
	c.stats.wide_edges[LINE_ROW] = 1261;
	ck_assert_uint_eq(tests(&c), 0);
	set_wide(&c, 1259);
	c.stats.long_between[LINE_COLUMN] = 140;
	ck_assert_uint_eq(tests(&c), 0);
	c.stats.long_between[LINE_COLUMN] = 139;
	ck_assert_uint_eq(tests(&c), INTERPOLATION_MIXED);
	set_lone(&c, 1, 30000); /* of one id they are slivers, as many as there are */
	set_lone(&c, 2, 0);
	ck_assert_uint_eq(tests(&c), 0);
}

/* 4 B > W + 40, whatever holds it; alone it is a suspicion. */
TEST(suspicion)
{
	struct counters c = plain();

	set_between(&c, 1, 60);
	set_wide(&c, 199);
	ck_assert_uint_eq(tests(&c), INTERPOLATION_SUSPICION); /* 240 > 239 */
	set_wide(&c, 200);
	ck_assert_uint_eq(tests(&c), 0);
}

/* Two ids whose labels are in as many gaps, some in each direction, and whose square is the number of ids. */
TEST(ghosts)
{
	struct counters c = plain();

	set_wide(&c, 10000);
	for (int i = 1; i < 4; i++) {
		c.ids[i].labels = c.ids[i].thin = 10;
		set_between(&c, i, 5);
	}
	ck_assert_uint_eq(tests(&c), INTERPOLATION_GHOSTS); /* 9 >= 6 */
	c.ids[3].between[LINE_COLUMN] = 4;
	ck_assert_uint_eq(tests(&c), 0); /* 4 >= 6 */
	c.stats.ids_count = 4;
	ck_assert_uint_eq(tests(&c), INTERPOLATION_GHOSTS);
	c.ids[2].between[LINE_ROW] = 0;
	c.ids[2].between[LINE_COLUMN] = 10;
	ck_assert_uint_eq(tests(&c), 0);
}

/* Weak. Every d: 7 B(ghost) > W + 40; 3 B* < E in both directions together. Several ids, or gaps of 2. */
TEST(ghost_gaps)
{
	struct counters c = plain();

	c.ids[1].labels = c.ids[1].thin = 200;
	set_gap(&c, 2);
	set_between(&c, 1, 100);
	set_wide(&c, 600);
	set_long(&c, 59); /* 700 > 699 */
	set_edges(&c, 301);
	ck_assert_uint_eq(tests(&c), INTERPOLATION_GHOSTS);
	ck_assert(!strong(&c));
	c.stats.long_between[LINE_COLUMN] = 60;
	ck_assert_uint_eq(tests(&c), 0);
	set_long(&c, 59);
	set_edges(&c, 300); /* an outline: 600 < 600 */
	ck_assert_uint_eq(tests(&c), 0);
	set_edges(&c, 301);
	c.ids[1].labels = 201; /* one label elsewhere */
	ck_assert_uint_eq(tests(&c), 0);
	c.ids[1].labels = 200;
	set_gap(&c, 3); /* as wide, gaps of one id alone were drawn */
	ck_assert_uint_eq(tests(&c), 0);
	c.ids[2].between[LINE_ROW] = 1;
	ck_assert_uint_eq(tests(&c), INTERPOLATION_GHOSTS);
}

TEST(from_colours)
{
	struct interpolation_evidence e = { .lone = { 50, 41 }, .between = { 20, 10 } };

	ck_assert(interpolation_from_colours(&e)); /* 91 > 90 */
	e.lone[1] = 40;
	ck_assert(!interpolation_from_colours(&e));
}

/* Products past 2^64: the comparisons stay exact. */
TEST(huge_counters)
{
	const uint64_t huge = (uint64_t)1 << 61;
	struct interpolation_evidence e = { .labels = 2 * huge };

	/* 17 B > 5 (W + 40) at B = 5 k, W = 17 k - 40 - 1, and not at W = 17 k - 40 */
	const uint64_t k = huge / 10;

	e.between[0] = 5 * k;
	e.most_between[0] = 4 * k;
	e.wide_edges[0] = 17 * k - 41;
	ck_assert_uint_eq(interpolation_judge(&e), INTERPOLATION_MANY);
	e.wide_edges[0]++;
	ck_assert_uint_eq(interpolation_judge(&e), 0);

	/* 4 B(massive) > X + 40; strong at 4 B(massive) > 2 (X + 40), both 2^64 but for one */
	const uint64_t half = (uint64_t)1 << 62;

	e = (struct interpolation_evidence){ .labels = 2 * huge, .massive = { half, half } };
	e.wide_edges[0] = e.wide_edges[1] = 2 * half - 41;
	ck_assert_uint_eq(interpolation_judge(&e), INTERPOLATION_MASSIVE | INTERPOLATION_STRONG);
	e.wide_edges[0] = e.wide_edges[1] = 2 * half - 40;
	ck_assert_uint_eq(interpolation_judge(&e), INTERPOLATION_MASSIVE);
}

TEST(informative_and_weak)
{
	struct counters c = plain();
	struct interpolation_sums sums;

	set_between(&c, 1, 3);
	set_wide(&c, 16); /* 3 / (3 + 16 + 40) = 0.0508 */
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

	set_wide(&c, 27);
	set_between(&c, 1, 30);
	interpolation_sum(c.ids, c.stats.ids_count, &sums);
	ck_assert_uint_eq(sums.thin, 6000);
	ck_assert(interpolation_weak(&c.stats, &sums) && interpolation_informative(&c.stats, &sums));
	sums.thin++; /* noise */
	ck_assert(!interpolation_weak(&c.stats, &sums));
	ck_assert(!interpolation_informative(&c.stats, &sums));
}
