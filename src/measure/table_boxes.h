/*
 * struct table_boxes: the boxes of a list. They wait until the sizes of their images are known, from columns of the
 * list or from the headers of the images, which are read many at a time; then they are judged, and compared with each
 * other. At most BOX_PAIRS_MAX boxes wait, 56 bytes each, of TABLE_IMAGES_MAX images; what comes later is judged at
 * once, by what is known. Owner: who measures the list; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "read/box_pairs.h"
#include "read/geometry.h"
#include "read/photo.h"

enum { TABLE_IMAGES_MAX = 1 << 19 };

struct table_boxes {
	struct box_pairs *pairs; /* borrowed, empty */
	struct table images;
	uint64_t *keys;               /* of images; owned */
	struct image_extent *extents; /* theirs; owned */
	size_t count, keys_cap, extents_cap;
	struct box_facts like; /* what all boxes are like */
	bool of_columns;       /* `extents` are what the list says: by these, fix cuts boxes */
	struct box_tally tally;
};

/* Called for each box that has a trouble: bits 1 << enum box_trouble. */
typedef void table_boxes_function(void *context, unsigned troubles, const struct coco_place *place);

void table_boxes_open(struct table_boxes *t, struct box_pairs *pairs);
void table_boxes_close(struct table_boxes *t);
/* Returns the number of the image with that key; UINT32_MAX: there are too many. */
uint32_t table_boxes_image(struct table_boxes *t, uint64_t key);
/* Sets the size of an image by its header, unless a column did. */
void table_boxes_size(struct table_boxes *t, uint32_t image, const struct photo_size *size);
/*
 * Adds a box. All of a list have the same `numbers` and `unit`; its width and height are those that columns say.
 * Returns its troubles if it does not wait.
 */
unsigned table_boxes_add(struct table_boxes *t, const struct box_facts *box, uint32_t image, uint32_t class_index,
			 const struct coco_place *place);
/* Judges the boxes that wait. Returns whether they are in fractions of their images. */
bool table_boxes_judge(struct table_boxes *t, table_boxes_function *found, void *context);
