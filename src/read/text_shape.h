/* Says what the name of a text tells. Pure, any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether a file is Roboflow's multi-label export: a column of 0 and 1 for each class. */
bool text_is_multi_label(const char *name, const uint8_t *head, size_t n);

/* Returns whether a file of this name (without folders) accompanies labels but holds none: README, classes.txt ... */
bool is_name_of_notes(const char *name);
/* Returns whether a name is that of a program, a web page or settings, whose lines a table may be seen in. */
bool is_name_of_source(const char *name);
