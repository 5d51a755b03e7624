/*
 * What it finds
 *   Lists that give one path more than once, with the same label; in lists of boxes, equal rows. In a list of more than
 *   1.5 million paths, all are compared with the first 1.5 million.
 *
 * Why it matters
 *   The image counts twice in every epoch and in every metric; where a list is split at random afterwards, it is in
 *   both halves.
 *
 * Example
 *   train.csv: warning duplicate-entry: of 5000 rows, 12 repeat a path with the same label (first: line 4980, column 9)
 *
 * What to do
 *   Remove the duplicates, unless the list oversamples on purpose.
 */
#include "judge/check.h"

static const struct phrase *const paths =
	PHRASES({ LIST_DUPLICATE, "repeats", "repeat", "a path with the same label" });
static const struct phrase *const boxes = PHRASES({ LIST_DUPLICATE, "repeats", "repeat", "an earlier row" });

static bool check(const struct rule_input *s, struct finding *f)
{
	if (!phrases_finding(f, s->sample, s->stats, s->sample->list.boxes ? boxes : paths))
		return false;
	if (s->stats->list.entries_full)
		say(f, "; not all rows were compared");
	return true;
}

const struct rule rule_duplicate_entry = {
	RULE("duplicate-entry", "lists", LEVEL_WARNING,
	     "a list that gives one path more than once, with the same label"),
	.facts_needed = FACTS_LIST,
	.check_file = check,
	.advice = "remove the duplicates, unless the list oversamples on purpose",
};
