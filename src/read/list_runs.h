/*
 * The masks in Kaggle's tables: a field holds pairs of a start and a length, `1 3 10 5`, of runs of pixels. A table has
 * a row for each object, with its class in a column, after the image's name (`1.jpg_3`) or nowhere. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "read/csv.h"

/* Returns whether a field means that an image has no object: empty, -1, or a missing value. */
bool runs_are_none(const char *s, size_t n);
/* Returns whether a field holds integers in pairs. */
bool runs_are_pairs(const char *s, size_t n);
/* Returns whether they are runs, too: no length below 1, no start below 0 or before the end of the run before. */
bool runs_are_sound(const char *s, size_t n);
/* Returns what comes after the last '_' of a field, the class in 1.jpg_3; empty without one. */
struct csv_field field_suffix(const struct csv_field *field);
