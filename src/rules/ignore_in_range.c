/*
 * What it finds
 *   Settings that ignore an id which is also one of the declared classes.
 *
 * Why it matters
 *   Ignoring takes precedence: that class is neither trained nor scored, and the model has an output for it that learns
 *   nothing.
 *
 * Example
 *   (dataset): warning ignore-in-range: id 0 is ignored although declared as a class: never trained
 *
 * What to do
 *   Nothing if that is meant. Else take it off --ignore; or, if 0 means "no data" and the classes begin at 1, use
 *   --reduce-zero-label and declare one class fewer.
 */
#include "judge/check.h"

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct id_ranges *classes = &settings->classes.classes, *ignored = &settings->classes.ignored;

	if (!d->files_with_ids)
		return false;
	/* Both are sorted. Ids that a finding cannot list are only counted, since ranges may be long. */
	for (size_t i = 0, j = 0; i < classes->count && j < ignored->count;) {
		int64_t first = MAX(classes->v[i].first, ignored->v[j].first);
		int64_t last = MIN(classes->v[i].last, ignored->v[j].last);

		for (int64_t id = first; id <= last; id++) {
			if (f->details.ids_count == FINDING_IDS_MAX) {
				f->details.ids_total += (uint64_t)last - (uint64_t)id + 1;
				break;
			}
			const struct id_total *total = dataset_id(d, settings_file_id(settings, id));

			finding_add_id(f, id, total ? total->labels : 0);
		}
		if (classes->v[i].last < ignored->v[j].last)
			i++;
		else
			j++;
	}
	if (!f->details.ids_total)
		return false;
	say(f, "%s %s: never trained", text_finding_ids(f).s,
	    plural(f->details.ids_total, "is ignored although declared as a class",
		   "are ignored although declared as classes"));
	advise(f, "if that is not meant, take %s off --ignore", plural(f->details.ids_total, "it", "them"));
	if (!settings->reduce_zero_label && f->details.ids[0].id == 0)
		advise(f, "; if 0 means \"no data\" and classes begin at 1, pass --reduce-zero-label and declare one "
			  "class fewer");
	return true;
}

const struct rule rule_ignore_in_range = {
	RULE("ignore-in-range", "range", LEVEL_WARNING, "an ignored id that is also a declared class"),
	.check_dataset = check_dataset,
};
