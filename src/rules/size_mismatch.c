/*
 * Error message
 *   ValueError: Height and Width of image, mask or masks should be equal.
 *
 * What it finds
 *   Masks whose width or height differs from their image's, and images of COCO files and tables whose width or height
 *   is another than these declare. The finding says whether width and height are swapped, the image is rotated by its
 *   EXIF data, or the mask is a scaled copy. Volumes whose shape differs from their image's, along the first three
 *   axes. The same images as in broken-image. With nnU-Net's dataset.json as PATH: images of more or fewer channels
 *   than it declares.
 *
 * Why it matters
 *   The loss refuses the pair; or a loader resizes one of them, and every label moves. An image that is rotated by its
 *   EXIF data fits its mask in a loader that ignores them (np.array(PIL.Image.open(f))) and not in one that obeys them
 *   (cv2.imread), or vice versa. This is a warning if the stored sizes agree, or those of a COCO file or table do once
 *   EXIF is obeyed; and always without --images or --root.
 *
 * Example
 *   masks/0007.png: error size-mismatch: 375 x 500 pixels, but its image images/0007.jpg has 500 x 375: width and
 *   height are swapped
 *
 * What to do
 *   Swapped: transpose the mask; the usual cause is arr.T, or a size given as (width, height) instead of (height,
 *   width). Rotated: write the image again with its rotation applied (ImageOps.exif_transpose). Scaled: export the mask
 *   in full size, or resize it with nearest.
 */
#include "judge/check.h"
#include "read/listed_images.h"

static bool is_rotated(const struct photo_size *size)
{
	return size->orientation >= 5;
}

static void add_sizes(const struct rule_input *s, struct finding *f)
{
	const struct photo_size *image = &s->pairing->size;

	say(f, "%" PRIu32 " x %" PRIu32 " pixels, but its image %s has %" PRIu32 " x %" PRIu32, s->stats->width,
	    s->stats->height, s->pairing->partner, image->width, image->height);
}

static uint64_t length_of(const struct array_header *a, unsigned axis)
{
	return axis < a->rank ? a->shape[axis] : 1;
}

static void say_shape(struct finding *f, const struct array_header *a)
{
	say(f, "[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", length_of(a, 0), length_of(a, 1), length_of(a, 2));
}

/* A fourth axis of the image is one of time or channels. */
static bool check_volume(const struct rule_input *s, struct finding *f)
{
	const struct pairing *p = s->pairing;
	const struct array_header *label = &s->sample->array, *image = &p->volume;
	bool same = true, reversed = true;

	if (s->sample->status != SAMPLE_READ)
		return false;
	for (unsigned i = 0; i < 3; i++) {
		same &= length_of(label, i) == length_of(image, i);
		reversed &= length_of(label, i) == length_of(image, 2 - i);
	}
	if (same)
		return false;
	say(f, "shape ");
	say_shape(f, label);
	say(f, ", but its image %s has ", p->partner);
	say_shape(f, image);
	if (!reversed)
		return advise(f, "write the label map on the grid of its image, resampled with nearest neighbour");
	say(f, ": the axes are reversed, as between SimpleITK's arrays and nibabel's");
	return advise(f, "transpose the label map, after comparing one with its image");
}

static bool check_named(const struct rule_input *s, struct finding *f)
{
	if (images_finding(f, s->sample, IMAGE_SIZE, "has another size", "have another size"))
		return advise(f,
			      "write the size of the file into width and height, if the boxes fit it; if they fit the "
			      "swapped one, they were drawn on an image that EXIF turned");
	f->level = LEVEL_WARNING;
	return (images_finding(f, s->sample, IMAGE_TURNED, "is stored in the declared size but turned by EXIF",
			       "are stored in the declared size but turned by EXIF") ||
		images_finding(f, s->sample, IMAGE_UPRIGHT, "has the declared size only if EXIF turns it",
			       "have the declared size only if EXIF turns them")) &&
	       say(f, ": cv2.imread and detectron2 turn them, Pillow (torchvision, DETR) does not") &&
	       advise(f, "write the images with their rotation applied or removed, whichever fits the boxes");
}

static bool check_pair(const struct rule_input *s, struct finding *f)
{
	const struct pairing *p = s->pairing;
	uint32_t width = s->stats->width, height = s->stats->height;

	if (p->state == PAIR_FOUND && p->is_volume && s->sample->format == FORMAT_NIFTI)
		return check_volume(s, f);
	if (p->state != PAIR_FOUND || !p->sized || !width || !height)
		return false;

	bool same = width == p->size.width && height == p->size.height;
	bool swapped = width == p->size.height && height == p->size.width;

	if (same && (!is_rotated(&p->size) || swapped))
		return false;
	if (same) {
		f->level = LEVEL_WARNING;
		say(f,
		    "its image %s is stored with the same size but rotated by EXIF (orientation %u): cv2.imread "
		    "rotates it, Pillow does not",
		    p->partner, p->size.orientation);
		return advise(f, "write the image with its rotation applied or removed, whichever fits the mask");
	}
	add_sizes(s, f);
	if (swapped && is_rotated(&p->size)) {
		say(f, ", rotated by EXIF (orientation %u)", p->size.orientation);
		advise(f, "write the image with its rotation applied: ImageOps.exif_transpose(Image.open(f)).save(f)");
	} else if (swapped) {
		say(f, ": width and height are swapped");
		advise(f, "transpose the mask: Image.fromarray(np.array(Image.open(f)).T).save(f), after comparing one "
			  "mask with its image");
	} else if ((uint64_t)width * p->size.height == (uint64_t)height * p->size.width) {
		say(f, ": scaled by %" PRIu32 " / %" PRIu32, width, p->size.width);
		advise(f, "export the mask in full size, or resize it with nearest: mask.resize(image.size, "
			  "Image.NEAREST)");
	}
	return true;
}

static bool check_channels(const struct pairing *p, struct finding *f)
{
	if (p->state != PAIR_FOUND || !p->channels || p->channels == p->declared || p->channels_differ)
		return false;
	f->level = LEVEL_ERROR;
	say(f, "its image %s has %u %s, but channel_names declares %u", p->partner, p->channels,
	    plural(p->channels, "channel", "channels"), p->declared);
	return advise(f, "name each channel in channel_names (red, green and blue are three), or write the image "
			 "anew: nnU-Net stops here");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	images_unasked(f, s);
	return s->pairing ? check_pair(s, f) || check_channels(s->pairing, f) : check_named(s, f);
}

const struct rule rule_size_mismatch = {
	RULE("size-mismatch", "shape", LEVEL_ERROR, "a mask, or a declared size, that is not the image's"),
	.repair = REPAIR_NEVER,
	.facts_needed = FACTS_IMAGES,
	.check_file = check,
	.advice = "check whether the mask belongs to this image, or whether one of them was cropped or resized alone",
};
