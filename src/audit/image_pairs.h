/*
 * --images: pairs label files with images. Each worker looks for the image of each label file that it reads; when all
 * are done, the images are walked for those that no label file belongs to.
 */
#ifndef AUDIT_IMAGE_PAIRS_H
#define AUDIT_IMAGE_PAIRS_H

#include "base/error.h"
#include "find/pairs.h"
#include "find/source.h"
#include "read/pairing.h"

/* A worker's own. */
struct pair_seeker {
	const struct pairs *pairs;
	struct strbuf path;
	struct pairing pairing;
	bool flat; /* some image was found only without the folders of its label file */
};

void pair_seeker_init(struct pair_seeker *s, const struct pairs *pairs);
void pair_seeker_release(struct pair_seeker *s);
/* The pairing of the label file at `below` in its folder; valid until the next call. */
const struct pairing *pair_seek_image(struct pair_seeker *s, const char *below);

/*
 * Walks the images, with the filters of `find`, and hands each that has no label file, or has the stem of the one
 * before it, to take(), and what it could not read. seek_masks: whether label files can be found by the path of an
 * image: there are folders of them, and no image lies in fewer folders than its label file; without, only the latter.
 */
enum status pair_walk_images(const struct pairs *pairs, const struct find_options *find, bool seek_masks,
			     void (*take)(void *self, const char *path, const struct pairing *pairing), void *self,
			     struct error *err);

#endif
