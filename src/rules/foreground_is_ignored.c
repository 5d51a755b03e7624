/*
 * What it finds
 *   A dataset in which 0 is the only id that is trained on, while at least half of the files hold an ignored id:
 *   masks of 0 and 255 with 255 ignored. With --reduce-zero-label: ids from 0 to C-1 that all occur where C classes
 *   are declared, and no id C: 0 seems to be one of the classes.
 *
 * Why it matters
 *   Nothing is out of range, so nothing fails: the foreground is left out of the loss, the network learns to predict
 *   "background" everywhere, the loss falls to 0 and the IoU of every other class is 0 or NaN.
 *
 * Example
 *   (dataset): warning foreground-is-ignored: 0 is the only id that is trained on, and 381 of 381 files hold ignored
 *   id 255
 *
 * What to do
 *   Write 1, not 255, for the foreground: `mask[mask == 255] = 1`, and take 255 off --ignore. The level is a
 *   warning, not an error: every id is legal as declared, and a set with only void regions on background is
 *   possible.
 */
#include "judge/check.h"

/* Reports a set whose ids are 0 to C-1, as if 0 were no id to be reduced. */
static bool check_reduced(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const int64_t classes = settings_class_count(settings);
	const struct id_total *zero = dataset_id(d, 0);
	int64_t present = 0;

	if (!zero || classes < 2 || zero->files < d->files_with_ids - zero->files || dataset_id(d, classes))
		return false;
	for (size_t i = 0; i < d->ids_count; i++) {
		if (settings_role(settings, d->ids[i].id) == ID_INVALID)
			return false;
		present += d->ids[i].id >= 0 && d->ids[i].id < classes;
	}
	if (present != classes)
		return false;
	finding_add_id(f, 0, zero->labels);
	say(f,
	    "ids 0 to %" PRId64 " all occur, as many as classes are declared, and no id %" PRId64
	    ": 0 seems to be a class, and --reduce-zero-label ignores it in %" PRIu64 " of %" PRIu64 " files",
	    classes - 1, classes, zero->files, d->files_with_ids);
	return advise(f,
		      "leave --reduce-zero-label out if 0 is a class of the model; else class %" PRId64 " is missing",
		      classes - 1);
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct id_total *most = NULL;

	if (settings->reduce_zero_label)
		return check_reduced(settings, d, f);
	/* a lone class lacks no other; in rows and boxes, id 0 is not background */
	if (id_ranges_size(&settings->classes.classes) < 2 || !d->masks_with_ids)
		return false;
	if (!d->files_with_ignored || d->files_with_ignored < d->files_with_ids - d->files_with_ignored)
		return false;
	for (size_t i = 0; i < d->ids_count; i++) {
		const struct id_total *id = &d->ids[i];

		if (settings_role(settings, id->id) != ID_IGNORED) {
			if (id->id != 0)
				return false;
			continue;
		}
		finding_add_id(f, id->id, id->labels);
		if (!most || id->labels > most->labels)
			most = id;
	}
	if (!most)
		return false;

	say(f, "%s, and %" PRIu64 " of %" PRIu64 " files hold ignored %s",
	    dataset_id(d, 0) ? "0 is the only id that is trained on" : "no id is trained on", d->files_with_ignored,
	    d->files_with_ids, text_finding_ids(f).s);
	finding_map(f, most->id, 1);
	return advise(f,
		      "if %" PRId64 " is the foreground, write 1 for it (mask[mask == %" PRId64
		      "] = 1) and take %" PRId64 " off --ignore",
		      most->id, most->id, most->id);
}

const struct rule rule_foreground_is_ignored = {
	RULE("foreground-is-ignored", "range", LEVEL_WARNING, "only background is trained on, the rest is ignored"),
	.check_dataset = check_dataset,
};
