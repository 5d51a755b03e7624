/* The contents of the rows of a folder table, by the looks at their samples. */
#pragma once

#include <stdint.h>

#include "layout/folder_table.h"

/* Sets it, of a table that was filled; rows of documents are split into parts of one content. */
void folder_table_conclude(struct folder_table *t);
/* Returns of a row of documents the part with that content; TABLE_NONE: it has none. */
uint32_t folder_table_part(const struct folder_table *t, uint32_t row, enum content_look content);
/* Returns what a look at a document of the table means: a list without the column of --column is a table. */
enum content_look folder_table_content(const struct folder_table *t, const struct look *look);
