/*
 * The interpolation detector: integer tests on the neighbourhood counters of one file (measure/label_stats.h).
 *
 * Resizing, warping or blurring a mask with anything but nearest paints ids between two classes along their border:
 * gaps one pixel wide whose id is numerically between those on both sides, in rows and in columns alike. Clean masks
 * have few of them. Painting the ids in colours, resizing that and mapping the colours back gives lone pixels of any
 * id.
 *
 * Names, for each direction d, rows and columns (the sums run over all ids):
 *     E edges   X wide_edges   K long_between   W = K + X, what could have been a gap and is none
 *     B sum of between, Q sum of lone; B* and Q* the share of the one id that holds most of it over both directions
 *     (the smallest id on ties): a boundary class that somebody drew is one id, damage is mostly several
 *     n labels of an id, t how many of them are thin; an id is
 *         solid    10 t <= 7 n   a region elsewhere
 *         thick    33 t <= n     nothing but regions and a few pixels; massive: 100 t <= n
 *         ghost    t == 2 n      nothing but pixels that are thin both ways
 *     B(..), Q(..) sums over such ids only; U labels of ids that are not solid
 *
 *     SEVERAL  every d: 19 (B - B*) > W + 10      several ids lie in gaps, and one of them is a region elsewhere.
 *              with B(thick) > 0, else 12 for 19  If none is, nested organs have as many slivers as mild damage
 *              or some d: 26 (B - B*) > W + 40,   The weaker form: a massive id lies in gaps, and gaps are not rare
 *              every d: 200 B(massive) > X + 40,  beside what is wider
 *              every d: 13 B > K + 20
 *     MANY     some d: 13 B > 5 (W + 40), and     most of what separates two ids is a gap, and
 *              some d: 200 (B - B*) > B           not one id alone holds them, as a drawn boundary does
 *     MIDDLE   some d: 9 B > 5 (W + 40), and      the same with one id alone, but so few labels are thin that
 *              every d: B == B*, and 3 U < E + E  the id is not drawn around everything: 0 and 2 gave 1
 *     SOLID    every d: 5 B(solid) > W + 40       the id in the gaps is a region elsewhere; a boundary is none.
 *              unless it is a rim for that d      A rim: one id holds them all, K > B and 4 X > 3 B: a real organ
 *                                                 around a cyst is thin in places, thick in more
 *              or some d: 6 B(solid) > W + 40,    The weaker form, for JPEG: in one direction, beside thick ids in
 *              some d: 30 B(thick) > X + 40,      gaps and lone pixels of a second id
 *              and Q > Q* for some d
 *     MASSIVE  some d: 3 B(massive) > X + 40, and the id in the gaps is thin nowhere else. X alone is the measure:
 *              every d: B(massive) >= 8           in nested classes (0 in 1 in 2) K is natural, wide jumps are rare.
 *              or some d: 7 B(thick) > X + 40,    The weaker form asks for an id besides that has no region at all
 *              every d: B(thick) >= 4, U > 0
 *     THIN     every d: 6 (Q - Q*) > E + 10       lone pixels of several ids along the borders
 *              or some d: 10 (Q - Q*) > E + 10 and every d: Q - Q* >= 190
 *     MIXED    every d: 15 Q(thick) > E + 20      lone pixels of ids that are regions elsewhere: mixed colours.
 *              or every d: 9 Q(thick) > W + 100   The same where few edges are wide: classes whose ids are close
 *              or every d: 3 Q(solid) > W + 40    None of these three where Q == Q* and B == 0: a border of 255;
 *                                                 nor where 4 Q* >= 3 Q, 2 t > 3 Q* (sums over d), t that of its
 *                                                 id, which is thick and in no gap: background between objects that
 *                                                 were drawn one by one, and it is not one pixel wide everywhere
 *              or every d: 6 Q(solid) > W + 40,   The weaker form: a massive id lies in gaps, lone pixels are of
 *              every d: B(massive) > 0,           several ids, and the thin labels lie between two others
 *              20 (Q - Q*) > Q and 10 Q > 3 t (sums over d)
 *     GHOSTS   at least 3 ghosts, each in a gap in a row and in one in a column, and a sixth of all ids: of hundreds
 *              of instances a few are slivers
 *     SUSPICION  every d: 4 B > W + 40            not damage by itself: a boundary class gives it too
 *              unless it is a rim for that d
 *
 * None holds where over half of all labels are thin (sum t > sum n, as t counts both directions): noise, not regions
 * with borders.
 *
 * SPECKLE silences SEVERAL, THIN and the weaker forms of SOLID and MIXED: 8 B < t and 4 E > n (sums over ids and d).
 * Edges are everywhere, and few of the thin labels lie in a gap: land cover and point clouds classified pixel by pixel,
 * a noisy classifier. Their lone pixels lie inside one class, or between two as chance has it, where an interpolated
 * border has them between the two.
 *
 * LEVELS silences all but SUSPICION: 5 g <= 2 r, 5 X < E and 6 t > n (sums over d), where g is the widest gap |L - R|
 * and r the largest id, 255 aside, less the smallest. Ordered classes - elevation, depth, age - step by one wherever
 * the slope is, far from any border too: many labels are thin, and no gap spans two fifths of the ids.
 *
 * How the numbers were found and what they reach is in DETECTOR.md beside this file.
 * Ids of 0 and 1 only cannot be damaged this way.
 */
#ifndef JUDGE_INTERPOLATION_H
#define JUDGE_INTERPOLATION_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/label_stats.h"

enum interpolation_test {
	INTERPOLATION_SEVERAL = 1 << 0,
	INTERPOLATION_MANY = 1 << 1,
	INTERPOLATION_MIDDLE = 1 << 2,
	INTERPOLATION_SOLID = 1 << 3,
	INTERPOLATION_MASSIVE = 1 << 4,
	INTERPOLATION_THIN = 1 << 5,
	INTERPOLATION_MIXED = 1 << 6,
	INTERPOLATION_GHOSTS = 1 << 7,
	INTERPOLATION_SUSPICION = 1 << 8,
};
/* Any of these: damaged. INTERPOLATION_SUSPICION without them: suspected. */
#define INTERPOLATION_DAMAGED ((unsigned)INTERPOLATION_SUSPICION - 1)

/* All that the tests look at; by enum line. Pure sums of the counters; of a stack of masks, the mean of its planes. */
struct interpolation_evidence {
	uint64_t edges[2], wide_edges[2], long_between[2];
	uint64_t between[2], lone[2];            /* B, Q */
	uint64_t most_between[2], most_lone[2];  /* B*, Q* */
	uint64_t solid[2], massive[2], thick[2]; /* B over solid, massive, thick ids */
	uint64_t thick_lone[2], solid_lone[2];   /* Q over thick, solid ids */
	uint64_t labels, thin;                   /* sums of n and t */
	uint64_t unsolid_labels;                 /* U */
	uint64_t gap_thin;                       /* t of the id of Q*, if it is thick and never between; else 0 */
	uint64_t ghosts, ids;
	uint64_t gap, range; /* g, r */
};

/* What a whole set is judged by: sums over the ids of a file; by enum line. */
struct interpolation_sums {
	uint64_t between[2], lone[2];
	uint64_t thin;
	uint64_t range; /* r */
};

void interpolation_sum(const struct id_stats *ids, uint64_t n, struct interpolation_sums *out);

/* False where numerical closeness of ids means nothing: not measured, or instance ids (any id above 255 or below 0). */
bool interpolation_applies(const struct label_stats *stats);

void interpolation_gather(const struct label_stats *stats, const struct id_stats *ids,
			  struct interpolation_evidence *out);

/* Which of the tests (enum interpolation_test) hold. */
unsigned interpolation_judge(const struct interpolation_evidence *e);

/* Both of the above; 0 if they do not apply. */
unsigned interpolation_tests(const struct label_stats *stats, const struct id_stats *ids);

/*
 * The likely cause: lone pixels that mostly lie between no two neighbours (3 B < Q) come of colours. Of masks called
 * damaged half of the colour-coded ones show it, and 1 in 1000 of those resized, warped, blurred or drawn anti-aliased.
 */
bool interpolation_from_colours(const struct interpolation_evidence *e);

/* Enough borders to judge a whole set by, min over d of (sum B + K + X) >= 30, neither noise nor LEVELS. */
bool interpolation_informative(const struct label_stats *stats, const struct interpolation_sums *sums);

/*
 * Too weak to be called damaged alone, worth a look in a set where others are: min over d of
 * sum B / (sum B + W + 40) > 0.05, at least 3 between pixels a direction, neither noise nor LEVELS.
 */
bool interpolation_weak(const struct label_stats *stats, const struct interpolation_sums *sums);

#endif
