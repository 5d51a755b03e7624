/*
 * What it finds
 *   Lists whose labels are class names, with names that --classes does not declare. Names are compared exactly,
 *   capitals and inner blanks included.
 *
 * Why it matters
 *   A loader that maps names to ids stops with a KeyError at that row, or drops it, or gives it an id of its own.
 *
 * Example
 *   train.csv: error unknown-class-name: of 5000 rows, 3 name a class that is not declared: 'Cat' (the nearest is
 *   'cat') (first: line 12, column 7)
 *
 * What to do
 *   Correct the name, or add it to the class list.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct row_tally *unknown = &s->stats->list.faults[LIST_UNKNOWN];
	const struct list_layout *layout = &s->sample->list;

	if (!unknown->rows)
		return false;
	say(f, "of %" PRIu64 " %s%s, %" PRIu64 " %s a class that is not declared: '%s'", s->stats->list.rows,
	    row_noun(&s->stats->list), s->stats->list.rows == 1 ? "" : "s", unknown->rows,
	    unknown->rows == 1 ? "names" : "name", layout->unknown);
	if (layout->nearest[0])
		say(f, " (the nearest is '%s')", layout->nearest);
	finding_set_row(f, unknown, NULL);
	finding_add_offenders(f, s->sample, LIST_UNKNOWN, unknown->rows);
	return true;
}

const struct rule rule_unknown_class_name = {
	RULE("unknown-class-name", "lists", LEVEL_ERROR, "a class name in a list that is not declared"),
	.facts_needed = FACTS_LIST,
	.check_file = check,
	.advice = "correct the name, or add it to the class list",
};
