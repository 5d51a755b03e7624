/*
 * What it finds
 *   With --images: images without a label file of the same stem. They are not looked for where images lie in fewer
 *   folders than their masks, or where single files were named instead of folders.
 *
 * Why it matters
 *   A loader that goes through the images dies on the first of them; one that pairs sorted lists by position pairs
 *   every image after it with the wrong mask.
 *
 * Example
 *   images/0007.jpg: error missing-mask: no label file has the same stem
 *
 * What to do
 *   Export the mask, or take the image out of the folder. Images that are meant to have no objects need an empty mask.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->pairing->state != PAIR_NO_MASK)
		return false;
	return say(f, "no label file has the same stem");
}

const struct rule rule_missing_mask = {
	RULE("missing-mask", "shape", LEVEL_ERROR, "an image without its label file"),
	.facts_needed = FACTS_PAIRING,
	.check_file = check,
	.advice = "export its mask, an empty one if nothing is on it, or take the image out",
};
