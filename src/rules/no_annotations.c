/*
 * What it finds
 *   COCO files that hold no labels: without a list of annotations (the image_info files of a test set), of categories
 *   (captions), or of images, or with an empty list of images. A file with images and an empty list of annotations is
 *   not reported: its images may have no objects.
 *
 * Why it matters
 *   Training on such a file has nothing to learn from, and with some loaders the only sign is an empty epoch.
 *
 * Example
 *   captions_val2017.json: warning no-annotations: the file lists no categories
 *
 * What to do
 *   Audit the file with the instances instead of this one.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_facts *facts = &s->stats->coco.facts;
	const char *missing = !facts->has_annotations ? "annotations"
			      : !facts->categories    ? "categories"
			      : !facts->images        ? "images"
						      : NULL;

	if (!missing)
		return false;
	return say(f, "the file lists no %s", missing);
}

const struct rule rule_no_annotations = {
	RULE("no-annotations", "coco", LEVEL_WARNING, "a COCO file without images, annotations or categories"),
	.facts_needed = FACTS_COCO,
	.check_file = check,
	.advice = "audit the file with the instances instead of this one",
};
