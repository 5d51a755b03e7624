#include "judge/interpolation.h"

#include <assert.h>

#include "base/mem.h"

enum { CUSTOMARY_VOID = 255 };

/*
 * Returns whether p a > q b, without overflow: with a = q a1 + a0 and b = p b1 + b0 it is p q (a1 - b1) > q b0 - p a0,
 * and the right side is between -p q and p q.
 */
static bool exceeds(uint64_t p, uint64_t a, uint64_t q, uint64_t b)
{
	uint64_t a1 = a / q, a0 = a % q, b1 = b / p, b0 = b % p;

	assert(p <= UINT32_MAX && q <= UINT32_MAX);
	return a1 != b1 ? a1 > b1 : p * a0 > q * b0;
}

static bool is_solid(const struct id_stats *row)
{
	return !exceeds(10, row->thin, 7, row->labels);
}

static bool is_thick(const struct id_stats *row)
{
	return !exceeds(33, row->thin, 1, row->labels);
}

static bool is_massive(const struct id_stats *row)
{
	return !exceeds(100, row->thin, 1, row->labels);
}

static bool is_ghost(const struct id_stats *row)
{
	return row->between[0] + row->between[1] >= row->labels;
}

/* Returns whether over half of the labels are thin; each counts up to twice, once per direction. */
static bool is_noise(uint64_t thin, uint64_t labels)
{
	return thin > labels;
}

/* Returns `range` of the evidence. ids: sorted, from 0 to 255. */
static uint64_t id_range(const struct id_stats *ids, uint64_t n)
{
	if (n && ids[n - 1].id == CUSTOMARY_VOID)
		n--;
	return n ? (uint64_t)(ids[n - 1].id - ids[0].id) : 0;
}

static uint64_t widest_gap(const struct label_stats *stats)
{
	return worst_key_gap(stats->worst.key);
}

/*
 * Returns whether the ids are ordered classes (elevation, depth, age). They step by one wherever there is a slope, also
 * far from any border: many labels are thin, and no gap spans two fifths of the ids. Wide blurs of close ids are the
 * only damage that is similar. Ordered classes whose gaps look like damage, against these: the widest gap is 0.2 of the
 * range (median) and 0.45; wide edges are 0.13 of the edges (95 %) and up to 0.18; 0.19 of the labels are thin (95 %
 * have more) and 0.09 (median).
 */
static bool is_levels(uint64_t gap, uint64_t range, const uint64_t wide_edges[2], const uint64_t edges[2],
		      uint64_t thin, uint64_t labels)
{
	return gap && !exceeds(5, gap, 2, range) && exceeds(1, edges[0] + edges[1], 5, wide_edges[0] + wide_edges[1]) &&
	       exceeds(6, thin, 1, labels);
}

/*
 * Returns whether edges are everywhere, and few of the thin labels are in a gap: land cover and point clouds that were
 * classified pixel by pixel. Their lone pixels are inside one class or between two by chance; those of an interpolated
 * border are always between the two. In speckle a third of the lone pixels are between by chance, and a quarter of what
 * is thin is lone: gaps are a twelfth of what is thin. In damaged masks the median is over a half. 95 % of speckled
 * masks have over 0.3 edges per label, most damaged ones under 0.1.
 */
static bool is_speckle(const struct interpolation_evidence *e)
{
	return exceeds(1, e->thin, 8, e->between[0] + e->between[1]) &&
	       exceeds(4, e->edges[0] + e->edges[1], 1, e->labels);
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

/*
 * Returns whether the mask is so flat that one line along it is hundreds of gaps, and that much is thin because little
 * can be thicker. Clean strips of rectangles that are as long as the square of their height, or longer, were taken for
 * damaged in one of 8 cases (one pixel high and 500 long: in 4 of 9); higher ones in one of 200.
 */
static bool is_strip(const struct label_stats *stats)
{
	const uint64_t less = MIN(stats->width, stats->height), more = MAX(stats->width, stats->height);

	return less && more >= less * less;
}

bool interpolation_applies(const struct label_stats *stats)
{
	return stats->neighbours && stats->labels && stats->min >= 0 && stats->max <= 255 && !is_strip(stats);
}

/* Takes the mean of a stack's planes. In sums the offsets would be too small to matter. */
static void take_mean(struct interpolation_evidence *e, uint64_t planes)
{
	_Static_assert(offsetof(struct interpolation_evidence, ghosts) == sizeof(e->sums), "the sums come first");
	for (size_t i = 0; i < EVIDENCE_SUMS; i++)
		e->sums[i] /= planes;
}

static void add_id(struct interpolation_evidence *e, const struct id_stats *row)
{
	bool in_solid = is_solid(row);

	e->labels += row->labels;
	e->thin += row->thin;
	e->unsolid_labels += in_solid ? 0 : row->labels;
	if (!(row->between[0] | row->between[1] | row->lone[0] | row->lone[1]))
		return; /* most ids of clean masks */
	bool in_thick = is_thick(row), in_massive = is_massive(row), ghost = is_ghost(row);

	for (int d = 0; d < 2; d++) {
		e->between[d] += row->between[d];
		e->lone[d] += row->lone[d];
		e->solid[d] += in_solid ? row->between[d] : 0;
		e->thick[d] += in_thick ? row->between[d] : 0;
		e->massive[d] += in_massive ? row->between[d] : 0;
		e->ghost[d] += ghost ? row->between[d] : 0;
	}
	e->ghosts += ghost && row->between[0] && row->between[1];
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
			out->most_lone_between[d] = lone->between[d];
		}
	}
	if (stats->planes > 1)
		take_mean(out, stats->planes);
}

/*
 * ---- the tests ---------------------------------------------------------------------------------------------------
 *
 * Their factors and offsets were fitted; DETECTOR.md says how. Because of the offsets, a handful of pixels in a small
 * or nearly empty mask is no large share.
 */

/* Differences that several tests use; by enum line. */
struct differences {
	uint64_t times;         /* how many times the evidence must exceed what a test asks for */
	uint64_t rivals[2];     /* long_between + wide_edges: what could have been a gap and is none */
	uint64_t other_gaps[2]; /* between - most_between */
	uint64_t other_lone[2]; /* lone - most_lone */
	uint64_t lone_apart[2]; /* other_lone that are in no gap */
};

static struct differences differences_of(const struct interpolation_evidence *e)
{
	struct differences x = { .times = 1 };

	for (int d = 0; d < 2; d++) {
		x.rivals[d] = e->long_between[d] + e->wide_edges[d];
		x.other_gaps[d] = e->between[d] - e->most_between[d];
		x.other_lone[d] = e->lone[d] - e->most_lone[d];
		/* means of a stack are rounded down */
		uint64_t in_gaps = e->between[d] - MIN(e->between[d], e->most_lone_between[d]);

		x.lone_apart[d] = x.other_lone[d] - MIN(x.other_lone[d], in_gaps);
	}
	return x;
}

/* A set of directions: bits 1 << enum line. */
enum { EVERY = 1 << LINE_ROW | 1 << LINE_COLUMN };

/* Returns the directions in which p a > q (b + offset), x->times over. */
static unsigned where(const struct differences *x, uint64_t p, const uint64_t a[2], uint64_t q, const uint64_t b[2],
		      uint64_t offset)
{
	unsigned directions = 0;

	for (int d = 0; d < 2; d++)
		directions |= (unsigned)exceeds(p, a[d], x->times * q, b[d] + offset) << d;
	return directions;
}

static bool both_at_least(const struct differences *x, const uint64_t a[2], uint64_t min)
{
	return a[0] >= x->times * min && a[1] >= x->times * min;
}

/*
 * Returns the directions in which the id in the gaps is a rim: one id has them all, and a real organ around a cyst is
 * thin in places, and thick in more places.
 */
static unsigned rims(const struct interpolation_evidence *e)
{
	unsigned directions = 0;

	for (int d = 0; d < 2; d++) {
		bool rim = e->solid[d] == e->most_between[d] && e->long_between[d] > e->solid[d] &&
			   exceeds(4, e->wide_edges[d], 3, e->solid[d]);

		directions |= (unsigned)rim << d;
	}
	return directions;
}

/*
 * Tests whether gaps are not rare among what separates two ids, and one in 400 of them has another id than most, so
 * that nobody drew them.
 */
static bool has_many(const struct interpolation_evidence *e, const struct differences *x)
{
	return where(x, 17, e->between, 5, x->rivals, 40) && where(x, 400, x->other_gaps, 1, e->between, 0);
}

/* A weak form: gaps of one pixel are not rare compared with longer ones, and half as many are of other ids than most.
 */
static bool has_many_short(const struct interpolation_evidence *e, const struct differences *x)
{
	return where(x, 2, x->other_gaps, 1, e->long_between, 40) &&
	       where(x, 5, e->between, 2, e->long_between, 100) == EVERY;
}

/* Returns whether one id fills all gaps. A filter does that only if they are 2 wide: 0 and 3 give 1 and 2. */
static bool is_one_id(const struct differences *x)
{
	return !x->other_gaps[0] && !x->other_gaps[1];
}

/*
 * Tests whether most of what separates two ids is a gap of one id, as when 0 and 2 gave 1, and this id has too few
 * labels to be drawn around everything: a line of one pixel has half as many as there are edges. A class that is
 * painted over strokes of another leaves a rim of it on one side: gaps in one direction.
 */
static bool has_middle(const struct interpolation_evidence *e, const struct differences *x)
{
	return where(x, 9, e->between, 5, x->rivals, 40) == EVERY && is_one_id(x) && e->gap == 2 &&
	       exceeds(1, e->edges[0] + e->edges[1], 3, e->unsolid_labels);
}

/* Tests whether the id in the gaps has regions elsewhere; a boundary has none. */
static bool has_solid(const struct interpolation_evidence *e, const struct differences *x)
{
	return (where(x, 5, e->solid, 1, x->rivals, 40) & ~rims(e)) == EVERY;
}

/* A weak form, for JPEG: in one direction, with thick ids in gaps and an eighth as many lone pixels of other ids. */
static bool has_solid_once(const struct interpolation_evidence *e, const struct differences *x)
{
	return where(x, 6, e->solid, 1, x->rivals, 40) &&      /* clean masks: one is hit at 7, six at 8 */
	       where(x, 30, e->thick, 1, e->wide_edges, 40) && /* one at 100 */
	       exceeds(8, x->other_lone[0] + x->other_lone[1], 1, e->solid[0] + e->solid[1]);
}

/* A weak form: gaps are fewer, and a second id has lone pixels in no gap, which an organ or a rim has not. */
static bool has_solid_apart(const struct interpolation_evidence *e, const struct differences *x)
{
	return where(x, 6, e->solid, 1, x->rivals, 40) == EVERY && both_at_least(x, x->lone_apart, 1);
}

/*
 * Tests whether the id in the gaps is thin nowhere else. Wide edges alone are the measure: in nested classes (0 in 1 in
 * 2) long gaps are natural, wide jumps are rare.
 */
static bool has_massive(const struct interpolation_evidence *e, const struct differences *x)
{
	return where(x, 4, e->massive, 1, e->wide_edges, 40) && both_at_least(x, e->massive, 8);
}

/*
 * Weak forms, for blurs: many gaps of thick ids in one direction, some gaps in both; or gaps are a sixth of the wide
 * edges, and a massive id is in some of one direction.
 */
static bool has_massive_once(const struct interpolation_evidence *e, const struct differences *x)
{
	return (where(x, 11, e->thick, 7, e->wide_edges, 10) && where(x, 16, e->between, 1, x->rivals, 10) == EVERY) ||
	       (where(x, 80, e->massive, 1, e->long_between, 10) &&
		where(x, 6, e->between, 1, e->wide_edges, 60) == EVERY);
}

/*
 * Tests whether lone pixels of several ids are along the borders, and some are in gaps: polygons that overlap, in sets
 * of distant ids, have hundreds in no gap.
 */
static bool has_thin(const struct interpolation_evidence *e, const struct differences *x)
{
	if (!exceeds(20, e->between[0] + e->between[1], 1, x->other_lone[0] + x->other_lone[1]))
		return false;
	return where(x, 6, x->other_lone, 1, e->edges, 10) == EVERY ||
	       (where(x, 10, x->other_lone, 1, e->edges, 10) && both_at_least(x, x->other_lone, 220));
}

/*
 * A weak form, for mixed colours: lone pixels that are in no gap, of other ids than the one with most, beside gaps of
 * thick ids. Lone pixels of one id are slivers: background between polygons whose borders nearly agree, outlines,
 * objects seen between others that were drawn over them. More of them prove nothing.
 */
static bool has_mixed(const struct interpolation_evidence *e, const struct differences *x)
{
	return where(x, 15, x->lone_apart, 1, x->rivals, 100) == EVERY &&
	       where(x, 120, e->thick, 1, e->long_between, 100) == EVERY;
}

/* Tests whether several ids are ghosts: among hundreds of instances a few are slivers, so their square counts. */
static bool has_ghosts(const struct interpolation_evidence *e, const struct differences *x)
{
	return e->ghosts >= 2 * x->times && e->ghosts * e->ghosts >= x->times * e->ids;
}

/*
 * A weak form: gaps of ghosts are a seventh of the rivals, and no id is drawn around everything. Each pixel of an
 * outline has two edges: if no border is without it, gaps are half of the edges, a third after a nearest resize.
 */
static bool has_ghost_gaps(const struct interpolation_evidence *e, const struct differences *x)
{
	return where(x, 7, e->ghost, 1, x->rivals, 40) == EVERY && (!is_one_id(x) || e->gap == 2) &&
	       exceeds(1, e->edges[0] + e->edges[1], 3, e->most_between[0] + e->most_between[1]);
}

/*
 * Returns whether a direction has hundreds of wide edges and nothing between any two ids: a filter softens both. MANY
 * held in one of 30 masks of text lines on ruled baselines, whose gaps are in columns alone. One of 3,136
 * damaged masks is as sharp, and another test finds it.
 */
static bool is_sharp(const struct interpolation_evidence *e)
{
	enum { WIDE_MIN = 250 };

	for (int d = 0; d < 2; d++)
		if (e->wide_edges[d] >= WIDE_MIN && !e->between[d] && !e->long_between[d])
			return true;
	return false;
}

/* Speckle suppresses the tests that rely on thin ids of any kind. MANY needs but one direction. */
static unsigned judge_damage(const struct interpolation_evidence *e, const struct differences *x)
{
	return (!is_sharp(e) && has_many(e, x) ? INTERPOLATION_MANY : 0u) |
	       (has_middle(e, x) ? INTERPOLATION_MIDDLE : 0u) | (has_solid(e, x) ? INTERPOLATION_SOLID : 0u) |
	       (has_massive(e, x) ? INTERPOLATION_MASSIVE : 0u) |
	       (!is_speckle(e) && has_thin(e, x) ? INTERPOLATION_THIN : 0u) |
	       (has_ghosts(e, x) ? INTERPOLATION_GHOSTS : 0u);
}

/* The weak forms: colours, JPEG and mild filters are found by little else. They are never strong evidence. */
static unsigned judge_weak_damage(const struct interpolation_evidence *e, const struct differences *x)
{
	if (is_speckle(e))
		return 0;
	return (has_many_short(e, x) ? INTERPOLATION_MANY : 0u) |
	       (has_solid_apart(e, x) || has_solid_once(e, x) ? INTERPOLATION_SOLID : 0u) |
	       (has_massive_once(e, x) ? INTERPOLATION_MASSIVE : 0u) | (has_mixed(e, x) ? INTERPOLATION_MIXED : 0u) |
	       (has_ghost_gaps(e, x) ? INTERPOLATION_GHOSTS : 0u);
}

/*
 * Returns whether the evidence is enough for an error, however many other files there are: see INTERPOLATION_STRONG.
 * However much there is of one id in all gaps, it may have been drawn around everything.
 */
static bool is_strong(const struct interpolation_evidence *e, const struct differences *x, unsigned tests)
{
	enum { TESTS_MIN = 2, TIMES = 2 };
	struct differences twice = *x;

	twice.times = TIMES;
	return __builtin_popcount(tests) >= TESTS_MIN || (judge_damage(e, &twice) & ~(unsigned)INTERPOLATION_MIDDLE);
}

unsigned interpolation_judge(const struct interpolation_evidence *e)
{
	const struct differences x = differences_of(e);
	unsigned tests = 0;

	if (is_noise(e->thin, e->labels))
		return 0;
	if (!is_levels(e->gap, e->range, e->wide_edges, e->edges, e->thin, e->labels)) {
		tests = judge_damage(e, &x);
		if (tests && is_strong(e, &x, tests))
			tests |= INTERPOLATION_STRONG;
		tests |= judge_weak_damage(e, &x);
	}
	if ((where(&x, 4, e->between, 1, x.rivals, 40) & ~rims(e)) == EVERY)
		tests |= INTERPOLATION_SUSPICION;
	return tests;
}

/*
 * Returns whether the mask is lines of many ids on one background: limbs of skeletons, lanes, wires. Where they cross
 * and meet are gaps of any id. One id holds over half, one at most is thick, none of the others holds a fifth of what
 * they hold, and less than a third of them are in gaps for a third of their labels. An interpolated mask has two thick
 * ids, or two of which most is made, or ids that were made up, of which most is in gaps: 52 of 500 masks of skeletons
 * were called damaged, and 3 are; of 3,136 damaged masks that are found, none is lost.
 */
static bool is_line_drawing(const struct label_stats *stats, const struct id_stats *ids)
{
	uint64_t most = 0, second = 0, sum = 0, in_gaps = 0, thick = 0;

	for (uint64_t i = 0; i < stats->ids_count; i++) {
		const uint64_t labels = ids[i].labels;

		second = MAX(second, MIN(most, labels));
		most = MAX(most, labels);
		sum += labels;
		thick += is_thick(&ids[i]);
		in_gaps += !exceeds(1, labels, 3, ids[i].between[0] + ids[i].between[1]);
	}
	return thick <= 1 && most > sum - most && exceeds(1, sum - most, 5, second) && 3 * in_gaps < stats->ids_count;
}

unsigned interpolation_tests(const struct label_stats *stats, const struct id_stats *ids)
{
	struct interpolation_evidence e;

	if (!interpolation_applies(stats))
		return 0;
	interpolation_gather(stats, ids, &e);
	unsigned tests = interpolation_judge(&e);

	return tests && is_line_drawing(stats, ids) ? 0 : tests;
}

bool interpolation_stands(uint64_t tested, uint64_t flagged)
{
	enum { CHANCE = 1000, DEVIATION = 49 }; /* sqrt(n / 49) is over 4 sqrt(n / 1000) */
	uint64_t root = 0;                      /* of tested / DEVIATION, rounded down */

	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= tested / DEVIATION)
			root |= bit;
	return flagged > tested / CHANCE + root;
}

bool interpolation_from_colours(const struct interpolation_evidence *e)
{
	return exceeds(1, e->lone[0] + e->lone[1], 3, e->between[0] + e->between[1]);
}

static bool has_regions(const struct label_stats *stats, const struct interpolation_sums *sums)
{
	return interpolation_applies(stats) && !is_noise(sums->thin, stats->labels) &&
	       !is_levels(widest_gap(stats), sums->range, stats->wide_edges, stats->edges, sums->thin, stats->labels);
}

bool interpolation_informative(const struct label_stats *stats, const struct interpolation_sums *sums)
{
	enum { BORDERS_MIN = 30 };

	for (int d = 0; d < 2; d++)
		if (sums->between[d] + stats->long_between[d] + stats->wide_edges[d] < BORDERS_MIN)
			return false;
	return has_regions(stats, sums);
}

bool interpolation_weak(const struct label_stats *stats, const struct interpolation_sums *sums)
{
	enum { OFFSET = 40, BETWEEN_MIN = 3 };

	for (int d = 0; d < 2; d++) {
		uint64_t all = sums->between[d] + stats->long_between[d] + stats->wide_edges[d] + OFFSET;

		if (sums->between[d] < BETWEEN_MIN || sums->between[d] <= all / 20)
			return false;
	}
	return has_regions(stats, sums);
}
