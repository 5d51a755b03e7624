#include "judge/interpolation.h"

#include <stddef.h>

/* Factors and offsets of the tests; where they come from is said in the header. */
enum {
	SEVERAL_FACTOR = 19,
	SEVERAL_OFFSET = 10,
	SOLID_FACTOR = 5,
	SOLID_OFFSET = 40,
	RIM_TOUCH_FACTOR = 4,
	RIM_GAPS_FACTOR = 3,
	THIN_FACTOR = 7,
	THIN_OFFSET = 10,
	SUSPICION_FACTOR = 4,
	SUSPICION_OFFSET = 40,
	GHOSTS_MIN = 3,
	INFORMATIVE_MIN = 30,
	WEAK_FACTOR = 20, /* 1 / 0.05 */
	WEAK_OFFSET = 40,
	WEAK_PIXELS_MIN = 3,
};

/* factor * a > b + offset, exactly and without overflow: a counter may hold up to 2^62. */
static bool exceeds(uint64_t factor, uint64_t a, uint64_t b, uint64_t offset)
{
	return a > (b + offset) / factor;
}

/* 10 sh <= 7 n. sh <= 2 n, and n is at most 2^62: split so that it cannot overflow. */
static bool is_solid(const struct id_stats *row)
{
	uint64_t n = row->labels;

	return row->thin <= n / 10 * 7 + n % 10 * 7 / 10;
}

static bool is_ghost(const struct id_stats *row)
{
	return row->thin / 2 == row->labels && row->thin % 2 == 0;
}

void interpolation_sum(const struct id_stats *ids, uint64_t n, struct interpolation_sums *out)
{
	*out = (struct interpolation_sums){ { 0, 0 }, { 0, 0 } };
	for (uint64_t i = 0; i < n; i++) {
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

/* a* and q* of the header: what the most frequent id holds in each direction. */
struct largest {
	const struct id_stats *between, *lone;
};

static struct largest find_largest(const struct id_stats *ids, uint64_t n)
{
	struct largest l = { ids, ids };

	for (uint64_t i = 1; i < n; i++) {
		if (ids[i].between[0] + ids[i].between[1] > l.between->between[0] + l.between->between[1])
			l.between = &ids[i];
		if (ids[i].lone[0] + ids[i].lone[1] > l.lone->lone[0] + l.lone->lone[1])
			l.lone = &ids[i];
	}
	return l;
}

/*
 * One solid id holds all gaps, its thicker runs between two others outnumber them, and those others touch directly
 * about as often: the gaps are the thin places of something real that encloses something else, an organ around a cyst.
 */
static bool is_rim(const struct label_stats *stats, int d, uint64_t solid, uint64_t largest)
{
	return solid == largest && stats->long_between[d] > solid &&
	       exceeds(RIM_TOUCH_FACTOR, stats->wide_edges[d], RIM_GAPS_FACTOR * solid, 0);
}

unsigned interpolation_tests(const struct label_stats *stats, const struct id_stats *ids)
{
	struct interpolation_sums sums;
	uint64_t solid[2] = { 0, 0 };
	unsigned ghosts = 0, tests;

	if (!interpolation_applies(stats) || !stats->ids_count)
		return 0;
	interpolation_sum(ids, stats->ids_count, &sums);
	for (uint64_t i = 0; i < stats->ids_count; i++) {
		const struct id_stats *row = &ids[i];

		if (is_solid(row)) {
			solid[0] += row->between[0];
			solid[1] += row->between[1];
		}
		ghosts += is_ghost(row) && row->between[0] && row->between[1];
	}

	struct largest largest = find_largest(ids, stats->ids_count);

	tests = (unsigned)INTERPOLATION_SEVERAL | INTERPOLATION_SOLID | INTERPOLATION_THIN | INTERPOLATION_SUSPICION;
	for (int d = 0; d < 2; d++) {
		uint64_t wide = stats->long_between[d] + stats->wide_edges[d];

		if (!exceeds(SEVERAL_FACTOR, sums.between[d] - largest.between->between[d], wide, SEVERAL_OFFSET))
			tests &= ~(unsigned)INTERPOLATION_SEVERAL;
		if (!exceeds(SOLID_FACTOR, solid[d], wide, SOLID_OFFSET) ||
		    is_rim(stats, d, solid[d], largest.between->between[d]))
			tests &= ~(unsigned)INTERPOLATION_SOLID;
		if (!exceeds(THIN_FACTOR, sums.lone[d] - largest.lone->lone[d], stats->edges[d], THIN_OFFSET))
			tests &= ~(unsigned)INTERPOLATION_THIN;
		if (!exceeds(SUSPICION_FACTOR, sums.between[d], wide, SUSPICION_OFFSET))
			tests &= ~(unsigned)INTERPOLATION_SUSPICION;
	}
	if (ghosts >= GHOSTS_MIN)
		tests |= INTERPOLATION_GHOSTS;
	return tests;
}

bool interpolation_informative(const struct label_stats *stats, const struct interpolation_sums *sums)
{
	for (int d = 0; d < 2; d++)
		if (sums->between[d] + stats->long_between[d] + stats->wide_edges[d] < INFORMATIVE_MIN)
			return false;
	return interpolation_applies(stats);
}

bool interpolation_weak(const struct label_stats *stats, const struct interpolation_sums *sums)
{
	for (int d = 0; d < 2; d++) {
		uint64_t all = sums->between[d] + stats->long_between[d] + stats->wide_edges[d] + WEAK_OFFSET;

		if (sums->between[d] < WEAK_PIXELS_MIN || sums->between[d] <= all / WEAK_FACTOR)
			return false;
	}
	return interpolation_applies(stats);
}
