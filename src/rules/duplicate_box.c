/*
 * What it finds
 *   YOLO texts with equal rows: the same class and the same coordinates, however they are written.
 *
 * Why it matters
 *   Ultralytics removes them with a warning; elsewhere the object counts twice, and one of two equal predictions is a
 *   false positive. Often an export ran twice into one file.
 *
 * Example
 *   labels/0042.txt: warning duplicate-box: of 12 rows, 6 are equal to an earlier one (first: line 7, column 1)
 *
 * What to do
 *   Remove the repetitions.
 */
#include "judge/check.h"

static const struct phrase phrases[] = {
	{ BOX_DUPLICATE, "is", "are", "equal to an earlier one" },
};

static bool check(const struct rule_input *s, struct finding *f)
{
	return rows_finding(f, s->stats->boxes.rows, s->stats->boxes.faults, phrases, 1, "remove the repetitions");
}

const struct rule rule_duplicate_box = {
	.name = "duplicate-box",
	.category = "lists",
	.level = LEVEL_WARNING,
	.facts_needed = FACTS_BOXES,
	.summary = "equal rows in a YOLO text",
	.check_file = check,
};
