/*
 * What it finds
 *   Datasets audited with 19 classes in which ids 19 to 33 occur, as in the labelIds files of Cityscapes, whose 19
 *   trained classes are numbered in the labelTrainIds files.
 *
 * Why it matters
 *   The two kinds of files are side by side, and their names differ in one word. If the ids happen to be in range,
 *   nothing fails: road is 7 in the one and 0 in the other.
 *
 * Example
 *   (dataset): error cityscapes-label-ids: ids 21, 23-24, 26 occur in up to 2970 of 2975 files, though 19 classes are
 *   declared: labelIds of Cityscapes, not labelTrainIds
 *
 * What to do
 *   Audit *_gtFine_labelTrainIds.png, made by `csCreateTrainIdLabelImgs` of cityscapesscripts; or declare all of
 *   labelIds with `--classes 34`.
 */
#include "judge/check.h"

enum {
	TRAIN_IDS = 19,
	LABEL_IDS = 34,
	PAST_MIN = 2, /* one id past 19 is a class too many (background-off-by-one) or a slip */
};

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	uint64_t past = 0, files = 0;

	if (settings->reduce_zero_label || settings_class_count(settings) != TRAIN_IDS)
		return false;
	/* Interpolation makes ids past 19, too: if it damaged half of the files, their ids prove nothing. */
	if (d->informative_flagged && 2 * d->informative_flagged >= d->informative_files)
		return false;
	for (size_t i = 0; i < d->ids_count; i++) {
		const struct id_total *id = &d->ids[i];

		if (id->id < TRAIN_IDS || settings_role(settings, id->id) == ID_IGNORED)
			continue;
		/* labelIds end at 33, and the license plate's -1 is 255 here; instanceIds in the same folder are >=
		 * 1000. */
		if (id->id >= LABEL_IDS && id->id < REDUCED_ZERO)
			return false;
		if (id->id >= LABEL_IDS)
			continue;
		past++;
		files = MAX(files, id->files);
		finding_add_id(f, id->id, id->labels);
	}
	if (past < PAST_MIN)
		return false;
	say(f,
	    "%s occur in up to %" PRIu64 " of %" PRIu64
	    " files, though 19 classes are declared: labelIds of Cityscapes, not "
	    "labelTrainIds",
	    text_finding_ids(f).s, files, d->files_with_ids);
	text_addf(&f->details.map,
		  "7 -> 0, 8 -> 1, 11 -> 2, 12 -> 3, 13 -> 4, 17 -> 5, 19 -> 6, 20 -> 7, 21 -> 8, 22 -> 9, 23 -> 10, "
		  "24 -> 11, 25 -> 12, 26 -> 13, 27 -> 14, 28 -> 15, 31 -> 16, 32 -> 17, 33 -> 18, others -> 255");
	return true;
}

const struct rule rule_cityscapes_label_ids = {
	RULE("cityscapes-label-ids", "range", LEVEL_ERROR, "labelIds of Cityscapes where labelTrainIds are declared"),
	.repair = REPAIR_MAP,
	.check_dataset = check_dataset,
	.advice = "audit and train on *_labelTrainIds.png (csCreateTrainIdLabelImgs of cityscapesscripts makes them), "
		  "or map the ids as the map says",
};
