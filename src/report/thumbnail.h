/*
 * struct thumbnail: a mask that a finding is about, small, in a fixed colour table, with the pixels that the finding
 * means. The HTML report shows them; they are made beforehand (gallery.h), since a reporter reads no files.
 *
 * Owner: whoever made them; `finding` is borrowed from the finding list.
 */
#ifndef REPORT_THUMBNAIL_H
#define REPORT_THUMBNAIL_H

#include <stddef.h>
#include <stdint.h>

#include "judge/finding_list.h"

enum { THUMBNAIL_EDGE = 256 }; /* pixels at most, either way */

struct thumbnail {
	const struct kept_finding *finding;
	uint32_t mask_width, mask_height;
	uint32_t width, height; /* of the picture */
	uint64_t marked;        /* pixels of the mask that are shown as offending; 0: none can be named */
	uint8_t *png;           /* a whole PNG file; owned */
	size_t png_bytes;
};

struct thumbnails {
	struct thumbnail *v; /* those of a rule together, the worst rule first; owned */
	size_t count;
};

#endif
