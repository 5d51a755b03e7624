/*
 * The interpolation detector: integer tests on the neighbourhood counters of one file (measure/label_stats.h).
 *
 * Resizing, warping or blurring a mask with anything but nearest paints ids between two classes along their border:
 * gaps one pixel wide, in rows and in columns alike, whose id is numerically between the ids on both sides. Clean masks
 * have few of them. Painting ids as colours, resizing the colours and mapping them back gives lone pixels of any id.
 *
 * Names, for each direction d, rows and columns (sums run over all ids):
 *     E edges   X wide_edges   K long_between   W = K + X, what could have been a gap and is none
 *     B sum of between, Q sum of lone; B* and Q* the share of the one id that has most of it over both directions
 *     (the smallest id on ties): a boundary class that somebody drew is one id, damage is mostly several
 *     n labels of an id, t how many of them are thin; an id is
 *         solid    10 t <= 7 n   it has regions elsewhere
 *         thick    33 t <= n     it is regions and a few pixels; massive: 100 t <= n
 *         ghost    t == 2 n      all its pixels are thin in both directions
 *     B(..), Q(..) sums over such ids only; U labels of ids that are not solid
 *
 *     SEVERAL  every d: 19 (B - B*) > W + 10      Several ids are in gaps, and one of them has regions elsewhere.
 *              with B(thick) > 0, else 12 for 19  If none has, nested organs have as many slivers as mild damage.
 *              or some d: 26 (B - B*) > W + 40,   The weaker form: a massive id is in gaps, and gaps are not rare
 *              every d: 200 B(massive) > X + 40,  compared with what is wider.
 *              every d: 13 B > K + 20
 *     MANY     some d: 13 B > 5 (W + 40), and     Most of what separates two ids is a gap, and not all gaps have
 *              some d: 200 (B - B*) > B           one id, as a drawn boundary has.
 *     MIDDLE   some d: 9 B > 5 (W + 40), and      The same with one id, but with so few thin labels that the id is
 *              every d: B == B*, and 3 U < E + E  not drawn around everything: 0 and 2 gave 1.
 *     SOLID    every d: 5 B(solid) > W + 40       The id in the gaps has regions elsewhere; a boundary has none.
 *              unless it is a rim for that d      A rim: one id has them all, K > B and 4 X > 3 B: a real organ
 *                                                 around a cyst is thin in places, and thick in more places.
 *              or some d: 6 B(solid) > W + 40,    The weaker form, for JPEG: in one direction, with thick ids in
 *              some d: 30 B(thick) > X + 40,      gaps and lone pixels of a second id.
 *              and Q > Q* for some d
 *     MASSIVE  some d: 3 B(massive) > X + 40, and The id in the gaps is thin nowhere else. X alone is the measure:
 *              every d: B(massive) >= 8           in nested classes (0 in 1 in 2) K is natural, wide jumps are rare.
 *              or some d: 7 B(thick) > X + 40,    The weaker form needs an id that has no region at all, too.
 *              every d: B(thick) >= 4, U > 0
 *     THIN     every d: 6 (Q - Q*) > E + 10       Lone pixels of several ids along the borders.
 *              or some d: 10 (Q - Q*) > E + 10 and every d: Q - Q* >= 190
 *     MIXED    every d: 15 Q(thick) > E + 20      Lone pixels of ids with regions elsewhere: mixed colours. The
 *              or every d: 9 Q(thick) > W + 100   second and third form are for masks with few wide edges, whose
 *              or every d: 3 Q(solid) > W + 40    ids are close. Exceptions from these three:
 *                                                 - Q == Q* and B == 0: a border of 255;
 *                                                 - 4 Q* >= 3 Q, 2 t > 3 Q* (sums over d), where t is of the id of
 *                                                   Q*, which is thick and in no gap: background between objects
 *                                                   that were drawn one by one; it is wider than a pixel in places.
 *              or every d: 6 Q(solid) > W + 40,   The weaker form: a massive id is in gaps, lone pixels are of
 *              every d: B(massive) > 0,           several ids, and the thin labels are between two others.
 *              20 (Q - Q*) > Q and 10 Q > 3 t (sums over d)
 *     GHOSTS   at least 3 ghosts, each in a gap in a row and in one in a column, and a sixth of all ids: among
 *              hundreds of instances a few are slivers
 *     SUSPICION  every d: 4 B > W + 40            No proof of damage: a boundary class gives it, too.
 *              unless it is a rim for that d
 *
 * No test holds if over half of all labels are thin (sum t > sum n, as t counts both directions): that is noise.
 *
 * SPECKLE suppresses SEVERAL, THIN and the weaker forms of SOLID and MIXED: 8 B < t and 4 E > n (sums over ids and d).
 * Edges are everywhere, and few of the thin labels are in a gap: land cover and point clouds that were classified pixel
 * by pixel. Their lone pixels are inside one class or between two by chance; those of an interpolated border are always
 * between the two.
 *
 * LEVELS suppresses all but SUSPICION: 5 g <= 2 r, 5 X < E and 6 t > n (sums over d), where g is the widest gap |L - R|
 * and r is the largest id, leaving out 255, minus the smallest. Ordered classes (elevation, depth, age) step by one
 * wherever there is a slope, also far from any border: many labels are thin, and no gap spans two fifths of the ids.
 *
 * DETECTOR.md says how the numbers were found and how well the tests work. Masks of 0 and 1 only cannot be damaged in
 * this way.
 */
#ifndef JUDGE_INTERPOLATION_H
#define JUDGE_INTERPOLATION_H

#include <stdbool.h>
#include <stdint.h>

#include "judge/finding.h"
#include "measure/label_stats.h"
#include "read/sample.h"

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
/* Any of these: damaged. INTERPOLATION_SUSPICION alone: suspected. */
#define INTERPOLATION_DAMAGED ((unsigned)INTERPOLATION_SUSPICION - 1)

/* The input of the tests; by enum line. Sums of the counters; for a stack of masks, the mean of its planes. */
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

/* The counters by which a whole set is judged: sums over the ids of a file; by enum line. */
struct interpolation_sums {
	uint64_t between[2], lone[2];
	uint64_t thin;
	uint64_t range; /* r */
};

void interpolation_sum(const struct id_stats *ids, uint64_t n, struct interpolation_sums *out);

/* Returns false if close ids are not close classes: instance ids (any id above 255 or below 0); or if not measured. */
bool interpolation_applies(const struct label_stats *stats);

void interpolation_gather(const struct label_stats *stats, const struct id_stats *ids,
			  struct interpolation_evidence *out);

/* Returns the tests that hold: bits of enum interpolation_test. */
unsigned interpolation_judge(const struct interpolation_evidence *e);

/* Gathers and judges; returns 0 if the tests do not apply. */
unsigned interpolation_tests(const struct label_stats *stats, const struct id_stats *ids);

/*
 * Returns whether the likely cause is resized colours: most lone pixels are between no two neighbours (3 B < Q). Half
 * of the damaged colour-coded masks show it, and 1 in 1000 of those resized, warped, blurred or drawn anti-aliased.
 */
bool interpolation_from_colours(const struct interpolation_evidence *e);

/*
 * Returns whether the file has enough borders to count for the whole set: min over d of (sum B + K + X) >= 30, neither
 * noise nor LEVELS.
 */
bool interpolation_informative(const struct label_stats *stats, const struct interpolation_sums *sums);

/*
 * Returns whether the file shows signs too weak to report, but worth a look in a set where others are damaged: min over
 * d of sum B / (sum B + W + 40) > 0.05, at least 3 between pixels per direction, neither noise nor LEVELS.
 */
bool interpolation_weak(const struct label_stats *stats, const struct interpolation_sums *sums);

/* ---- findings --------------------------------------------------------------------------------------------------- */

/* Fills message, ids (each with the larger of its two counts), pixels and the position of the worst pixel. */
void interpolation_finding(struct finding *f, const struct sample *sample, const struct label_stats *stats,
			   const struct id_stats *ids);

/*
 * Appends "likely cause: ...; " and the Python that avoids it. The counters tell colours from the rest, but not a
 * resize from a blur, drawing or JPEG, so the advice names all of these.
 */
void interpolation_advice(struct finding *f, const struct label_stats *stats, const struct id_stats *ids);

/* The Python alone. */
extern const char interpolation_remedy[];

#endif
