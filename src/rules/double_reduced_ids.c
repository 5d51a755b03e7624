/*
 * What it finds
 *   Datasets in which id 254 occurs, is the only id that is neither a class nor ignored, and 255 is ignored.
 *
 * Why it matters
 *   An ignored 255 becomes 254 when 1 is subtracted a second time: the zero label was reduced twice, or once by a
 *   script that forgot to restore 255. If it was reduced twice, every class is off by one, and one of them is gone.
 *
 * Example
 *   (dataset): warning double-reduced-ids: id 254 occurs in 1980 of 2000 files, first masks/0001.png, and 255 is
 *   ignored: 1 was subtracted once too often
 *
 * What to do
 *   Compare one file with its source. If the label was reduced twice, make the set again, and either reduce the files
 *   or pass reduce_zero_label, not both. If only 255 changed: `mask[mask == 254] = 255`.
 */
#include "judge/check.h"

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct id_total *reduced = dataset_id(d, REDUCED_ZERO - 1);

	if (!reduced || settings_role(settings, REDUCED_ZERO - 1) != ID_INVALID ||
	    settings_role(settings, REDUCED_ZERO) != ID_IGNORED)
		return false;
	/* Among other undeclared ids, as in a grey image, 254 is one of many. */
	for (size_t i = 0; i < d->ids_count; i++)
		if (&d->ids[i] != reduced && settings_role(settings, d->ids[i].id) == ID_INVALID)
			return false;
	finding_add_id(f, reduced->id, reduced->labels);
	f->example = reduced->example;
	say(f,
	    "id 254 occurs in %" PRIu64 " of %" PRIu64
	    " files, first %s, and 255 is ignored: 1 was subtracted once too often",
	    reduced->files, d->files_with_ids, reduced->example);
	finding_map(f, REDUCED_ZERO - 1, REDUCED_ZERO);
	return advise(
		f,
		"compare a file with its source: if every id is lower by 1, the zero label was reduced twice: make the "
		"set again%s; if only 255 became 254, mask[mask == 254] = 255",
		settings->reduce_zero_label ? ", or leave --reduce-zero-label out" : "");
}

const struct rule rule_double_reduced_ids = {
	RULE("double-reduced-ids", "range", LEVEL_WARNING,
	     "254 though 255 is ignored: the zero label was reduced twice"),
	.check_dataset = check_dataset,
};
