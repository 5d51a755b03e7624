/*
 * struct list: reads a list of labels, row by row: one id a line; `path id`; `path,id`; any CSV or JSON Lines with a
 * column of ids, of lists of ids or of class names; rows of boxes in a public form (read/box_form.h).
 *
 * A faulty row is returned with its faults, and reading continues; only an unreadable text ends with a struct fault.
 * A number or a list of numbers is never a name. Class names are looked up among those that --classes declares. If it
 * declares only a number of classes, the names in the list are numbered in byte order. Rows with the same path are
 * compared, in bounded memory (read/entry_table.h). Owner: the reader of one file; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/class_set.h"
#include "read/box_form.h"
#include "read/csv.h"
#include "read/entry_table.h"
#include "read/geometry.h"
#include "read/list_layout.h"
#include "read/name_table.h"

struct listed_image; /* read/listed_images.h */

/* The faults of a row. */
enum list_fault {
	LIST_MISSING,     /* no label: empty, or NaN, NA, null, none */
	LIST_NOT_INTEGER, /* neither an integer nor, with names, a name */
	LIST_OVERFLOW,    /* an integer of more than 64 bits */
	LIST_RAGGED,      /* more or fewer columns than the first row */
	LIST_NOT_NAME,    /* a number or a list of numbers among names */
	LIST_UNKNOWN,     /* a name that is not declared */
	LIST_NUL,         /* a NUL byte */
	LIST_FLOAT,       /* 3.0: counted as 3 */
	LIST_QUOTE,       /* a quotation mark inside a bare field */
	LIST_NOT_UTF8,
	LIST_LONE_CR,     /* ended by a CR alone */
	LIST_BLANKS,      /* blanks around a name: csv and pandas keep them */
	LIST_COMMENT,     /* counts lines that begin with #, which are no rows */
	LIST_DUPLICATE,   /* the path was listed before, with the same label */
	LIST_CONFLICT,    /* the path was listed before, with another label */
	LIST_TOO_LONG,    /* a list of more ids than --max-length */
	LIST_ALL_IGNORED, /* a list of labels that are all ignored */
	LIST_NO_TOKEN,    /* an ignored id among tokens: it indexes no row of a table */
	LIST_LENGTH,      /* a list of more or fewer labels than tokens or boxes, or than there are classes */
	LIST_BOX_NUMBER,  /* a coordinate of a box is no finite number below GEOMETRY_LIMIT */
	/* in the order of enum box_trouble */
	LIST_BOX_NO_AREA,
	LIST_BOX_INVERTED,
	LIST_BOX_OUTSIDE,
	LIST_BOX_AWAY,
	/* in the order of enum box_pair */
	LIST_SAME_BOX,
	LIST_NEAR_BOX,
	LIST_OTHER_CLASS,
	LIST_IMAGE_SIZE, /* the width or height of an image is below 1 */
	LIST_CROSSING,   /* the edges of a quadrilateral cross */
	LIST_FAULTS,
};

struct list_row {
	uint64_t line;
	uint32_t column; /* of the label, or where it should be */
	uint32_t faults; /* bits 1 << enum list_fault */
	bool has_id;
	bool has_entry; /* entry, the hash of its path (of another object: of its row), is valid; not of a box */
	int64_t id;
	/* where the id, if it is no name, is written: its offset in the file; 0 bytes: not in one piece */
	uint64_t id_at;
	uint32_t id_size;
	uint64_t entry;
	uint64_t key; /* of the row, whatever its line, if the list has paths; else of line and id: base/key_set.h */
};

struct list;

struct list_options {
	const struct class_set *classes;
	const struct box_form *form; /* of the rows, if --kind declares it; or NULL */
	const char *column;          /* --column, or NULL */
	uint64_t max_length;         /* --max-length, or 0 */
	/* For each row's path that is read; NULL: none. */
	void (*path)(void *context, const struct listed_image *image);
	/* For each row's box, l->box. NULL: list_read() judges it, by its own row. */
	void (*box)(void *context, const struct list *l, const struct list_row *row);
	/*
	 * For ids in lists that are classes or, if negative, ignored, as most are: they have no row. NULL: each has
	 * one.
	 */
	void (*ids)(void *context, const int64_t *ids, size_t n);
	void *context;
};

/* A list in a field, while it is read item by item. */
struct list_items {
	struct text_field rest;  /* what is left of it; n is 0: nothing */
	bool tokens;             /* of the column of tokens, after the labels */
	bool indexes;            /* the items index a table */
	uint64_t labels;         /* of tokens: how many labels the row has */
	uint64_t count, trained; /* read so far, and those of them that are not ignored */
	struct text_field boxes; /* what is left of the list of boxes beside it */
};

struct list {
	const struct list_options *options;
	struct csv csv;
	struct list_layout layout;
	struct name_table names;
	struct entry_table entries;  /* by path */
	const struct box_form *form; /* of the rows, or NULL */
	uint64_t announced;          /* rows, by the first line; 0: it does not say */
	struct box_facts box;        /* of the row that was read last, if it has one */
	struct text_field sides[4];  /* its numbers; */
	struct text_field bracketed; /* of a list of boxes, the box; */
	struct text_field item;      /* and the label beside it */
	struct box_tally boxes;
	uint32_t image_size[2];  /* width and height of the current record's image; 0: it does not say */
	size_t next_box;         /* of a grouped form: the current record's next field; 0: none */
	struct list_items items; /* of the current record */
	uint64_t lists;          /* lists of labels that were read */
	uint64_t key;            /* of the current record */
	uint64_t image;          /* of boxes: the list_image_key() of the current record */
	int64_t plain;           /* ids from 0 to below this one are classes, and not ignored */
};

/* Opens a list; borrows options and the input. Returns false if *fault is set; close it all the same. */
bool list_open(struct list *l, struct input *in, const struct list_options *options, struct fault *fault);
/* Reads up to max rows. Returns how many; 0 at the end, or if *fault is set. */
size_t list_read(struct list *l, struct list_row *rows, size_t max, struct fault *fault);
void list_close(struct list *l);

/*
 * Finds the columns and fills l->layout; afterwards the csv is at its beginning. Returns false if *fault is set: no
 * column is surely that of the labels (FAULT_AMBIGUOUS), or the text cannot be read.
 */
bool list_find_columns(struct list *l, struct fault *fault);

/*
 * The boxes of the current record, and the size of its image (read/list_boxes.c). The first three functions hand a box
 * to options->box, or judge it by its own row; a coordinate that is no number is a fault of the row.
 */

/*
 * Reads the box of a row with a column for each side, or, of a quadrilateral, the box around its corners. Returns false
 * if there is none: all are empty.
 */
bool list_read_sides(struct list *l, struct list_row *row);
/* The same of the next box in brackets, four numbers. Fewer boxes than labels are a fault of the lists. */
bool list_read_listed_box(struct list *l, struct list_row *row);
/* Reads the box of a field: box_group_class() is not 0 for it. */
void list_read_group_box(struct list *l, struct list_row *row, const struct text_field *box);

/* Returns what tells the image of the current record from others: by its path, its frame; 0: it says neither. */
uint64_t list_image_key(const struct list *l);
/* Reads the size of the image, where columns have it. */
void list_read_image_size(struct list *l, struct list_row *row);
/* The size of the frames that MOTChallenge's gt/gt.txt, at a path, is about: by ../seqinfo.ini, if that says it. */
void list_read_frame_size(struct list *l, const char *path);
