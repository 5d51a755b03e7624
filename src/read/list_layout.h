/* struct list_layout: the separator and the columns of a list of labels. Plain data, a part of struct sample. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NO_COLUMN UINT32_MAX

/* How the label column was chosen. */
enum column_choice {
	COLUMN_ONLY,    /* there is no other, except the paths */
	COLUMN_GIVEN,   /* --column */
	COLUMN_WORD,    /* by its word in the header */
	COLUMN_NAMES,   /* it holds the declared class names */
	COLUMN_CLASSES, /* it holds as many different words as there are classes */
	COLUMN_LAST,    /* the last one of integers, or of few words */
	COLUMN_QUADS,   /* the class name after four corners: DOTA */
	COLUMN_CORNERS, /* the class after a path and two corners, keras-retinanet; of VisDrone's rows, the sixth number
			 */
	COLUMN_GROUPS,  /* the class is the last of each box after a path: keras-yolo3 */
	COLUMN_RUNS,    /* none: rows are objects of one class, by their runs of pixels: ImageId,EncodedPixels */
	COLUMN_SUFFIX,  /* after the path: the 3 of 1.jpg_3 in ImageId_ClassId,EncodedPixels */
	COLUMN_BEFORE,  /* the class name before a box: KITTI's label_2, `person 25 16 38 56` */
	COLUMN_AFTER,   /* the class name after a box, without a path: `25 16 38 56 person` */
};

enum { LIST_WORD_MAX = 48 };

struct list_layout {
	char separator;     /* of struct csv */
	bool header;        /* the first row names the columns */
	bool names;         /* the labels are class names, not ids */
	bool numbered;      /* the names are not declared: their numbers are those of this list alone */
	bool boxes;         /* a row is a box or another object, and an image has many rows */
	bool sound_runs;    /* nearly all fields of runs_column are sound: others are faults */
	bool path_to_label; /* paths contain blanks: everything before the label, which is last, is the path */
	enum column_choice choice;
	uint32_t columns;               /* of the first row */
	uint32_t label_column;          /* from 0 */
	uint32_t path_column;           /* or NO_COLUMN */
	uint32_t runs_column;           /* of runs of pixels (read/list_runs.h), or NO_COLUMN */
	int64_t runs_id;                /* of COLUMN_RUNS: the class of all objects */
	char label_name[LIST_WORD_MAX]; /* from the header, cut to fit; "" without one */
	/* The first undeclared name, and the declared name nearest to it; "" if there is none. */
	char unknown[LIST_WORD_MAX], nearest[LIST_WORD_MAX];
};
