/*
 * Finds the label column and the path column of a list, from the words of the header and the first rows, or by
 * --column.
 *
 * With a header, the label column is one whose word means label (label, class, target, category, ... and their ids);
 * else one that holds the declared class names; else a text column with as many different values as classes; else the
 * last column of integers that neither counts the rows nor is, by its word, a coordinate, a size, a date or a fold.
 * Without a header: one that holds declared names; else the last column of integers that does not count the rows.
 */
#ifndef READ_LIST_COLUMNS_H
#define READ_LIST_COLUMNS_H

#include <stdbool.h>

#include "base/class_set.h"
#include "read/csv.h"
#include "read/list_layout.h"
#include "read/name_table.h"

/*
 * Finds the columns and fills *out; afterwards the csv is at its beginning. column: --column, or NULL. declared: the
 * names of --classes. Returns false if there is no such column, no column could hold labels, or the text cannot be
 * read; then *fault is set.
 */
bool list_columns_find(struct csv *c, const char *column, const struct class_set *classes,
		       const struct name_table *declared, struct list_layout *out, struct fault *fault);

#endif
