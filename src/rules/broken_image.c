/*
 * Error message
 *   OSError: image file is truncated (40 bytes not processed)
 *   PIL.UnidentifiedImageError: cannot identify image file 'images/0007.jpg'
 *
 * What it finds
 *   Images that no loader opens, or not whole: empty, ending before their data do, a server's error page, a git-lfs
 *   pointer, a file that macOS keeps beside another. Looked at are the image of each label file (in the folder of
 *   --images, or where YOLO or the layout of the set has it), the images that a COCO file or a list names, the frames
 *   of MOTChallenge, and those of class folders; in archives, too. The header and the end of each are read: a JPEG must
 *   have its end-of-image marker, a PNG its IEND, a GIF its first image, a WebP, BMP or TIFF as many bytes as its
 *   header says. Pixels are not decoded, so what is damaged in the middle is not seen.
 *
 * Why it matters
 *   The training stops there ("image file is truncated", "cannot identify image file"), perhaps after hours; or
 *   Ultralytics leaves the image out with its labels ("ignoring corrupt image/label"), OpenCV returns None or fills the
 *   rest with grey. It is a warning unless --images or --root asks for the images, since labels can be right without
 *   them; if they do, an image that cannot be opened or read is status 2, as a label file is. YOLO texts of an image
 *   with a side below 10 pixels are reported as well: Ultralytics leaves it out.
 *
 * Example
 *   labels/0007.txt: warning broken-image: its image images/0007.jpg cannot be used: its JPEG data end early: its
 *   20480 bytes have no end-of-image marker
 *
 * What to do
 *   Fetch the image again, and compare sizes or checksums with the source: there are usually several.
 */
#include "judge/check.h"
#include "read/listed_images.h"

enum { ULTRALYTICS_SIDE_MIN = 10 };

static bool check_pair(const struct rule_input *s, struct finding *f)
{
	const struct pairing *p = s->pairing;

	if (p->state != PAIR_FOUND && p->state != PAIR_SELF)
		return false;
	if (p->fault.kind != FAULT_NONE) {
		say(f, "%s%s cannot be used: %s", p->state == PAIR_SELF ? "" : "its image ",
		    p->state == PAIR_SELF ? "the image" : p->partner, p->fault.text);
		return !p->fault.advice[0] || advise(f, "%s", p->fault.advice);
	}
	if (s->sample->format != FORMAT_YOLO || !p->sized || MIN(p->size.width, p->size.height) >= ULTRALYTICS_SIDE_MIN)
		return false;
	f->level = LEVEL_WARNING;
	say(f, "its image %s has %" PRIu32 " x %" PRIu32 " pixels: Ultralytics leaves out what has fewer than %d",
	    p->partner, p->size.width, p->size.height, ULTRALYTICS_SIDE_MIN);
	return advise(f, "remove the image and its label file");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	images_unasked(f, s);
	if (s->pairing)
		return check_pair(s, f);
	return images_finding(f, s->sample, IMAGE_BROKEN, "cannot be used", "cannot be used");
}

const struct rule rule_broken_image = {
	RULE("broken-image", "file", LEVEL_ERROR, "an image that loaders cannot open, or not whole"),
	.facts_needed = FACTS_IMAGES,
	.check_file = check,
	.advice = "fetch the image again, and compare sizes or checksums with the source",
};
