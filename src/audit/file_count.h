/*
 * struct file_count: counts the files that an audit will see, by a walk ahead of it. It counts in steps and opens no
 * archive: members are not counted. Owner: one thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "find/source.h"

struct file_count {
	struct find_options find;
	struct source *source; /* NULL: all are counted, or nothing can be */
	struct work_unit unit;
	uint64_t files; /* so far */
};

/* Returns whether files can be counted: a list that comes through a pipe can be read only once. */
bool file_count_can(const struct find_options *find);
/* Nothing can be counted of a list of files that comes through a pipe, which only the audit may read. */
void file_count_init(struct file_count *c, const struct find_options *find);
void file_count_release(struct file_count *c);
/* Counts the next files, whose entries are in `unit` until the next call. Returns false if there are none. */
bool file_count_more(struct file_count *c);
