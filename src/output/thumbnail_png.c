/* PNG as in its specification (third edition): signature, IHDR, PLTE, IDAT, IEND; zlib does the rest. */
#include "output/thumbnail_png.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/png_header.h"
#include "base/zlib_inflate.h"
#include "judge/colours.h"

/* Indices of the palette that are no ids. Ids from INDEX_FIRST_FREE on get the colours of smaller ones. */
enum { INDEX_IGNORED = 253, INDEX_BOX = 254, INDEX_MARK = 255, INDEX_FIRST_FREE = 253 };

static const uint8_t colour_ignored[3] = { 224, 224, 224 };
static const uint8_t colour_box[3] = { 255, 224, 0 };
static const uint8_t colour_mark[3] = { 255, 0, 255 };

void thumbnail_png_begin(struct thumbnail_png *t, uint32_t mask_width, uint32_t mask_height)
{
	uint32_t edge = MAX(mask_width, mask_height);

	assert(mask_width && mask_height);
	memset(t, 0, sizeof(*t));
	t->mask_width = mask_width;
	t->mask_height = mask_height;
	t->scale = (edge - 1) / THUMBNAIL_EDGE + 1;
	t->width = (mask_width - 1) / t->scale + 1;
	t->height = (mask_height - 1) / t->scale + 1;
	t->left = t->top = UINT32_MAX;
}

static uint8_t *pixel_at(struct thumbnail_png *t, uint32_t x, uint32_t y)
{
	return &t->indices[y / t->scale * t->width + x / t->scale];
}

void thumbnail_png_pixel(struct thumbnail_png *t, uint32_t x, uint32_t y, uint64_t id, bool ignored)
{
	uint8_t *pixel = pixel_at(t, x, y);

	if (x % t->scale || y % t->scale)
		return;
	*pixel = ignored ? INDEX_IGNORED : (uint8_t)(id % INDEX_FIRST_FREE);
}

void thumbnail_png_mark(struct thumbnail_png *t, uint32_t x, uint32_t y)
{
	*pixel_at(t, x, y) = INDEX_MARK;
	t->left = MIN(t->left, x / t->scale);
	t->top = MIN(t->top, y / t->scale);
	t->right = MAX(t->right, x / t->scale);
	t->bottom = MAX(t->bottom, y / t->scale);
	t->marked++;
}

static void box_pixel(struct thumbnail_png *t, uint32_t x, uint32_t y)
{
	uint8_t *pixel = &t->indices[y * t->width + x];

	if (*pixel != INDEX_MARK)
		*pixel = INDEX_BOX;
}

/* Draws a box around these pixels of the image, two pixels away if the image is large enough. */
static void draw_box(struct thumbnail_png *t, uint32_t left, uint32_t top, uint32_t right, uint32_t bottom)
{
	left -= MIN(left, 2U);
	top -= MIN(top, 2U);
	right = MIN(right + 2, t->width - 1);
	bottom = MIN(bottom + 2, t->height - 1);
	for (uint32_t x = left; x <= right; x++) {
		box_pixel(t, x, top);
		box_pixel(t, x, bottom);
	}
	for (uint32_t y = top; y <= bottom; y++) {
		box_pixel(t, left, y);
		box_pixel(t, right, y);
	}
}

void thumbnail_png_box(struct thumbnail_png *t, const uint64_t bbox[4])
{
	uint64_t x = MIN(bbox[0], (uint64_t)t->mask_width - 1), y = MIN(bbox[1], (uint64_t)t->mask_height - 1);
	uint64_t right = x + MIN(MAX(bbox[2], 1) - 1, t->mask_width - 1 - x);
	uint64_t bottom = y + MIN(MAX(bbox[3], 1) - 1, t->mask_height - 1 - y);

	draw_box(t, (uint32_t)(x / t->scale), (uint32_t)(y / t->scale), (uint32_t)(right / t->scale),
		 (uint32_t)(bottom / t->scale));
}

/* The palette of PASCAL VOC: its colours are multiples of 64 (less one bit), so none is that of the marks. */
static void fill_palette(uint8_t palette[256][3])
{
	for (unsigned id = 0; id < 256; id++)
		for (unsigned channel = 0; channel < 3; channel++)
			palette[id][channel] = (uint8_t)(voc_colour(id) >> (16 - 8 * channel));
	memcpy(palette[INDEX_IGNORED], colour_ignored, 3);
	memcpy(palette[INDEX_BOX], colour_box, 3);
	memcpy(palette[INDEX_MARK], colour_mark, 3);
}

static uint8_t *put_u32(uint8_t *at, uint32_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		*at++ = (uint8_t)(v >> shift);
	return at;
}

static uint8_t *put_chunk(uint8_t *at, const char *type, const void *data, size_t n)
{
	uint8_t *named = put_u32(at, (uint32_t)n);

	memcpy(named, type, 4);
	if (n)
		memcpy(named + 4, data, n);
	return put_u32(named + 4 + n, (uint32_t)crc32(0, named, (uInt)(4 + n)));
}

/* Compresses into `out`, of compressBound(n) bytes, and returns the size. Our allocator never fails, so it cannot. */
static size_t pack(const uint8_t *bytes, size_t n, uint8_t *out)
{
	z_stream z = { .zalloc = zlib_alloc, .zfree = zlib_free };
	int code = deflateInit(&z, 9);

	assert(code == Z_OK);
	z.next_in = (Bytef *)(uintptr_t)bytes; /* not const in zlib of before 1.2.5.2 */
	z.avail_in = (uInt)n;
	z.next_out = out;
	z.avail_out = (uInt)compressBound((uLong)n);
	code = deflate(&z, Z_FINISH);
	assert(code == Z_STREAM_END);
	deflateEnd(&z);
	(void)code;
	return z.total_out;
}

static void encode(const struct thumbnail_png *t, struct thumbnail *out)
{
	const size_t row = t->width + 1, raw_bytes = row * t->height;
	uint8_t *raw = xmalloc(raw_bytes), palette[256][3], head[PNG_IHDR_BYTES];
	uint8_t *packed = xmalloc(compressBound((uLong)raw_bytes)), *at;

	/* Filter None is best for indices. */
	for (uint32_t y = 0; y < t->height; y++) {
		raw[y * row] = 0;
		memcpy(raw + y * row + 1, t->indices + (size_t)y * t->width, t->width);
	}
	size_t packed_bytes = pack(raw, raw_bytes, packed);

	fill_palette(palette);
	at = put_u32(put_u32(head, t->width), t->height);
	memcpy(at, (const uint8_t[]){ 8, 3, 0, 0, 0 }, 5); /* depth, palette, deflate, filters, no interlace */

	/* each chunk has 12 bytes around its data */
	out->png = xmalloc(PNG_SIGNATURE_BYTES + sizeof(head) + sizeof(palette) + packed_bytes + (size_t)4 * 12);
	memcpy(out->png, PNG_SIGNATURE, PNG_SIGNATURE_BYTES);
	at = put_chunk(out->png + PNG_SIGNATURE_BYTES, "IHDR", head, sizeof(head));
	at = put_chunk(at, "PLTE", palette, sizeof(palette));
	at = put_chunk(at, "IDAT", packed, packed_bytes);
	at = put_chunk(at, "IEND", NULL, 0);
	out->png_bytes = (size_t)(at - out->png);
	free(packed);
	free(raw);
}

void thumbnail_png_end(struct thumbnail_png *t, struct thumbnail *out)
{
	if (t->marked)
		draw_box(t, t->left, t->top, t->right, t->bottom);
	out->mask_width = t->mask_width;
	out->mask_height = t->mask_height;
	out->width = t->width;
	out->height = t->height;
	out->marked = t->marked;
	encode(t, out);
}
