/*
 * struct box_form: a public form of texts whose rows are boxes: KITTI, MOT, VisDrone, DOTA and others, one table of
 * data. --kind NAME declares a form; read/text_look.h recognises one where nothing else fits, by the kind of its
 * columns alone, never by whether a box or a class is right, which the audit judges.
 *
 * A form is added by a row of box_forms (box_form.c), its name in BOX_FORM_NAMES, a line of the table in labelaudit(1)
 * and a text in tests/unit/test_text_look.c. In a row a letter stands for each column:
 *
 *   N  the name of a class          l t r b  left, top, right and bottom of the box
 *   I  the id of a class            W H      its width and height
 *   A  either                       q        x or y of a corner, eight of them
 *   p  the path of an image         X Y      its width and height
 *   #  a number                     0 2 f    a number of 0 and 1, of 0 to 2, a fraction of 1
 *   E  nothing
 *   w  a word                       F  a number that tells the frame of a video, the image, from others
 *
 * After a bar come columns that may be missing, all together. Constant data; pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "read/fields.h"

struct box_form {
	const char *name;
	char separator;
	bool fractions;    /* coordinates are fractions of the image's size, else pixels */
	bool many_labels;  /* a box has a row for each of its classes */
	bool leaves_frame; /* a box is around the hidden part of its object, too, outside the image as well */
	bool grouped;      /* keras-yolo3: after the path come boxes, one a field: x1,y1,x2,y2,id */
	const char *columns;
	const char
		*frames; /* where the images of frames are, from the folder of the text on, whose stem is *; or NULL */
	int digits;      /* of their names */
};

enum { BOX_FORM_COLUMNS = 24 };

/* The forms of --kind, in any order. */
#define BOX_FORM_NAMES                                                                                             \
	"kitti,dota,visdrone,visdrone-video,mot,uavdt,keras-yolo3,keras-retinanet,gtsdb,automl,ava,tiny-imagenet," \
	"class-box,box-class"

extern const struct box_form box_forms[];

/* Returns the form of that name, or NULL. */
const struct box_form *box_form_find(const char *name);
/* Returns the n-th column with that letter, both from 0, or SIZE_MAX. */
size_t box_form_column(const struct box_form *form, char letter);
/* Returns the columns that a row must have; *all: with those that may be missing. */
size_t box_form_width(const struct box_form *form, size_t *all);
/* Returns the column of the class, from 0. */
size_t box_form_class(const struct box_form *form);

/*
 * Returns the form of a text by its first lines, or NULL: at least half of them fit, or nine in ten where no column is
 * a word. counted: a line before them tells how many boxes there are.
 */
const struct box_form *box_form_of(const struct text_field *lines, size_t count, bool counted);

/* Returns where the class begins in a field that is a box of keras-yolo3, x1,y1,x2,y2,class; 0 if it is none. */
size_t box_group_class(const char *s, size_t n);
