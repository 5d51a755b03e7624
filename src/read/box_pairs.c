#include "read/box_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"

enum {
	KEPT_BOXES = 4096, /* memory for that many is kept */
	SORTED_SIMPLY = 16,
};

void box_pairs_release(struct box_pairs *p)
{
	free(p->boxes);
	free(p->order);
	free(p->marks);
	*p = (struct box_pairs){ 0 };
}

void box_pairs_clear(struct box_pairs *p)
{
	if (p->cap > KEPT_BOXES)
		box_pairs_release(p);
	p->count = 0;
	p->dropped = 0;
}

bool box_pairs_add(struct box_pairs *p, uint32_t image, uint32_t class_index, const double v[4], int64_t id,
		   const struct coco_place *place)
{
	struct box_of_image *b;

	if (p->count == BOX_PAIRS_MAX) {
		p->dropped++;
		return false;
	}
	GROW(p->boxes, p->cap, p->count + 1);
	b = &p->boxes[p->count++];
	*b = (struct box_of_image){ .image = image, .class_index = class_index, .id = id, .place = *place };
	for (size_t i = 0; i < 4; i++)
		b->v[i] = (float)v[i];
	return true;
}

/* A box of the image that is searched. */
struct placed_box {
	float v[4];
	uint32_t at, class_index; /* at: in the order of the file */
};

/* By the edges, left first; equal boxes in the order of the file. */
static int compare_placed(const void *pa, const void *pb)
{
	const struct placed_box *a = pa, *b = pb;

	for (size_t i = 0; i < 4; i++)
		if (a->v[i] != b->v[i])
			return a->v[i] < b->v[i] ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Sorts few boxes, as most images have. */
static void sort_simply(struct placed_box *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct placed_box box = v[i];
		size_t k = i;

		for (; k && compare_placed(&v[k - 1], &box) > 0; k--)
			v[k] = v[k - 1];
		v[k] = box;
	}
}

static bool overlaps(const float a[4], const float b[4])
{
	const float w = MIN(a[2], b[2]) - MAX(a[0], b[0]), h = MIN(a[3], b[3]) - MAX(a[1], b[1]);

	return w > 0 && h > 0 &&
	       w * h > BOX_PAIRS_OVERLAP * ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - w * h);
}

/* The marks of boxes: 0, or 1 + enum box_pair. */
static void mark(uint8_t *marks, const struct placed_box *a, const struct placed_box *b)
{
	const enum box_pair pair = a->class_index != b->class_index        ? PAIR_CLASS
				   : memcmp(a->v, b->v, sizeof(a->v)) != 0 ? PAIR_NEAR
									   : PAIR_SAME;
	uint8_t *later = &marks[MAX(a->at, b->at)];

	if (!*later || pair + 1u < *later)
		*later = (uint8_t)(pair + 1);
}

/* Marks the boxes of an image, which are sorted. Returns how many were not compared with all that they could repeat. */
static uint64_t mark_image(const struct placed_box *v, size_t n, uint8_t *marks)
{
	uint64_t uncompared = 0;

	for (size_t i = 0; i < n; i++) {
		/* what overlaps that much begins no farther right */
		const float end = v[i].v[0] + (1 - BOX_PAIRS_OVERLAP) * (v[i].v[2] - v[i].v[0]);
		size_t k;

		for (k = i + 1; k < n && v[k].v[0] <= end; k++) {
			if (GUARD(boxes_of_one_place, k - i > BOX_PAIRS_NEXT)) {
				uncompared++;
				break;
			}
			if (overlaps(v[i].v, v[k].v))
				mark(marks, &v[i], &v[k]);
		}
	}
	return uncompared;
}

/*
 * Fills `order` with the boxes that are compared by image, each in the order of the file; starts: images + 1 zeros,
 * then their ends.
 */
static void order_by_image(struct box_pairs *p, size_t images, uint32_t *starts)
{
	for (size_t i = 0; i < p->count; i++)
		starts[p->boxes[i].image + 1] += p->boxes[i].class_index != BOX_PAIRS_NO_CLASS;
	for (size_t i = 0; i < images; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < p->count; i++) {
		const struct box_of_image *b = &p->boxes[i];

		if (b->class_index == BOX_PAIRS_NO_CLASS)
			continue;
		struct placed_box *o = &p->order[starts[b->image]++];

		memcpy(o->v, b->v, sizeof(o->v));
		o->at = (uint32_t)i;
		o->class_index = b->class_index;
	}
}

uint64_t box_pairs_find(struct box_pairs *p, size_t images, box_pairs_function *found, void *context)
{
	uint32_t one[2] = { 0, 0 }, *const ends = images > 1 ? xcalloc(images + 1, sizeof(*ends)) : one;
	uint64_t uncompared = p->dropped;

	GROW(p->order, p->order_cap, p->count);
	GROW(p->marks, p->marks_cap, p->count);
	if (p->count)
		memset(p->marks, 0, p->count);
	order_by_image(p, images, ends);
	for (size_t i = 0, begin = 0; p->count && i < images; begin = ends[i++]) {
		const size_t n = ends[i] - begin;

		if (n > SORTED_SIMPLY)
			qsort(p->order + begin, n, sizeof(*p->order), compare_placed);
		else
			sort_simply(p->order + begin, n);
		uncompared += mark_image(p->order + begin, n, p->marks);
	}
	for (size_t i = 0; i < p->count; i++)
		if (p->marks[i])
			found(context, (enum box_pair)(p->marks[i] - 1), p->boxes[i].id, &p->boxes[i].place);
	if (ends != one)
		free(ends);
	return uncompared;
}
