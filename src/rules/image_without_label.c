/*
 * What it finds
 *   Data sets of YOLO texts with pictures in images/... that have no text in labels/... beside it, while the folder
 * that it belongs in is there. One finding a dataset.
 *
 * Why it matters
 *   That is legal: the picture is trained on as one without objects. But so is every picture whose label was lost.
 *
 * Example
 *   (dataset): info image-without-label: 120 pictures have no label file (first: images/train/0042.jpg)
 *
 * What to do
 *   Look whether the first of them shows objects. An empty text says that it does not.
 */
#include <inttypes.h>

#include "judge/rule.h"

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct tally *images = &d->images_without_label;

	(void)settings;
	if (!images->files)
		return false;
	text_addf(&f->message, "%" PRIu64 " %s no label file (%s%s)", images->files,
		  images->files == 1 ? "picture has" : "pictures have",
		  images->files == 1 ? "" : "first: ", images->example);
	text_addf(&f->advice, "look whether it shows objects; an empty text says that a picture has none");
	return true;
}

const struct rule rule_image_without_label = {
	.name = "image-without-label",
	.category = "lists",
	.level = LEVEL_INFO,
	.since = "0.1.0",
	.summary = "pictures of a YOLO data set without a label file",
	.check_dataset = check_dataset,
};
