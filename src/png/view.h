/*
 * Maps the samples of a PNG to the ids that a loader returns (enum view). Pure arithmetic, one row at a time.
 *
 *   view | palette         | grey 1 | grey 2, 4 | grey 8 | grey 16 | several channels
 *   pil  | index           | 0/1    | x85, x17  | same   | same    | no ids
 *   raw  | index           | same   | same      | same   | same    | no ids
 *   cv2  | luma of the RGB | 0/255  | x85, x17  | same   | >> 8    | luma (alpha dropped; grey+alpha: the grey)
 *
 * With a table of colours (settings.colours), images in RGB and RGBA, and palettes, have the ids of their colours in
 * every view: the map is `coded`. Ids from CODED_UNKNOWN on stand for colours that are in no table, in the order of the
 * palette or of their first pixels; measure/coded.h names them. An image in RGB can still turn out to have no code.
 *
 * Luma is that of OpenCV's PNG reader (imgcodecs grfmt_png.cpp: png_set_rgb_to_gray with 0.299, 0.587), which libpng
 * computes in 15-bit fixed point. Where cv2 is installed, the tests compare with it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/settings.h"
#include "read/sample.h"

struct view_map {
	enum view view;
	uint8_t channels; /* of the file */
	uint8_t depth;
	bool has_ids;        /* false: several channels; only channel facts can be measured */
	bool wide;           /* ids are uint16_t, else uint8_t */
	bool identity;       /* one channel and ids == samples: the row needs no mapping */
	bool coded;          /* ids are those of colours, and wide */
	uint8_t lut[256];    /* one channel, depth < 8 or not identity: sample -> id */
	uint16_t codes[256]; /* coded, one channel: index -> id */
};

/* The first id for colours that are in no table, in an image that is read by its colours. */
enum { CODED_UNKNOWN = COLOUR_CLASS_MAX + 1 };

/* Without colours. */
void view_map_init(struct view_map *m, const struct png_header *png, enum view view);
void view_map_of(struct view_map *m, const struct png_header *png, const struct settings *settings);
/*
 * Maps a row of png_decoder_row to width ids; out must not overlap it. has_ids must be true; coded needs one channel.
 */
void view_map_row(const struct view_map *m, const void *row, uint32_t width, void *out);
/* Returns the luma of an 8-bit colour, as cv2 computes it. */
uint8_t view_luma(uint8_t red, uint8_t green, uint8_t blue);
