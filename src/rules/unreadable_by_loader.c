/*
 * What it finds
 *   PNG files that libpng reads, but that the loader of --view does not: `np.array(Image.open(f))` raises an
 *   exception, or `cv2.imread(f, 0)` returns None. Pillow checks the CRC of every chunk before the image data. It
 *   raises an exception for a gAMA, cHRM, sRGB, pHYs, tRNS, acTL, fcTL or fdAT chunk that is too short, an iCCP
 *   chunk without compression method 0, a compressed text or profile of more than 1 MiB, and texts of more than 64
 *   MiB in all. OpenCV checks the lengths of acTL, fcTL and bKGD before the image data, and takes chunks of at most 8
 *   MB, sides of at most 1,000,000 pixels, and at most 2^30 pixels. The contents of the frames of an animation are not
 *   checked.
 *
 *   It is a warning if the image has more than 89,478,485 pixels, for which Pillow gives a DecompressionBombWarning,
 *   or more than twice as many, for which it raises an exception: a program that reads such masks sets
 *   Image.MAX_IMAGE_PIXELS.
 *
 * Why it matters
 *   The training stops at this file, perhaps hours in; or a loader that catches exceptions leaves it out of every
 *   epoch. Viewers and other programs show the mask as if nothing were wrong.
 *
 * Example
 *   masks/0001.png: error unreadable-by-loader: Pillow does not read it: chunk gAMA at byte 33 holds 1 byte; it
 *   needs 4
 *
 * What to do
 *   Keep the chunks that the pixels need and drop the others. That leaves the pixels and the palette as they are,
 *   and needs no more than Python:
 *
 *   `python3 -c 'import sys; f = open(sys.argv[1], "rb"); k = [f.read(8)] + [h + d for h in iter(lambda: f.read(8),
 *   b"") for d in [f.read(int.from_bytes(h[:4], "big") + 4)] if h[4:5].isupper()]; open(sys.argv[1],
 *   "wb").write(b"".join(k))' masks/0001.png`
 *
 *   Cut an image of too many pixels into tiles, or set `Image.MAX_IMAGE_PIXELS = None` in the training.
 *
 *   The rules are those of Pillow 13.0 and OpenCV 5.0. Earlier versions of Pillow take a cHRM chunk of any multiple
 *   of four bytes, and no other, and an iCCP chunk of any compression method. Versions of OpenCV before 4.11 leave
 *   all chunks to libpng, and refuse only what is too large.
 */
#include <stdio.h>

#include "judge/check.h"
#include "png/loaders.h"

/* Says what is wrong with the chunk, or with the image. */
static void say_reason(struct finding *f, const struct refusal *r, const struct png_header *png)
{
	char name[PNG_CHUNK_NAME_MAX], chunk[PNG_CHUNK_NAME_MAX + 40];

	chunk_type_name(r->chunk, name);
	snprintf(chunk, sizeof(chunk), "chunk %s at byte %" PRIu64, name, r->offset);
	switch ((enum refusal_reason)r->reason) {
	case REFUSAL_NONE:
		break;
	case REFUSAL_CRC:
		say(f, "the CRC of %s is wrong", chunk);
		break;
	case REFUSAL_SHORT:
	case REFUSAL_LENGTH:
		say(f, "%s holds %" PRIu32 " byte%s; it needs ", chunk, r->length, r->length == 1 ? "" : "s");
		if (r->value)
			say(f, "%" PRIu64, r->value);
		else
			say(f, "1, 2 or 6");
		break;
	case REFUSAL_TOO_LONG:
		say(f, "%s holds %" PRIu32 " bytes; at most %" PRIu64 " are taken", chunk, r->length, r->value);
		break;
	case REFUSAL_METHOD:
		say(f, "%s names compression method %" PRIu64 "; there is only 0", chunk, r->value);
		break;
	case REFUSAL_NO_METHOD:
		say(f, "%s ends before its compression method", chunk);
		break;
	case REFUSAL_INFLATES:
		say(f, "%s inflates to more than %" PRIu64 " bytes", chunk, r->value);
		break;
	case REFUSAL_ALL_TEXT:
		say(f, "with %s all texts have more than %" PRIu64 " characters", chunk, r->value);
		break;
	case REFUSAL_STREAM_END:
		say(f, "the compressed image data in %s end with an error after the last row", chunk);
		break;
	case REFUSAL_PIXELS_WARNED:
	case REFUSAL_PIXELS:
		say(f, "%" PRIu32 " x %" PRIu32 " pixels are more than %" PRIu64, png->width, png->height, r->value);
		break;
	case REFUSAL_SIDE:
		say(f, "%" PRIu32 " x %" PRIu32 " pixels have a side of more than %" PRIu64, png->width, png->height,
		    r->value);
		break;
	}
	if (r->chunk)
		f->details.offset = r->offset;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const enum view view = s->settings->view;
	const struct refusal r = loader_refusal(s->sample, view);

	if (r.reason == REFUSAL_NONE)
		return false;
	say(f, "%s ", view == VIEW_PIL ? "Pillow" : "OpenCV");
	if (!refusal_is_error(r)) {
		f->level = LEVEL_WARNING;
		say(f, "warns of a decompression bomb: ");
	} else if (view == VIEW_PIL && r.reason == REFUSAL_PIXELS) {
		/* who trains on such masks has set the limit, which is Pillow's alone, and not the file's fault */
		f->level = LEVEL_WARNING;
		say(f, "does not read it unless Image.MAX_IMAGE_PIXELS is raised: ");
	} else {
		say(f, "does not read it: ");
	}
	say_reason(f, &r, &s->sample->png);
	if (r.reason == REFUSAL_PIXELS || r.reason == REFUSAL_PIXELS_WARNED || r.reason == REFUSAL_SIDE)
		advise(f, "cut the mask into tiles%s",
		       view == VIEW_PIL ? ", or set Image.MAX_IMAGE_PIXELS = None before it is read" : "");
	else
		advise(f, "drop the chunks that the pixels do not need, with the command that "
			  "`labelaudit rule unreadable-by-loader` prints");
	return true;
}

const struct rule rule_unreadable_by_loader = {
	RULE("unreadable-by-loader", "file", LEVEL_ERROR, "a PNG that the loader of --view cannot read"),
	.facts_needed = FACTS_NONE,
	.check_file = check,
};
