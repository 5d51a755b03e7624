/*
 * The interpolation detector: integer tests on the neighbourhood counters of one file (measure/label_stats.h).
 *
 * Resizing, warping or blurring a mask with anything but nearest paints ids between two classes along their border:
 * gaps one pixel wide, in rows and in columns alike, whose id is numerically between the ids on both sides. Clean masks
 * have few of them. Painting ids as colours, resizing the colours and mapping them back gives lone pixels of any id.
 *
 * interpolation.c has the tests with their numbers, interpolation_finding.c their findings; DETECTOR.md says how these
 * were found and how well the tests work. Between two neighbouring ids there is none: masks of 0 and 1 show
 * nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "judge/finding.h"
#include "measure/label_stats.h"
#include "read/sample.h"

enum interpolation_test {
	INTERPOLATION_MANY = 1 << 0,      /* most of what separates two ids is a gap */
	INTERPOLATION_MIDDLE = 1 << 1,    /* the same with one id, which is not drawn around everything */
	INTERPOLATION_SOLID = 1 << 2,     /* the id in the gaps has regions elsewhere */
	INTERPOLATION_MASSIVE = 1 << 3,   /* the id in the gaps is thin nowhere else */
	INTERPOLATION_THIN = 1 << 4,      /* lone pixels of several ids along the borders */
	INTERPOLATION_MIXED = 1 << 5,     /* lone pixels of several ids in no gap, beside gaps */
	INTERPOLATION_GHOSTS = 1 << 6,    /* ids that are in gaps and hardly anywhere else */
	INTERPOLATION_SUSPICION = 1 << 7, /* no proof of damage: a boundary class gives it, too */
	/* damaged, and two tests hold, or one other than MIDDLE with half of the evidence; not by their weak forms */
	INTERPOLATION_STRONG = 1 << 8,
};
/* Any of these: damaged. INTERPOLATION_SUSPICION alone: suspected. */
#define INTERPOLATION_DAMAGED ((unsigned)INTERPOLATION_SUSPICION - 1)

/*
 * The input of the tests: sums of the counters over all ids, by enum line; for a stack of masks, the mean of its
 * planes. With n labels of an id, t of which are thin (a label counts once per direction), an id is
 *
 *     solid    10 t <= 7 n   it has regions elsewhere
 *     thick    33 t <= n     it is regions and a few pixels
 *     massive  100 t <= n
 *     ghost    B >= n        B of its labels are in gaps; a label may be in two
 */
enum { EVIDENCE_SUMS = 27 };
struct interpolation_evidence {
	union {
		uint64_t sums[EVIDENCE_SUMS];
		struct {
			uint64_t edges[2], wide_edges[2], long_between[2];
			uint64_t between[2], lone[2];           /* pixels in gaps; lone pixels */
			uint64_t most_between[2], most_lone[2]; /* of the one id that has most over both directions, the
								   smallest on ties */
			uint64_t most_lone_between[2];          /* between of the id with most lone pixels */
			uint64_t solid[2], massive[2], thick[2]; /* between of solid, massive, thick ids */
			uint64_t ghost[2];                       /* between of ghosts */
			uint64_t labels, thin;                   /* sums of n and t */
			uint64_t unsolid_labels;                 /* labels of ids that are not solid */
		};
	};
	uint64_t ghosts; /* ghosts that are in a gap in a row and in one in a column */
	uint64_t ids;
	uint64_t gap;   /* the widest gap |left - right| */
	uint64_t range; /* the largest id, leaving out 255, minus the smallest */
};

/* The counters by which a whole set is judged: sums over the ids of a file; by enum line. */
struct interpolation_sums {
	uint64_t between[2], lone[2];
	uint64_t thin;
	uint64_t range; /* as in the evidence */
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
 * Returns whether the likely cause is resized colours: most lone pixels are between no two neighbours (3 between <
 * lone). Half of the damaged colour-coded masks show it, and 1 in 1000 of those resized, warped, blurred or drawn
 * anti-aliased.
 */
bool interpolation_from_colours(const struct interpolation_evidence *e);

/*
 * Returns whether damage stands for which each single file gives weak evidence (no INTERPOLATION_STRONG): whether more
 * files show it than chance explains. tested: the files that could show it; flagged: those that do, weak or strong.
 *
 * One in 5,000 clean masks is flagged, with weak evidence. A gate fails by the set: an error about each would fail
 * every large one. Even if one in 1,000 is, fewer than one in 50 clean sets of 49 files or more reach this number: it
 * is the expectation n / 1000, over three times its standard deviation of sqrt(n / 1000), and 1.
 */
bool interpolation_stands(uint64_t tested, uint64_t flagged);

/*
 * Returns whether the file has enough borders to count for the whole set: between + long_between + wide_edges >= 30 in
 * both directions, and the file is neither noise nor ordered levels.
 */
bool interpolation_informative(const struct label_stats *stats, const struct interpolation_sums *sums);

/*
 * Returns whether the file shows signs too weak to report, but worth a look in a set where others are damaged: between
 * / (between + long_between + wide_edges + 40) > 0.05 and between >= 3 in both directions, neither noise nor ordered
 * levels.
 */
bool interpolation_weak(const struct label_stats *stats, const struct interpolation_sums *sums);

/* ---- findings --------------------------------------------------------------------------------------------------- */

/*
 * Fills message, ids (each with the larger of its two counts), pixels and the position of the worst pixel. Returns
 * interpolation_from_colours().
 */
bool interpolation_finding(struct finding *f, const struct sample *sample, const struct label_stats *stats,
			   const struct id_stats *ids);

/* The Python that avoids the damage. */
#define INTERPOLATION_REMEDY                                                                            \
	"cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST), mask.resize(size, Image.NEAREST) or " \
	"TF.resize(mask, size, InterpolationMode.NEAREST)"
