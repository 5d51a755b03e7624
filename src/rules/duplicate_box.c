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
 *   Remove the duplicates.
 */
#include "judge/check.h"

const struct rule rule_duplicate_box = {
	RULE("duplicate-box", "lists", LEVEL_WARNING, "equal rows in a YOLO text"),
	.facts_needed = FACTS_BOXES,
	.phrases = PHRASES({ BOX_DUPLICATE, "is", "are", "equal to an earlier one" }),
	.advice = "remove the duplicates",
};
