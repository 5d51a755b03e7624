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
	DISPOSE_MAX = 2, /* of an fcTL: to the previous frame */
	BLEND_MAX = 1,   /* over */
};
#define PIL_FRAMES_MAX 0x80000000u

void loaders_begin(struct loaders *l)
{
	struct loader_inflater *of_text = l->text.inflater, *of_rows = l->rows.inflater;

	memset(l, 0, sizeof(*l));
	l->text.inflater = of_text;
	l->rows.inflater = of_rows;
}

void loaders_release(struct loaders *l)
{
	loader_text_release(&l->text);
	loader_inflate_free(l->rows.inflater);
	l->rows.inflater = NULL;
}

/* Sets the reason unless there is one. That other pixels are read is the weakest. */
static void refuse(const struct loaders *l, struct refusal *r, enum refusal_reason reason, uint64_t value)
{
	if (r->reason > REFUSAL_OTHER_PIXELS || r->reason == reason)
		return;
	*r = (struct refusal){
		.reason = (uint8_t)reason,
		.chunk = l->now.type,
		.length = l->now.length,
		.offset = l->now.offset,
		.value = value,
	};
}

static struct loader_frame frame_of(const uint8_t fctl[FCTL_BYTES])
{
	return (struct loader_frame){ be32(fctl + 4), be32(fctl + 8), be32(fctl + 12), be32(fctl + 16) };
}

static bool frame_exceeds(const struct loaders *l, const struct loader_frame *f)
{
	return (uint64_t)f->x + f->width > l->width || (uint64_t)f->y + f->height > l->height;
}

static bool frame_is_whole(const struct loaders *l, const struct loader_frame *f)
{
	return f->width == l->width && f->height == l->height && !f->x && !f->y;
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

static bool key_is(const struct loaders *l, const char *key)
{
	size_t n = strlen(key);

	return l->now.length >= n && memcmp(l->head, key, n) == 0 && (l->now.length == n || !l->head[n]);
}

/* Pillow keeps texts, under their keys, in the same table as what it knows of the image. */
static void pil_keep_text(struct loaders *l, bool empty)
{
	if (key_is(l, "bbox"))
		l->box = PIL_BOX_TEXT;
	else if (key_is(l, "interlace"))
		l->pil_interlaced = !empty;
	else if (key_is(l, "default_image"))
		l->default_image = !empty;
}

static void pil_end_text(struct loaders *l)
{
	const struct loader_text *t = &l->text;
	uint64_t characters;

	if (t->phase == TEXT_DEFLATED)
		l->inflated += t->bytes;
	if (t->too_large)
		refuse(l, &l->pil, REFUSAL_INFLATES, LOADER_TEXT_MAX);
	else if (t->phase == TEXT_BAD_METHOD)
		refuse(l, &l->pil, REFUSAL_METHOD, t->method);
	else if (t->type == PNG_TYPE_ICCP && t->phase != TEXT_DEFLATED)
		refuse(l, &l->pil, REFUSAL_NO_METHOD, 0);
	else if (loader_text_end(t, &characters)) {
		pil_keep_text(l, !characters);
		l->characters += characters;
		if (l->characters > PIL_ALL_TEXT_MAX)
			refuse(l, &l->pil, REFUSAL_ALL_TEXT, PIL_ALL_TEXT_MAX);
	}
}

/* Takes the sequence number of an fcTL, or of an fdAT, which cannot be the first. */
static void pil_sequence(struct loaders *l)
{
	uint32_t sequence = be32(l->head);
	bool follows =
		l->has_sequence ? sequence && sequence - 1 == l->sequence : l->now.type == PNG_TYPE_FCTL && !sequence;

	if (!follows)
		refuse(l, &l->pil, REFUSAL_SEQUENCE, sequence);
	l->has_sequence = true;
	l->sequence = sequence;
}

static void pil_frame_control(struct loaders *l)
{
	pil_sequence(l);
	l->frame = frame_of(l->head);
	l->box = PIL_BOX_FRAME;
	if (frame_exceeds(l, &l->frame))
		refuse(l, &l->pil, REFUSAL_FRAME, 0);
}

/* A second acTL takes the first one back. */
static void pil_animation_control(struct loaders *l)
{
	uint32_t frames = be32(l->head);

	if (l->pil_frames)
		l->pil_frames = 0;
	else if (frames <= PIL_FRAMES_MAX)
		l->pil_frames = frames;
}

/* At the first IDAT, or an fdAT before it. */
static void pil_begin_image(struct loaders *l)
{
	const struct loader_frame image = { .width = l->width, .height = l->height };
	const struct loader_frame *f = l->box == PIL_BOX_FRAME ? &l->frame : &image;
	uint32_t least = l->now.type == PNG_TYPE_FDAT ? FDAT_SEQUENCE : PNG_LENGTH_MAX;

	if (l->box == PIL_BOX_NONE && l->pil_frames)
		l->default_image = true;
	l->pil_animated = l->pil_frames && (uint64_t)l->pil_frames + l->default_image > 1;
	if (l->box == PIL_BOX_TEXT)
		refuse(l, &l->pil, REFUSAL_KEY, 0);
	else if (!f->width || !f->height)
		refuse(l, &l->pil, REFUSAL_FRAME_EMPTY, 0);
	else if (!frame_is_whole(l, f) || l->pil_interlaced != l->interlaced || l->now.length > least)
		refuse(l, &l->pil, REFUSAL_OTHER_PIXELS, 0);
	/* a larger image is refused for its size, and its rows need not be inflated once more */
	if ((l->pil.reason == REFUSAL_OTHER_PIXELS || l->now.type == PNG_TYPE_FDAT) &&
	    (uint64_t)l->width * l->height <= PIL_PIXELS_MAX)
		pil_rows_begin(&l->rows, f->width, f->height, l->bits, l->pil_interlaced);
}

/* Takes data of an fdAT, after its sequence number, which are image data like those of an IDAT. */
static void pil_frame_data(struct loaders *l, const uint8_t *bytes, size_t n)
{
	size_t skip = l->got < FDAT_SEQUENCE ? MIN(FDAT_SEQUENCE - l->got, n) : 0;

	if (!l->image_begun && l->ihdr_seen) {
		pil_begin_image(l);
		l->image_begun = true;
	}
	if (l->rows.state == PIL_ROWS_WANTED)
		pil_rows_add(&l->rows, bytes + skip, n - skip);
}

static void pil_begin_chunk(struct loaders *l)
{
	bool has_image_data = l->now.type == PNG_TYPE_IDAT || l->now.type == PNG_TYPE_FDAT;

	if (l->rows.state == PIL_ROWS_BROKEN || (l->rows.state == PIL_ROWS_WANTED && !has_image_data))
		refuse(l, &l->pil, REFUSAL_ROWS, 0);
	if (l->now.type == PNG_TYPE_IDAT && !l->image_begun)
		pil_begin_image(l);
	else if (l->now.type == PNG_TYPE_IEND || (l->now.type == PNG_TYPE_FCTL && l->image_begun && l->pil_animated))
		l->pil_over = true;
	else if (GUARD(short_chunk_of_a_png, l->now.length < pil_least(l)))
		refuse(l, &l->pil, REFUSAL_SHORT, pil_least(l));
	loader_text_begin(&l->text, l->now.type);
}

static void pil_end_chunk(struct loaders *l, bool crc_right)
{
	if (l->now.length < pil_least(l))
		return;
	switch (l->now.type) {
	case PNG_TYPE_ACTL:
		pil_animation_control(l);
		break;
	case PNG_TYPE_FCTL:
		pil_frame_control(l);
		break;
	case PNG_TYPE_FDAT:
		pil_sequence(l);
		break;
	default:
		if (loader_text_is(l->now.type))
			pil_end_text(l);
		break;
	}
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

	if (!l->any_chunk && l->now.type != PNG_TYPE_IHDR)
		refuse(l, &l->cv2, REFUSAL_NOT_IHDR, 0);
	else if (l->now.type == PNG_TYPE_ACTL && n != ACTL_BYTES)
		refuse(l, &l->cv2, REFUSAL_LENGTH, ACTL_BYTES);
	else if (l->now.type == PNG_TYPE_FCTL && n != FCTL_BYTES)
		refuse(l, &l->cv2, REFUSAL_LENGTH, FCTL_BYTES);
	else if (l->now.type == PNG_TYPE_BKGD && n != 1 && n != 2 && n != 6)
		refuse(l, &l->cv2, REFUSAL_LENGTH, 0);
	else if (cv2_bounds_length(l->now.type) && n > CV2_CHUNK_MAX)
		refuse(l, &l->cv2, REFUSAL_TOO_LONG, CV2_CHUNK_MAX);
	if (l->now.type == PNG_TYPE_IDAT && l->cv2_has_frame && frame_exceeds(l, &l->cv2_frame))
		refuse(l, &l->cv2, REFUSAL_FRAME, 0);
}

static void cv2_end_chunk(struct loaders *l)
{
	if (l->now.type == PNG_TYPE_ACTL && l->now.length == ACTL_BYTES && !be32(l->head))
		refuse(l, &l->cv2, REFUSAL_NO_FRAMES, 0);
	if (l->now.type != PNG_TYPE_FCTL || l->now.length != FCTL_BYTES)
		return;
	if (l->head[24] > DISPOSE_MAX || l->head[25] > BLEND_MAX)
		refuse(l, &l->cv2, REFUSAL_FRAME_OPERATION, 0);
	l->cv2_frame = frame_of(l->head);
	l->cv2_has_frame = true;
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
	l->image_begun |= l->idat_seen;
	l->any_chunk = true;
}

void loaders_add(struct loaders *l, const uint8_t *bytes, size_t n)
{
	if (l->now.type == PNG_TYPE_IDAT) {
		if (l->rows.state == PIL_ROWS_WANTED)
			pil_rows_add(&l->rows, bytes, n);
		return;
	}
	if (l->now.type == PNG_TYPE_FDAT)
		pil_frame_data(l, bytes, n);
	if (l->got < LOADERS_HEAD)
		memcpy(l->head + l->got, bytes, MIN(n, (size_t)(LOADERS_HEAD - l->got)));
	l->got += (uint32_t)n;
	/* once it has refused, nothing more is inflated */
	if (!l->pil_over && l->pil.reason <= REFUSAL_OTHER_PIXELS)
		loader_text_add(&l->text, bytes, n);
}

static void take_header(struct loaders *l)
{
	struct png_header png;

	png_header_parse(l->head, &png);
	l->ihdr_seen = true;
	l->width = png.width;
	l->height = png.height;
	l->colour_type = png.colour_type;
	l->bits = (uint8_t)(png.channels * png.bit_depth);
	l->interlaced = l->pil_interlaced = png.interlace;
}

void loaders_end_chunk(struct loaders *l, bool crc_right)
{
	if (l->now.type == PNG_TYPE_IHDR && l->now.length == PNG_IHDR_BYTES)
		take_header(l);
	if (!l->idat_seen)
		cv2_end_chunk(l);
	if (!l->pil_over && l->pil.reason <= REFUSAL_OTHER_PIXELS)
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
	r = view == VIEW_PIL ? sample->pil_refusal : sample->cv2_refusal;
	if (r.reason == REFUSAL_NONE && view == VIEW_PIL && pixels_of(&sample->png) > PIL_PIXELS_WARN) {
		r.reason = REFUSAL_PIXELS_WARNED;
		r.value = PIL_PIXELS_WARN;
	}
	return r;
}
