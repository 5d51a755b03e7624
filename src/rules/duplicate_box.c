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
#include "judge/row_faults.h"
#include "judge/rule.h"

static const struct row_phrase phrases[] = {
	{ BOX_DUPLICATE, "is equal to an earlier one", "are equal to an earlier one" },
};

static bool check(const struct rule_input *s, struct finding *f)
{
	if (!row_faults_finding(f, s->stats->boxes.rows, s->stats->boxes.faults, phrases, 1))
		return false;
	text_addf(&f->advice, "remove the repetitions");
	return true;
}

const struct rule rule_duplicate_box = {
	.name = "duplicate-box",
	.category = "lists",
	.level = LEVEL_WARNING,
	.facts_needed = FACTS_BOXES,
	.since = "0.1.0",
	.summary = "equal rows in a YOLO text",
	.check_file = check,
};
