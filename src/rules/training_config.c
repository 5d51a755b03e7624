/*
 * What it finds
 *   A data.yaml or dataset.json, given as PATH, at which its trainer stops, or with which it trains or scores
 *   something else than the data set: val or test that is the folder of train, lies in it or holds it, since
 *   Ultralytics takes all images below a folder; a list of images that names those of train; a `path:` from the root
 *   that is not there; paths with backslashes; classes other than those of --classes. Errors: train or val that is not
 *   given; a number of training cases other than numTraining, names without a channel, and files of `dataset` that are
 *   not there, or whose volumes differ from their label file in channels, shape or spacing (a warning where it is the
 *   origin or the direction); texts beneath a data.yaml in another form than YOLO's, such as DOTA's. For information:
 *   kpt_shape without flip_idx. Splits that do not exist, names that are not nc, and kpt_shape and flip_idx that do not
 *   fit end the audit instead.
 *
 * Why it matters
 *   A score on images that were trained on is worth nothing, and nothing else tells of it. The other faults stop the
 *   training at its start, often on another machine and after hours in a queue.
 *
 * Example
 *   (dataset): warning training-config: set/data.yaml: val (images/train) is the folder of train (images/train): it
 *   scores images that were trained on
 *
 * What to do
 *   Correct the file: give val images of its own, and the paths and names as they are. flip_idx names for each keypoint
 *   the one that it becomes in a mirrored image, itself where there is none: [0, 2, 1] for nose, left and right eye.
 */
#include "judge/check.h"

/* Returns how many files are lists of what a data.yaml leads to: rows in another form than Ultralytics reads. */
static uint64_t count_other_texts(const struct settings *settings, const struct dataset_stats *d)
{
	const char *const from = setting_values_find(&settings->options, TAKEN_FROM);
	uint64_t files = 0;

	for (size_t i = 0; from && strstr(from, "ml: ") && i < d->formats.count; i++)
		files += d->formats.v[i].format == FORMAT_LIST ? d->formats.v[i].seen.files : 0;
	return files;
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const uint64_t texts = count_other_texts(settings, d);

	if (texts) {
		f->level = LEVEL_ERROR;
		say(f,
		    "%" PRIu64
		    " %s in another form than YOLO's, such as DOTA's or KITTI's: Ultralytics drops their images",
		    texts, texts == 1 ? "text is" : "texts are");
		return advise(f,
			      "convert them: class x y width height, or class x1 y1 x2 y2 x3 y3 x4 y4, as fractions of "
			      "the image; Ultralytics has convert_dota_to_yolo_obb()");
	}
	for (enum level level = LEVEL_ERROR; level > LEVEL_OFF; level--) {
		const char *faults = setting_values_find(&settings->options, training_faults[level]);

		if (!faults)
			continue;
		f->level = level;
		if (level == LEVEL_INFO)
			advise(f, "name for each keypoint the one that it becomes in a mirrored image, itself where "
				  "there is none: flip_idx: [0, 2, 1] for nose, left and right eye");
		return say(f, "%s", faults);
	}
	return false;
}

const struct rule rule_training_config = {
	RULE("training-config", "lists", LEVEL_WARNING,
	     "a training's configuration that stops it, or that scores what was trained on"),
	.check_dataset = check_dataset,
	.advice = "correct this file: give val images of its own, and paths and names as they are",
};
