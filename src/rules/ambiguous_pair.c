/*
 * What it finds
 *   With --images: two images in one folder with the same stem, such as 0007.jpg and 0007.png.
 *
 * Why it matters
 *   Which of them a mask is paired with depends on the loader. A mask that was put among the images by mistake has the
 *   same effect.
 *
 * Example
 *   images/0007.png: error ambiguous-pair: has the same stem as images/0007.jpg
 *
 * What to do
 *   Leave one of them in the folder.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->pairing->state != PAIR_AMBIGUOUS)
		return false;
	return say(f, "has the same stem as %s", s->pairing->partner);
}

const struct rule rule_ambiguous_pair = {
	RULE("ambiguous-pair", "shape", LEVEL_ERROR, "two images with the same stem"),
	.facts_needed = FACTS_PAIRING,
	.check_file = check,
	.advice = "leave one of them in the folder: which one a mask is paired with depends on the loader",
};
