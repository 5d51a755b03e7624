/*
 * What it finds
 *   Images of a set that differ from most in what loaders make of them: grey, with transparency, CMYK, or with 16 bits
 *   a sample where most have none of it; images that EXIF turns or mirrors, which is a warning where they have boxes;
 *   images whose name ends as that of another format. The same images are looked at as for broken-image.
 *
 * Why it matters
 *   A loader that does not convert gives arrays of another shape ("stack expects each tensor to be equal size") or
 *   range; CMYK read as RGB has wrong colours. cv2.imread turns an image with an EXIF orientation,
 *   Pillow does not: boxes and masks that were drawn on the one are wrong for the other. A wrong extension
 *   troubles only loaders that go by it.
 *
 * Example
 *   (dataset): info mixed-images: of 5000 label files with an image, 3 have some that are CMYK (first: labels/0042.txt)
 *
 * What to do
 *   Convert them: Image.open(f).convert("RGB"); ImageOps.exif_transpose() applies an orientation. Then look at the
 *   labels of one of them.
 */
#include "judge/check.h"

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	static const char *const words[PHOTO_TRAITS] = { "grey",           "with transparency",
							 "CMYK",           "of more than 8 bits a sample",
							 "turned by EXIF", "named as another format" };
	const uint64_t all = d->counted[COUNTED_PHOTOS].files;

	(void)settings;
	for (unsigned i = 0; i < PHOTO_TRAITS; i++) {
		const struct file_count *t = &d->counted[COUNTED_PHOTOS + 1 + i];

		/* a set that is so throughout is read by a loader for it */
		if (!t->files || (2 * t->files > all && i != PHOTO_TURNED))
			continue;
		if (!f->message.len)
			say(f, "of %" PRIu64 " label files with an image", all);
		/* boxes do not tell whether they were drawn on the image as it is stored; masks do by their size */
		if (i == PHOTO_TURNED && !d->masks_with_ids)
			f->level = LEVEL_WARNING;
		say(f, ", %" PRIu64 " %s %s (first: %s)", t->files,
		    plural(t->files, "has one that is", "have some that are"), words[i], t->example);
		f->details.count += t->files;
	}
	if (d->counted[COUNTED_PHOTOS + 1 + PHOTO_TURNED].files)
		advise(f,
		       "cv2.imread (Ultralytics) turns by EXIF, and Pillow does not: draw the labels over one that is "
		       "turned, and write these images with their rotation applied or removed");
	return f->message.len;
}

const struct rule rule_mixed_images = {
	RULE("mixed-images", "file", LEVEL_INFO, "images that loaders read otherwise than most of the set"),
	.check_dataset = check_dataset,
	.advice = "convert them as the rest are",
};
