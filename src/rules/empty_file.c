/*
 * What it finds
 *   Files of 0 bytes.
 *
 * Why it matters
 *   A copy that was interrupted, a full disk or a quota leaves them behind; so does a script that opened its output
 *   and died.
 *
 * Example
 *   masks/0001.png: error empty-file: the file has 0 bytes
 *
 * What to do
 *   Fetch or write the file again. Where one is empty, others written at the same time may be truncated.
 */
#include "judge/fault_finding.h"
#include "judge/rule.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	return fault_finding(f, &s->sample->fault, FAULT_EMPTY, "fetch or write the file again");
}

const struct rule rule_empty_file = {
	.name = "empty-file",
	.category = "file",
	.level = LEVEL_ERROR,
	.facts_needed = FACTS_FAULT,
	.since = "0.1.0",
	.summary = "a file of 0 bytes",
	.check_file = check,
};
