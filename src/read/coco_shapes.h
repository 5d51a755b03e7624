/*
 * Reads the shapes of a COCO annotation from the JSON tokens: its box, its polygons, its run-length encoding. Its
 * faults are returned; the caller counts them.
 */
#ifndef READ_COCO_SHAPES_H
#define READ_COCO_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json_pull.h"

/* A box as it is written. readable: it is four finite numbers and nothing else, and x + w and y + h are finite, too. */
struct coco_box {
	bool given, readable;
	double x, y, width, height;
};

struct coco_shape {
	bool bad_polygon; /* see coco_facts.h */
	bool bad_runs;
	uint64_t run_height, run_width; /* RLE: its size; 0 where there is none */
};

/* Read the next value. Return false if the text ends or is no JSON; then json->fault is set. */
bool coco_read_box(struct json_pull *json, struct coco_box *out);
bool coco_read_segmentation(struct json_pull *json, struct coco_shape *out);

/*
 * Sums up the runs of the compressed string form: numbers in groups of 5 bits, lowest first, as characters from '0';
 * bit 5 says that more follow, the highest bit of the last group is the sign; from the fourth number on each is the
 * difference from the one before the last (cocoapi, common/maskApi.c, rleToString). Returns false if it
 * does not have that form.
 */
bool coco_sum_runs(const char *s, size_t n, uint64_t *sum);

#endif
