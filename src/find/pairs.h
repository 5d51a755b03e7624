/*
 * struct pairs: which image belongs to which mask, by stem.
 *
 * A stem is the path below its folder without the extension: masks/train/0001.png and images/train/0001.jpg are a pair.
 * Datasets put suffixes on either side (0001_mask.png, x_gtFine_labelTrainIds.png with x_leftImg8bit.png) or keep all
 * images in one folder; both are tried, always in the same order, so that the outcome never depends on what came
 * before. Nothing is kept by file: the file system is asked for the names, so fifty million pairs need no memory.
 * Opened once, read-only afterwards, any thread.
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
 * The image of the mask that lies at `below` in its root ("train/0001.png"). True: *out is the image's path, to report;
 * and from *name_at on its name below images_fd, to open; *flat: it was found only without the mask's folders.
 */
bool pairs_find_image(const struct pairs *p, const char *below, struct strbuf *out, size_t *name_at, bool *flat);
/* Whether an image, by its path below images, has a label file in one of the roots. */
bool pairs_has_mask(const struct pairs *p, const char *below);

/* Whether a name ends like a picture's: .jpg, .png ... in any case. */
bool pairs_is_image_name(const char *name);
/* Bytes of the path before its extension. */
size_t pairs_stem(const char *path);

#endif
