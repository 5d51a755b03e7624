/*
 * struct thumbnail_png: a small image of a mask, at most THUMBNAIL_EDGE pixels either way, drawn pixel by pixel and
 * encoded as a PNG with a palette. Each of its pixels is a square of the mask, and shows the square's first pixel, or a
 * mark if any pixel of the square has an id that is neither a class nor ignored. The caller owns it; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "judge/role.h"
#include "report/thumbnail.h"

struct thumbnail_png {
	uint32_t mask_width, mask_height;
	uint32_t width, height;
	uint32_t scale;  /* length of a square's side, in pixels of the mask */
	uint64_t marked; /* marked pixels of the mask */
	uint8_t indices[THUMBNAIL_EDGE * THUMBNAIL_EDGE];
};

/* Begins the thumbnail of a mask of that size; neither may be 0. */
void thumbnail_png_begin(struct thumbnail_png *t, uint32_t mask_width, uint32_t mask_height);
/* Draws a pixel of the mask. */
void thumbnail_png_pixel(struct thumbnail_png *t, uint32_t x, uint32_t y, uint64_t id, enum id_role role);
/* Returns whether all that was drawn is of one colour. */
bool thumbnail_png_is_flat(const struct thumbnail_png *t);
/* Draws a box: x, y, width, height in the mask, as in struct finding_details. */
void thumbnail_png_box(struct thumbnail_png *t, const uint64_t bbox[4]);
/* Fills out's sizes, marks and png. */
void thumbnail_png_end(struct thumbnail_png *t, struct thumbnail *out);
