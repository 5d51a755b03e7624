#include "judge/interpolation.h"

#include <assert.h>
#include <stddef.h>

/*
 * The factors and offsets of the tests, as the header writes them; fitted, with what DETECTOR.md tells. The offsets
 * keep a handful of pixels in a small or nearly empty mask from being a share of anything.
 */
enum {
	SEVERAL_FACTOR = 19,
	SEVERAL_OFFSET = 10,
	SEVERAL_SLIVERS_FACTOR = 12, /* of clean masks none is met at 12, one at 15, all of them nested organs */
	SEVERAL_BESIDE_FACTOR = 26,  /* of clean masks the first is met at 30 */
	SEVERAL_BESIDE_OFFSET = 40,
	SEVERAL_MASSIVE_FACTOR = 200,
	SEVERAL_WIDER_FACTOR = 13,
	SEVERAL_WIDER_OFFSET = 20,

	MANY_GAPS = 13, /* gaps are over 5/13 of what they compete with */
	MANY_RIVALS = 5,
	MANY_OFFSET = 40,
	MANY_OTHERS_FACTOR = 200, /* over half a per cent of them of another id */

	MIDDLE_GAPS = 9,
	MIDDLE_RIVALS = 5,
	MIDDLE_OFFSET = 40,
	MIDDLE_UNSOLID = 3, /* a line of one pixel around everything has E / 2 labels */

	SOLID_FACTOR = 5,
	SOLID_OFFSET = 40,
	RIM_TOUCH_FACTOR = 4,
	RIM_GAPS_FACTOR = 3,
	SOLID_ONE_FACTOR = 6,    /* of clean masks one is met at 7, six at 8 */
	SOLID_THICK_FACTOR = 30, /* and one at 100 */

	MASSIVE_FACTOR = 3,
	MASSIVE_OFFSET = 40,
	MASSIVE_MIN = 8,
	THICK_FACTOR = 7,
	THICK_MIN = 4,

	THIN_FACTOR = 6,
	THIN_OFFSET = 10,
	THIN_MANY_FACTOR = 10,
	THIN_MANY_MIN = 190,

	MIXED_FACTOR = 15,
	MIXED_OFFSET = 20,
	MIXED_THICK_FACTOR = 9,
	MIXED_THICK_OFFSET = 100,
	MIXED_SOLID_FACTOR = 3,
	MIXED_SOLID_OFFSET = 40,
	MIXED_MASSIVE_FACTOR = 6, /* at 8 twice as many clean masks are met as at 6 */
	MIXED_OTHERS = 20,        /* over 1/20 of the lone pixels of another id */
	MIXED_LONE_FACTOR = 10,   /* over 3/10 of what is thin is lone; of speckled masks a quarter is */
	MIXED_THIN_FACTOR = 3,

	/* 3 Q <= 4 Q* and 2 t > 3 Q*: of masks that only MIXED finds 91 in 152 clean ones, 8 in 156 damaged ones */
	GAP_ALL = 3,
	GAP_MOST = 4,
	GAP_THIN = 2,
	GAP_LONE = 3,

	GHOSTS_MIN = 3,
	GHOSTS_SHARE = 6,

	/*
	 * By chance a third of the lone pixels of speckle are in between, and a quarter of what is thin is lone: gaps
	 * are a twelfth of it. Of damaged masks the median is over a half. Speckled masks have over 0.3 edges a label
	 * (95 % of them), most damaged ones under 0.1.
	 */
	SPECKLE_GAPS = 8,
	SPECKLE_EDGES = 4,

	/*
	 * Ordered classes whose gaps would tell of damage, and wide blurs of close ids, the only damage that comes
	 * near: the widest gap is 0.2 of the range (median) and 0.45; 0.13 of the edges are wide (95 %) and up to 0.18;
	 * 0.19 thin ones a label (95 % have more) and 0.09 (median).
	 */
	LEVELS_GAP = 5,
	LEVELS_RANGE = 2,
	LEVELS_WIDE = 5,
	LEVELS_THIN = 6,

	SUSPICION_FACTOR = 4,
	SUSPICION_OFFSET = 40,

	COLOURS_FACTOR = 3,

	INFORMATIVE_MIN = 30,
	WEAK_FACTOR = 20, /* 1 / 0.05 */
	WEAK_OFFSET = 40,
	WEAK_PIXELS_MIN = 3,

	CUSTOMARY_VOID = 255,
};

/*
 * p a > q b, exactly for any counters: with a = q a1 + a0 and b = p b1 + b0 it is p q (a1 - b1) > q b0 - p a0, and the
 * right side lies between -p q and p q.
 */
static bool exceeds(uint64_t p, uint64_t a, uint64_t q, uint64_t b)
{
	uint64_t a1 = a / q, a0 = a % q, b1 = b / p, b0 = b % p;

	assert(p <= UINT32_MAX && q <= UINT32_MAX);
	return a1 != b1 ? a1 > b1 : p * a0 > q * b0;
}

/* How far an id consists of regions: p t <= q n. */
static bool is_at_most(uint64_t p, uint64_t thin, uint64_t q, uint64_t labels)
{
	return !exceeds(p, thin, q, labels);
}

static bool is_solid(const struct id_stats *row)
{
	return is_at_most(10, row->thin, 7, row->labels);
}

static bool is_thick(const struct id_stats *row)
{
	return is_at_most(33, row->thin, 1, row->labels);
}

static bool is_massive(const struct id_stats *row)
{
	return is_at_most(100, row->thin, 1, row->labels);
}

static bool is_ghost(const struct id_stats *row)
{
	return row->thin / 2 == row->labels && row->thin % 2 == 0;
}

/* Over half of the labels are thin; a thin one counts up to twice, once a direction. */
static bool is_noise(uint64_t thin, uint64_t labels)
{
	return thin > labels;
}

/* Of ids sorted and from 0 to 255. */
static uint64_t id_range(const struct id_stats *ids, uint64_t n)
{
	if (n && ids[n - 1].id == CUSTOMARY_VOID)
		n--;
	return n ? (uint64_t)(ids[n - 1].id - ids[0].id) : 0;
}

static uint64_t widest_gap(const struct label_stats *stats)
{
	return stats->worst.key >> (WORST_INDEX_BITS + 1);
}

/* Ordered classes: see LEVELS in the header. */
static bool is_levels(uint64_t gap, uint64_t range, const uint64_t wide_edges[2], const uint64_t edges[2],
		      uint64_t thin, uint64_t labels)
{
	return gap && !exceeds(LEVELS_GAP, gap, LEVELS_RANGE, range) &&
	       exceeds(1, edges[0] + edges[1], LEVELS_WIDE, wide_edges[0] + wide_edges[1]) &&
	       exceeds(LEVELS_THIN, thin, 1, labels);
}

static bool has_levels(const struct label_stats *stats, const struct interpolation_sums *sums)
{
	return is_levels(widest_gap(stats), sums->range, stats->wide_edges, stats->edges, sums->thin, stats->labels);
}

static bool is_speckle(const struct interpolation_evidence *e)
{
	return exceeds(1, e->thin, SPECKLE_GAPS, e->between[0] + e->between[1]) &&
	       exceeds(SPECKLE_EDGES, e->edges[0] + e->edges[1], 1, e->labels);
}

void interpolation_sum(const struct id_stats *ids, uint64_t n, struct interpolation_sums *out)
{
	*out = (struct interpolation_sums){ .range = id_range(ids, n) };
	for (uint64_t i = 0; i < n; i++) {
		out->thin += ids[i].thin;
		for (int d = 0; d < 2; d++) {
			out->between[d] += ids[i].between[d];
			out->lone[d] += ids[i].lone[d];
		}
	}
}

bool interpolation_applies(const struct label_stats *stats)
{
	return stats->neighbours && stats->labels && stats->min >= 0 && stats->max <= 255;
}

/*
 * Of a stack, the mean of its planes is judged: the sum would have outgrown the offsets, which keep what is natural in
 * small numbers from being a share of anything.
 */
static void take_mean(struct interpolation_evidence *e, uint64_t planes)
{
	uint64_t *const pairs[] = { e->edges,   e->wide_edges,   e->long_between, e->between,
				    e->lone,    e->most_between, e->most_lone,    e->solid,
				    e->massive, e->thick,        e->thick_lone,   e->solid_lone };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (int d = 0; d < 2; d++)
			pairs[i][d] /= planes;
	e->labels /= planes;
	e->thin /= planes;
	e->unsolid_labels /= planes;
	e->gap_thin /= planes;
}

static void add_id(struct interpolation_evidence *e, const struct id_stats *row)
{
	bool in_solid = is_solid(row);

	e->labels += row->labels;
	e->thin += row->thin;
	e->unsolid_labels += in_solid ? 0 : row->labels;
	if (!(row->between[0] | row->between[1] | row->lone[0] | row->lone[1]))
		return; /* most ids of clean masks */
	bool in_thick = is_thick(row), in_massive = is_massive(row);

	for (int d = 0; d < 2; d++) {
		e->between[d] += row->between[d];
		e->lone[d] += row->lone[d];
		e->solid[d] += in_solid ? row->between[d] : 0;
		e->thick[d] += in_thick ? row->between[d] : 0;
		e->massive[d] += in_massive ? row->between[d] : 0;
		e->thick_lone[d] += in_thick ? row->lone[d] : 0;
		e->solid_lone[d] += in_solid ? row->lone[d] : 0;
	}
	e->ghosts += is_ghost(row) && row->between[0] && row->between[1];
}

void interpolation_gather(const struct label_stats *stats, const struct id_stats *ids,
			  struct interpolation_evidence *out)
{
	const struct id_stats *between = ids, *lone = ids; /* the ids with most of it */

	*out = (struct interpolation_evidence){ .ids = stats->ids_count,
						.gap = widest_gap(stats),
						.range = id_range(ids, stats->ids_count) };
	for (uint64_t i = 0; i < stats->ids_count; i++) {
		add_id(out, &ids[i]);
		if (ids[i].between[0] + ids[i].between[1] > between->between[0] + between->between[1])
			between = &ids[i];
		if (ids[i].lone[0] + ids[i].lone[1] > lone->lone[0] + lone->lone[1])
			lone = &ids[i];
	}
	for (int d = 0; d < 2; d++) {
		out->edges[d] = stats->edges[d];
		out->wide_edges[d] = stats->wide_edges[d];
		out->long_between[d] = stats->long_between[d];
		if (stats->ids_count) {
			out->most_between[d] = between->between[d];
			out->most_lone[d] = lone->lone[d];
		}
	}
	if (stats->ids_count && is_thick(lone) && !lone->between[0] && !lone->between[1])
		out->gap_thin = lone->thin;
	if (stats->planes > 1)
		take_mean(out, stats->planes);
}

/* Each test that follows is one direction's part; interpolation_judge joins the directions. */

static uint64_t rivals(const struct interpolation_evidence *e, int d)
{
	return e->long_between[d] + e->wide_edges[d];
}

static bool several(const struct interpolation_evidence *e, int d)
{
	bool of_regions = e->thick[0] && e->thick[1];

	return exceeds(of_regions ? SEVERAL_FACTOR : SEVERAL_SLIVERS_FACTOR, e->between[d] - e->most_between[d], 1,
		       rivals(e, d) + SEVERAL_OFFSET);
}

static bool several_beside(const struct interpolation_evidence *e, int d)
{
	return exceeds(SEVERAL_BESIDE_FACTOR, e->between[d] - e->most_between[d], 1,
		       rivals(e, d) + SEVERAL_BESIDE_OFFSET);
}

static bool massive_beside(const struct interpolation_evidence *e, int d)
{
	return exceeds(SEVERAL_MASSIVE_FACTOR, e->massive[d], 1, e->wide_edges[d] + SEVERAL_BESIDE_OFFSET) &&
	       exceeds(SEVERAL_WIDER_FACTOR, e->between[d], 1, e->long_between[d] + SEVERAL_WIDER_OFFSET);
}

static bool many(const struct interpolation_evidence *e, int d)
{
	return exceeds(MANY_GAPS, e->between[d], MANY_RIVALS, rivals(e, d) + MANY_OFFSET);
}

static bool many_others(const struct interpolation_evidence *e, int d)
{
	return exceeds(MANY_OTHERS_FACTOR, e->between[d] - e->most_between[d], 1, e->between[d]);
}

static bool middle(const struct interpolation_evidence *e, int d)
{
	return exceeds(MIDDLE_GAPS, e->between[d], MIDDLE_RIVALS, rivals(e, d) + MIDDLE_OFFSET);
}

static bool one_id_alone(const struct interpolation_evidence *e, int d)
{
	return e->between[d] == e->most_between[d];
}

static bool is_rim(const struct interpolation_evidence *e, int d)
{
	return e->solid[d] == e->most_between[d] && e->long_between[d] > e->solid[d] &&
	       exceeds(RIM_TOUCH_FACTOR, e->wide_edges[d], RIM_GAPS_FACTOR, e->solid[d]);
}

static bool solid(const struct interpolation_evidence *e, int d)
{
	return exceeds(SOLID_FACTOR, e->solid[d], 1, rivals(e, d) + SOLID_OFFSET) && !is_rim(e, d);
}

static bool solid_in_one(const struct interpolation_evidence *e, int d)
{
	return exceeds(SOLID_ONE_FACTOR, e->solid[d], 1, rivals(e, d) + SOLID_OFFSET);
}

static bool thick_beside(const struct interpolation_evidence *e, int d)
{
	return exceeds(SOLID_THICK_FACTOR, e->thick[d], 1, e->wide_edges[d] + SOLID_OFFSET);
}

static bool other_lone(const struct interpolation_evidence *e, int d)
{
	return e->lone[d] > e->most_lone[d];
}

static bool massive(const struct interpolation_evidence *e, int d)
{
	return exceeds(MASSIVE_FACTOR, e->massive[d], 1, e->wide_edges[d] + MASSIVE_OFFSET);
}

static bool massive_at_all(const struct interpolation_evidence *e, int d)
{
	return e->massive[d] >= MASSIVE_MIN;
}

static bool thick(const struct interpolation_evidence *e, int d)
{
	return exceeds(THICK_FACTOR, e->thick[d], 1, e->wide_edges[d] + MASSIVE_OFFSET);
}

static bool thick_at_all(const struct interpolation_evidence *e, int d)
{
	return e->thick[d] >= THICK_MIN;
}

static bool thin(const struct interpolation_evidence *e, int d)
{
	return exceeds(THIN_FACTOR, e->lone[d] - e->most_lone[d], 1, e->edges[d] + THIN_OFFSET);
}

static bool thin_in_large(const struct interpolation_evidence *e, int d)
{
	return exceeds(THIN_MANY_FACTOR, e->lone[d] - e->most_lone[d], 1, e->edges[d] + THIN_OFFSET);
}

static bool thin_at_all(const struct interpolation_evidence *e, int d)
{
	return e->lone[d] - e->most_lone[d] >= THIN_MANY_MIN;
}

static bool mixed(const struct interpolation_evidence *e, int d)
{
	return exceeds(MIXED_FACTOR, e->thick_lone[d], 1, e->edges[d] + MIXED_OFFSET);
}

static bool mixed_thick(const struct interpolation_evidence *e, int d)
{
	return exceeds(MIXED_THICK_FACTOR, e->thick_lone[d], 1, rivals(e, d) + MIXED_THICK_OFFSET);
}

static bool mixed_solid(const struct interpolation_evidence *e, int d)
{
	return exceeds(MIXED_SOLID_FACTOR, e->solid_lone[d], 1, rivals(e, d) + MIXED_SOLID_OFFSET);
}

static bool mixed_with_massive(const struct interpolation_evidence *e, int d)
{
	return exceeds(MIXED_MASSIVE_FACTOR, e->solid_lone[d], 1, rivals(e, d) + MIXED_SOLID_OFFSET) && e->massive[d];
}

/* Lone pixels of several ids, which are much of what is thin. */
static bool mixed_ids(const struct interpolation_evidence *e)
{
	uint64_t lone = e->lone[0] + e->lone[1];

	return exceeds(MIXED_OTHERS, lone - e->most_lone[0] - e->most_lone[1], 1, lone) &&
	       exceeds(MIXED_LONE_FACTOR, lone, MIXED_THIN_FACTOR, e->thin);
}

/* One id around everything that lies between no two others: a border of 255. */
static bool is_void_border(const struct interpolation_evidence *e)
{
	return !e->between[0] && !e->between[1] && e->lone[0] == e->most_lone[0] && e->lone[1] == e->most_lone[1];
}

/*
 * Background that shows between objects. Mixed colours give lone pixels of the background as well, but hardly any in
 * runs of two.
 */
static bool is_background_gap(const struct interpolation_evidence *e)
{
	uint64_t most = e->most_lone[0] + e->most_lone[1];

	return !exceeds(GAP_ALL, e->lone[0] + e->lone[1], GAP_MOST, most) &&
	       exceeds(GAP_THIN, e->gap_thin, GAP_LONE, most);
}

static bool suspicion(const struct interpolation_evidence *e, int d)
{
	return exceeds(SUSPICION_FACTOR, e->between[d], 1, rivals(e, d) + SUSPICION_OFFSET) && !is_rim(e, d);
}

typedef bool direction_test(const struct interpolation_evidence *e, int d);

static bool some(direction_test *test, const struct interpolation_evidence *e)
{
	return test(e, LINE_ROW) || test(e, LINE_COLUMN);
}

static bool every(direction_test *test, const struct interpolation_evidence *e)
{
	return test(e, LINE_ROW) && test(e, LINE_COLUMN);
}

/* The tests that speckle fails as well: they go by thin ids of any kind. */
static unsigned judge_unspeckled(const struct interpolation_evidence *e)
{
	unsigned tests = 0;

	if (every(several, e) || (some(several_beside, e) && every(massive_beside, e)))
		tests |= INTERPOLATION_SEVERAL;
	if (some(solid_in_one, e) && some(thick_beside, e) && some(other_lone, e))
		tests |= INTERPOLATION_SOLID;
	if (every(thin, e) || (some(thin_in_large, e) && every(thin_at_all, e)))
		tests |= INTERPOLATION_THIN;
	if (every(mixed_with_massive, e) && mixed_ids(e))
		tests |= INTERPOLATION_MIXED;
	return tests;
}

static unsigned judge_damage(const struct interpolation_evidence *e)
{
	bool not_drawn = exceeds(1, e->edges[0] + e->edges[1], MIDDLE_UNSOLID, e->unsolid_labels);
	unsigned tests = is_speckle(e) ? 0 : judge_unspeckled(e);

	if (some(many, e) && some(many_others, e))
		tests |= INTERPOLATION_MANY;
	if (some(middle, e) && every(one_id_alone, e) && not_drawn)
		tests |= INTERPOLATION_MIDDLE;
	if (every(solid, e))
		tests |= INTERPOLATION_SOLID;
	if ((some(massive, e) && every(massive_at_all, e)) ||
	    (some(thick, e) && every(thick_at_all, e) && e->unsolid_labels))
		tests |= INTERPOLATION_MASSIVE;
	if ((every(mixed, e) || every(mixed_thick, e) || every(mixed_solid, e)) && !is_void_border(e) &&
	    !is_background_gap(e))
		tests |= INTERPOLATION_MIXED;
	if (e->ghosts >= GHOSTS_MIN && !exceeds(1, e->ids, GHOSTS_SHARE, e->ghosts))
		tests |= INTERPOLATION_GHOSTS;
	return tests;
}

unsigned interpolation_judge(const struct interpolation_evidence *e)
{
	bool levels = is_levels(e->gap, e->range, e->wide_edges, e->edges, e->thin, e->labels);
	unsigned tests = 0;

	if (is_noise(e->thin, e->labels))
		return 0;
	if (!levels)
		tests |= judge_damage(e);
	if (every(suspicion, e))
		tests |= INTERPOLATION_SUSPICION;
	return tests;
}

unsigned interpolation_tests(const struct label_stats *stats, const struct id_stats *ids)
{
	struct interpolation_evidence e;

	if (!interpolation_applies(stats))
		return 0;
	interpolation_gather(stats, ids, &e);
	return interpolation_judge(&e);
}

bool interpolation_from_colours(const struct interpolation_evidence *e)
{
	return exceeds(1, e->lone[0] + e->lone[1], COLOURS_FACTOR, e->between[0] + e->between[1]);
}

bool interpolation_informative(const struct label_stats *stats, const struct interpolation_sums *sums)
{
	for (int d = 0; d < 2; d++)
		if (sums->between[d] + stats->long_between[d] + stats->wide_edges[d] < INFORMATIVE_MIN)
			return false;
	return interpolation_applies(stats) && !is_noise(sums->thin, stats->labels) && !has_levels(stats, sums);
}

bool interpolation_weak(const struct label_stats *stats, const struct interpolation_sums *sums)
{
	for (int d = 0; d < 2; d++) {
		uint64_t all = sums->between[d] + stats->long_between[d] + stats->wide_edges[d] + WEAK_OFFSET;

		if (sums->between[d] < WEAK_PIXELS_MIN || sums->between[d] <= all / WEAK_FACTOR)
			return false;
	}
	return interpolation_applies(stats) && !is_noise(sums->thin, stats->labels) && !has_levels(stats, sums);
}
