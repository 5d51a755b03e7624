#include "read/coco_images.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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
		.bits = id.bits, .width = width & COCO_SIDE_MAX, .type = id.type & 3, .height = height & COCO_SIDE_MAX
	};
	return true;
}

bool coco_images_mark(struct coco_images *t, const struct coco_image *image)
{
	struct coco_image *own = &t->images[image - t->images];
	const bool is_first = !own->annotated;

	own->annotated = 1;
	return is_first;
}

/* ---- ids of annotations ----------------------------------------------------------------------------------------- */

enum {
	/* Annotation ids that have a mark, and others that are known: of one file 32 MiB, and 24 while a table grows.
	 */
	IDS_MARKED = 1 << 28,
	IDS_OTHERS = 1 << 20,
	IDS_FIRST = 1 << 14,
};

void coco_ids_init(struct coco_id_set *ids, uint64_t bytes)
{
	*ids = (struct coco_id_set){ .limit = bytes < IDS_MARKED / 8 ? 8 * bytes : IDS_MARKED };
}

void coco_ids_release(struct coco_id_set *ids)
{
	free(ids->marks);
	hash_set_release(&ids->others);
}

/* Makes room for a mark of the id. Returns false if there is no memory: then it is one of the others. */
static bool grow_marks(struct coco_id_set *m, uint64_t id)
{
	uint64_t count = m->count ? m->count : IDS_FIRST, *marks;

	while (count <= id)
		count *= 2;
	marks = mem_try_zero((size_t)(count / 64), sizeof(*marks)); /* pages without a mark take no memory */
	if (!marks)
		return false;
	if (m->count)
		memcpy(marks, m->marks, (size_t)(m->count / 8));
	free(m->marks);
	m->marks = marks;
	m->count = count;
	return true;
}

bool coco_ids_add(struct coco_id_set *m, struct coco_id id)
{
	const uint64_t hash = hash_word(hash_mix(id.bits ^ hash_seed()), id.type), bit = UINT64_C(1) << id.bits % 64;

	if (id.type == COCO_ID_INTEGER && id.bits < m->limit && (id.bits < m->count || grow_marks(m, id.bits))) {
		const bool is_new = !(m->marks[id.bits / 64] & bit);

		m->marks[id.bits / 64] |= bit;
		return is_new;
	}
	return hash_set_add_bounded(&m->others, hash, IDS_OTHERS);
}
