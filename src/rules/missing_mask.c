/*
 * What it finds
 *   With --images: images without a label file of the same stem. This is not checked if the images are in fewer folders
 *   than their masks, or if single files were named instead of folders.
 *
 * Why it matters
 *   A loader that iterates over the images stops at the first one; one that pairs sorted lists by position pairs every
 *   later image with the wrong mask.
 *
 * Example
 *   images/0007.jpg: error missing-mask: no label file has the same stem
 *
 * What to do
 *   Export the mask, or remove the image from the folder. Images that are meant to have no objects need an empty mask.
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
	.whole_set = true,
	.advice = "export its mask, an empty one if the image has no objects, or remove the image",
};
