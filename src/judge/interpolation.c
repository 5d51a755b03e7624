#include "judge/interpolation.h"

#include <assert.h>
#include <inttypes.h>

#include "base/mem.h"
#include "judge/wording.h"

/*
 * The factors and offsets of the tests in the header. They were fitted; DETECTOR.md says how. Because of the offsets, a
 * handful of pixels in a small or nearly empty mask is no large share.
 */
enum {
	SEVERAL_FACTOR = 19,
	SEVERAL_OFFSET = 10,
	SEVERAL_SLIVERS_FACTOR = 12, /* clean masks: none is hit at 12, one at 15, all nested organs */
	SEVERAL_BESIDE_FACTOR = 26,  /* clean masks: the first is hit at 30 */
	SEVERAL_BESIDE_OFFSET = 40,
	SEVERAL_MASSIVE_FACTOR = 200,
	SEVERAL_WIDER_FACTOR = 13,
	SEVERAL_WIDER_OFFSET = 20,

	MANY_GAPS = 13, /* gaps are over 5/13 of what they compete with */
	MANY_RIVALS = 5,
	MANY_OFFSET = 40,
	MANY_OTHERS_FACTOR = 200, /* over half a per cent of them have another id */

	MIDDLE_GAPS = 9,
	MIDDLE_RIVALS = 5,
	MIDDLE_OFFSET = 40,
	MIDDLE_UNSOLID = 3, /* a line of one pixel around everything has E / 2 labels */

	SOLID_FACTOR = 5,
	SOLID_OFFSET = 40,
	RIM_TOUCH_FACTOR = 4,
	RIM_GAPS_FACTOR = 3,
	SOLID_ONE_FACTOR = 6,    /* clean masks: one is hit at 7, six at 8 */
	SOLID_THICK_FACTOR = 30, /* one at 100 */

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
	MIXED_MASSIVE_FACTOR = 6, /* clean masks: twice as many are hit at 8 as at 6 */
	MIXED_OTHERS = 20,        /* over 1/20 of the lone pixels have another id */
	MIXED_LONE_FACTOR = 10,   /* over 3/10 of what is thin is lone; in speckled masks a quarter is */
	MIXED_THIN_FACTOR = 3,

	/* 3 Q <= 4 Q* and 2 t > 3 Q*: true of 91 in 152 clean masks that only MIXED finds, of 8 in 156 damaged ones */
	GAP_ALL = 3,
	GAP_MOST = 4,
	GAP_THIN = 2,
	GAP_LONE = 3,

	GHOSTS_MIN = 3,
	GHOSTS_SHARE = 6,

	/*
	 * In speckle a third of the lone pixels are between by chance, and a quarter of what is thin is lone: gaps are
	 * a twelfth of what is thin. In damaged masks the median is over a half. 95 % of speckled masks have over 0.3
	 * edges per label, most damaged ones under 0.1.
	 */
	SPECKLE_GAPS = 8,
	SPECKLE_EDGES = 4,

	/*
	 * Ordered classes whose gaps look like damage, against wide blurs of close ids, the only damage that is
	 * similar. The widest gap: 0.2 of the range (median) and 0.45. Wide edges: 0.13 of the edges (95 %) and up to
	 * 0.18. Thin ones per label: 0.19 (95 % have more) and 0.09 (median).
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
	return row->thin / 2 == row->labels && row->thin % 2 == 0;
}

/* Returns whether over half of the labels are thin; each counts up to twice, once per direction. */
static bool is_noise(uint64_t thin, uint64_t labels)
{
	return thin > labels;
}

/* Returns r of the header. ids: sorted, from 0 to 255. */
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

/* LEVELS of the header. */
static bool is_levels(uint64_t gap, uint64_t range, const uint64_t wide_edges[2], const uint64_t edges[2],
		      uint64_t thin, uint64_t labels)
{
	return gap && !exceeds(LEVELS_GAP, gap, LEVELS_RANGE, range) &&
	       exceeds(1, edges[0] + edges[1], LEVELS_WIDE, wide_edges[0] + wide_edges[1]) &&
	       exceeds(LEVELS_THIN, thin, 1, labels);
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

/* Takes the mean of a stack's planes. In sums the offsets would be too small to matter. */
static void take_mean(struct interpolation_evidence *e, uint64_t planes)
{
	uint64_t *const pairs[] = { e->edges,   e->wide_edges,   e->long_between, e->between,
				    e->lone,    e->most_between, e->most_lone,    e->solid,
				    e->massive, e->thick,        e->thick_lone,   e->solid_lone };

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
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

/* ---- the tests -------------------------------------------------------------------------------------------------- */

/* Differences that several tests use; by enum line. */
struct differences {
	uint64_t rivals[2];     /* W */
	uint64_t other_gaps[2]; /* B - B* */
	uint64_t other_lone[2]; /* Q - Q* */
};

static struct differences differences_of(const struct interpolation_evidence *e)
{
	struct differences x;

	for (int d = 0; d < 2; d++) {
		x.rivals[d] = e->long_between[d] + e->wide_edges[d];
		x.other_gaps[d] = e->between[d] - e->most_between[d];
		x.other_lone[d] = e->lone[d] - e->most_lone[d];
	}
	return x;
}

/* A set of directions: bits 1 << enum line. */
enum { EVERY = 1 << LINE_ROW | 1 << LINE_COLUMN };

/* Returns the directions in which p a > q (b + offset). */
static unsigned where(uint64_t p, const uint64_t a[2], uint64_t q, const uint64_t b[2], uint64_t offset)
{
	unsigned directions = 0;

	for (int d = 0; d < 2; d++)
		directions |= (unsigned)exceeds(p, a[d], q, b[d] + offset) << d;
	return directions;
}

static bool both_at_least(const uint64_t a[2], uint64_t min)
{
	return a[0] >= min && a[1] >= min;
}

/* Returns the directions in which the id in the gaps is a rim. */
static unsigned rims(const struct interpolation_evidence *e)
{
	unsigned directions = 0;

	for (int d = 0; d < 2; d++) {
		bool rim = e->solid[d] == e->most_between[d] && e->long_between[d] > e->solid[d] &&
			   exceeds(RIM_TOUCH_FACTOR, e->wide_edges[d], RIM_GAPS_FACTOR, e->solid[d]);

		directions |= (unsigned)rim << d;
	}
	return directions;
}

/* Returns whether lone pixels are of several ids, and much of what is thin. */
static bool mixed_ids(const struct interpolation_evidence *e)
{
	uint64_t lone = e->lone[0] + e->lone[1];

	return exceeds(MIXED_OTHERS, lone - e->most_lone[0] - e->most_lone[1], 1, lone) &&
	       exceeds(MIXED_LONE_FACTOR, lone, MIXED_THIN_FACTOR, e->thin);
}

/* Returns whether one id surrounds everything and is between no two others: a border of 255. */
static bool is_void_border(const struct interpolation_evidence *e)
{
	return !e->between[0] && !e->between[1] && e->lone[0] == e->most_lone[0] && e->lone[1] == e->most_lone[1];
}

/*
 * Returns whether the lone pixels are background between objects. Mixed colours give lone pixels of the background,
 * too, but hardly any runs of two.
 */
static bool is_background_gap(const struct interpolation_evidence *e)
{
	uint64_t most = e->most_lone[0] + e->most_lone[1];

	return !exceeds(GAP_ALL, e->lone[0] + e->lone[1], GAP_MOST, most) &&
	       exceeds(GAP_THIN, e->gap_thin, GAP_LONE, most);
}

/* Runs the tests that SPECKLE suppresses: they rely on thin ids of any kind. */
static unsigned judge_unspeckled(const struct interpolation_evidence *e, const struct differences *x)
{
	bool thick_in_gaps = both_at_least(e->thick, 1);
	uint64_t several_factor = thick_in_gaps ? SEVERAL_FACTOR : SEVERAL_SLIVERS_FACTOR;
	unsigned tests = 0;

	if (where(several_factor, x->other_gaps, 1, x->rivals, SEVERAL_OFFSET) == EVERY ||
	    (where(SEVERAL_BESIDE_FACTOR, x->other_gaps, 1, x->rivals, SEVERAL_BESIDE_OFFSET) &&
	     where(SEVERAL_MASSIVE_FACTOR, e->massive, 1, e->wide_edges, SEVERAL_BESIDE_OFFSET) == EVERY &&
	     where(SEVERAL_WIDER_FACTOR, e->between, 1, e->long_between, SEVERAL_WIDER_OFFSET) == EVERY))
		tests |= INTERPOLATION_SEVERAL;
	if (where(SOLID_ONE_FACTOR, e->solid, 1, x->rivals, SOLID_OFFSET) &&
	    where(SOLID_THICK_FACTOR, e->thick, 1, e->wide_edges, SOLID_OFFSET) &&
	    (x->other_lone[0] || x->other_lone[1]))
		tests |= INTERPOLATION_SOLID;
	if (where(THIN_FACTOR, x->other_lone, 1, e->edges, THIN_OFFSET) == EVERY ||
	    (where(THIN_MANY_FACTOR, x->other_lone, 1, e->edges, THIN_OFFSET) &&
	     both_at_least(x->other_lone, THIN_MANY_MIN)))
		tests |= INTERPOLATION_THIN;
	if (where(MIXED_MASSIVE_FACTOR, e->solid_lone, 1, x->rivals, MIXED_SOLID_OFFSET) == EVERY &&
	    both_at_least(e->massive, 1) && mixed_ids(e))
		tests |= INTERPOLATION_MIXED;
	return tests;
}

static unsigned judge_damage(const struct interpolation_evidence *e, const struct differences *x)
{
	bool not_drawn = exceeds(1, e->edges[0] + e->edges[1], MIDDLE_UNSOLID, e->unsolid_labels);
	unsigned tests = is_speckle(e) ? 0 : judge_unspeckled(e, x);

	if (where(MANY_GAPS, e->between, MANY_RIVALS, x->rivals, MANY_OFFSET) &&
	    where(MANY_OTHERS_FACTOR, x->other_gaps, 1, e->between, 0))
		tests |= INTERPOLATION_MANY;
	if (where(MIDDLE_GAPS, e->between, MIDDLE_RIVALS, x->rivals, MIDDLE_OFFSET) && !x->other_gaps[0] &&
	    !x->other_gaps[1] && not_drawn)
		tests |= INTERPOLATION_MIDDLE;
	if ((where(SOLID_FACTOR, e->solid, 1, x->rivals, SOLID_OFFSET) & ~rims(e)) == EVERY)
		tests |= INTERPOLATION_SOLID;
	if ((where(MASSIVE_FACTOR, e->massive, 1, e->wide_edges, MASSIVE_OFFSET) &&
	     both_at_least(e->massive, MASSIVE_MIN)) ||
	    (where(THICK_FACTOR, e->thick, 1, e->wide_edges, MASSIVE_OFFSET) && both_at_least(e->thick, THICK_MIN) &&
	     e->unsolid_labels))
		tests |= INTERPOLATION_MASSIVE;
	if ((where(MIXED_FACTOR, e->thick_lone, 1, e->edges, MIXED_OFFSET) == EVERY ||
	     where(MIXED_THICK_FACTOR, e->thick_lone, 1, x->rivals, MIXED_THICK_OFFSET) == EVERY ||
	     where(MIXED_SOLID_FACTOR, e->solid_lone, 1, x->rivals, MIXED_SOLID_OFFSET) == EVERY) &&
	    !is_void_border(e) && !is_background_gap(e))
		tests |= INTERPOLATION_MIXED;
	if (e->ghosts >= GHOSTS_MIN && !exceeds(1, e->ids, GHOSTS_SHARE, e->ghosts))
		tests |= INTERPOLATION_GHOSTS;
	return tests;
}

unsigned interpolation_judge(const struct interpolation_evidence *e)
{
	const struct differences x = differences_of(e);
	unsigned tests = 0;

	if (is_noise(e->thin, e->labels))
		return 0;
	if (!is_levels(e->gap, e->range, e->wide_edges, e->edges, e->thin, e->labels))
		tests |= judge_damage(e, &x);
	if ((where(SUSPICION_FACTOR, e->between, 1, x.rivals, SUSPICION_OFFSET) & ~rims(e)) == EVERY)
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

static bool has_regions(const struct label_stats *stats, const struct interpolation_sums *sums)
{
	return interpolation_applies(stats) && !is_noise(sums->thin, stats->labels) &&
	       !is_levels(widest_gap(stats), sums->range, stats->wide_edges, stats->edges, sums->thin, stats->labels);
}

bool interpolation_informative(const struct label_stats *stats, const struct interpolation_sums *sums)
{
	for (int d = 0; d < 2; d++)
		if (sums->between[d] + stats->long_between[d] + stats->wide_edges[d] < INFORMATIVE_MIN)
			return false;
	return has_regions(stats, sums);
}

bool interpolation_weak(const struct label_stats *stats, const struct interpolation_sums *sums)
{
	for (int d = 0; d < 2; d++) {
		uint64_t all = sums->between[d] + stats->long_between[d] + stats->wide_edges[d] + WEAK_OFFSET;

		if (sums->between[d] < WEAK_PIXELS_MIN || sums->between[d] <= all / WEAK_FACTOR)
			return false;
	}
	return has_regions(stats, sums);
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

const char interpolation_remedy[] = "cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST), mask.resize(size, "
				    "Image.NEAREST) or TF.resize(mask, size, InterpolationMode.NEAREST)";

/* Appends the pixel of the widest gap, and makes it the first offender. */
static void add_worst(struct finding *f, const struct sample *sample, const struct label_stats *stats)
{
	const struct worst_place *worst = &stats->worst;

	if (!worst->key)
		return;
	struct extent extent = EXTENT_INIT;
	uint64_t index = worst_key_index(worst->key);

	text_addf(&f->message, " (worst: id %" PRId64 " between %" PRId64 " and %" PRId64 " at ", worst->id,
		  worst->left, worst->right);
	if (sample_is_array(sample)) {
		extent.first_index = index;
		extent.first_id = worst->id;
		finding_set_extent(f, &extent, sample);
		text_add_index(&f->message, &sample->array, index);
	} else {
		f->details.has_first = true;
		f->details.first_id = worst->id;
		f->details.first_x = index % stats->width;
		f->details.first_y = index / stats->width;
		text_addf(&f->message, "x %" PRIu64 ", y %" PRIu64, f->details.first_x, f->details.first_y);
	}
	text_addf(&f->message, ")");
}

void interpolation_finding(struct finding *f, const struct sample *sample, const struct label_stats *stats,
			   const struct id_stats *ids)
{
	struct interpolation_evidence e;
	struct interpolation_sums sums; /* the evidence of a stack holds means */

	interpolation_gather(stats, ids, &e);
	interpolation_sum(ids, stats->ids_count, &sums);

	bool colours = interpolation_from_colours(&e);

	/* List the ids in gaps, or the lone ones if the cause is colours. */
	for (uint64_t i = 0; i < stats->ids_count; i++) {
		const uint64_t *n = colours ? ids[i].lone : ids[i].between;

		if (n[0] || n[1])
			finding_add_id(f, ids[i].id, MAX(n[0], n[1]));
	}
	f->details.pixels = colours ? MAX(sums.lone[0], sums.lone[1]) : stats->between_pixels;
	text_addf(&f->message, "at least ");
	if (colours) { /* the larger direction: a pixel may be lone in both */
		text_add_count(&f->message, f->details.pixels, "lone pixel is", "lone pixels are");
		text_addf(&f->message, " of another id than the classes on both sides");
	} else {
		text_add_count(&f->message, stats->between_pixels, "one-pixel gap holds", "one-pixel gaps hold");
		text_addf(&f->message, " an id numerically between the classes on both sides");
	}
	add_worst(f, sample, stats);
}

void interpolation_advice(struct finding *f, const struct label_stats *stats, const struct id_stats *ids)
{
	struct interpolation_evidence e;

	interpolation_gather(stats, ids, &e);
	if (interpolation_from_colours(&e))
		text_addf(&f->advice,
			  "likely cause: a colour-coded mask was resized or saved as JPEG before its colours became "
			  "ids; map colours to ids first, then resize the ids with nearest: %s",
			  interpolation_remedy);
	else
		text_addf(&f->advice,
			  "likely cause: resized or warped with bilinear or bicubic interpolation, blurred, drawn "
			  "anti-aliased, or once a JPEG; make the mask again from its source with nearest: %s; draw "
			  "with cv2.LINE_8",
			  interpolation_remedy);
}
