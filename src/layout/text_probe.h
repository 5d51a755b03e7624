/*
 * Recognises files whose names say that they are texts with labels but that are broken, so that they are reported
 * instead of skipped among the notes; and tables that look as if they held labels. Pure, any thread.
 */
#pragma once

#include <stdbool.h>

#include "layout/probe.h"
#include "read/format.h"
#include "read/text_look.h"

/* Returns the kinds of labels that a name claims by its end: a KIND_BIT each. */
unsigned kinds_by_name(const char *name);

/*
 * Returns whether a file that no format recognises has the name of a label text of one of these kinds, and is a git-lfs
 * pointer, an HTML page, NUL bytes where text should be, or empty (an empty YOLO text is fine).
 */
bool is_broken_label_text(const struct file_head *p, unsigned kinds);

/*
 * Returns whether a table seems to hold labels, or has the column that --column names; NULL: none. Notes and lists of
 * images lie beside such tables. look: of text_look().
 */
bool table_has_labels(const struct file_head *p, const struct text_look *look, const char *column);
/* Returns whether the first row of a table has a column of that name; true if the name is a number. */
bool table_has_column(const struct file_head *p, const struct text_look *look, const char *name);

/*
 * Returns whether a JSON file is COCO by what follows its first bytes: some begin with a long description. `opened` is
 * open.
 */
bool has_coco_further_on(const struct entry *entry, const struct entry_probe *opened);
