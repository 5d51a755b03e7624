/*
 * What it finds
 *   Masks that were resized, warped, rotated, blurred or anti-aliased with interpolation: one-pixel gaps between two
 *   classes hold ids that are numerically between the two, in rows and in columns. Nearest never does that. Also masks
 *   whose colours were mixed like that before they became ids: many lone pixels of other classes along the borders.
 *   The tests and their error rates are described under HOW INTERPOLATION IS DETECTED in labelaudit-rules(7); they need
 *   ids from 0 to 255.
 *
 * Why it matters
 *   Between class 0 and class 15 a linear filter writes 4, 8 and 11: every border of every object gets a fringe of
 *   other classes. If they are in range nothing fails, and the network learns them.
 *
 * Example
 *   masks/0001.png: error interpolated-mask: at least 812 one-pixel gaps hold an id numerically between the classes on
 *   both sides (worst: id 8 between 0 and 15 at x 39, y 15)
 *
 * What to do
 *   Make the mask again from its source with nearest: cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST),
 *   mask.resize(size, Image.NEAREST), TF.resize(mask, size, InterpolationMode.NEAREST), order=0 in SciPy,
 *   scikit-image and MONAI. Draw with cv2.LINE_8, map colours to ids before any resize. The damage cannot be undone
 *   reliably.
 *
 *   Weak evidence in few files of a large set is a warning: in 5,000 clean masks one shows as much by chance. It is an
 *   error if over n/1000 + sqrt(n)/7 of the n masks with two ids or more are found: 1 of 48, 2 of 100, 6 of 1,000.
 *   Strong evidence (two tests hold, or one of them with half of it) is an error whatever the other files are. JSON
 *   lines are written before the set is known: there such a finding is a warning with "provisional": true.
 *
 *   A mask saved as RGB with equal channels is judged by its levels alone, and only a binary one: at least seven
 *   levels all the way between black and white.
 *
 *   Instance maps, whose ids are not classes, are not judged if an id is above 255. For an array that is a stack of
 *   masks or a volume ([N, H, W], [H, W, N]), the mean of the planes is judged.
 */
#include "judge/check.h"
#include "judge/interpolation.h"

/* Levels near black and near white; where JPEG leaves them around an edge. */
enum { BLACK_MAX = 7, WHITE_MIN = 248, DARK_MAX = 63, BRIGHT_MIN = 192, QUARTERS = 4 };
enum {
	LEVELS_MIN = 7,   /* bilinear that doubles the size makes as many; no classes are so spread by chance */
	RINGING_MIN = 12, /* the same on either side: classes that are not declared, and an ignored id, are on one */
	/* Black and white hold three pixels in ten, or it is a photo; each as many as four of the levels between. */
	ENDS_OF_TEN = 3,
	END_RATIO = 4,
	RINGING_REST = 20, /* at most one in 20 pixels is neither dark nor bright */
};

/* The sums of a file by level. */
struct levels {
	uint64_t black, white, between, most_between, middle;
	unsigned between_count, quarters, dark_count, bright_count;
};

static void add_level(struct levels *l, const struct id_stats *row)
{
	const unsigned wide = WHITE_MIN - BLACK_MAX - 1;

	l->dark_count += row->id && row->id <= DARK_MAX;
	l->bright_count += row->id >= BRIGHT_MIN && row->id < 255;
	l->middle += row->id > DARK_MAX && row->id < BRIGHT_MIN ? row->labels : 0;
	if (row->id <= BLACK_MAX) {
		l->black += row->labels;
	} else if (row->id >= WHITE_MIN) {
		l->white += row->labels;
	} else {
		l->between_count++;
		l->between += row->labels;
		l->most_between = MAX(l->most_between, row->labels);
		l->quarters |= 1u << (unsigned)(row->id - BLACK_MAX - 1) * QUARTERS / wide;
	}
}

/* Returns whether the mask is one of several equal channels (judge/one_channel.h). */
static bool is_channel(const struct rule_input *s)
{
	return s->sample->format == FORMAT_PNG && s->stats->channels.pixels;
}

/*
 * Checks one of several equal channels by its levels, too: a binary mask whose levels lie all the way between black and
 * white, with few pixels each, or around both, as JPEG leaves them.
 */
static bool check_levels(const struct rule_input *s, struct finding *f)
{
	struct levels l = { 0 };

	if (!is_channel(s) || s->stats->min < 0 || s->stats->max > 255 || !rule_input_has(s, ID_INVALID))
		return false;
	for (size_t i = 0; i < s->stats->ids_count; i++)
		add_level(&l, &s->ids[i]);
	bool ends = 10 * (l.black + l.white) >= ENDS_OF_TEN * s->stats->labels &&
		    MIN(l.black, l.white) >= END_RATIO * l.most_between;
	bool spread = l.between_count >= LEVELS_MIN && l.quarters == (1u << QUARTERS) - 1;
	bool ringing = l.dark_count >= RINGING_MIN && l.bright_count >= RINGING_MIN &&
		       l.middle <= s->stats->labels / RINGING_REST;

	if (!ends || !(spread || ringing))
		return false;
	say(f, "%u levels between black and white hold %" PRIu64 " pixels: soft edges of a binary mask",
	    l.between_count, l.between);
	return advise(f, "likely cause: resized, warped or blurred, drawn anti-aliased, or once a JPEG; make the mask "
			 "again from its source with nearest: " INTERPOLATION_REMEDY);
}

static bool check(const struct rule_input *s, struct finding *f)
{
	if (!(s->interpolation & INTERPOLATION_DAMAGED))
		return check_levels(s, f);
	if (!(s->interpolation & INTERPOLATION_STRONG)) {
		f->level = LEVEL_WARNING;
		f->provisional = true;
	}
	/* The counters distinguish colours from the rest, but not a resize from a blur, drawing or JPEG. */
	if (interpolation_finding(f, s->sample, s->stats, s->ids))
		advise(f, "likely cause: a colour-coded mask was resized or saved as JPEG before its colours became "
			  "ids; map colours to ids first, then resize the ids with nearest: " INTERPOLATION_REMEDY);
	return true;
}

const struct rule rule_interpolated_mask = {
	RULE("interpolated-mask", "content", LEVEL_ERROR, "ids made up by interpolation along the borders"),
	.repair = REPAIR_LOSSY,
	.facts_needed = FACTS_MASK,
	.check_file = check,
	.advice =
		"likely cause: resized or warped with bilinear or bicubic interpolation, blurred, drawn anti-aliased, "
		"or once a JPEG; make the mask again from its source with nearest: " INTERPOLATION_REMEDY
		"; draw with cv2.LINE_8",
};
