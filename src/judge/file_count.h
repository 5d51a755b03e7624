/* struct file_count: a number of files, and the first of them. Merges exactly, in any order. */
#pragma once

#include <stdint.h>

#include "read/sample.h"

struct file_count {
	uint64_t files;
	char *example; /* the smallest place; owned; NULL if files == 0 */
};

/* Keeps the smaller of *example, which is owned or NULL, and the sample's place. */
void example_add(char **example, const struct sample *sample);
/* Keeps the smaller of both in *into; takes over *from, which becomes NULL. */
void example_merge(char **into, char **from);
void file_count_add(struct file_count *t, const struct sample *sample);
/* Adds `from`, and empties it. */
void file_count_merge(struct file_count *into, struct file_count *from);
