/*
 * Says what a text is, by its first bytes: the one place that decides it. By form alone: never by whether an id, a
 * class or a box is right, which the audit judges. Pure, any thread.
 *
 * A form of boxes and YOLO's rows need at least half of the first lines, so that a faulty one hides no file; where
 * nothing is sure it is a table, whose columns the user is asked about.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/box_form.h"
#include "read/columns.h"

enum text_kind {
	TEXT_IS_NONE,    /* prose, settings, programs; words a line, as the names of classes; nothing at all */
	TEXT_IS_YOLO,    /* rows of a class and coordinates that are fractions of an image */
	TEXT_IS_BOXES,   /* rows of boxes of a public form: struct box_form */
	TEXT_IS_LIST,    /* each row has a label, and it is sure in which column */
	TEXT_IS_NAMES,   /* one a line, each once: the names or the numbers of images */
	TEXT_IS_PAIRS,   /* rows begin with the names of two images: an image and its mask */
	TEXT_IS_CLASSES, /* a table of the classes: ids in order with a name each, or names with colours */
	TEXT_IS_TABLE,   /* rows and columns, of which none is surely the labels: to be asked */
};

struct text_look {
	enum text_kind kind;
	const struct box_form *form; /* of TEXT_IS_BOXES */
	char separator;              /* of fields */
	bool json;                   /* JSON Lines: an object a line */
	bool header;                 /* the first line names the columns */
	bool label_word;             /* one of its words, or of the keys of JSON, means labels */
	bool path_word;              /* one of them means the name of a file */
	bool flags;                  /* of a table with a header: three columns or more of 0 and 1 */
	bool names_file;             /* JSON: a key is file_name */
	bool lacks_word;             /* it has no word for the first column, as R writes tables */
	bool counted;                /* the first line is the number of the rows */
	bool distinct;               /* one column of integers, of which none comes again in the first lines */
	uint64_t rows;               /* counted: as that line says */
	size_t columns;              /* of most lines; 1: a text of one column */
};

/* Fills *out by the first n bytes of a text; whole: these are all of it. */
void text_look(const char *s, size_t n, bool whole, struct text_look *out);

/* Returns the bytes of a first line that counts the rows, with its end; 0 if there is none. */
size_t text_count_line(const char *s, size_t n, bool whole, uint64_t *rows);

/* Returns whether a line is one that DOTA's label files begin with: "imagesource:GoogleEarth", "gsd:0.146". */
bool text_is_dota_head(const char *s, size_t n);

/*
 * Returns whether every line has five numbers, separated by blanks, commas or semicolons, or every line six or nine,
 * separated by blanks. In a folder of YOLO texts these are boxes in pixels, with a confidence, or with wrong
 * separators.
 */
bool text_is_numbers_of_boxes(const char *s, size_t n, bool whole);
