/*
 * What it finds
 *   YOLO datasets with images in images/... that have no label file in labels/..., though the folder where it would be
 *   exists. One finding per dataset.
 *
 * Why it matters
 *   That is legal: the image is trained on as one without objects. But an image whose label file was lost is trained on
 *   the same way.
 *
 * Example
 *   (dataset): info image-without-label: 120 images have no label file (first: images/train/0042.jpg)
 *
 * What to do
 *   Check whether the image has objects. An empty label file says explicitly that it has none.
 */
#include "judge/check.h"

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct file_count *images = &d->counted[COUNTED_LACKS_LABEL];

	(void)settings;
	if (!images->files)
		return false;
	f->details.count = images->files;
	f->example = images->example;
	return say(f, "%" PRIu64 " %s no label file (%s%s)", images->files,
		   images->files == 1 ? "image has" : "images have",
		   images->files == 1 ? "" : "first: ", images->example);
}

const struct rule rule_image_without_label = {
	RULE("image-without-label", "lists", LEVEL_INFO, "images of a YOLO dataset without a label file"),
	.check_dataset = check_dataset,
	.advice = "check whether the image has objects; an empty label file says that it has none",
};
