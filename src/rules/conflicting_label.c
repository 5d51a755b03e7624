/*
 * What it finds
 *   Lists that give one path more than once, with different labels. In a list of more than 1.5 million paths, all are
 *   compared with the first 1.5 million. A list of boxes, whose header has four columns of coordinates, may have many
 *   rows for one image and is not judged.
 *
 * Why it matters
 *   At least one of the labels is wrong. A loader that keeps both trains on both; one that uses a dictionary silently
 *   keeps the last.
 *
 * Example
 *   train.csv: error conflicting-label: of 5000 rows, 3 give a path a different label from an earlier row (first: line
 *   812, column 9)
 *
 * What to do
 *   Decide on one label. If the list gives an image several labels on purpose, it is not a list of class ids.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->stats->list.entries_full)
		say(f, "; not all rows were compared");
	return !s->sample->list.boxes;
}

const struct rule rule_conflicting_label = {
	RULE("conflicting-label", "lists", LEVEL_ERROR, "a list that gives one path different labels"),
	.facts_needed = FACTS_LIST,
	.phrases = PHRASES({ LIST_CONFLICT, "gives", "give", "a path a different label from an earlier row" }),
	.advice = "decide on one label for each path",
	.check_file = check,
};
