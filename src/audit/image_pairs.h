/*
 * Pairs label files with images. Each worker looks for the image of each label file that it reads: in the folder of
 * --images, or where its layout has it. With --images the images are walked when all are done, for those that no label
 * file belongs to.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "find/pairs.h"
#include "find/source.h"
#include "layout/dataset_layout.h"
#include "read/photo.h"

/* One per worker. */
struct pair_seeker {
	const struct pairs *pairs;
	struct strbuf path; /* of the image that was found last */
	size_t name_at;     /* in it: of its name below the images' folder */
	struct pairing pairing;
	struct strbuf other; /* the path of a further channel */
	bool flat;           /* some image was found only without the folders of its label file */
};

void pair_seeker_init(struct pair_seeker *s, const struct pairs *pairs);
void pair_seeker_release(struct pair_seeker *s);
/* Each sets s->pairing, which is valid until the next call: of the label file at rel_path below its PATH, */
void pair_seek_image(struct pair_seeker *s, const char *rel_path);
/* of one whose image is at s->path, */
void pair_take_image(struct pair_seeker *s, const struct member_images *members);
/* of an image in a class folder, */
void pair_take_self(struct pair_seeker *s, const struct dataset_layouts *layouts, const struct entry *entry);
/* of one that has no image where its layout has that of others. */
void pair_take_none(struct pair_seeker *s);

/*
 * Walks the images, with the filters of `find`, and calls take() for each that has no label file, that has the stem of
 * the previous one, or that could not be read. seek_masks: whether label files can be found by the path of an image,
 * that is, they lie in folders, and no image lies in fewer folders than its label file. Otherwise images without a
 * label file are not searched for. progress counts the images.
 */
enum status pair_walk_images(const struct pairs *pairs, const struct find_options *find, bool seek_masks,
			     struct progress *progress,
			     void (*take)(void *self, const char *path, const struct pairing *pairing), void *self,
			     struct error *err);
