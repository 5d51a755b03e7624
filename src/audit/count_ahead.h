/*
 * Counting the files that an audit will see, by a walk ahead of it that reads folders and opens no file: members of
 * archives are not counted. For a list of files that comes through a pipe, which only the audit may read, nothing is.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "find/source.h"

/* Counts in steps. Owner: one thread. */
struct file_count {
	struct find_options find;
	struct source *source; /* NULL: all are counted, or nothing can be */
	struct work_unit unit;
	uint64_t files; /* so far */
};

void file_count_init(struct file_count *c, const struct find_options *find);
void file_count_release(struct file_count *c);
/* Counts the next files, whose entries are in `unit` until the next call. Returns false if there are none. */
bool file_count_more(struct file_count *c);

/*
 * Counts in a thread of its own, so that the progress can say how much is left. For an archive it asks for the size.
 * Only the main thread calls these functions.
 */
struct count_ahead {
	struct find_options find;
	pthread_t thread;
	bool started;
	atomic_bool stop;
	/* The counts are final once `done` was read as true. */
	atomic_bool done;
	uint64_t files;         /* that are no archives */
	uint64_t archives;      /* of a folder or the command line */
	uint64_t archive_bytes; /* the sizes of their files */
};

/* find must outlive the thread. Does nothing where a pipe would have to be read, or if no thread can be made. */
void count_ahead_start(struct count_ahead *c, const struct find_options *find);
/* Returns whether all are counted. */
bool count_ahead_is_done(const struct count_ahead *c);
/* Ends the thread, if it was started, and keeps the counts. Gives it up if it waits for storage (base/stop.h). */
void count_ahead_end(struct count_ahead *c);
