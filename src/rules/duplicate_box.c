/*
 * What it finds
 *   Boxes that repeat another of their image. In YOLO texts: equal rows, the same class and the same coordinates,
 *   however they are written. In COCO files, but for crowds: the same class and the same numbers; the same class and
 *   more than 95 % in common; two classes and more than 95 % in common. The last two are for information if they are
 *   no more than one box in a hundred. The first 1,048,576 boxes of a COCO file are compared, each with the next 64
 *   to the right.
 *
 * Why it matters
 *   Ultralytics removes equal rows with a warning; elsewhere the object counts twice, and one of two equal predictions
 *   is a false positive. Often an export ran twice into one file, or two files were merged. An object in two classes
 *   teaches each that the other is wrong, unless the training knows several labels of one object, as those of a
 *   hierarchy.
 *
 * Example
 *   labels/0042.txt: warning duplicate-box: of 12 rows, 6 are equal to an earlier one (first: line 7, column 1)
 *
 * What to do
 *   Remove the duplicates.
 */
#include "judge/check.h"

enum { FEW = 100 }; /* one box in a hundred may be so by chance */

static const struct phrase *const rows = PHRASES({ BOX_DUPLICATE, "is", "are", "equal to an earlier one" });
static const struct phrase *const boxes =
	PHRASES({ COCO_SAME_BOX, "box is", "boxes are", "equal to an earlier one of its image and class" },
		{ COCO_NEAR_BOX, "box has", "boxes have", "more than 95 % in common with one of its image and class" },
		{ COCO_OTHER_CLASS, "box has", "boxes have", "more than 95 % in common with one of another class" });

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_facts *facts = &s->stats->coco.facts;
	const struct coco_trouble_count *t = facts->trouble;

	if (s->sample->format == FORMAT_YOLO)
		return phrases_finding(f, s->sample, s->stats, rows);
	if (s->sample->format != FORMAT_COCO || !phrases_finding(f, s->sample, s->stats, boxes))
		return false;
	if (facts->uncompared)
		say(f, "; %" PRIu64 " boxes were not compared with all others", facts->uncompared);
	if (!t[COCO_SAME_BOX].count && (t[COCO_NEAR_BOX].count + t[COCO_OTHER_CLASS].count) * FEW <= facts->annotations)
		f->level = LEVEL_INFO;
	if (!t[COCO_SAME_BOX].count && !t[COCO_NEAR_BOX].count)
		return advise(f, "keep one class of each, unless the training knows several labels of one object");
	return true;
}

const struct rule rule_duplicate_box = {
	RULE("duplicate-box", "lists", LEVEL_WARNING, "boxes that repeat another of their image"),
	.facts_needed = FACTS_GEOMETRY,
	.check_file = check,
	.advice = "remove the duplicates",
};
