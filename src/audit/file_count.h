/*
 * struct file_count: how many files an audit will see, counted by a walk of its own beside that of the audit. It counts
 * no further than it is asked to, and opens no archive: what is in one is not counted. Owner: one thread.
 */
#ifndef AUDIT_FILE_COUNT_H
#define AUDIT_FILE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "find/source.h"

struct file_count {
	struct find_options find;
	struct source *source; /* NULL: all are counted, or nothing can be */
	struct work_unit unit;
	uint64_t files; /* so far */
};

/* A list of files that comes through a pipe cannot be counted: the audit reads it. */
void file_count_init(struct file_count *c, const struct find_options *find);
void file_count_release(struct file_count *c);
/* Counts some more. False: there are no more to count. */
bool file_count_more(struct file_count *c);

#endif
