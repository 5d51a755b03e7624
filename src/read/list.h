/*
 * struct list: reads a list of labels, row by row: one id a line; `path id`; `path,id`; any CSV with a column of ids or
 * of class names; Kaggle's tables of runs of pixels.
 *
 * A faulty row is returned with its faults, and reading continues; only an unreadable text ends with a struct fault.
 * Class names are looked up among those that --classes declares. If it declares only a number of classes, the names in
 * the list are numbered in byte order. Rows with the same path are compared, in bounded memory (read/entry_table.h).
 * Owner: the reader of one file; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/class_set.h"
#include "read/csv.h"
#include "read/entry_table.h"
#include "read/list_layout.h"
#include "read/name_table.h"

/* The faults of a row. */
enum list_fault {
	LIST_MISSING,     /* no label: empty, or NaN, NA, null, none */
	LIST_NOT_INTEGER, /* neither an integer nor, with names, a name */
	LIST_OVERFLOW,    /* an integer of more than 64 bits */
	LIST_RAGGED,      /* more or fewer columns than the first row */
	LIST_UNKNOWN,     /* a name that is not declared */
	LIST_NUL,         /* a NUL byte */
	LIST_FLOAT,       /* 3.0: counted as 3 */
	LIST_QUOTE,       /* a quotation mark inside a bare field */
	LIST_NOT_UTF8,
	LIST_LONE_CR,   /* ended by a CR alone */
	LIST_PADDED,    /* a class name has blanks at its edges, unlike other rows */
	LIST_COMMENT,   /* counts lines that begin with #, which are no rows */
	LIST_DUPLICATE, /* the path was listed before, with the same label */
	LIST_CONFLICT,  /* the path was listed before, with another label */
	LIST_NO_FILE,   /* the file does not exist below --root */
	LIST_RUNS,      /* runs of pixels that are no pairs, overlap, or are empty */
	LIST_FAULTS,
};

struct list_row {
	uint64_t line;
	uint32_t column; /* of the label, or where it should be */
	uint32_t faults; /* bits 1 << enum list_fault */
	bool has_id;
	bool has_entry; /* entry, the hash of its path (of a box: of its row), is valid */
	int64_t id;
	/* where the id, if it is no name, is written: its offset in the file; 0 bytes: not in one piece */
	uint64_t id_at;
	uint32_t id_size;
	uint64_t entry;
	uint64_t key; /* of the row, whatever its line, if the list has paths; else of line and id: base/key_set.h */
};

struct list_options {
	const struct class_set *classes;
	const char *column; /* --column, or NULL */
	const char *root;   /* --root, or NULL */
	bool lone;          /* the file is the label of one sample, so its name cannot be numbered */
	/* For each row's path that is read; NULL: none. */
	void (*path)(void *context, const char *s, size_t n);
	void *context;
};

struct list {
	const struct list_options *options;
	struct csv csv;
	struct list_layout layout;
	struct name_table names;
	struct entry_table entries;                 /* by path */
	int root_fd;                                /* or -1 */
	size_t next_box;                            /* COLUMN_GROUPS: the current record's next field; 0: none */
	enum { PADS_UNKNOWN, PADS, PADS_NOT } pads; /* whether a blank precedes the first label, as in ", " */
};

/* Opens a list; borrows options and the input. Returns false if *fault is set; close it all the same. */
bool list_open(struct list *l, struct input *in, const struct list_options *options, struct fault *fault);
/* Reads up to max rows. Returns how many; 0 at the end, or if *fault is set. */
size_t list_read(struct list *l, struct list_row *rows, size_t max, struct fault *fault);
void list_close(struct list *l);

/*
 * Finds the columns and fills *out; afterwards the csv is at its beginning. column: --column, or NULL. declared: the
 * names of --classes. Returns false if there is no such column, no column could hold labels, or the text cannot be
 * read; then *fault is set.
 */
bool list_columns_find(struct csv *c, const char *column, const struct class_set *classes,
		       const struct name_table *declared, struct list_layout *out, struct fault *fault);
