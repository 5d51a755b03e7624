/* struct list_layout: the separator and the columns of a list of labels. Plain data, a part of struct sample. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NO_COLUMN UINT32_MAX

enum { LIST_WORD_MAX = 48 };

struct list_layout {
	char separator;                 /* of struct csv */
	bool header;                    /* the first row names the columns */
	bool names;                     /* the labels are class names, not ids */
	bool numbered;                  /* the names are not declared: their numbers are those of this list alone */
	bool boxes;                     /* a row is a box or another object, and an image has many rows */
	bool fractions;                 /* of boxes: in fractions of the image, not pixels */
	bool leaves_frame;              /* struct box_form */
	bool unnamed_boxes;             /* no header, and beside image and label four columns of numbers: boxes? */
	bool one_image;                 /* of boxes: neither a path nor a frame tells the image */
	bool box_sizes;                 /* the last two of box_columns are width and height, not right and bottom */
	uint32_t columns;               /* of the first row */
	uint32_t label_column;          /* from 0 */
	uint32_t path_column;           /* or NO_COLUMN */
	uint32_t token_column;          /* of ids that index the same table as the labels; or NO_COLUMN */
	uint32_t beside_column;         /* of lists with an item for each label, which are only counted; or NO_COLUMN */
	bool tokens;                    /* the labels are tokens, which index a table: none of them is ignored */
	bool several_hot;               /* the labels are lists of 1 and 0, one for each class */
	bool other_tokens;              /* there are such ids, and it is not sure that it is the same table */
	uint32_t box_columns[4];        /* left, top, right, bottom; or NO_COLUMN all */
	uint32_t boxes_column;          /* of a box in brackets, or, beside a list of labels, of a list of them */
	bool one_class;                 /* of boxes: there is no label_column, as all are of the only class */
	uint32_t image_columns[2];      /* of a table of boxes: width and height of the image; or NO_COLUMN both */
	char label_name[LIST_WORD_MAX]; /* from the header, cut to fit; "" without one */
	/* The first undeclared name, and the declared name nearest to it; "" if there is none. */
	char unknown[LIST_WORD_MAX], nearest[LIST_WORD_MAX];
};
