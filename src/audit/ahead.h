/*
 * struct ahead: work units that are drawn from the source, in its order, and their files fetched (audit/fetch.h),
 * before a worker asks for them.
 *
 * A worker takes the next unit, asks for its files one after the other, and gives the unit back. If readers of the pool
 * work, one of them draws the next units meanwhile, and others fetch the files of all units; else the worker draws and
 * fetches itself. The units, their numbers and the files are the same.
 *
 * Who owns a unit: the thread that draws it, under no lock; then the queue, under the lock; then the worker that takes
 * it, until it gives it back. Who owns a file of it: find/pool.h. One thread draws at a time, and workers take units in
 * their order, so that nobody waits for a unit that nobody has.
 *
 * Bounds: AHEAD_FILES that no worker has taken, AHEAD_PACKED units of members, and the bytes that fetchers hold.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "audit/fetch.h"
#include "base/error.h"
#include "find/work_unit.h"

struct source;

enum {
	AHEAD_FILES = 1024,
	AHEAD_PACKED = 2, /* a unit of members takes 16 MiB, of a zip 32 */
};

struct ahead_unit {
	struct ahead_unit *next, *next_made;
	struct work_unit unit;
	struct fetched *files; /* of each entry; owned */
	size_t cap;
};

struct ahead {
	struct source *source; /* borrowed */
	struct pool *pool;     /* borrowed */
	struct fetcher fetcher;
	size_t unit_files; /* to be drawn for a unit */
	struct task drawer;
	pthread_mutex_t lock;
	pthread_cond_t drawn; /* a unit, or the end */
	/* under the lock */
	struct ahead_unit *first, **last; /* drawn, and not taken */
	struct ahead_unit *spare, *made;  /* to be used again; all */
	size_t files;                     /* in units that were not taken */
	unsigned packed;                  /* of these units, those of members */
	bool drawing;                     /* somebody does */
	bool ended;                       /* nothing more is drawn: by this error, if it has a text */
	struct error error;
};

/* Borrows source and pool. The caller has filled a->fetcher, which it gives away. */
void ahead_init(struct ahead *a, struct source *source, struct pool *pool, size_t unit_files);
/* Takes the next unit; *unit is NULL after the last one. Fails as source_draw() does. */
enum status ahead_next(struct ahead *a, struct ahead_unit **unit, struct error *err);
/* Returns the i-th file of the unit. into: receives its bytes, unless a reader has fetched them. */
struct fetched *ahead_file(struct ahead *a, struct ahead_unit *u, size_t i, struct input *into);
/* Gives a unit back, whether all of its files were asked for or not. NULL is fine. */
void ahead_give_back(struct ahead *a, struct ahead_unit *u);
/* Frees all but `a`, when all units were given back, and pool_stop() returned true. */
void ahead_release(struct ahead *a);
