/*
 * Says what a text is, by its first bytes: the one place that decides it. By form alone: never by whether an id, a
 * class or a box is right, which the audit judges. Pure, any thread.
 *
 * A form of boxes and YOLO's rows need at least half of the first lines, so that a faulty one hides no file; where
 * nothing is sure it is a table, whose columns the user is asked about (read/columns.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/box_form.h"
#include "read/columns.h"

struct text_look {
	enum text_kind kind;
	const struct box_form *form; /* of TEXT_IS_BOXES */
	char separator;              /* of fields */
	enum json_rows json;         /* the records are values of JSON */
	bool header;                 /* the first line names the columns */
	bool label_word;             /* one of its words, or of the keys of JSON, means labels */
	bool boxes;                  /* of a table without one: its header names the sides of boxes */
	bool path_word;              /* one of them means the name of a file */
	bool lists;                  /* one of the columns holds lists of integers */
	bool images;                 /* of a table without a header: rows of an image's name, and words beside it */
	bool names_file;             /* one of them is file_name */
	bool flags;                  /* of a table with a header: three columns or more of 0 and 1 */
	/*
	 * Every row has five numbers, or with blanks between them every row six or nine: in a folder of YOLO texts
	 * boxes in pixels, with a confidence, or with wrong separators.
	 */
	bool numbers;
	bool counted;   /* the first line is the number of the rows */
	bool distinct;  /* one column of integers, of which none comes again in the first lines */
	uint64_t rows;  /* counted: as that line says */
	size_t columns; /* of most lines; 1: a text of one column */
};

/* Fills *out by the first n bytes of a text; whole: these are all of it. */
void text_look(const char *s, size_t n, bool whole, struct text_look *out);

/* The same, but for what its columns tell: one column and tables are TEXT_IS_TABLE. */
void text_look_at_lines(const char *s, size_t n, bool whole, struct text_look *out);

/* Changes what was found where the form of rows of boxes is declared, and the columns are as many. */
void text_declare_form(struct text_look *look, const struct box_form *form);

/* Opens the first bytes of a text as a table: c and in are to be closed. Returns false if there is nothing to read. */
bool text_open_head(struct csv *c, struct input *in, const char *s, size_t n, bool whole, const struct text_look *look);
