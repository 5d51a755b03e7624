/*
 * Error message
 *   FileNotFoundError: [Errno 2] No such file or directory: 'images/0007.jpg'
 *
 * What it finds
 *   Paths in a list that do not exist, and frames of MOTChallenge. With --root they begin in that folder; without it
 *   this is a warning, and only where most of a sample are found in one of the usual places, which missing-image names.
 *   A path without an extension is also tried with those of images (.jpg, .png, ...).
 *
 * Why it matters
 *   The loader stops there, perhaps after hours; a loader that skips files it cannot open trains on fewer files than
 *   listed.
 *
 * Example
 *   train.csv: error missing-listed-file: of 5000 images, 12 do not exist (first: a/77.jpg)
 *
 * What to do
 *   Fetch the files, or correct the paths or --root.
 */
#include "judge/check.h"
#include "read/listed_images.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->pairing || !images_finding(f, s->sample, IMAGE_MISSING, "does not exist", "do not exist"))
		return false;
	images_unasked(f, s);
	return true;
}

const struct rule rule_missing_listed_file = {
	RULE("missing-listed-file", "lists", LEVEL_ERROR, "a path in a list that does not exist"),
	.facts_needed = FACTS_LIST | FACTS_IMAGES,
	.check_file = check,
	.advice = "fetch the files, or correct the paths or --root",
};
