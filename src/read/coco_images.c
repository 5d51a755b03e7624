#include "read/coco_images.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum { SLOTS_FIRST = 256 };

void coco_images_release(struct coco_images *t)
{
	free(t->slots);
	memset(t, 0, sizeof(*t));
}

/* Returns the slot of the id, or the free slot where it belongs. */
static struct coco_image *find_slot(struct coco_image *slots, size_t cap, uint64_t bits, unsigned type)
{
	size_t at = (size_t)hash_mix(bits ^ hash_seed()) & (cap - 1);

	while (slots[at].type && (slots[at].bits != bits || slots[at].type != type))
		at = (at + 1) & (cap - 1);
	return &slots[at];
}

static void grow(struct coco_images *t)
{
	size_t cap = t->cap ? 2 * t->cap : SLOTS_FIRST;
	struct coco_image *slots = xcalloc(cap, sizeof(*slots));

	for (size_t i = 0; i < t->cap; i++)
		if (t->slots[i].type)
			*find_slot(slots, cap, t->slots[i].bits, t->slots[i].type) = t->slots[i];
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
}

const struct coco_image *coco_images_find(const struct coco_images *t, struct coco_id id)
{
	if (!t->cap)
		return NULL;
	const struct coco_image *slot = find_slot(t->slots, t->cap, id.bits, id.type);

	return slot->type ? slot : NULL;
}

bool coco_images_add(struct coco_images *t, struct coco_id id, uint32_t width, uint32_t height, size_t max,
		     bool *new_one)
{
	struct coco_image *slot;

	assert(id.type != COCO_ID_NONE && width <= COCO_SIDE_MAX && height <= COCO_SIDE_MAX);
	*new_one = false;
	if (coco_images_find(t, id))
		return true;
	if (t->count >= max)
		return false;
	if (4 * (t->count + 1) > 3 * t->cap)
		grow(t);
	slot = find_slot(t->slots, t->cap, id.bits, id.type);
	slot->bits = id.bits;
	slot->type = id.type & 3;
	slot->width = width & COCO_SIDE_MAX;
	slot->height = height;
	t->count++;
	*new_one = true;
	return true;
}
