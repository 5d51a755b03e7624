/* The 80 things of COCO, whose ids run from 1 to 90 with ten gaps (the paper lists 91 categories; 2014-2017 use 80). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { COCO_THINGS = 80, COCO_LAST = 90 };

/* Returns whether 1 <= id <= 90 is one of the ids that COCO leaves out. */
static inline bool coco_leaves_out(int64_t id)
{
	return id == 12 || id == 26 || id == 29 || id == 30 || id == 45 || id == 66 || id == 68 || id == 69 ||
	       id == 71 || id == 83;
}

/* Returns the place of an id among the 80, from 0. */
static inline int64_t coco_thing_index(int64_t id)
{
	int64_t index = id - 1;

	for (int64_t i = 1; i < id; i++)
		index -= coco_leaves_out(i);
	return index;
}
