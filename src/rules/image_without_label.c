/*
 * Error message
 *   No labels found in train/labels.cache.
 *
 * What it finds
 *   YOLO datasets with images in images/... that have no label file in labels/..., though the folder where it would
 *   be exists; and datasets of which a tenth of the images or more hold no object, since their text is empty or
 *   missing. It is a warning from a half on. Images beside those of texts in another form (KITTI, DOTA), if half of
 *   them have one. And YOLO texts that lie in a folder of another name than labels: for an image in images/ trainers
 *   look there alone. That is an error. One finding per dataset. Images beside those that a COCO file or a list
 *   names, where no other such file lies beside it (a warning with metadata.csv or .jsonl of Hugging Face), and
 *   frames of MOTChallenge without a row: one finding per file.
 *
 * Why it matters
 *   Both are legal: the image is trained on as one without objects. But an image whose label file was lost, or whose
 *   objects were not drawn yet, is trained on the same way. Ultralytics advises at most 10 % of such images.
 *
 * Example
 *   (dataset): info image-without-label: 120 images have no label file (first: images/train/0042.jpg)
 *
 * What to do
 *   Check whether these images have objects. An empty label file says explicitly that there is none.
 */
#include "base/file_name.h"
#include "judge/check.h"
#include "read/listed_images.h"

enum { FILES_MIN = 10, MANY = 10, MOST = 2 }; /* fewer may be so by chance; a tenth, a half */

/* Returns whether the texts of nearly all images are where no trainer finds them. */
static bool check_place(const struct dataset_stats *d, struct finding *f)
{
	const struct file_count *t = &d->counted[COUNTED_ELSEWHERE];
	const uint64_t all = d->counted[COUNTED_EMPTY_TEXTS].files + d->counted[COUNTED_FILLED_TEXTS].files;

	if (!t->files || 10 * t->files < 9 * all)
		return false;
	f->level = LEVEL_ERROR;
	f->details.count = t->files;
	f->example = t->example;
	say(f,
	    "%" PRIu64 " %s where trainers do not look (first: %s): for images/NAME.jpg they look for "
	    "labels/NAME.txt, in the place of the last folder images/",
	    t->files, plural(t->files, "text lies", "texts lie"), t->example);
	return advise(f,
		      "rename the folder of the texts to labels/; without a text an image is trained on as one without "
		      "objects");
}

/* Reports images in the folder of a label file that names its images, which it does not name. */
static bool check(const struct rule_input *s, struct finding *f)
{
	const struct listed_images *images = s->sample->images;
	const struct image_tally *t = images ? &images->tallies[IMAGE_UNNAMED] : NULL;

	if (!t || !t->images)
		return false;
	f->details.count = t->images;
	if (!strncmp(file_name_of(s->sample->path), "metadata.", strlen("metadata."))) {
		f->level = LEVEL_WARNING;
		advise(f, "add a row for each, or take them away: load_dataset(\"imagefolder\") stops at an image "
			  "without metadata, or leaves it out");
	}
	return say(f, "%" PRIu64 " %s in %s %s named by no row (%s%s)", t->images, plural(t->images, "image", "images"),
		   images->folder.s, plural(t->images, "is", "are"), t->images > 1 ? "first: " : "", t->text);
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct file_count *images = &d->counted[COUNTED_LACKS_LABEL], *empty = &d->counted[COUNTED_EMPTY_TEXTS];
	const uint64_t none = images->files + empty->files, all = none + d->counted[COUNTED_FILLED_TEXTS].files;
	const bool many = (all > 1 && empty->files == all) || (all >= FILES_MIN && MANY * none >= all);

	(void)settings;
	if (check_place(d, f))
		return true;
	if (images->files)
		say(f, "%" PRIu64 " %s no label file (%s%s)", images->files,
		    images->files == 1 ? "image has" : "images have",
		    images->files == 1 ? "" : "first: ", images->example);
	if (empty->files && many)
		say(f, "%s%" PRIu64 " %s empty (%s%s)", images->files ? "; " : "", empty->files,
		    empty->files == 1 ? "text is" : "texts are", empty->files == 1 ? "" : "first: ", empty->example);
	if (!f->message.len)
		return false;
	if (many)
		say(f, ": %.0f %% of %" PRIu64 " images hold no object", 100.0 * (double)none / (double)all, all);
	if (many && MOST * none >= all)
		f->level = LEVEL_WARNING;
	f->details.count = none;
	f->example = images->files ? images->example : empty->example;
	return true;
}

const struct rule rule_image_without_label = {
	RULE("image-without-label", "lists", LEVEL_INFO,
	     "images without a label file, without a row, or without objects"),
	.facts_needed = FACTS_IMAGES,
	.check_file = check,
	.check_dataset = check_dataset,
	.advice = "check whether these images have objects; an empty label file says that there is none",
};
