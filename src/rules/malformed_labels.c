/*
 * What it finds
 *   Label files in text, CSV, JSON, NumPy or IDX form that break their own format. The finding gives line and column,
 *   what was expected and what was found.
 *
 * Why it matters
 *   Parsers differ in what they forgive: one skips the line, one reads it as 0, one stops.
 *
 * Example
 *   labels.json: error malformed-labels: expected ',' or ']' after a value, found '}' (line 12, column 3)
 *
 * What to do
 *   Mend the file at that place, or write it again with the tool that made it.
 */
#include "judge/fault_finding.h"
#include "judge/rule.h"

static bool check(const struct subject *s, struct finding *f)
{
	return fault_finding(f, &s->sample->fault, FAULT_LABELS, "mend the file at that place");
}

const struct rule rule_malformed_labels = {
	.name = "malformed-labels",
	.category = "file",
	.level = LEVEL_ERROR,
	.needs = NEEDS_FAULT,
	.since = "0.1.0",
	.summary = "a text, CSV, JSON, NumPy or IDX file that cannot be parsed",
	.check_file = check,
};
