/*
 * What it finds
 *   With --check-images: images that are the same in two splits of the data. Images are those that were left out beside
 *   the label files, those of --images, and those of class folders; not members of archives. The pixels of PNG images
 *   are compared, and the bytes of other files. Splits are those of split-leak. Always: names that COCO files or lists
 *   of several splits in one folder give, such as train.json and val.json; of each, the first 131,072 names.
 *
 * Why it matters
 *   The labels of a copy may differ, or be drawn anew, so that the labels alone do not show it: the model is scored on
 *   images that it was trained on.
 *
 * Example
 *   (dataset): warning image-leak: 12 images are in more than one of train, val: images/train/a.jpg and
 *   images/val/b.jpg are the same
 *
 * What to do
 *   Remove them from one of the splits. A photo that was scaled or saved again is not the same: if copies are found,
 *   look for near copies, too.
 *
 *   In sets of more than 131,072 different images only some of them are compared; the finding states the share, and
 *   says "at least".
 */
#include "judge/check.h"
#include "judge/leak.h"

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	(void)settings;
	return leak_finding(f, d, CONTENT_IMAGES, "image", "the same") ||
	       leak_finding(f, d, CONTENT_NAMES, "image", "of one name");
}

const struct rule rule_image_leak = {
	RULE("image-leak", "content", LEVEL_WARNING, "the same image in two splits of the data"),
	.check_dataset = check_dataset,
	.advice = "remove them from one of the splits, with their labels; then look for near copies, too",
};
