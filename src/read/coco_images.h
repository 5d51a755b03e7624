/*
 * struct coco_images: the size of each image of a COCO file, by its id, 16 bytes and a place in a hash table each.
 * struct coco_id_set: the ids of its annotations, a bit each.
 * Owner: the reader of one file; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
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
	uint32_t width : 30, type : 2;       /* enum coco_id_type */
	uint32_t height : 30, annotated : 1; /* 0 by 0: unknown */
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
/* Begins to fetch what coco_images_find() will look at. */
static inline void coco_images_prefetch(const struct coco_images *t, struct coco_id id)
{
	if (t->table.cap)
		__builtin_prefetch(&t->table.slots[table_start(&t->table, hash_mix(id.bits ^ hash_seed()))]);
}
/* Marks an image of the table that has an annotation. Returns whether it was not marked before. */
bool coco_images_mark(struct coco_images *t, const struct coco_image *image);
/* Adds an image. Returns false if its id is known: then the first size stays. */
bool coco_images_add(struct coco_images *t, struct coco_id id, uint32_t width, uint32_t height);

/* The ids of annotations, to find one that comes twice. */
struct coco_id_set {
	uint64_t *marks;        /* a bit for each id below `count`; owned */
	uint64_t count, limit;  /* the limit: no more bytes than the file has */
	struct hash_set others; /* hashes of other ids */
};

/* bytes: of the file. */
void coco_ids_init(struct coco_id_set *ids, uint64_t bytes);
void coco_ids_release(struct coco_id_set *ids);
/* Returns whether no annotation before has the id. Only the first ones are known of others than integers from 0 on. */
bool coco_ids_add(struct coco_id_set *ids, struct coco_id id);
