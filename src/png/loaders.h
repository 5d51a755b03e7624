/*
 * struct loaders: follows the chunks of a PNG that libpng reads, and decides whether Pillow and OpenCV read it.
 *
 * The rules are those of np.array(PIL.Image.open(f)) in Pillow 13.0 (PngImagePlugin.py, ZipDecode.c) with its default
 * settings, and of cv2.imread(f, 0) in OpenCV 5.0 (grfmt_png.cpp). Only what they refuse and libpng accepts is noticed
 * here, and of that checksums, lengths and limits, not the frames of animations. Both parse every chunk, Pillow with
 * its own reader, which
 *   - checks the CRC of every chunk before the image data, and of none after them;
 *   - raises an exception for a chunk that is shorter than what it takes from it, on either side of the image data;
 *   - inflates texts and colour profiles up to a limit.
 * Older versions differ: see src/rules/unreadable_by_loader.c.
 *
 * Feed it every chunk in order. A chunk's data may come in pieces; none is kept. One thread each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/png_header.h"
#include "base/settings.h"
#include "png/chunk.h"
#include "png/loader_text.h"
#include "read/refusal.h"
#include "read/sample.h"

struct loaders {
	struct refusal pil, cv2; /* the first reason */
	struct chunk now;
	struct loader_text text;
	uint8_t ihdr[PNG_IHDR_BYTES]; /* of the current chunk, if it is an IHDR */
	uint32_t got;                 /* bytes of the current chunk */
	bool idat_seen;
	bool image_begun; /* with an IDAT, or for Pillow an fdAT */
	bool pil_over;    /* Pillow reads no further */
	bool ihdr_seen;
	uint8_t colour_type;
	uint64_t characters; /* of all texts that Pillow keeps */
	uint64_t inflated;   /* bytes, of all texts and profiles */
};

/* Prepares for a new file; the first time, *l must be zero. */
void loaders_begin(struct loaders *l);
void loaders_release(struct loaders *l);

void loaders_begin_chunk(struct loaders *l, const struct chunk *chunk);
void loaders_add(struct loaders *l, const uint8_t *bytes, size_t n);
void loaders_end_chunk(struct loaders *l, bool crc_right);
/* For a chunk that is in memory and whose CRC is right: the three above. */
void loaders_whole_chunk(struct loaders *l, uint32_t type, const uint8_t *data, uint32_t length);
/*
 * In an IDAT: zlib fails after the last row, in a piece of the data that begins `at` bytes after the chunk's header.
 * Pillow does not see that if it has all rows when it begins to read there.
 */
void loaders_stream_end(struct loaders *l, uint32_t at);
static inline bool loaders_read(const struct loaders *l)
{
	return l->pil.reason == REFUSAL_NONE && l->cv2.reason == REFUSAL_NONE;
}

/* Returns why the loader of the view does not read this PNG, which libpng read; also from its size alone. */
struct refusal loader_refusal(const struct sample *sample, enum view view);
/* Returns whether the loader does not read the file, instead of reading it in a way to be warned of. */
static inline bool refusal_is_error(struct refusal r)
{
	return r.reason > REFUSAL_PIXELS_WARNED;
}
