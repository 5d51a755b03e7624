/*
 * Error message
 *   IndexError: Target 21 is out of bounds.
 *
 * What it finds
 *   A dataset whose ids run from 1 to C though 0 to C-1 are declared: the ids that are not ignored begin at 1 and end
 *   at C.
 *
 * Why it matters
 *   The last class is out of range and stops the training; every other class is silently confused with its neighbour.
 *   Tools that count from 1 (MATLAB, ADE20K, LoveDA, COCO categories) write such ids.
 *
 * Example
 *   (dataset): error one-based-ids: ids run from 1 to 150 (150 in 91 files, first in masks/0001.png); valid ids are
 *   0-149
 *
 * What to do
 *   Subtract 1 from every id that is not ignored, or train with reduce_zero_label and audit with --reduce-zero-label.
 */
#include "judge/check.h"

/* With more classes, such as a vocabulary's, one id too large and no 0 is more likely a token that was added. */
enum { CLASSES_MANY = 1000 };

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	int64_t count = settings_class_count(settings), min = 0, max = 0;
	bool any = false;

	/* hidden-class-folder reports one class folder too many */
	if (d->folders.count || settings->reduce_zero_label || !count ||
	    !id_ranges_contain(&settings->classes.classes, 0))
		return false; /* the declared list leaves 0 out on purpose */
	for (size_t i = 0; i < d->ids_count; i++) {
		if (settings_role(settings, d->ids[i].id) == ID_IGNORED)
			continue;
		if (!any)
			min = d->ids[i].id;
		max = d->ids[i].id;
		any = true;
	}
	if (!any || min != 1 || max != count || (count > CLASSES_MANY && 2 * (int64_t)d->ids_count < count))
		return false;

	const struct id_total *last = dataset_id(d, max);

	finding_add_id(f, max, last->labels);
	f->example = last->example;
	say(f, "ids run from 1 to %" PRId64 " (%" PRId64 " in %s); %s", max, max,
	    text_files(last->files, last->example).s, text_valid_ids(settings).s);
	text_addf(&f->details.map, "1 -> 0, ..., %" PRId64 " -> %" PRId64, max, max - 1);
	if (d->masks_with_ids)
		advise(f,
		       "subtract 1 from every id that is not ignored (mask[(mask >= 1) & (mask <= %" PRId64
		       ")] -= 1), or train with reduce_zero_label and pass --reduce-zero-label",
		       max);
	else
		advise(f, "subtract 1 from every label that is not ignored, in the files or in the loader");
	return true;
}

const struct rule rule_one_based_ids = {
	RULE("one-based-ids", "range", LEVEL_ERROR, "ids that run from 1 to C instead of 0 to C-1"),
	.repair = REPAIR_MAP,
	.check_dataset = check_dataset,
};
