/*
 * What it finds
 *   With --root: rows of a list whose path does not exist below that folder. A path without an extension is also tried
 *   with those of images (.jpg, .png, ...).
 *
 * Why it matters
 *   The loader stops there, perhaps after hours; a loader that skips files it cannot open trains on fewer files than
 *   listed.
 *
 * Example
 *   train.csv: error missing-listed-file: of 5000 rows, 12 name a file that does not exist (first: line 77, column 9)
 *
 * What to do
 *   Fetch the files, or correct the paths or --root.
 */
#include "judge/check.h"

const struct rule rule_missing_listed_file = {
	RULE("missing-listed-file", "lists", LEVEL_ERROR, "a path in a list that does not exist below --root"),
	.facts_needed = FACTS_LIST,
	.phrases = PHRASES({ LIST_NO_FILE, "names a file that does not exist", "name files that do not exist", "" }),
	.advice = "fetch the files, or correct the paths or --root",
};
