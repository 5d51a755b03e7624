#include "measure/table_boxes.h"

#include "base/hash.h"

void table_boxes_open(struct table_boxes *t, struct box_pairs *pairs)
{
	*t = (struct table_boxes){ .pairs = pairs };
}

void table_boxes_close(struct table_boxes *t)
{
	box_pairs_clear(t->pairs);
	table_release(&t->images);
	free(t->keys);
	free(t->extents);
}

uint32_t table_boxes_image(struct table_boxes *t, uint64_t key)
{
	uint32_t i;

	/* the rows of an image follow each other */
	if (t->count && t->keys[t->count - 1] == key)
		return (uint32_t)t->count - 1;
	for (size_t at = table_start(&t->images, key); (i = table_next(&t->images, key, &at)) != TABLE_NONE;)
		if (t->keys[i] == key)
			return i;
	if (t->count == TABLE_IMAGES_MAX)
		return UINT32_MAX;
	GROW(t->keys, t->keys_cap, t->count + 1);
	GROW(t->extents, t->extents_cap, t->count + 1);
	table_add(&t->images, key, t->count);
	t->keys[t->count] = key;
	t->extents[t->count] = (struct image_extent){ 0, 0 };
	return (uint32_t)t->count++;
}

static void set_size(struct table_boxes *t, uint32_t image, uint32_t width, uint32_t height)
{
	if (image < t->count && !t->extents[image].width && width && height)
		t->extents[image] = (struct image_extent){ width, height };
}

void table_boxes_size(struct table_boxes *t, uint32_t image, const struct photo_size *size)
{
	const struct image_extent e = photo_extent(size);

	set_size(t, image, e.width, e.height);
}

/* Returns what the unit is taken for: that of a list that does not say is pixels unless the boxes say otherwise. */
static enum box_unit unit_of(const struct table_boxes *t, uint64_t fractions, uint64_t boxes)
{
	return t->like.unit != BOX_EITHER ? t->like.unit : 2 * fractions > boxes ? BOX_FRACTIONS : BOX_PIXELS;
}

unsigned table_boxes_add(struct table_boxes *t, const struct box_facts *box, uint32_t image, uint32_t class_index,
			 const struct coco_place *place)
{
	const bool sizes = box->numbers == BOX_CORNER_SIZE;
	const double v[4] = { box->v[0], box->v[1], box->v[2] + (sizes ? box->v[0] : 0),
			      box->v[3] + (sizes ? box->v[1] : 0) };
	struct box_facts now = *box;

	t->like = *box;
	t->of_columns = box->width > 0;
	if (t->of_columns && box->unit == BOX_EITHER)
		t->like.unit = BOX_PIXELS;
	set_size(t, image, (uint32_t)box->width, (uint32_t)box->height);
	if (image != UINT32_MAX && box_pairs_add(t->pairs, image, class_index, v, 0, place))
		return 0;
	if (image != UINT32_MAX) {
		now.width = t->extents[image].width;
		now.height = t->extents[image].height;
	}
	return geometry_judge(&now, &t->tally);
}

bool table_boxes_judge(struct table_boxes *t, table_boxes_function *found, void *context)
{
	const struct box_pairs *p = t->pairs;
	uint64_t fractions = 0;

	for (size_t i = 0; i < p->count; i++)
		fractions += p->boxes[i].v[2] <= 1 && p->boxes[i].v[3] <= 1;
	struct box_facts box = t->like;

	box.unit = unit_of(t, fractions, p->count);
	box.unwritten |= box.unit != t->like.unit || (box.unit == BOX_PIXELS && !t->of_columns);
	for (size_t i = 0; i < p->count; i++) {
		const struct box_of_image *b = &p->boxes[i];

		for (size_t k = 0; k < 4; k++)
			box.v[k] =
				(double)b->v[k] - (k >= 2 && box.numbers == BOX_CORNER_SIZE ? (double)b->v[k - 2] : 0);
		box.width = t->extents[b->image].width;
		box.height = t->extents[b->image].height;
		const unsigned troubles = geometry_judge(&box, &t->tally);

		if (troubles)
			found(context, troubles, &b->place);
	}
	return box.unit == BOX_FRACTIONS;
}
