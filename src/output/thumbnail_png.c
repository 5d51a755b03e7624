#include "output/thumbnail_png.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/png_writer.h"
#include "base/strbuf.h"
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
}

void thumbnail_png_pixel(struct thumbnail_png *t, uint32_t x, uint32_t y, uint64_t id, enum id_role role)
{
	uint8_t *pixel = &t->indices[y / t->scale * t->width + x / t->scale];

	if (role == ID_INVALID) {
		*pixel = INDEX_MARK;
		t->marked++;
	} else if (!(x % t->scale || y % t->scale)) {
		*pixel = role == ID_IGNORED ? INDEX_IGNORED : (uint8_t)(id % INDEX_FIRST_FREE);
	}
}

bool thumbnail_png_is_flat(const struct thumbnail_png *t)
{
	const size_t n = (size_t)t->width * t->height;

	return !memcmp(t->indices, t->indices + 1, n - 1);
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

static void encode(const struct thumbnail_png *t, struct thumbnail *out)
{
	struct png_header header = { .width = t->width,
				     .height = t->height,
				     .bit_depth = 8,
				     .colour_type = PNG_PALETTE,
				     .palette_entries = 256 };
	struct png_writer *png = png_writer_new();
	RELEASED struct strbuf file = STRBUF_INIT;
	struct fault fault = FAULT_INIT;

	fill_palette(header.palette);
	bool ok = png_writer_begin(png, &header, &file, &fault);

	for (uint32_t y = 0; ok && y < t->height; y++) {
		memcpy(png_writer_next_row(png), t->indices + (size_t)y * t->width, t->width);
		ok = png_writer_row(png, &fault);
	}
	if (!ok || !png_writer_end(png, &fault))
		strbuf_clear(&file); /* without memory there is no picture */
	out->png_bytes = file.len;
	out->png = xmalloc(MAX(file.len, 1));
	memcpy(out->png, file.s, file.len);
	png_writer_free(png);
}

void thumbnail_png_end(struct thumbnail_png *t, struct thumbnail *out)
{
	out->mask_width = t->mask_width;
	out->mask_height = t->mask_height;
	out->width = t->width;
	out->height = t->height;
	out->marked = t->marked;
	encode(t, out);
}
