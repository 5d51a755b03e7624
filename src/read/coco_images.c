#include "read/coco_images.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"

static uint64_t hash_of(struct coco_id id)
{
	return hash_mix(id.bits ^ hash_seed());
}

void coco_images_release(struct coco_images *t)
{
	free(t->images);
	table_release(&t->table);
	*t = (struct coco_images){ 0 };
}

const struct coco_image *coco_images_find(const struct coco_images *t, struct coco_id id)
{
	const uint64_t hash = hash_of(id);
	uint32_t i;

	for (size_t at = table_start(&t->table, hash); (i = table_next(&t->table, hash, &at)) != TABLE_NONE;)
		if (t->images[i].bits == id.bits && t->images[i].type == id.type)
			return &t->images[i];
	return NULL;
}

bool coco_images_add(struct coco_images *t, struct coco_id id, uint32_t width, uint32_t height)
{
	assert(id.type != COCO_ID_NONE && width <= COCO_SIDE_MAX && height <= COCO_SIDE_MAX);
	if (coco_images_find(t, id))
		return false;
	GROW(t->images, t->cap, t->count + 1);
	table_add(&t->table, hash_of(id), t->count);
	t->images[t->count++] = (struct coco_image){
		.bits = id.bits, .width = width & COCO_SIDE_MAX, .type = id.type & 3, .height = height
	};
	return true;
}
