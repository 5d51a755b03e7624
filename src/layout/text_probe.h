/*
 * Recognises files whose names say that they are texts with labels but that are broken, so that they are reported
 * instead of skipped among the notes; and tables that look as if they held labels. Pure, any thread.
 */
#pragma once

#include <stdbool.h>

#include "layout/probe.h"
#include "read/format.h"

/*
 * Returns whether a file that no format recognises has the name of a label text of one of these kinds, and is a git-lfs
 * pointer, an HTML page, NUL bytes where text should be, or empty (an empty YOLO text is fine).
 */
bool is_broken_label_text(const struct file_head *p, unsigned kinds);

/* Returns the KIND_BIT of the labels that a git-lfs pointer replaces, by its name; 0 if it is no pointer or unknown. */
unsigned lfs_pointer_kinds(const struct file_head *p);

/*
 * Returns whether a table seems to hold labels, or has the column that --column names; NULL: none. Notes and lists of
 * images lie beside such tables.
 */
bool table_has_labels(const struct file_head *p, const char *column);
/* Returns whether the first row of a table has a column of that name; true if the name is a number. */
bool table_has_column(const struct file_head *p, const char *name);
/* Returns whether a table's header has a word for labels alone: Survived, not Pclass. */
bool table_has_label_word(const struct file_head *p);
/* Returns whether the first row of a table is of words, none of them a number or a path. */
bool table_has_header(const struct file_head *p);
/* Returns how many fields the first row of a table has. */
unsigned table_width(const struct file_head *p);

/*
 * Returns whether a JSON file is COCO by what follows its first bytes: some begin with a long description. `opened` is
 * open.
 */
bool has_coco_further_on(const struct entry *entry, const struct entry_probe *opened);
