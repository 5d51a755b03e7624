/*
 * struct box_facts: a box as a label file has it: four numbers, what they mean, and the size of its image. The readers
 * of COCO files, YOLO texts and tables of boxes fill it, and geometry_judge() judges it, so that no container is laxer
 * than another. struct box_tally: what all boxes of a file, or of a set of texts, have in common.
 *
 * A trouble is a bit, 1 << enum box_trouble; the readers have faults of their own for these, in the same order. Pure,
 * any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scan_number.h"

enum box_trouble {
	GEOMETRY_NO_AREA,  /* its width or height is 0 */
	GEOMETRY_INVERTED, /* its width or height is below 0, or its right and bottom before its left and top */
	GEOMETRY_OUTSIDE,  /* a part of it is outside the image, by more than the tolerance */
	GEOMETRY_AWAY,     /* all of it is */
	GEOMETRY_TROUBLES,
};

/* The meaning of the four numbers. */
enum box_numbers {
	BOX_CORNERS,     /* left, top, right, bottom */
	BOX_CORNER_SIZE, /* left, top, width, height */
	BOX_CENTRE_SIZE, /* x and y of the centre, width, height */
	BOX_NUMBERS,
};

/* BOX_EITHER: of a table that does not say; taken for pixels, but no wonder if all are fractions. */
enum box_unit { BOX_PIXELS, BOX_FRACTIONS, BOX_EITHER };

struct box_facts {
	double v[4]; /* finite, as their sums are */
	enum box_numbers numbers;
	enum box_unit unit;
	double width, height; /* of the image in pixels; 0: unknown */
	bool unwritten;       /* the file has points or a mask, and this is the box around them */
};

/*
 * The tolerance: edges of boxes are pixel edges for some tools and pixel centres for others, up to a pixel apart; and
 * fractions are written with three decimals or more, of the centre and of the size.
 */
#define GEOMETRY_PIXEL    1.0
#define GEOMETRY_FRACTION (0.001 + GEOMETRY_ROUNDING)
#define GEOMETRY_ROUNDING 1e-9 /* what binary fractions make of decimals */

/* A coordinate is less: no image is that large, and trainers hold it in 32 bits. */
#define GEOMETRY_LIMIT (DECIMAL_LIMIT * GEOMETRY_UNIT)

/*
 * Counts of boxes without NO_AREA and INVERTED, but for those of two members, and the largest overshoot of those
 * outside. Sums do not depend on order. "as": with a place in the image, were the numbers, or those from which a
 * converter made them, something else. BOX_COUNTS of 64 bits each come first.
 */
struct box_tally {
	uint64_t boxes;
	uint64_t placed;     /* the size of their image is known */
	uint64_t in_a_pixel; /* of pixels: within one pixel from the origin */
	/* The third number is above the first, and the fourth above the second: as if they were right and bottom. */
	uint64_t as_corners;
	uint64_t as_made_corners; /* width and height are right and bottom, and the form was made of that */
	uint64_t as_centres;      /* left and top are the centre; */
	uint64_t as_made_centres; /* and the form was made of that */
	uint64_t as_sizes;        /* width and height follow left and top; of those with INVERTED, too */
	uint64_t as_swapped;      /* of pixels: x and y are exchanged */
	uint64_t inverted;        /* with INVERTED */
	uint64_t outside;         /* placed, with OUTSIDE or AWAY */
	uint64_t clipped;   /* placed, and outside so little that `fix --clip` cuts them, also within the tolerance */
	uint64_t unclipped; /* with OUTSIDE or AWAY, that it does not cut */
	uint64_t tiny;      /* at most about one pixel wide or high; of fractions, if the image's size is known */
	uint64_t whole;     /* placed, and as large as the image */
	uint64_t near, two_class; /* PAIR_NEAR, PAIR_CLASS: read/box_pairs.h */
	double overshoot;         /* pixels, or fractions of the image */
};

#define BOX_COUNTS (offsetof(struct box_tally, overshoot) / sizeof(uint64_t))

/* The shape of the object that a box is around: polygons, or a mask. */
struct shape_facts {
	double left, top, right, bottom;
	double area; /* of polygons, the sum of theirs; 0: it covers nothing, and a mask has no bounds */
};

enum shape_trouble {
	SHAPE_OFF_BOX, /* box and shape have less than half in common */
	SHAPE_NOTHING, /* it covers nothing, and the box something */
	SHAPE_AREA,    /* the area that is written can be neither that of the box nor that of the shape */
	SHAPE_TROUBLES,
};

/* Counts of shapes with SHAPE_OFF_BOX, and of those that the box fits if its numbers mean something else. */
struct shape_tally {
	uint64_t off_box, as_corners, as_centres;
};

/*
 * Returns the bits, 1 << enum shape_trouble, of what box, shape and area of an object say against each other. box: with
 * an area, in pixels, left, top, width, height. shape: NULL if it has none. area: as it is written; below 0 if it is
 * not.
 */
unsigned geometry_compare(const struct box_facts *box, const struct shape_facts *shape, double area,
			  struct shape_tally *tally);

/* Returns the part, 0 to 1, that two boxes with an area, left, top, right, bottom, have in common (IoU). */
double geometry_overlap(const double a[4], const double b[4]);

enum { CROSSING_POINTS = 8 }; /* at most, of polygons whose edges are compared with each other */

/* Returns whether edges of a polygon of n points, x and y of each, cross. */
bool polygon_crosses(const double *v, size_t n);

/* The bounds and the number of the keypoints of an object. All zero: there is none so far. */
struct keypoint_facts {
	uint64_t count, labelled;
	bool at_origin;                  /* a labelled one is at 0, 0: where tools write those that are missing */
	double left, top, right, bottom; /* around those that are labelled, if there is one */
};

/* Adds a keypoint: x, y, visibility; it is labelled if that is above 0. */
void keypoint_add(struct keypoint_facts *k, const double v[3]);
/* Returns whether all labelled ones are on one side of the box, left, top, right, bottom, by a tenth of it and least.
 */
bool keypoints_are_away(const struct keypoint_facts *k, const double box[4], double least);

/* A number of base/scan_number.h, times this, is the number as it is written. */
#define GEOMETRY_UNIT (1.0 / DECIMAL_ONE)

/* Returns the bits, 1 << enum box_trouble, of all that is wrong with a box, and adds the box to the tally. */
unsigned geometry_judge(const struct box_facts *box, struct box_tally *tally);

/* The meaning that the numbers of a file seem to have, against its form. */
enum box_mistake {
	MISTAKE_NONE,
	MISTAKE_FRACTIONS,    /* fractions of the image where pixels are expected */
	MISTAKE_CORNERS,      /* left, top, right, bottom where a size is expected */
	MISTAKE_MADE_CORNERS, /* the form was made of these, as if right and bottom were a size */
	MISTAKE_CENTRES,      /* the centre where left and top are expected */
	MISTAKE_MADE_CENTRES, /* the same when the form was made */
	MISTAKE_SIZES,        /* left, top, width, height where something else is expected */
	MISTAKE_SWAPPED,      /* y before x */
};

/* Returns the mistake that explains the boxes of a file, or of several whose tallies were added. */
enum box_mistake geometry_mistake(const struct box_tally *tally);
