/* Finds what Pillow and OpenCV refuse in a PNG that libpng reads. */
#include "png/loaders.h"

#include <string.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"

/* PngImagePlugin.MAX_TEXT_MEMORY */
#define PIL_ALL_TEXT_MAX ((uint64_t)64 << 20)
/* Image.MAX_IMAGE_PIXELS is 1024^3 / 4 / 3. With more, Image.open warns; with more than twice as many, it raises. */
#define PIL_PIXELS_WARN ((uint64_t)89478485)
#define PIL_PIXELS_MAX  (2 * PIL_PIXELS_WARN)
/* libpng's PNG_USER_CHUNK_MALLOC_MAX, for a chunk with its length, type and CRC */
#define CV2_CHUNK_MAX ((uint64_t)8000000 - 12)
/* CV_IO_MAX_IMAGE_PIXELS; and libpng's PNG_USER_WIDTH_MAX, which is below OpenCV's own limit of 2^20 */
#define CV2_PIXELS_MAX ((uint64_t)1 << 30)
#define CV2_SIDE_MAX   1000000u

enum {
	PIL_READS = 64 << 10, /* ImageFile.MAXBLOCK: bytes of an IDAT that are decoded at a time */
	ACTL_BYTES = 8,
	FCTL_BYTES = 26,
	FDAT_SEQUENCE = 4,
};

void loaders_begin(struct loaders *l)
{
	struct text_inflater *inflater = l->text.inflater;

	memset(l, 0, sizeof(*l));
	l->text.inflater = inflater;
}

void loaders_release(struct loaders *l)
{
	loader_text_release(&l->text);
}

/* Sets the reason unless there is one. */
static void refuse(const struct loaders *l, struct refusal *r, enum refusal_reason reason, uint64_t value)
{
	if (r->reason != REFUSAL_NONE)
		return;
	*r = (struct refusal){
		.reason = (uint8_t)reason,
		.chunk = l->now.type,
		.length = l->now.length,
		.offset = l->now.offset,
		.value = value,
	};
}

/* ---- Pillow ----------------------------------------------------------------------------------------------------- */

/* Returns how many bytes Pillow takes from the beginning of a chunk, whatever follows. */
static uint32_t pil_least(const struct loaders *l)
{
	switch (l->now.type) {
	case PNG_TYPE_GAMA:
		return 4;
	case PNG_TYPE_CHRM:
		return 32;
	case PNG_TYPE_SRGB:
		return 1;
	case PNG_TYPE_PHYS:
		return 9;
	case PNG_TYPE_ACTL:
		return ACTL_BYTES;
	case PNG_TYPE_FCTL:
		return FCTL_BYTES;
	case PNG_TYPE_FDAT:
		return FDAT_SEQUENCE;
	case PNG_TYPE_TRNS:
		return !l->ihdr_seen ? 0 : l->colour_type == PNG_GREY ? 2 : l->colour_type == PNG_RGB ? 6 : 0;
	default:
		return 0;
	}
}

static void pil_end_text(struct loaders *l)
{
	const struct loader_text *t = &l->text;

	if (t->phase == TEXT_DEFLATED)
		l->inflated += t->bytes;
	if (t->too_large) {
		refuse(l, &l->pil, REFUSAL_INFLATES, LOADER_TEXT_MAX);
	} else if (t->phase == TEXT_BAD_METHOD) {
		refuse(l, &l->pil, REFUSAL_METHOD, t->method);
	} else if (t->type == PNG_TYPE_ICCP && t->phase != TEXT_DEFLATED) {
		refuse(l, &l->pil, REFUSAL_NO_METHOD, 0);
	} else {
		l->characters += loader_text_kept(t);
		if (l->characters > PIL_ALL_TEXT_MAX)
			refuse(l, &l->pil, REFUSAL_ALL_TEXT, PIL_ALL_TEXT_MAX);
	}
}

static void pil_begin_chunk(struct loaders *l)
{
	/* of an animation, Pillow reads up to the second frame */
	if (l->now.type == PNG_TYPE_IEND || (l->now.type == PNG_TYPE_FCTL && l->image_begun))
		l->pil_over = true;
	else if (GUARD(short_chunk_of_a_png, l->now.length < pil_least(l)))
		refuse(l, &l->pil, REFUSAL_SHORT, pil_least(l));
	loader_text_begin(&l->text, l->now.type);
}

static void pil_end_chunk(struct loaders *l, bool crc_right)
{
	if (l->now.length < pil_least(l))
		return;
	if (loader_text_is(l->now.type))
		pil_end_text(l);
	if (!l->image_begun && GUARD(crc_before_the_image, !crc_right))
		refuse(l, &l->pil, REFUSAL_CRC, 0);
}

void loaders_stream_end(struct loaders *l, uint32_t at)
{
	if (GUARD(error_after_the_last_row, at % PIL_READS))
		refuse(l, &l->pil, REFUSAL_STREAM_END, 0);
}

/* ---- OpenCV ----------------------------------------------------------------------------------------------------- */

/* Returns whether OpenCV checks the length of the chunk, which is not one of a few that it lets libpng check. */
static bool cv2_bounds_length(uint32_t type)
{
	return type != PNG_TYPE_IHDR && type != PNG_TYPE_FDAT && type != PNG_TYPE_IDAT && type != PNG_TYPE_IEND &&
	       type != PNG_TYPE_PLTE && type != PNG_TYPE_TEXT && type != PNG_TYPE_TRNS;
}

/* OpenCV reads all chunks up to the first IDAT, and then leaves the file to libpng. */
static void cv2_begin_chunk(struct loaders *l)
{
	uint32_t n = l->now.length;

	if (l->now.type == PNG_TYPE_ACTL && n != ACTL_BYTES)
		refuse(l, &l->cv2, REFUSAL_LENGTH, ACTL_BYTES);
	else if (l->now.type == PNG_TYPE_FCTL && n != FCTL_BYTES)
		refuse(l, &l->cv2, REFUSAL_LENGTH, FCTL_BYTES);
	else if (l->now.type == PNG_TYPE_BKGD && n != 1 && n != 2 && n != 6)
		refuse(l, &l->cv2, REFUSAL_LENGTH, 0);
	else if (cv2_bounds_length(l->now.type) && n > CV2_CHUNK_MAX)
		refuse(l, &l->cv2, REFUSAL_TOO_LONG, CV2_CHUNK_MAX);
}

/* ---- both ------------------------------------------------------------------------------------------------------- */

void loaders_begin_chunk(struct loaders *l, const struct chunk *chunk)
{
	l->now = *chunk;
	l->got = 0;
	if (!l->pil_over)
		pil_begin_chunk(l);
	if (!l->idat_seen)
		cv2_begin_chunk(l);
	l->idat_seen |= l->now.type == PNG_TYPE_IDAT;
	l->image_begun |= l->idat_seen || l->now.type == PNG_TYPE_FDAT;
}

void loaders_add(struct loaders *l, const uint8_t *bytes, size_t n)
{
	if (l->now.type == PNG_TYPE_IDAT)
		return;
	if (l->now.type == PNG_TYPE_IHDR && l->got < PNG_IHDR_BYTES)
		memcpy(l->ihdr + l->got, bytes, MIN(n, (size_t)(PNG_IHDR_BYTES - l->got)));
	l->got += (uint32_t)n;
	/* once it has refused, nothing more is inflated */
	if (!l->pil_over && l->pil.reason == REFUSAL_NONE)
		loader_text_add(&l->text, bytes, n);
}

void loaders_end_chunk(struct loaders *l, bool crc_right)
{
	struct png_header png;

	if (l->now.type == PNG_TYPE_IHDR && l->now.length == PNG_IHDR_BYTES) {
		png_header_parse(l->ihdr, &png);
		l->ihdr_seen = true;
		l->colour_type = png.colour_type;
	}
	if (!l->pil_over && l->pil.reason == REFUSAL_NONE)
		pil_end_chunk(l, crc_right);
}

void loaders_whole_chunk(struct loaders *l, uint32_t type, const uint8_t *data, uint32_t length)
{
	loaders_begin_chunk(l, &(struct chunk){ .length = length, .type = type });
	loaders_add(l, data, length);
	loaders_end_chunk(l, true);
}

/* ---- the verdict ------------------------------------------------------------------------------------------------ */

static uint64_t pixels_of(const struct png_header *png)
{
	return (uint64_t)png->width * png->height;
}

static bool refused_for_size(const struct png_header *png, enum view view, struct refusal *r)
{
	uint64_t pixels = pixels_of(png);

	*r = (struct refusal){ 0 };
	if (view == VIEW_PIL && GUARD(pixels_for_pillow, pixels > PIL_PIXELS_MAX)) {
		r->reason = REFUSAL_PIXELS;
		r->value = PIL_PIXELS_MAX;
	} else if (view == VIEW_CV2 && MAX(png->width, png->height) > CV2_SIDE_MAX) {
		r->reason = REFUSAL_SIDE;
		r->value = CV2_SIDE_MAX;
	} else if (view == VIEW_CV2 && pixels > CV2_PIXELS_MAX) {
		r->reason = REFUSAL_PIXELS;
		r->value = CV2_PIXELS_MAX;
	}
	return r->reason != REFUSAL_NONE;
}

struct refusal loader_refusal(const struct sample *sample, enum view view)
{
	struct refusal r = { 0 };

	if (sample->format != FORMAT_PNG || sample->status != SAMPLE_READ || view == VIEW_RAW)
		return r;
	if (refused_for_size(&sample->png, view, &r))
		return r;
	r = view == VIEW_PIL ? sample->refusals.pil : sample->refusals.cv2;
	if (r.reason == REFUSAL_NONE && view == VIEW_PIL && pixels_of(&sample->png) > PIL_PIXELS_WARN) {
		r.reason = REFUSAL_PIXELS_WARNED;
		r.value = PIL_PIXELS_WARN;
	}
	return r;
}
