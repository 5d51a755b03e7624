/*
 * What it finds
 *   Masks that were resized, warped, rotated, blurred or anti-aliased with interpolation: one-pixel gaps between two
 *   classes hold ids that are numerically between the two, in rows and in columns. Nearest never does that. The tests
 *   and their error rates are described in the manual page; they need ids from 0 to 255 that are further apart than 1.
 *
 * Why it matters
 *   Between class 0 and class 15 a linear filter writes 4, 8 and 11: every border of every object gets a fringe of
 *   other classes. If they are in range nothing fails, and the network learns them.
 *
 * Example
 *   masks/0001.png: error interpolated-mask: at least 812 one-pixel gaps hold an id between the classes on both sides
 *   (worst: id 8 between 0 and 15)
 *
 * What to do
 *   Make the mask again from its source with nearest: cv2.INTER_NEAREST, PIL.Image.NEAREST, order=0 in SciPy,
 *   scikit-image and MONAI. The damage cannot be undone reliably.
 *
 *   Instance maps, whose ids are no classes, are not judged when an id is above 255.
 */
#include "judge/interpolation_finding.h"
#include "judge/rule.h"

static bool check(const struct subject *s, struct finding *f)
{
	unsigned tests = interpolation_tests(s->stats, s->ids);

	if (!(tests & INTERPOLATION_DAMAGED))
		return false;
	interpolation_finding(f, s->stats, s->ids);
	text_addf(&f->advice,
		  "interpolation does that, nearest never does: resize and warp masks with nearest "
		  "(cv2.INTER_NEAREST, PIL.Image.NEAREST, order=0), and make these again from their source");
	return true;
}

const struct rule rule_interpolated_mask = {
	.name = "interpolated-mask",
	.category = "content",
	.level = LEVEL_ERROR,
	.needs = NEEDS_NEIGHBOURS,
	.since = "0.1.0",
	.summary = "ids made up by interpolation along the borders",
	.check_file = check,
};
