/*
 * Recognises texts whose rows hold boxes in pixels, so that no coordinate is taken for a class id. Pure, any thread.
 *
 *   BOXES_GROUPED   image.jpg 48,240,195,371,11 8,12,352,498,14      keras-yolo3: the class is the fifth of each box
 *   BOXES_NAMED     person 25 16 38 56                               a name and a box, or a name, a score and a box
 *   BOXES_KITTI     Car 0.00 0 -1.58 587 173 614 200 1.65 ...        KITTI's label_2: 15 fields, or 16 with a score
 *   BOXES_CORNERS   a/1.jpg,25,16,38,56,person                       keras-retinanet; SKU-110K adds width and height
 *   BOXES_AFTER     25 16 38 56 person                               a box and a name: BBox-Label-Tool
 *   BOXES_NUMBERED  2 25 16 38 56                                    a class and a box, below a line that counts them
 *   BOXES_BARE      25 16 38 56, a/1.jpg 25 16 38 56                 boxes without a class
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum text_boxes {
	BOXES_NONE,
	BOXES_GROUPED,
	BOXES_NAMED,
	BOXES_KITTI,
	BOXES_CORNERS,
	BOXES_AFTER,
	BOXES_NUMBERED,
	BOXES_BARE,
};

/*
 * Returns the kind of nine lines in ten of a text that begins with s[0..n), and may count them in its first line;
 * whole: that is all of it.
 */
enum text_boxes text_boxes_of(const char *s, size_t n, bool whole);

/* Returns whether a text is one of bbGt, the boxes of Dollar's toolbox: it says so, and its classes are names. */
bool text_is_bbgt(const char *s, size_t n);

/* Returns where the class begins in a field that is a box of keras-yolo3, x1,y1,x2,y2,class; 0 if it is none. */
size_t box_class(const char *s, size_t n);
