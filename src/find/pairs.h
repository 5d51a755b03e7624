/*
 * struct pairs: which image belongs to which mask, told by their names.
 *
 * Two files are a pair if their stems are equal, that is, their paths below the folders of images and masks, without
 * the extension: masks/train/0001.png and images/train/0001.jpg. Data sets also add suffixes to either (0001_mask.png;
 * x_gtFine_labelTrainIds.png with x_leftImg8bit.png), or keep all images in one folder. All this is tried in an order
 * that is always the same, so that the outcome does not depend on the files before. Nothing is remembered of a file,
 * and the file system is asked whether a name exists, so that fifty million pairs take no memory. Opened once,
 * read-only afterwards, any thread.
 */
#ifndef FIND_PAIRS_H
#define FIND_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"

struct pairs {
	char *images;  /* --images as typed, without slashes at its end but "/"; owned */
	int images_fd; /* O_PATH */
	const char *const *roots;
	size_t roots_count; /* folders of the masks, as typed; borrowed */
};

enum status pairs_open(struct pairs *p, const char *images, const char *const *roots, size_t roots_count,
		       struct error *err);
void pairs_close(struct pairs *p);

/*
 * Looks for the image of the mask that lies at `below` in its root ("train/0001.png"). True: *out is the image's path,
 * as reported, and from *name_at on what to open below images_fd; *flat: it was found only without the mask's folders.
 * False: *out is the path, without extension, where it was looked for first.
 */
bool pairs_find_image(const struct pairs *p, const char *below, struct strbuf *out, size_t *name_at, bool *flat);
/* Whether one of the roots has a label file for the image at `below` in the folder of images. */
bool pairs_has_mask(const struct pairs *p, const char *below);

/* Whether a name has the extension of a picture: .jpg, .png ... in upper or lower case. */
bool pairs_is_image_name(const char *name);
/* How many bytes of a path come before its extension. */
size_t pairs_stem(const char *path);

#endif
