/*
 * What it finds
 *   Lists that give one path more than once, with different labels. Of a list with more than 1.5 million paths those
 *   that came first are compared with all. A list of boxes, whose header has four columns of coordinates, may have many
 *   rows an image.
 *
 * Why it matters
 *   At least one of the labels is wrong; the loss pulls both ways, and a dictionary keeps the last without a word.
 *
 * Example
 *   train.csv: error conflicting-label: of 5000 rows, 3 give a path another label than an earlier row (first: line 812,
 *   column 9)
 *
 * What to do
 *   Decide on one label; a list of several labels an image is no list of class ids.
 */
#include "judge/row_faults.h"
#include "judge/rule.h"

static const struct row_phrase phrases[] = {
	{ LIST_CONFLICT, "gives a path another label than an earlier row",
	  "give a path another label than an earlier row" },
};

static bool check(const struct subject *s, struct finding *f)
{
	const struct list_stats *list = &s->stats->list;

	if (s->sample->list.boxes || !row_faults_finding(f, list->rows, list->faults, phrases, 1))
		return false;
	if (list->entries_full)
		text_addf(&f->message, "; not all of them were compared");
	text_addf(&f->advice, "decide on one label for each path");
	return true;
}

const struct rule rule_conflicting_label = {
	.name = "conflicting-label",
	.category = "lists",
	.level = LEVEL_ERROR,
	.needs = NEEDS_LIST,
	.since = "0.1.0",
	.summary = "a list that gives one path different labels",
	.check_file = check,
};
