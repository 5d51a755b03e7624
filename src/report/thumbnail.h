/*
 * struct thumbnail: a small picture of a mask in a fixed colour table, in which ids that are neither classes nor
 * ignored are marked. The HTML report shows them. They are made before (output/gallery.h), since a reporter reads no
 * files.
 *
 * Owner: output/gallery.c; `finding` is borrowed from the finding list.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "judge/finding_list.h"

enum { THUMBNAIL_EDGE = 256 }; /* pixels at most, either way */

struct thumbnail {
	const struct kept_finding *finding;
	uint32_t mask_width, mask_height;
	uint32_t width, height; /* of the picture */
	uint64_t marked;        /* pixels of the mask that are marked */
	double share;           /* of the mask: what the finding is about */
	uint8_t *png;           /* a whole PNG file; owned */
	size_t png_bytes;
};

struct thumbnails {
	struct thumbnail *v; /* those of a cause together, the first cause first; owned */
	size_t count;
};
