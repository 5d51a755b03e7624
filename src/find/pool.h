/*
 * struct pool: threads, called readers, that do ahead what would be waited for: open and read a file, list a folder,
 * draw a work unit. Where storage is late, many requests wait for it side by side.
 *
 * A task is a function and what that fills. It belongs to its owner, who begins it, may do other things, and finishes
 * it when the result is needed:
 *
 *     begun, and no reader took it     pool_finish() does it in the owner's thread
 *     a reader is at it                pool_finish() waits
 *     a reader has done it             pool_finish() returns at once
 *
 * From pool_begin() until pool_finish() or pool_cancel() returns, the task and all that it touches belong to the pool.
 * So the result and the order are the same, done by a reader or by the owner, and nobody waits for a task that nobody
 * does. There is one lock, which no task is run under; a task may begin and finish others. Readers take tasks in the
 * order in which they were begun.
 *
 * No reader works at first, and pool_begin() queues nothing: on a warm page cache a hand-over would cost more than it
 * saves. Each time that an owner had to wait for storage, twice as many may work; once tasks come from memory again,
 * fewer and fewer. `--io N` fixes their number. Outcomes do not depend on it. The kernel tells waiting for storage from
 * a busy machine: it counts how often a thread gave up the processor by itself.
 *
 * Storage that never answers keeps a reader, or an owner, for ever. None of them need know: after an interruption the
 * main thread gives them up, and ends the process by _exit (base/stop.h).
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool;

enum task_state { TASK_IDLE, TASK_QUEUED, TASK_RUNNING, TASK_DONE };

/* Embed it first; all zero but for run(), it is idle. */
struct task {
	/* ahead: a reader does it, before it is asked for. */
	void (*run)(struct task *t, bool ahead);
	uint64_t bytes; /* set by run(): what it read, which takes a nanosecond each even from memory */
	/* the pool's */
	struct task *next, *before;
	_Atomic enum task_state state;
	bool awaited;
	uint64_t late_ns; /* that long it waited for storage, and more; 0: it did not */
};

enum {
	IO_MAX = 1024,    /* readers: more were no faster, and each takes a descriptor and a stack */
	IO_MAX_AUTO = -1, /* as many as storage rewards, and descriptors allow */
};

/* most: readers; 0: none; or IO_MAX_AUTO. */
struct pool *pool_open(int most);
/* Returns whether readers work, so that it pays to begin tasks early. A NULL pool has none, here and below. */
bool pool_is_active(const struct pool *p);
/* Returns whether the task is queued, or a reader is at it. */
bool task_is_begun(const struct task *t);
/* Returns whether nobody did the task, and it is not begun. */
bool task_is_idle(const struct task *t);
/* Makes a task that is not begun one that is not done. */
void task_reset(struct task *t);
/* Begins a task that is not. */
void pool_begin(struct pool *p, struct task *t);
/* Returns when the task is done; does it if it was not begun. */
void pool_finish(struct pool *p, struct task *t);
/* Returns when no reader is at the task, which may be done or not. */
void pool_cancel(struct pool *p, struct task *t);
/* Does `count` tasks, `size` bytes apart, the next ones ahead: returns when all are done. */
void pool_do_all(struct pool *p, void *tasks, size_t count, size_t size);
/*
 * Ends the readers; owners do all that is left. Returns false if storage keeps one after an interruption: then the
 * tasks it may be at are not to be touched any more.
 */
bool pool_stop(struct pool *p);
/* Frees it after pool_stop(), which must have returned true. NULL is fine. */
void pool_close(struct pool *p);

/* Returns the most readers that were at work at a time. */
unsigned pool_reached(struct pool *p);
/* Returns the most descriptors that tasks may hold: half of them are for folders, some for all else. */
unsigned pool_descriptors_max(void);
