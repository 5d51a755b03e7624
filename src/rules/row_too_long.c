/*
 * Error message
 *   Token indices sequence length is longer than the specified maximum sequence length for this model (1203 > 512).
 *   IndexError: index out of range in self
 *
 * What it finds
 *   Lists of ids in a row, such as input_ids, that are longer than --max-length. Without that option, none is.
 *
 * Why it matters
 *   A model has embeddings for a number of positions, and a longer row indexes beyond them: "index out of range in
 *   self" on the CPU, "device-side assert triggered" on a GPU. Where the tokens are cut instead, labels of another
 *   column no longer belong to them.
 *
 * Example
 *   train.jsonl: error row-too-long: 3 lists have more ids than --max-length 4096 (the first ends at line 12, column
 *   24102)
 *
 * What to do
 *   Cut the rows where they are tokenized (truncation=True, max_length=N), all columns alike.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct row_tally *tally = &s->stats->list.faults[LIST_TOO_LONG];

	if (!tally->rows)
		return false;
	say(f, "%" PRIu64 " %s more ids than --max-length %" PRIu64, tally->rows,
	    plural(tally->rows, "list has", "lists have"), s->settings->list.max_length);
	finding_set_row(f, tally, tally->rows == 1 ? "it ends at " : "the first ends at ");
	finding_add_offenders(f, s->sample, LIST_TOO_LONG, tally->rows);
	return true;
}

const struct rule rule_row_too_long = {
	RULE("row-too-long", "lists", LEVEL_ERROR, "a row of more ids than --max-length"),
	.facts_needed = FACTS_LIST,
	.check_file = check,
	.advice = "cut the rows where they are tokenized, all columns alike: truncation=True, max_length=N",
};
