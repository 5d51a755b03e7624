/*
 * What it finds
 *   Masks that were resized, warped, rotated, blurred or anti-aliased with interpolation: one-pixel gaps between two
 *   classes hold ids that are numerically between the two, in rows and in columns. Nearest never does that. Also masks
 *   whose colours were mixed like that before they became ids: lone pixels of other classes along the borders. Also
 *   masks of two ids that a cubic filter overshot, cut to integers: thin lines of both ids beside the borders. The
 *   tests and their error rates are described under HOW INTERPOLATION IS DETECTED in labelaudit-rules(7); they need ids
 *   from 0 to 255.
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
 *   Instance maps, whose ids are not classes, are not judged if an id is above 255. For an array that is a stack of
 *   masks or a volume ([N, H, W], [H, W, N]), the mean of the planes is judged.
 */
#include "judge/check.h"
#include "judge/interpolation.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (!(s->interpolation & INTERPOLATION_DAMAGED))
		return false;
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
	.cure = CURE_LOSSY,
	.facts_needed = FACTS_NEIGHBOURS,
	.check_file = check,
	.advice =
		"likely cause: resized or warped with bilinear or bicubic interpolation, blurred, drawn anti-aliased, "
		"or once a JPEG; make the mask again from its source with nearest: " INTERPOLATION_REMEDY
		"; draw with cv2.LINE_8",
};
