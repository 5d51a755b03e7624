/*
 * struct count_ahead: counts the files of an audit in a thread of its own, by a walk ahead of it, so that the progress
 * can say how much is left. It reads folders but inspects no file, except that it asks for the size of an archive,
 * whose members are not counted. Only the main thread calls these functions.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "find/find_options.h"

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
/*
 * Ends the thread, if it was started, and keeps the counts. Returns false if it waits for storage when the program is
 * interrupted; then the process is to end by _exit (base/stop.h).
 */
bool count_ahead_end(struct count_ahead *c);
