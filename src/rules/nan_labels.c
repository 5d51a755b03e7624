/*
 * Error message
 *   loss: nan
 *
 * What it finds
 *   Arrays of floats that hold NaN or infinity.
 *
 * Why it matters
 *   Neither is an id. Converted to an integer, NaN becomes whatever the processor produces, usually -2^63 or 0: a label
 *   that nobody wrote. pandas writes missing labels this way.
 *
 * Example
 *   train_y.npy: error nan-labels: 3 of 60000 values (under 0.1 %) are NaN, the first at [1204]
 *
 * What to do
 *   Find the rows without a label, and leave them out or give them the ignored id before the conversion.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct array_stats *a = &s->stats->array;
	uint64_t bad = a->nan + a->infinite;

	if (!bad)
		return false;
	say(f, "%" PRIu64 " of %" PRIu64 " values%s %s %s, the first at %s", bad, a->elements,
	    text_percent(bad, a->elements).s, plural(bad, "is", "are"),
	    !a->infinite ? "NaN"
	    : !a->nan    ? "infinite"
			 : "NaN or infinite",
	    text_index(&s->sample->array, a->nan_first).s);
	f->details.pixels = bad;
	return advise(f, "find the rows without a label: np.argwhere(~np.isfinite(%s))", array_loader(s->sample));
}

const struct rule rule_nan_labels = {
	RULE("nan-labels", "shape", LEVEL_ERROR, "NaN or infinity among the labels"),
	.facts_needed = FACTS_ARRAY,
	.check_file = check,
};
