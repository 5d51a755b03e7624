/*
 * What it finds
 *   A dataset in which 0 is the only id that is trained on, while at least half of the files hold an ignored id: masks
 *   of 0 and 255 with 255 ignored.
 *
 * Why it matters
 *   Nothing is out of range, so nothing fails: the foreground is left out of the loss, the network learns to predict
 *   "background" everywhere, the loss falls to 0 and the IoU of every other class is 0 or NaN.
 *
 * Example
 *   (dataset): warning foreground-is-ignored: 0 is the only id that is trained on, and 381 of 381 files hold ignored id
 *   255
 *
 * What to do
 *   Write 1, not 255, for the foreground: `mask[mask == 255] = 1`, and take 255 off --ignore. The level is a warning,
 *   not an error: every id is legal as declared, and a set with only void regions on background is possible.
 */
#include "judge/check.h"

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct id_total *most = NULL;

	/* A reduced zero label is ignored everywhere; a lone class can lack no other. */
	if (settings->reduce_zero_label || id_ranges_size(&settings->classes.classes) < 2)
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
