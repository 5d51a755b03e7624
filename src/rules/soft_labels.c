/*
 * What it finds
 *   Arrays of floats with an axis whose length is the number of classes, or one more or less, along which the values
 *   are between 0 and 1 and add up to 1 (within 0.001) in at least 99.9 % of the places: class probabilities, not ids.
 *
 * Why it matters
 *   They may be intended: MixUp and CutMix mix two labels, label smoothing spreads one, a teacher model gives
 *   probabilities. But a loss that takes ids fails on them, and `.astype(int)` turns nearly all of them into class 0.
 *
 * Example
 *   train_y.npy: error soft-labels: along axis 1 the 10 values add up to 1, with at most 2 of them above 0, as MixUp
 *   and CutMix write: class probabilities, not ids
 *
 * What to do
 *   Give them to a loss that takes probabilities: torch.nn.functional.cross_entropy(scores, probabilities), both of the
 *   same shape (PyTorch 1.10 and later), or KLDivLoss. For ids: `a.argmax(axis)`.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct class_axis *a = &s->stats->array.axis;

	if (s->stats->array.use != ARRAY_SOFT)
		return false;
	say(f, "along axis %" PRIu32 " the %" PRIu32 " values add up to 1", a->axis, a->classes);
	if (a->sums < a->places)
		say(f, " in %" PRIu64 " of %" PRIu64 " places", a->sums, a->places);
	if (a->most <= 2 && a->classes > 2)
		say(f, ", with at most 2 of them above 0, as MixUp and CutMix write");
	say(f, ": class probabilities, not ids");
	return advise(f,
		      "use a loss that takes probabilities (cross_entropy with float targets, KLDivLoss), or take ids: "
		      "%s.argmax(%" PRIu32 ")",
		      array_loader(s->sample), a->axis);
}

const struct rule rule_soft_labels = {
	RULE("soft-labels", "shape", LEVEL_ERROR, "class probabilities where ids are expected"),
	.facts_needed = FACTS_ARRAY,
	.check_file = check,
};
