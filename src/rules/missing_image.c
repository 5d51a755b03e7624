/*
 * Error message
 *   FileNotFoundError: [Errno 2] No such file or directory: 'images/0007.jpg'
 *
 * What it finds
 *   Images that are not there. With --images: label files without an image of the same stem, and images that a COCO
 *   file names and the folder lacks. Without it: label files whose image is missing where at least nine in ten of
 *   their set have theirs, and COCO files whose images lie in a usual place, but not all of them. Usual are the
 *   folder of the file, the one above it, `images` in either, `data` beside it, and in each of these a folder with
 *   the name of the split. If most are missing, the images are elsewhere, and nothing is said. Where the folder has
 *   an image whose name differs from one of the first missing ones in case, extension, Unicode form, by codes such
 *   as %20 or by folders before it, that is said. For lists see missing-listed-file, for YOLO texts
 *   label-without-image. With a dataset.json of nnU-Net as PATH: cases that lack the image of a channel.
 *
 * Why it matters
 *   A loader that iterates over the labels stops at the first one. A loader that pairs sorted lists by position pairs
 *   every later mask with the wrong image.
 *
 * Example
 *   masks/0007.png: error missing-image: no image: there is no images/0007 with .jpg, .png or another image extension
 *
 * What to do
 *   Add the image, or remove the label from the set. If all are missing, --images names the wrong folder: its folders
 *   must mirror those of the masks. Linux tells names apart by case, by the extension, and by the Unicode form of
 *   accents (macOS): where an image has nearly that name, rename it.
 */
#include "judge/check.h"
#include "read/listed_images.h"

static bool check_named(const struct rule_input *s, struct finding *f)
{
	const struct listed_images *images = s->sample->images;

	if (s->sample->format != FORMAT_COCO ||
	    !images_finding(f, s->sample, IMAGE_MISSING, "is missing", "are missing"))
		return false;
	say(f, "; looked for in %s", images->folder.s);
	images_unasked(f, s);
	return advise(f, "fetch the images, correct file_name, or remove them from the file");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct pairing *p = s->pairing;

	if (!p)
		return check_named(s, f);
	if (p->state != PAIR_NO_IMAGE)
		return false;
	if (p->of_channel) {
		say(f, "no image of channel %u: there is no %s", p->channel, p->partner);
		return advise(f, "add the image: nnU-Net stops where a case lacks a channel; or correct channel_names");
	}
	say(f, "no image: there is no %s with %s", p->partner,
	    s->sample->format == FORMAT_NIFTI ? ".nii.gz, .nii, .nrrd or .mha"
					      : ".jpg, .png or another image extension");
	return advise(f, "add the image, or remove the label file from the set; names differ by case, too");
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct file_count *alone = &d->counted[COUNTED_ALONE];

	(void)settings;
	if (!alone->files || d->counted[COUNTED_PHOTOS].files < 9 * alone->files)
		return false;
	f->level = LEVEL_WARNING;
	f->details.count = alone->files;
	say(f, "%" PRIu64 " of %" PRIu64 " label files %s no image where the others have theirs (first: %s)",
	    alone->files, alone->files + d->counted[COUNTED_PHOTOS].files, plural(alone->files, "has", "have"),
	    alone->example);
	return advise(f, "add the images, or remove their label files; --images DIR names each of them");
}

const struct rule rule_missing_image = {
	RULE("missing-image", "shape", LEVEL_ERROR,
	     "a label file without its image, or an image that is named and missing"),
	.facts_needed = FACTS_IMAGES,
	.check_file = check,
	.check_dataset = check_dataset,
};
