/*
 * What it finds
 *   YOLO texts of the usual layout, labels/.../NAME.txt beside images/.../NAME.jpg, whose image is missing, though the
 *   folder where it would be exists. If there is one of that name in capitals or in small letters, that is said. A
 *   layout without a folder `images` is not judged.
 *
 * Why it matters
 *   YOLO loaders start from the images: the label is never read, and a count of the label files is too high.
 *
 * Example
 *   labels/train/0042.txt: warning label-without-image: the image folder beside the labels has no image of that name
 *
 * What to do
 *   Fetch the image, correct the name, or remove the label file.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->settings->images.folder || !s->stats->boxes.lacks_image) /* with --images, missing-image reports it */
		return false;
	say(f, "the image folder beside the labels has no image of that name");
	if (s->stats->boxes.lacks_image < 2)
		return true;
	say(f, ", but one that differs in case: Windows takes it, Linux does not");
	return advise(f, "give the text and its image the same name, letter by letter");
}

const struct rule rule_label_without_image = {
	RULE("label-without-image", "lists", LEVEL_WARNING, "a YOLO text whose image is missing"),
	.facts_needed = FACTS_BOXES,
	.check_file = check,
	.advice = "fetch the image, correct the name, or remove the label file",
};
