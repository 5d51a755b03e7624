/*
 * What it finds
 *   With --images: label files without an image of the same stem, or whose image cannot be decoded.
 *   With a dataset.json of nnU-Net as PATH: cases that lack the image of a channel, CASE_0000.nii.gz in imagesTr.
 *
 * Why it matters
 *   A loader that iterates over the labels stops at the first one. A loader that pairs sorted lists by position pairs
 *   every later mask with the wrong image.
 *
 * Example
 *   masks/0007.png: error missing-image: no image: there is no images/0007 with .jpg, .png or another image extension
 *
 * What to do
 *   Add the image, or remove the label file from the set. If all are missing, --images names the wrong folder: its
 *   folders must mirror those of the masks.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct pairing *p = s->pairing;

	if (p->state == PAIR_NO_IMAGE && p->of_channel) {
		say(f, "no image of channel %u: there is no %s", p->channel, p->partner);
		return advise(f, "add the image: nnU-Net stops where a case lacks a channel; or correct channel_names");
	}
	if (p->state == PAIR_NO_IMAGE) {
		say(f, "no image: there is no %s with %s", p->partner,
		    s->sample->format == FORMAT_NIFTI ? ".nii.gz or .nii" : ".jpg, .png or another image extension");
		return advise(f, "add the image, or remove the label file from the set");
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
