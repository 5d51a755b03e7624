/*
 * struct columns: the first rows of a table, column by column: how many values are integers, paths, class names; and
 * which column holds the labels, if that is sure:
 *
 *   1. the one with a word for labels in the header: of integers, else of text;
 *   2. the one of names that --classes declares;
 *   3. the only one of integers, if it does not count the rows, and no word of the header says that it holds something
 *      else;
 *   4. the only one beside the names of images, if it is of words.
 *
 * Where two could be meant, none is taken: the user is asked (columns_question()). Owner: who opens the text; one
 * thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/table.h"
#include "read/csv.h"
#include "read/list_layout.h"
#include "read/list_words.h"
#include "read/name_table.h"

enum { SHOWN_VALUES = 3, SHOWN_BYTES = 24 };

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

struct column_facts {
	struct plain_word word; /* of the header; "" without one */
	char name[SHOWN_BYTES]; /* as the header has it, cut to fit */
	uint32_t values;        /* that are not empty; of these: */
	uint32_t integers;      /* also written as 3.0 */
	uint32_t fractions;     /* other numbers */
	uint32_t lists;         /* two integers or more: [3, 14, 7], 3 14 7 */
	uint32_t hot;           /* of these: of 1 and 0 alone, and as many as in the first, hot_length */
	size_t hot_length;
	uint32_t paths;    /* like names of files */
	uint32_t spaced;   /* texts with a blank in them: sentences */
	uint32_t images;   /* names of images */
	uint32_t known;    /* declared class names */
	uint32_t padded;   /* integers with zeros before them: 000042, the name of an image */
	uint32_t repeated; /* values that were there before */
	bool serial;       /* each integer is the previous one plus 1 */
	bool nested;       /* a.b, of an object in an object of JSON */
	bool flags;        /* integers are -1, 0 and 1 */
	int64_t first, last;
	char shown[SHOWN_VALUES][SHOWN_BYTES]; /* the first values, cut to fit; "" if there are fewer */
};

struct columns {
	struct column_facts *v; /* owned */
	size_t count;
	uint32_t rows;
	uint32_t ragged; /* rows with more or fewer values than columns */
	uint32_t pairs;  /* rows with the names of two images or more */
	bool header;     /* the first record names the columns, by a word that is known or above numbers */
	struct hash_set seen;
};

/*
 * Reads the first rows of a table, and rewinds it. declared: names of --classes; NULL: none are known. Returns false if
 * *fault is set: not one row could be read.
 */
bool columns_read(struct columns *t, struct csv *c, const struct name_table *declared, struct fault *fault);
void columns_release(struct columns *t);
/* Returns what the text is, by its columns, and sets *labels: the column of the labels, or NO_COLUMN. */
enum text_kind columns_kind(const struct columns *t, uint32_t *labels);
/* Returns whether it is one column of integers, each once: of four rows or more. */
bool columns_are_distinct_integers(const struct columns *t);
/* Returns whether one of the words means labels; y beside x is a coordinate. */
bool columns_name_labels(const struct columns *t);
/* Returns whether at most half of the values are numbers or lists of these. */
bool column_holds_text(const struct column_facts *c);
/* Returns the column of paths or names of images beside the labels, or NO_COLUMN. */
uint32_t columns_find_paths(const struct columns *t, uint32_t labels);
/*
 * Finds the columns of boxes by the words of the header: the four sides, or one whose values are a box in brackets;
 * lists: lists of these. Also those of the image's width and height. Returns false if there are none.
 */
bool columns_find_boxes(const struct columns *t, bool lists, struct list_layout *out);
/* Returns how many columns hold nothing but 0 and 1, or -1 for not certain, and are no labels; 0: fewer than three. */
size_t columns_flags(const struct columns *t);
/* Appends the columns, each with its number, its word and three values, to a question. */
void columns_question(const struct columns *t, struct strbuf *out);

/* Returns whether a value is a list of integers, two or more: [3, 14, 7], 3 14 7, 3|14|7; or in brackets, any number,
 * of which the first are looked at.
 */
bool value_is_list(const char *s, size_t n);
/* Returns how many classes a list says are there or not: [1.0, 0.0, 1.0], [1, 0, 1]; 0: it is none. */
size_t value_is_several_hot(const char *s, size_t n);
