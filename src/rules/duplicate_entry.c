/*
 * What it finds
 *   Lists that give one path more than once, with the same label; of lists of boxes, rows that are equal. In a list of
 *   more than 1.5 million paths, all are compared with the first 1.5 million.
 *
 * Why it matters
 *   The image counts twice in every epoch and in every metric; where a list is split at random afterwards, it is in
 *   both halves.
 *
 * Example
 *   train.csv: warning duplicate-entry: of 5000 rows, 12 repeat a path with the same label (first: line 4980, column 9)
 *
 * What to do
 *   Remove the repetitions, unless the list oversamples on purpose.
 */
#include "judge/check.h"

static const struct phrase paths[] = {
	{ LIST_DUPLICATE, "repeats", "repeat", "a path with the same label" },
};
static const struct phrase boxes[] = {
	{ LIST_DUPLICATE, "repeats", "repeat", "an earlier row" },
};

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct list_stats *list = &s->stats->list;

	if (!rows_finding(f, list->rows, list->faults, s->sample->list.boxes ? boxes : paths, 1,
			  "remove the repetitions, unless the list oversamples on purpose"))
		return false;
	if (list->entries_full)
		say(f, "; not all of them were compared");
	return true;
}

const struct rule rule_duplicate_entry = {
	.name = "duplicate-entry",
	.category = "lists",
	.level = LEVEL_WARNING,
	.facts_needed = FACTS_LIST,
	.summary = "a list that gives one path more than once, with the same label",
	.check_file = check,
};
