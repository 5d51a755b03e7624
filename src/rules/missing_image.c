/*
 * What it finds
 *   With --images: label files without an image of the same stem, or whose image is not a picture.
 *
 * Why it matters
 *   A loader that goes through the labels dies on the first of them, or pairs sorted lists by position, and from there
 *   on every mask is paired with the wrong image.
 *
 * Example
 *   masks/0007.png: error missing-image: it has no image: there is no images/0007 with .jpg, .png or another extension
 *   of pictures
 *
 * What to do
 *   Add the image, or take the label file out of the set. Where all are missing, --images names another folder than
 *   the one that the folders of the masks mirror.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct pairing *p = s->pairing;

	if (p->state == PAIR_NO_IMAGE) {
		say(f, "it has no image: there is no %s with .jpg, .png or another extension of pictures", p->partner);
		return advise(f, "add the image, or take the label file out of the set");
	}
	if (p->state == PAIR_FOUND && p->fault.kind != FAULT_NONE) {
		say(f, "its image %s cannot be used: %s", p->partner, p->fault.text);
		return advise(f, "fetch the image again");
	}
	return false;
}

const struct rule rule_missing_image = {
	RULE("missing-image", "shape", LEVEL_ERROR, "a label file without its image"),
	.facts_needed = FACTS_PAIRING,
	.check_file = check,
};
