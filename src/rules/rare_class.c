/*
 * What it finds
 *   Classes that occur, but with fewer than 1 in 100,000 of the labels that are trained on, or in fewer than 1 in 1,000
 *   files. --min-share sets another share of the labels.
 *
 * Why it matters
 *   A network sees such a class too rarely to learn it, a validation split may lack it entirely, and one wrong click of
 *   an annotator creates one. Class weights do not help: the weight of such a class is in the thousands.
 *
 * Example
 *   (dataset): info rare-class: class 13 has 310 labels in 1 of 3475 files
 *
 * What to do
 *   Check whether it is a mistake. If it is not, add examples, sample its files more often, or merge it with another
 *   class. The weights are in class_weights of the JSON report.
 *
 *   With --reduce-zero-label the finding names the ids in the files.
 */
#include "base/decimal.h"
#include "judge/check.h"

enum {
	FILES_SHARE = 1000, /* 1 of 1,000 files: no split can have it twice */
	SAID_MAX = 3,
};

static uint64_t trained_labels(const struct settings *settings, const struct dataset_stats *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->ids_count; i++)
		if (settings_role(settings, d->ids[i].id) == ID_CLASS)
			sum += d->ids[i].labels;
	return sum;
}

/* Returns whole / n, rounded up, so that `part < share_of(whole, n)` is exactly part / whole < 1 / n. */
static uint64_t share_of(uint64_t whole, uint64_t n)
{
	return whole / n + (whole % n != 0);
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	uint64_t all = trained_labels(settings, d),
		 least = settings->thresholds.min_share ? settings->thresholds.min_share : MIN_SHARE_USUAL;
	uint64_t least_files = share_of(d->files_with_ids, FILES_SHARE);

	for (size_t i = 0; i < d->ids_count; i++) {
		const struct id_total *id = &d->ids[i];

		if (settings_role(settings, id->id) != ID_CLASS ||
		    ((decimal_wide)id->labels * 1000000 >= (decimal_wide)all * least && id->files >= least_files))
			continue;
		finding_add_id(f, id->id, id->labels);
		if (f->details.ids_total > SAID_MAX)
			continue;
		say_also(f, "%s has %" PRIu64 " %s in %" PRIu64 " of %" PRIu64 " files", text_class(settings, id->id).s,
			 id->labels, plural(id->labels, "label", "labels"), id->files, d->files_with_ids);
	}
	if (!f->details.ids_total)
		return false;
	f->details.count = f->details.ids_total; /* classes, since more labels are no worse */
	if (f->details.ids_total > SAID_MAX)
		say(f, "; and %" PRIu64 " more", f->details.ids_total - SAID_MAX);
	return true;
}

const struct rule rule_rare_class = {
	RULE("rare-class", "content", LEVEL_INFO, "a class with very few labels"),
	.check_dataset = check_dataset,
	.advice = "if it is no mistake, sample its files more often or merge the class; the weights are in "
		  "class_weights of the JSON report",
};
