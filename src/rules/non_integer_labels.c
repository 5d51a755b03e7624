/*
 * Error message
 *   RuntimeError: expected scalar type Long but found Float
 *
 * What it finds
 *   Arrays of floats in which some value has a fraction, unless they are soft-labels. If all fractions are multiples of
 *   1/255 the finding says so: the labels were divided like an image.
 *
 * Why it matters
 *   An id is an integer. `.long()` silently cuts the fraction off: 0.99 becomes class 0, and labels that were divided
 *   by 255 all become 0.
 *
 * Example
 *   mask.npy: error non-integer-labels: 1204 of 4096 values (29.4 %) are not integers, the first at [3, 17], the
 *   smallest 0.00392157; all of them are multiples of 1/255, as when a mask is converted like an image
 *
 * What to do
 *   Find the step that scaled, resized or averaged the labels, and remove it: ids are resized with nearest neighbour
 *   and never normalised (ToTensor divides by 255). For multiples of 1/255: `np.rint(a * 255).astype(np.int64)`.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct array_stats *a = &s->stats->array;

	if (!a->fractions || a->use == ARRAY_SOFT)
		return false;
	say(f, "%" PRIu64 " of %" PRIu64 " values%s %s, the first at %s, the smallest %.6g", a->fractions, a->elements,
	    text_percent(a->fractions, a->elements).s, plural(a->fractions, "is not an integer", "are not integers"),
	    text_index(&s->sample->array, a->fraction_first).s, a->fraction_least);
	f->details.pixels = a->fractions;
	if (a->fractions_of_255 == a->fractions) {
		say(f, "; all of them are multiples of 1/255, as when a mask is converted like an image");
		return advise(f, "np.rint(%s * 255).astype(np.int64), and remove the step that divides",
			      array_loader(s->sample));
	}
	return advise(f, "remove the step that scales, resizes or averages the labels");
}

const struct rule rule_non_integer_labels = {
	RULE("non-integer-labels", "shape", LEVEL_ERROR, "values with a fraction where ids are expected"),
	.facts_needed = FACTS_ARRAY,
	.check_file = check,
};
