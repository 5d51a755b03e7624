/*
 * struct io: threads that wait for storage, so that threads that compute need not. A job is what one of them does: the
 * calls by which a file is opened and read, or a folder is listed.
 *
 * Jobs begin in the order in which they came. The number of threads adapts: it grows while that makes more jobs end in
 * a second, and there is a queue of jobs; where fewer threads get as much done (a disk with one head), it shrinks. No
 * thread is started before the first job. Any thread may submit; there is a lock inside.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Part of what the submitter owns, until run() returns. */
struct io_job {
	void (*run)(struct io_job *job);
	void (*drop)(struct io_job *job); /* instead of it, after io_stop(); may be NULL */
	struct io_job *next;              /* the queue's */
};

struct io;

enum {
	IO_MAX = 1024,    /* jobs under way: more were no faster, and each takes a descriptor and a stack */
	IO_MAX_AUTO = -1, /* as many as storage rewards, and descriptors allow */
};

/* most: of jobs under way, or IO_MAX_AUTO. */
struct io *io_open(int most);
/* Begins anew to find the number of threads, by the time that a job is expected to take alone. */
void io_expect(struct io *io, uint64_t job_ns);
/* Queues a job, before all others if `urgent`. Returns false if there is no thread for it, and none can be started. */
bool io_submit(struct io *io, struct io_job *job, bool urgent);
/*
 * Drops the jobs that were not begun, and takes no more. Returns false if a thread still waits for storage too long
 * after an interruption (base/stop.h): it may come back, so that nothing that jobs use may be freed, and the process is
 * to end by _exit.
 */
bool io_stop(struct io *io);
/* Ends the threads and frees io. NULL is fine; nothing is freed if a thread still waits for storage. */
void io_close(struct io *io);

/* Returns the most jobs that were under way at a time. */
unsigned io_reached(struct io *io);
/* Returns the most jobs under way that descriptors allow: half of them are for folders, some for all else. */
unsigned io_descriptors_max(void);
