/*
 * What it finds
 *   Masks in which 0 is the only id that is not ignored (info, one per file), and datasets in which more than half of
 *   the files are such masks (warning).
 *
 * Why it matters
 *   A few such masks are useful negatives. If most are, the export probably lost its objects, was made for another
 *   class list, or wrote the foreground with an ignored id.
 *
 * Example
 *   (dataset): warning only-background: 381 of 381 files (100.0 %) hold no id but 0
 *
 * What to do
 *   Compare one of the files with its image. If objects are missing, export again; if most images are really empty,
 *   sample the others more often.
 *
 *   The rule is silent if 0 is not a class, if it is the only one, and with --reduce-zero-label, which makes 0 ignored.
 *   There is no finding about the dataset if foreground-is-ignored reports the cause.
 */
#include "judge/check.h"

/* Returns whether 0 is one of several classes. */
static bool has_background(const struct settings *settings)
{
	return settings_role(settings, 0) == ID_CLASS && id_ranges_size(&settings->classes.classes) > 1;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	bool zero = false;

	if (!has_background(s->settings))
		return false;
	for (size_t i = 0; i < s->stats->ids_count; i++) {
		if (settings_role(s->settings, s->ids[i].id) == ID_IGNORED)
			continue;
		if (s->ids[i].id != 0)
			return false;
		zero = true;
	}
	if (!zero)
		return false;
	f->level = LEVEL_INFO; /* one empty image is no fault */
	return say(f, "no id but 0%s", s->stats->ids_count > 1 ? " and ignored ones" : "");
}

/* Returns whether foreground-is-ignored reports the set. */
static bool is_foreground_ignored(const struct settings *settings, const struct dataset_stats *d)
{
	for (size_t i = 0; i < d->ids_count; i++)
		if (d->ids[i].id != 0 && settings_role(settings, d->ids[i].id) != ID_IGNORED)
			return false;
	return d->files_with_ignored && d->files_with_ignored >= d->files_with_ids - d->files_with_ignored;
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	if (!has_background(settings) || d->masks_only_zero <= d->masks_with_ids - d->masks_only_zero ||
	    is_foreground_ignored(settings, d))
		return false;
	say(f, "%" PRIu64 " of %" PRIu64 " files%s hold no id but 0%s", d->masks_only_zero, d->masks_with_ids,
	    text_percent(d->masks_only_zero, d->masks_with_ids).s, d->files_with_ignored ? " and ignored ones" : "");
	return advise(f, "compare one of them with its image: the export may have lost objects, or written them with "
			 "an ignored id");
}

const struct rule rule_only_background = {
	RULE("only-background", "content", LEVEL_WARNING, "no id but 0"),
	.facts_needed = FACTS_MASK,
	.check_file = check,
	.check_dataset = check_dataset,
};
