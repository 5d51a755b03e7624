/*
 * What it finds
 *   Lists that give one path more than once, with the same label; in lists of masks as runs of pixels, equal rows;
 *   COCO files in which two images have one file_name. Boxes are compared by duplicate-box. In a list of more than
 *   1.5 million paths, all are compared with the first 1.5 million; of the images of a COCO file, with the first
 *   524,288.
 *
 * Why it matters
 *   The image counts twice in every epoch and in every metric; where a list is split at random afterwards, it is in
 *   both halves. In a COCO file each of the two images has a part of the objects: for the one, those of the other are
 *   background.
 *
 * Example
 *   train.csv: warning duplicate-entry: of 5000 rows, 12 repeat a path with the same label (first: line 4980, column 9)
 *
 * What to do
 *   Remove the duplicates, unless the list oversamples on purpose. In a COCO file, give all annotations the first of
 *   the two images.
 */
#include "judge/check.h"

static const struct phrase *const paths =
	PHRASES({ LIST_DUPLICATE, "repeats", "repeat", "a path with the same label" });
static const struct phrase *const boxes = PHRASES({ LIST_DUPLICATE, "repeats", "repeat", "an earlier row" });
static const struct phrase *const images =
	PHRASES({ COCO_SAME_FILE, "image has", "images have", "the file_name of an earlier one" });

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->sample->format == FORMAT_COCO)
		return phrases_finding(f, s->sample, s->stats, images) &&
		       advise(f, "give the annotations of both the id of the first, and remove the second");
	if (s->sample->format != FORMAT_LIST ||
	    !phrases_finding(f, s->sample, s->stats, s->sample->list.boxes ? boxes : paths))
		return false;
	if (s->stats->list.entries_full)
		say(f, "; not all rows were compared");
	return true;
}

const struct rule rule_duplicate_entry = {
	RULE("duplicate-entry", "lists", LEVEL_WARNING,
	     "a path that a list, or an image that a COCO file, gives more than once"),
	.facts_needed = FACTS_IDS,
	.check_file = check,
	.advice = "remove the duplicates, unless the list oversamples on purpose",
};
