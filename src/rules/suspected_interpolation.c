/*
 * What it finds
 *   Masks with many one-pixel gaps that hold an id between the classes on both sides, where that could still be a real
 *   class: one that surrounds others as a thin border. Weaker signs than those of interpolated-mask, which then is
 *   silent.
 *
 * Why it matters
 *   See interpolated-mask. Three ids 0, 1, 2 damaged by interpolation, and objects 2 outlined with 1, look alike.
 *
 * Example
 *   masks/0001.png: warning suspected-interpolation: at least 95 one-pixel gaps hold an id between the classes on both
 *   sides (worst: id 1 between 0 and 2)
 *
 * What to do
 *   Look at the place that is named. If the id in the gap is not a border that somebody drew, resize with nearest.
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
	.advice = "look at that place: unless the id in the gap is a border class, the mask was resized or warped with "
		  "interpolation; make it again with nearest: " INTERPOLATION_REMEDY,
};
