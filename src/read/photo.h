/*
 * The size of a picture, read from its header and nothing else: PNG, JPEG, WebP, BMP, TIFF and GIF.
 *
 * For the images that masks are paired with: they are many times larger than the masks, so not more than a page of most
 * of them is read. Sources: PNG third edition 11.2.1; ITU-T T.81 annex B; EXIF 2.3 section 4.6; WebP container and
 * RFC 9649; [MS-WMF] 2.2.2 for BMP; TIFF 6.0 section 2; GIF89a section 18.
 */
#ifndef READ_PHOTO_H
#define READ_PHOTO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

struct picture_size {
	uint32_t width, height; /* as stored, before any rotation; > 0 */
	uint8_t orientation;    /* EXIF's: 1 as it is; 5 to 8 swap width and height for loaders that obey it */
};

/*
 * Opens name below dirfd, as input_open does. False: FAULT_UNREADABLE if it could not be opened or read, else
 * FAULT_NOT_A_LABEL with what is wrong with it as a picture.
 */
bool picture_read_size(int dirfd, const char *name, struct picture_size *out, struct fault *fault);

#endif
