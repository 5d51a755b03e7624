/*
 * The first rows of a list, column by column: how many of the values are integers, paths, class names, runs of pixels;
 * and the rows: whether they are one-hot, or of several labels. read/list_columns.c concludes from them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "read/csv.h"
#include "read/list_words.h"
#include "read/name_table.h"

enum { FEW_ROWS = 20 }; /* fewer do not show which column holds the classes */

struct list_column {
	struct plain_word word; /* from the first row */
	uint32_t values;        /* after the first row, without empty ones; of these: */
	uint32_t numbers;       /* integers, also written as 3.0 */
	uint32_t fractions;     /* other numbers */
	uint32_t paths;         /* like file names */
	uint32_t known;         /* declared class names */
	uint32_t runs, sound;   /* runs of pixels (read/list_runs.h); sound ones */
	uint32_t suffixes;      /* ends in _3 */
	uint32_t several;       /* two integers or more: 3 14 7 */
	uint32_t barred;        /* two words or more, with a bar between them: Edema|Mass; with commas: Bark,Dog */
	uint32_t listed;
	uint32_t tagged; /* __label__cat, as fastText has them */
	uint32_t legal;  /* declared or ignored ids */
	bool of_point;   /* by its word: nose_x beside nose_y */
	bool serial;     /* each integer is the previous one plus 1 */
	bool varies;     /* at least two different integers */
	int64_t min, max, last;
};

struct list_preview {
	const struct class_set *classes;
	struct list_column *columns; /* owned */
	size_t count;
	bool first_has_number; /* a value of the first row is a number: it is no header */
	uint32_t rows;         /* read, without the first until preview_add_first(); of these: */
	uint32_t one_hot_rows; /* numbers are one 1 and else 0 */
	uint32_t binary_rows;  /* numbers are 0 and 1, and there are binary_columns */
	size_t binary_columns; /* numbers in the first row of 0 and 1 */
	bool signs;            /* these rows are of -1 and 1 */
};

/*
 * Reads the first rows. declared: the names of --classes; borrowed, like the classes, by later calls. Returns false if
 * *fault is set. Free s->columns in any case.
 */
bool preview_read(struct list_preview *s, struct csv *csv, const struct class_set *classes,
		  const struct name_table *declared, struct fault *fault);
/* Adds the first row, which is no header, to the columns. */
bool preview_add_first(struct list_preview *s, struct csv *csv, const struct name_table *declared, struct fault *fault);
/* Returns whether at most half of the values are numbers. */
bool column_is_text(const struct list_column *c);
/* Returns whether most values are integers; the audit reports fractions among them. */
bool column_is_integers(const struct list_column *c);
/* Returns whether the first row is a header: words alone, one of them known or above a column of numbers. */
bool preview_has_header(const struct list_preview *s);
/* Returns whether a column counts the rows: each value is the previous one plus 1. */
bool preview_counts_rows(const struct list_preview *s, const struct list_column *c);
/*
 * Returns whether each class has a column of 0 and 1 (one more column is allowed; any number of them below words), with
 * one 1 in each row. Two columns may be so by chance, unless words name them and there are many rows.
 */
bool preview_is_one_hot(const struct list_preview *s);
/*
 * Returns how many columns hold 0, 1 and blanks or -1, if they are three at least and half of all: findings, of which
 * some were not looked for.
 */
size_t preview_flags(const struct list_preview *s);
/* Returns whether nearly all rows have as many columns of 0 and 1 as there are classes. */
bool preview_is_multi_label(const struct list_preview *s);
