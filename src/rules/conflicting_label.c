/*
 * What it finds
 *   Lists that give one path more than once, with different labels. In a list of more than 1.5 million paths, all are
 *   compared with the first 1.5 million. A list of boxes, whose header has four columns of coordinates, may have many
 *   rows for one image and is not judged.
 *
 * Why it matters
 *   At least one of the labels is wrong. A loader that keeps both trains towards both; one that uses a dictionary
 *   silently keeps the last.
 *
 * Example
 *   train.csv: error conflicting-label: of 5000 rows, 3 give a path a different label than an earlier row (first: line
 *   812, column 9)
 *
 * What to do
 *   Decide on one label. A list that means to give an image several labels is not a list of class ids.
 */
#include "judge/check.h"

static const struct phrase phrases[] = {
	{ LIST_CONFLICT, "gives", "give", "a path a different label than an earlier row" },
};

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct list_stats *list = &s->stats->list;

	if (s->sample->list.boxes ||
	    !rows_finding(f, list->rows, list->faults, phrases, 1, "decide on one label for each path"))
		return false;
	if (list->entries_full)
		say(f, "; not all of them were compared");
	return true;
}

const struct rule rule_conflicting_label = {
	.name = "conflicting-label",
	.category = "lists",
	.level = LEVEL_ERROR,
	.facts_needed = FACTS_LIST,
	.summary = "a list that gives one path different labels",
	.check_file = check,
};
