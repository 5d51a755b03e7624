/*
 * Reads the size of an image from its header alone: PNG, JPEG, WebP, BMP, TIFF and GIF.
 *
 * It serves the images that masks are paired with. They are many times larger than the masks, so of most of them one
 * page is read. Sources: PNG third edition 11.2.1; ITU-T T.81 annex B; EXIF 2.3 section 4.6; WebP container and
 * RFC 9649; [MS-WMF] 2.2.2 for BMP; TIFF 6.0 section 2; GIF89a section 18.
 */
#ifndef READ_PHOTO_H
#define READ_PHOTO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

struct photo_size {
	uint32_t width, height; /* as stored, before any rotation; > 0 */
	uint8_t orientation;    /* EXIF: 1 unchanged; 5 to 8 swap width and height for loaders that obey it */
};

/*
 * Opens name below dirfd, as input_open() does. Returns false if *fault is set: FAULT_UNREADABLE if it cannot be opened
 * or read, FAULT_NOT_A_LABEL if it is no image or a damaged one.
 */
bool photo_read_size(int dirfd, const char *name, struct photo_size *out, struct fault *fault);

#endif
