/*
 * Reads the shapes of a COCO annotation from JSON tokens: box, polygons, run-length encoding (RLE), keypoints. Faults
 * are returned; the caller counts them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/json_pull.h"
#include "read/geometry.h"

/* A box as written. readable: it has exactly four numbers, all below GEOMETRY_LIMIT. */
struct coco_box {
	bool given, readable;
	double x, y, width, height;
};

struct coco_shape {
	bool flat_polygon; /* see coco_facts.h */
	bool bad_polygon;
	bool bad_runs;
	bool given;    /* it is not empty */
	bool crossing; /* edges of a polygon of at most 8 points cross */
	bool measured; /* `shape` is known */
	bool no_rows;  /* but its rows are not: the runs came before their size */
	struct shape_facts shape;
	uint64_t run_height, run_width; /* of RLE; 0 without one */
};

/* Sums of runs, which go down the columns of the mask: every second one is of the object. */
struct coco_runs {
	uint64_t count, sum;
	uint64_t pixels;      /* of the object */
	uint64_t first, end;  /* of them: the first, and the one after the last */
	uint64_t top, bottom; /* rows of them; bottom is 0 without one, or where the height was not known */
};

/*
 * Keypoints, [x1, y1, v1, x2, y2, v2, ...]; v, the visibility, is 0: not labelled, 1: labelled and hidden, 2: visible
 * (https://cocodataset.org/#format-data, "Keypoint Detection").
 */
struct coco_keypoints {
	bool given, readable; /* readable: three finite numbers each */
	bool bad_visibility;
	struct keypoint_facts facts;
};

/* Read the next value. Return false if the text ends or is no JSON; then json->fault is set. */
bool coco_read_box(struct json_pull *json, struct coco_box *out);
bool coco_read_segmentation(struct json_pull *json, struct coco_shape *out);
bool coco_read_keypoints(struct json_pull *json, struct coco_keypoints *out);

/*
 * Adds the runs of compressed RLE (cocoapi, common/maskApi.c, rleToString): numbers in groups of 5 bits, lowest first,
 * as characters from '0'. Bit 5 is set if more groups follow; the highest bit of the last group is the sign. From the
 * fourth number on, each is the difference from the number two before it. height: of the mask; 0: not known. Returns
 * false if s has another form.
 */
bool coco_add_runs(const char *s, size_t n, uint64_t height, struct coco_runs *runs);
