/*
 * What it finds
 *   Tables in which more than one column may hold the labels, or none surely does: their columns are named, with the
 *   first values of each. Also tables of the classes themselves, pairs of an image and a mask, and rows of several
 *   labels, if they are all that was to be audited. Also streams of token ids whose type nothing says: what they would
 *   hold in each is named.
 *
 * Why it matters
 *   Auditing the wrong column passes what was never looked at. The audit is incomplete, and its exit status is 2, until
 *   it is said which one is meant.
 *
 * Example
 *   train.csv: error ambiguous-columns: which column holds the labels? 1 id (a1, a2, a3); 2 fine (3, 1, 3); 3 coarse
 *   (0, 0, 1)
 *
 * What to do
 *   Name the column with --column, by its word in the first row or by its number from 1. Rows of boxes may have a form
 *   that --kind names, a stream of ids a type that --dtype names.
 */
#include "judge/rule.h"

const struct rule rule_ambiguous_columns = {
	RULE("ambiguous-columns", "file", LEVEL_ERROR,
	     "a table or a stream of ids of which it is not clear what are the labels"),
	.fault = FAULT_AMBIGUOUS,
	.tells_unread = true,
	.advice = "name the column with --column NAME or --column N",
};
