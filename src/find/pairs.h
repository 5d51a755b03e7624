/*
 * struct pairs: finds the image of a mask by its name.
 *
 * Two files are a pair if their paths below the folders of images and masks are equal without the extension:
 * masks/train/0001.png and images/train/0001.jpg. Data sets also add suffixes to either (0001_mask.png;
 * x_gtFine_labelTrainIds.png with x_leftImg8bit.png), or keep all images in one folder. All this is tried in a fixed
 * order, so the result does not depend on earlier files. The file system is queried for each name and nothing is kept,
 * so fifty million pairs take no memory. Opened once, read-only afterwards, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"

/* nnU-Net's names: the images CASE_0000.png, CASE_0001.png ... of the label file CASE.png, one for each channel. */
struct channel_names {
	unsigned channels; /* 0: the set is none of nnU-Net's */
	char ending[16];   /* ".nii.gz" */
	bool plain;        /* CASE.nii.gz will do, too: it has all channels, as in the Medical Segmentation Decathlon */
};

struct pairs {
	char *images;                    /* --images as typed, without slashes at its end but "/"; owned */
	int images_fd;                   /* O_PATH */
	struct strbuf current, absolute; /* the current folder, and where the images are, without . and .. */
	const char *const *roots;
	size_t roots_count; /* folders of the masks, as typed; borrowed */
	struct channel_names names;
	const struct limits *limits; /* not NULL: the values of images are read, too (--check-images); borrowed */
};

enum status pairs_open(struct pairs *p, const char *images, const char *const *roots, size_t roots_count,
		       const struct channel_names *names, struct error *err);
void pairs_close(struct pairs *p);

/*
 * Finds the image of the mask at `rel_path` in its root ("train/0001.png"), with nnU-Net that of a channel. *out
 * becomes the image's path, as reported, and from *name_at on what to open below images_fd; *flat: it was found only
 * without the mask's folders. Returns false if there is none; then *out is the path, without extension, that was tried
 * first.
 */
bool pairs_find_image(const struct pairs *p, const char *rel_path, unsigned channel, struct strbuf *out,
		      size_t *name_at, bool *flat);
/* Returns whether a label file at this path has images there: with nnU-Net, imagesTr belongs to labelsTr alone. */
bool pairs_covers(const struct pairs *p, const char *path);
/* Returns whether one of the roots has a label file for the image at `rel_path` in the folder of images. */
bool pairs_has_mask(const struct pairs *p, const char *rel_path);

/*
 * Returns whether a path that was found lies in the folder of images, however the two are spelled, and its first
 * root_len bytes, the folder walked, do not: of a folder that holds both images and masks nothing is said.
 */
bool pairs_is_image(const struct pairs *p, const char *path, size_t root_len);

/* Returns whether a file of the folder of images is one, by its name. */
bool pairs_is_image_name(const char *name);
/* Returns the length of a path without its extension. */
size_t pairs_stem(const char *path);
