/*
 * struct box_pairs: the boxes of a file, to find those that repeat another of their image: the same numbers, or nearly
 * the same, in one class or in two. 56 bytes a box, of at most BOX_PAIRS_MAX boxes; O(n log n) for each image. Owner:
 * the reader of one file, or a worker that clears it after each; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/coco_facts.h"

enum {
	BOX_PAIRS_MAX = 1 << 20, /* boxes that are compared; COCO has 860,000 */
	BOX_PAIRS_NEXT = 64,     /* a box is compared with at most 64, those that begin next to the right */
};

/* Boxes are nearly the same if they have more in common: two people do not stand that close. */
#define BOX_PAIRS_OVERLAP 0.95f

enum box_pair {
	PAIR_SAME,  /* the same class and numbers */
	PAIR_NEAR,  /* the same class, and more than BOX_PAIRS_OVERLAP in common */
	PAIR_CLASS, /* another class, and more than BOX_PAIRS_OVERLAP in common */
};

struct box_of_image {
	float v[4]; /* left, top, right, bottom */
	uint32_t image, class_index;
	int64_t id; /* of its annotation */
	struct coco_place place;
};

/* The class of a box that is kept, but not compared. */
#define BOX_PAIRS_NO_CLASS UINT32_MAX

/* All zero: empty. */
struct box_pairs {
	struct box_of_image *boxes; /* owned */
	size_t count, cap;
	uint64_t dropped; /* boxes beyond the limit */
	/* of box_pairs_find(), to be used again; owned */
	struct placed_box *order;
	uint8_t *marks;
	size_t order_cap, marks_cap;
};

void box_pairs_release(struct box_pairs *p);
/* Removes the boxes; keeps the memory, unless it is large. */
void box_pairs_clear(struct box_pairs *p);
/* Adds a box: left, top, right, bottom. Returns false beyond the limit. */
bool box_pairs_add(struct box_pairs *p, uint32_t image, uint32_t class_index, const double v[4], int64_t id,
		   const struct coco_place *place);

typedef void box_pairs_function(void *context, enum box_pair pair, int64_t id, const struct coco_place *later);

/*
 * Calls `found` once for each box that repeats an earlier one of its image, in the order of the file. images: how many
 * there are. Returns how many boxes were not compared with all others of their image.
 */
uint64_t box_pairs_find(struct box_pairs *p, size_t images, box_pairs_function *found, void *context);
