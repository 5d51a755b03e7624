/* The exceptions that silence the tests of judge/interpolation.h, each at its threshold, on counters made by hand. */
#include "check_main.h"
#include "interpolation_counters.h"

/* The exception: K > B and 4 X > 3 B where one id holds everything; for SUSPICION too. */
TEST(rim)
{
	struct counters c = plain();

	set_between(&c, 1, 60);
	c.ids[1].thin = 700;
	set_wide(&c, 46);
	set_long(&c, 61);
	ck_assert_uint_eq(tests(&c), 0); /* 184 > 180 and 61 > 60 */
	set_wide(&c, 45);
	ck_assert(holds(&c, INTERPOLATION_SOLID)); /* 180 > 180 */
	ck_assert(holds(&c, INTERPOLATION_SUSPICION));
	set_wide(&c, 46);
	set_long(&c, 60);
	ck_assert(holds(&c, INTERPOLATION_SOLID));
	ck_assert(holds(&c, INTERPOLATION_SUSPICION));
	set_long(&c, 100);
	set_between(&c, 2, 1); /* not alone: 61 of it are solid, 60 the largest */
	c.ids[2].thin = 0;
	ck_assert(holds(&c, INTERPOLATION_SOLID));
}

/* Slivers: however many lone pixels one id has, in no gap, they prove nothing. */
TEST(sliver)
{
	struct counters c = plain();

	for (int i = 0; i < 6; i++)
		c.ids[i].labels = 10000;
	c.ids[1].thin = 30;
	set_lone(&c, 1, 5000);
	set_edges(&c, 5100);
	ck_assert_uint_eq(tests(&c), 0);
	c.ids[1].thin = 7000;
	ck_assert_uint_eq(tests(&c), 0);
	set_lone(&c, 2, 1000);
	set_between(&c, 2, 100);
	ck_assert(holds(&c, INTERPOLATION_THIN));
}

/* Strong: the same test holds with half of the evidence, or two tests hold. */
TEST(strong_evidence)
{
	struct counters c = plain();

	c.ids[2].thin = 700;
	set_between(&c, 2, 60);
	set_wide(&c, 110); /* SOLID: 5 * 60 = 300 > 2 (110 + 40) does not hold */
	ck_assert(holds(&c, INTERPOLATION_SOLID) && !strong(&c));
	set_wide(&c, 109);
	ck_assert(strong(&c));
}

/* One more than n / 1000 + sqrt(n / 49). */
TEST(files_that_stand)
{
	static const uint64_t least[][2] = { { 0, 1 },   { 1, 1 },    { 48, 1 },     { 49, 2 },       { 195, 2 },
					     { 196, 3 }, { 1000, 6 }, { 10000, 25 }, { 100000, 146 }, { 784000, 911 } };

	for (size_t i = 0; i < sizeof(least) / sizeof(*least); i++) {
		ck_assert(interpolation_stands(least[i][0], least[i][1]));
		ck_assert(!interpolation_stands(least[i][0], least[i][1] - 1));
	}
	ck_assert(!interpolation_stands(UINT64_MAX, UINT64_MAX / 1000));
	ck_assert(interpolation_stands(UINT64_MAX, UINT64_MAX / 999));
}

/* Their square counts. */
TEST(ghosts_among_many_ids)
{
	struct interpolation_evidence e = { .labels = 1000, .ghosts = 5, .ids = 25, .wide_edges = { 9, 9 } };

	ck_assert_uint_eq(interpolation_judge(&e), INTERPOLATION_GHOSTS);
	e.ids = 26;
	ck_assert_uint_eq(interpolation_judge(&e), 0);
	e.ghosts = 1;
	e.ids = 1;
	ck_assert_uint_eq(interpolation_judge(&e), 0);
}

/* 8 B < t and 4 E > n: speckle, which THIN does not tell from damage. */
TEST(speckle)
{
	struct counters c = plain();

	c.ids[2].thin = 30;
	c.ids[3].thin = 770; /* t = 4800 */
	set_between(&c, 1, 250);
	set_between(&c, 2, 50); /* B = 600: 4800 < 4800 does not hold */
	set_lone(&c, 1, 250);
	set_lone(&c, 2, 250);
	set_edges(&c, 751); /* 4 E = 6008 > 6000 */
	set_wide(&c, 900);
	ck_assert_uint_eq(tests(&c) & INTERPOLATION_THIN, INTERPOLATION_THIN);
	c.ids[3].thin = 771;
	ck_assert(!holds(&c, INTERPOLATION_THIN));
	set_wide(&c, 200);
	ck_assert(holds(&c, INTERPOLATION_SOLID)); /* tests of regions stay */
	set_wide(&c, 900);
	set_edges(&c, 750);
	ck_assert(holds(&c, INTERPOLATION_THIN));
}

/* 5 g <= 2 r, 5 X < E and 6 t > n: ordered classes, at most suspected. */
TEST(levels)
{
	struct counters c = plain();
	struct interpolation_sums sums;

	for (int i = 0; i < 6; i++)
		c.ids[i].thin = i ? 160 : 201; /* t = 1001: 6006 > 6000 */
	set_between(&c, 1, 200);
	set_between(&c, 2, 200);
	set_wide(&c, 199);
	set_edges(&c, 1000); /* 5 * 398 < 2000 */
	set_gap(&c, 20);     /* 5 * 20 <= 2 * 50 */
	ck_assert_uint_eq(tests(&c), INTERPOLATION_SUSPICION);
	interpolation_sum(c.ids, c.stats.ids_count, &sums);
	ck_assert_uint_eq(sums.range, 50);
	ck_assert(!interpolation_informative(&c.stats, &sums));
	ck_assert(!interpolation_weak(&c.stats, &sums));

	set_gap(&c, 21);
	ck_assert(holds(&c, INTERPOLATION_MANY));
	ck_assert(interpolation_informative(&c.stats, &sums));
	ck_assert(interpolation_weak(&c.stats, &sums));
	c.ids[5].id = 255; /* the range ends before it */
	set_gap(&c, 16);
	ck_assert_uint_eq(tests(&c), INTERPOLATION_SUSPICION);
	set_gap(&c, 17);
	ck_assert(holds(&c, INTERPOLATION_MANY));
	set_gap(&c, 16);
	set_wide(&c, 200);
	ck_assert(holds(&c, INTERPOLATION_MANY));
	set_wide(&c, 199);
	c.ids[0].thin = 200;
	ck_assert(holds(&c, INTERPOLATION_MANY));
}

/* Over half of all labels thin: noise. */
TEST(noise)
{
	struct counters c = plain();

	set_lone(&c, 1, 500);
	set_lone(&c, 2, 400);
	set_between(&c, 1, 300);
	set_between(&c, 2, 300);
	ck_assert_uint_ne(tests(&c), 0); /* 6000 thin of 6000 labels, which may be 12000 */
	c.ids[5].thin++;
	ck_assert_uint_eq(tests(&c), 0);
}

/* Strips as long as the square of their height, or longer, in either direction; a stack has no size. */
TEST(strip)
{
	static const uint32_t sides[][3] = { { 12, 143, 1 }, { 143, 12, 1 }, { 12, 144, 0 }, { 144, 12, 0 },
					     { 1, 1, 0 },    { 1, 4000, 0 }, { 8, 8, 1 },    { 0, 0, 1 } };
	struct counters c = plain();

	c.ids[2].thin = 700;
	set_between(&c, 2, 60);
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		c.stats.width = sides[i][0];
		c.stats.height = sides[i][1];
		ck_assert_msg(!tests(&c) == !sides[i][2], "%u x %u", sides[i][0], sides[i][1]);
	}
}

/* X >= 250, B = 0 and K = 0 in one direction: nothing was filtered there. */
TEST(sharp)
{
	struct counters c = plain();

	c.stats.wide_edges[LINE_ROW] = 250;
	c.ids[1].between[LINE_COLUMN] = 600;
	c.ids[2].between[LINE_COLUMN] = 600;
	ck_assert(!holds(&c, INTERPOLATION_MANY));
	c.stats.wide_edges[LINE_ROW] = 249;
	ck_assert(holds(&c, INTERPOLATION_MANY));
	c.stats.wide_edges[LINE_ROW] = 250;
	c.stats.long_between[LINE_ROW] = 1;
	ck_assert(holds(&c, INTERPOLATION_MANY));
	c.stats.long_between[LINE_ROW] = 0;
	c.ids[1].between[LINE_ROW] = 1;
	ck_assert(holds(&c, INTERPOLATION_MANY));
	c.ids[1].between[LINE_ROW] = 0;
	ck_assert(!holds(&c, INTERPOLATION_MANY));
}

/*
 * One id has over half, one is thick at most (33 t <= n), none of the others with a fifth of what they have, and less
 * than a third of all in gaps (3 B >= n): lines that cross.
 */
TEST(line_drawing)
{
	enum { IDS = 9 };
	struct counters c = plain();
	struct id_stats ids[IDS] = { { .id = 10, .labels = 100000, .thin = 3031 } };

	c.stats.ids_count = IDS;
	c.stats.labels = 107000;
	set_edges(&c, 3000);
	for (int i = 1; i < IDS; i++)
		ids[i] = (struct id_stats){
			.id = 10 + i, .labels = 1000, .thin = 1000, .lone = { 200, 100 }, .between = { 200, 100 }
		};
	ck_assert_uint_eq(interpolation_tests(&c.stats, ids), 0);
	ids[0].labels = 8000; /* of 16000 */
	ids[0].thin = 0;
	ck_assert_uint_ne(interpolation_tests(&c.stats, ids), 0);
	ids[0].labels = 8001;
	ck_assert_uint_eq(interpolation_tests(&c.stats, ids), 0);
	ids[0].labels = 100000;
	ids[0].thin = 3031;
	ids[1].labels = 1751; /* 8751 < 5 * 1751 */
	ck_assert_uint_ne(interpolation_tests(&c.stats, ids), 0);
	ids[1].labels = 1749;
	ck_assert_uint_eq(interpolation_tests(&c.stats, ids), 0);
	ids[1].thin = 53; /* thick */
	ck_assert_uint_eq(interpolation_tests(&c.stats, ids), 0);
	ids[0].thin = 3030; /* the second */
	ck_assert_uint_ne(interpolation_tests(&c.stats, ids), 0);
	ids[1].thin = 54;
	ck_assert_uint_eq(interpolation_tests(&c.stats, ids), 0);
	for (int i = 2; i < 4; i++)
		ids[i].between[LINE_COLUMN] = 134; /* 3 * 334 >= 1000 */
	ck_assert_uint_eq(interpolation_tests(&c.stats, ids), 0);
	ids[4].between[LINE_COLUMN] = 134; /* three of nine */
	ck_assert_uint_ne(interpolation_tests(&c.stats, ids), 0);
}

TEST(applies)
{
	struct counters c = plain();

	ck_assert(interpolation_applies(&c.stats));
	c.stats.max = 255;
	ck_assert(interpolation_applies(&c.stats));
	c.stats.max = 256; /* instance ids */
	ck_assert(!interpolation_applies(&c.stats));
	set_between(&c, 1, 100);
	set_between(&c, 2, 100);
	ck_assert_uint_eq(tests(&c), 0);
	c.stats.max = 3;
	ck_assert_uint_ne(tests(&c), 0);
	c.stats.min = -1;
	ck_assert(!interpolation_applies(&c.stats));
	c.stats.min = 0;
	c.stats.neighbours = 0;
	ck_assert(!interpolation_applies(&c.stats));
}
