/*
 * struct coco_images: the size of each image of a COCO file, by its id, 16 bytes and a place in a hash table each.
 * Owner: the reader of one file; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

/*
 * An id: an integer from -2^63 to 2^64 - 1; or the 64-bit hash of a string, which COCO does not allow but pycocotools
 * accepts. COCO_ID_NONE: missing, or neither of these.
 */
enum coco_id_type { COCO_ID_NONE = 0, COCO_ID_INTEGER, COCO_ID_LARGE /* no label's id */, COCO_ID_TEXT };

struct coco_id {
	uint64_t bits;
	enum coco_id_type type;
};

struct coco_image {
	uint64_t bits;
	uint32_t width : 30, type : 2; /* enum coco_id_type */
	uint32_t height;               /* 0 by 0: unknown */
};

enum { COCO_SIDE_MAX = (1 << 30) - 1 };

/* All zero: empty. */
struct coco_images {
	struct coco_image *images; /* owned */
	size_t count, cap;
	struct table table; /* of images */
};

void coco_images_release(struct coco_images *t);
/* Returns the image, or NULL if there is none. */
const struct coco_image *coco_images_find(const struct coco_images *t, struct coco_id id);
/* Adds an image. Returns false if its id is known: then the first size stays. */
bool coco_images_add(struct coco_images *t, struct coco_id id, uint32_t width, uint32_t height);
