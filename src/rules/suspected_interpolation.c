/*
 * What it finds
 *   Masks with many one-pixel gaps that hold an id between the classes on both sides, but the id could still be a real
 *   class: one that surrounds others as a thin border. The signs are weaker than those of interpolated-mask, which is
 *   then silent.
 *
 * Why it matters
 *   See interpolated-mask. Ids 0, 1, 2 damaged by interpolation look like objects of id 2 outlined with id 1.
 *
 * Example
 *   masks/0001.png: warning suspected-interpolation: at least 95 one-pixel gaps hold an id between the classes on both
 *   sides (worst: id 1 between 0 and 2)
 *
 * What to do
 *   Check the place that the finding names. If the id in the gap is not a border that somebody drew, resize with
 *   nearest.
 */
#include "judge/check.h"
#include "judge/interpolation.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (!(s->interpolation & INTERPOLATION_SUSPICION) || (s->interpolation & INTERPOLATION_DAMAGED))
		return false;
	interpolation_finding(f, s->sample, s->stats, s->ids);
	return true;
}

const struct rule rule_suspected_interpolation = {
	RULE("suspected-interpolation", "content", LEVEL_WARNING, "ids that may have been made up by interpolation"),
	.facts_needed = FACTS_NEIGHBOURS,
	.check_file = check,
	.advice = "check that place: unless the id in the gap is a border class, the mask was resized or warped with "
		  "interpolation; make it again with nearest: " INTERPOLATION_REMEDY,
};
