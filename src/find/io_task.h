/*
 * struct io_task: a job of struct io whose owner waits for its result, or goes away without it, since storage may never
 * answer. Embed it first. The owner has it from io_task_begin() until io_task_wait() returns false or io_task_drop():
 * then the thread that ends it last releases it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "find/io.h"

struct io_task {
	struct io_job job;
	/* Set by the owner: what is done, in a thread of io; and what frees the task and its result. Both touch no more
	 * than the task has. */
	void (*work)(struct io_task *t);
	void (*release)(struct io_task *t);
	/* under a lock */
	bool done, dropped;
	bool wanted;    /* the owner waits for it */
	bool cancelled; /* it was not begun, and is done: io ended */
};

/* Returns false if no thread can do it; then the owner keeps it. */
bool io_task_begin(struct io *io, struct io_task *t);
/* Waits for the result. Returns false if *stop became true first; the task is dropped then. */
bool io_task_wait(struct io_task *t, const atomic_bool *stop);
void io_task_drop(struct io_task *t);
