/*
 * struct list_sample: what the first rows of a list hold, column by column: what list_columns.c goes by when it looks
 * for the labels. Integers only, apart from the words of the first row. Owner: whoever reads it; one thread.
 */
#ifndef READ_LIST_SAMPLE_H
#define READ_LIST_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/class_set.h"
#include "read/csv.h"
#include "read/list_words.h"
#include "read/name_table.h"

struct list_column {
	struct plain_word word; /* from the first row */
	/* How many values there are behind the first row, empty ones left out, and how many of them */
	uint32_t values;
	uint32_t numbers;   /* are integers, written as 3.0, too */
	uint32_t fractions; /* are other numbers */
	uint32_t paths;     /* look like names of files */
	uint32_t known;     /* are declared class names */
	uint32_t legal;     /* are declared or ignored ids */
	bool serial;        /* each integer is the one before it plus 1 */
	bool varies;        /* there are at least two different integers */
	int64_t min, max, last;
};

struct list_sample {
	const struct class_set *classes;
	struct list_column *columns; /* owned */
	size_t count;
	bool first_has_number; /* a value of the first row is a number: it is no header */
	uint32_t rows;         /* that were read, without the first until it is added; and of those */
	uint32_t one_hot_rows; /* whose numbers are all 0, but for one 1 */
	uint32_t binary_rows;  /* whose numbers are 0 and 1, and as many as binary_columns */
	size_t binary_columns; /* numbers in the first row of that kind */
};

/*
 * Reads the first rows of a list, from where the csv stands. declared: the names of --classes. False: fault is filled.
 * list_sample_release in any case.
 */
bool list_sample_read(struct list_sample *s, struct csv *csv, const struct class_set *classes,
		      const struct name_table *declared, struct fault *fault);
/* Adds the first row to the columns, when it has turned out to be no header. */
bool list_sample_add_first(struct list_sample *s, struct csv *csv, const struct name_table *declared,
			   struct fault *fault);
void list_sample_release(struct list_sample *s);

/* Whether the first row heads the columns: it has words alone, and a known one or one above a column of numbers. */
bool list_sample_has_header(const struct list_sample *s);
/*
 * Whether there is a column of 0 and 1 for each class, or one more, of which exactly one is 1 in each row. Two columns
 * may be so by chance.
 */
bool list_sample_is_one_hot(const struct list_sample *s);
/* Whether there are as many columns of 0 and 1 as classes, in every row. */
bool list_sample_is_multi_label(const struct list_sample *s);
/* Whether a column counts the rows: each of its values is the one before it plus 1. */
bool list_sample_counts_rows(const struct list_sample *s, const struct list_column *c);

static inline bool column_is_text(const struct list_column *c)
{
	return c->values && 2 * (c->numbers + c->fractions) <= c->values;
}

/* Of whole numbers, mostly; fractions among them are for the audit to report. */
static inline bool column_is_integers(const struct list_column *c)
{
	return c->values && 2 * c->numbers > c->values;
}

#endif
