/*
 * struct yolo: reads a YOLO label file, row by row: `class x y w h`, `class x1 y1 x2 y2 x3 y3 ...` (a polygon, or with
 * four points an oriented box), or `class x y w h` and keypoints of 2 or 3 numbers (a pose). Blanks separate columns;
 * coordinates are fractions of the image's width and height. https://docs.ultralytics.com/datasets/
 *
 * A faulty row is returned with its faults, and reading continues. Blank lines are skipped; a file without rows is an
 * image without objects. Owner: the reader of one file; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/class_set.h"
#include "base/scan_number.h"
#include "base/settings.h"
#include "base/strbuf.h"
#include "read/entry_table.h"
#include "read/geometry.h"
#include "read/photo.h"
#include "read/text_lines.h"

/* The faults of a row. */
enum box_fault {
	BOX_CLASS,      /* the class is not a 64-bit integer */
	BOX_NEGATIVE,   /* the class is below 0 */
	BOX_COLUMNS,    /* neither 5 columns nor those of a polygon, an oriented box or a pose */
	BOX_CONFIDENCE, /* 6 columns: a model's prediction, not a label to train on */
	BOX_NUMBER,     /* a coordinate is not a number, NaN or infinite */
	BOX_RANGE,      /* a coordinate below -0.01 or above 1.01 */
	/* in the order of enum box_trouble */
	BOX_NO_AREA,
	BOX_INVERTED,
	BOX_OUTSIDE,
	BOX_AWAY,
	BOX_TASK,        /* a row that is right, but of another task than the declared one */
	BOX_VISIBILITY,  /* of a pose whose form is declared: a visibility that is not 0, 1 or 2 */
	BOX_SEPARATOR,   /* commas or semicolons separate the columns; they are read as if they were blanks */
	BOX_DECIMAL,     /* commas are the decimal points; they are read as these */
	BOX_NAME,        /* the class is the name of one: read as that */
	BOX_DUPLICATE,   /* equals an earlier row */
	BOX_NEAR,        /* PAIR_NEAR of an earlier row: read/box_pairs.h */
	BOX_OTHER_CLASS, /* PAIR_CLASS */
	BOX_CROSSING,    /* edges of a polygon of few points cross */
	BOX_AWAY_POINTS, /* all labelled keypoints are outside the box */
	BOX_ORIGIN,      /* a labelled keypoint is at 0, 0 */
	BOX_UNLABELLED,  /* no keypoint is labelled */
	BOX_FLOAT,       /* the class is written as 3.0: counted as 3 */
	BOX_BOM,         /* a byte order mark before the class */
	BOX_LONE_CR,     /* ended by a CR alone */
	BOX_SLIGHT,      /* a coordinate below 0 or above 1 of a row without any of those before BOX_DUPLICATE */
	BOX_FAULTS,
};

enum box_type { BOX_NONE, BOX_RECTANGLE, BOX_POLYGON, BOX_ORIENTED, BOX_POSE, BOX_TYPES };

struct box_row {
	uint64_t line;
	uint32_t column;    /* of the first fault, or of the class */
	uint32_t faults;    /* bits 1 << enum box_fault */
	enum box_type type; /* BOX_NONE: unknown */
	bool has_id;
	bool round;      /* its first two coordinates have at most three decimals each */
	bool maybe_pose; /* a polygon that could also be a pose with three numbers per keypoint */
	int64_t id;
	/* where the id is written: its offset in the file */
	uint64_t id_at;
	uint32_t id_size;
	float edges[4]; /* of its box: left, top, right, bottom; all 0: it has none */
	uint64_t entry; /* the hash of its values */
	uint64_t key;   /* of its bytes: base/key_set.h */
};

/*
 * Coordinates just outside the image are rounding errors; Ultralytics has the same tolerance today. Its older versions
 * and YOLOv5 to v7 drop the image of a coordinate that is, as a float of 32 bits, above 1 or below 0.
 */
#define BOX_LOWEST  (-DECIMAL_ONE / 100)
#define BOX_HIGHEST (DECIMAL_ONE + DECIMAL_ONE / 100)
#define BOX_ONE     (DECIMAL_ONE + DECIMAL_ONE / 16777216) /* what is rounded to 1 */

/* Farther out than this lie pixels, not fractions. */
#define BOX_FRACTION_MOST 2.0

struct yolo {
	struct text_lines text;
	struct strbuf blanks;                   /* a row with blanks in place of its separators */
	struct entry_table *rows;               /* of this file; borrowed */
	const struct class_set *names;          /* for BOX_NAME; the caller sets it; borrowed; NULL: none are known */
	struct box_facts box;                   /* of the row that was read last, if it has one */
	struct image_extent image;              /* the caller sets it; or 0 x 0 */
	struct box_tally boxes, beyond, unread; /* unread: of pixels where fractions belong; not reported */
	double farthest;                        /* the largest coordinate of BOX_RANGE, without its sign */
	struct yolo_form form;
};

/*
 * Borrows the input and the table, which is cleared. Set `image` afterwards if the size of it is known. form: NULL if
 * it does not matter. Returns false if *fault is set; close it all the same.
 */
bool yolo_open(struct yolo *y, struct input *in, const struct yolo_form *form, struct entry_table *rows,
	       struct fault *fault);
/* Reads up to max rows. Returns how many; 0 at the end, or if *fault is set. */
size_t yolo_read(struct yolo *y, struct box_row *rows, size_t max, struct fault *fault);
void yolo_close(struct yolo *y);
