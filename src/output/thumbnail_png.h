/*
 * struct thumbnail_png: a picture of a mask that is drawn pixel by pixel and becomes a small PNG: 8-bit palette, at
 * most THUMBNAIL_EDGE pixels either way.
 *
 * Each pixel of the picture stands for a square of the mask. It shows the square's first pixel, unless any pixel of the
 * square is marked: no mark is lost however small it becomes. Owner: the caller; one thread.
 */
#ifndef OUTPUT_THUMBNAIL_PNG_H
#define OUTPUT_THUMBNAIL_PNG_H

#include <stdbool.h>
#include <stdint.h>

#include "report/thumbnail.h"

struct thumbnail_png {
	uint32_t mask_width, mask_height;
	uint32_t width, height;
	uint32_t scale;                    /* pixels of the mask to a side of each square */
	uint64_t marked;                   /* pixels of the mask */
	uint32_t left, top, right, bottom; /* of the marks, in the picture, inclusive; valid if marked */
	uint8_t indices[THUMBNAIL_EDGE * THUMBNAIL_EDGE];
};

/* A picture of a mask of that size, neither of them 0. */
void thumbnail_png_begin(struct thumbnail_png *t, uint32_t mask_width, uint32_t mask_height);
/* A pixel of the mask that is not marked. */
void thumbnail_png_pixel(struct thumbnail_png *t, uint32_t x, uint32_t y, uint64_t id, bool ignored);
void thumbnail_png_mark(struct thumbnail_png *t, uint32_t x, uint32_t y);
/* A box without marks: x, y, width, height in the mask, as in struct finding_details. */
void thumbnail_png_box(struct thumbnail_png *t, const uint64_t bbox[4]);
/* Boxes the marks and fills out's sizes, marks and png. */
void thumbnail_png_end(struct thumbnail_png *t, struct thumbnail *out);

#endif
