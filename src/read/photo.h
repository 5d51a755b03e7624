/*
 * Reads what loaders see of an image before they decode it: its size and kind from its header, and whether it ends
 * where it should. PNG, JPEG, WebP, BMP, TIFF and GIF.
 *
 * Photos are many times larger than the masks they are paired with, so only one page of most is read, and the last
 * bytes; of a JPEG or PNG with something after its end, more. Sources: PNG third edition 5.3, 11.2.1; ITU-T T.81 annex
 * B; EXIF 2.3 section 4.6; WebP container and RFC 9649; [MS-WMF] 2.2.2 for BMP; TIFF 6.0 section 2; GIF89a section 18.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "read/sample.h"

/* Properties that are unusual for a photo. */
enum photo_trait {
	PHOTO_GREY,
	PHOTO_ALPHA, /* with transparency: four channels */
	PHOTO_CMYK,
	PHOTO_DEEP,    /* more than 8 bits a sample */
	PHOTO_TURNED,  /* EXIF turns or mirrors it */
	PHOTO_RENAMED, /* its name ends as that of another format */
	PHOTO_TRAITS,
};

struct photo_size {
	uint32_t width, height; /* as stored, before any rotation; > 0 */
	uint8_t orientation;    /* EXIF: 1 unchanged; 5 to 8 swap width and height in loaders that apply it */
	uint8_t traits;         /* bits 1 << enum photo_trait */
};

/* The size in which boxes lie. */
struct image_extent {
	uint32_t width, height; /* 0: unknown */
};

/* Returns that of an image. Boxes may be drawn on it before or after EXIF turns it: then the larger side is both. */
struct image_extent photo_extent(const struct photo_size *size);

/* The bytes of an image: a part of an open file, or memory. */
struct photo_bytes {
	const uint8_t *memory; /* or NULL: the file's */
	int fd;
	uint64_t start, size; /* of the image in the file; its length */
};

/* Reads the size of an image of that name. Returns false if *fault is set, as photo_read_size() does. */
bool photo_read(const struct photo_bytes *bytes, const char *name, struct photo_size *out, struct fault *fault);

/*
 * Reads the size of the file name below dirfd, or at path (see input_open_regular()). Returns false if *fault is set:
 * FAULT_UNREADABLE if it cannot be opened or read, FAULT_EMPTY, FAULT_LFS_POINTER, FAULT_TRUNCATED or
 * FAULT_CORRUPT (then *out is valid all the same), FAULT_NOT_A_LABEL if it is no image or its header is damaged.
 */
bool photo_read_size(int dirfd, const char *name, const char *path, struct photo_size *out, struct fault *fault);

enum pair_state {
	PAIR_FOUND,
	PAIR_SELF,       /* an image whose label is its folder */
	PAIR_NO_IMAGE,   /* a label file without an image */
	PAIR_ALONE,      /* the same without --images: beside others that have one */
	PAIR_NO_MASK,    /* an image without a mask */
	PAIR_AMBIGUOUS,  /* an image with the stem of another */
	PAIR_UNREADABLE, /* a folder of images that could not be read whole */
};

/* Facts about the image of one label file, or about one image that has none. Plain data. */
struct pairing {
	enum pair_state state;
	const char *partner;    /* the image; the path searched for, without extension; the other image */
	bool sized;             /* size is valid */
	struct photo_size size; /* of the image */
	struct fault fault;     /* why size is not valid, or why the folder could not be read */
	/* A NIfTI volume has no size. nnU-Net: of the first channel; then one that lies elsewhere than that.
	 */
	bool is_volume, channels_differ;
	struct array_header volume, other;
	const char *other_partner;   /* the image of the latter */
	bool of_channel;             /* nnU-Net: the partner is sought by its channel */
	unsigned channel;            /* of PAIR_NO_IMAGE */
	unsigned channels, declared; /* how many the image has, and should have; 0: unknown */
};
