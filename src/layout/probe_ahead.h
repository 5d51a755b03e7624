/*
 * struct probe_ahead: the first bytes of files that the detection is about to probe, read many at a time where storage
 * is late. The detection names the files before, in the order in which it will probe them. A file that was not named,
 * or whose storage is not late, is read when it is probed, as it would be without this.
 * Owner: one thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/probe.h"

enum {
	PROBES_AHEAD = 128, /* under way or waiting: each takes 9 KiB and a descriptor */
};

struct probe_task;

struct probe_ahead {
	struct pool *pool;       /* NULL: nothing is read ahead */
	const atomic_bool *stop; /* or NULL */
	struct strbuf paths;     /* named */
	size_t *named;           /* where each begins; owned */
	size_t count, cap;
	size_t next;                            /* the first one that was not probed */
	size_t begun;                           /* those before it were begun, or passed */
	struct probe_task *tasks[PROBES_AHEAD]; /* of named[next..begun), at their index modulo PROBES_AHEAD */
	struct probe_task *current;
	struct entry_probe own;
};

void probe_ahead_init(struct probe_ahead *p, struct pool *pool, const atomic_bool *stop);
void probe_ahead_release(struct probe_ahead *p);
/* Returns whether storage is late, so that files are to be named. */
bool probe_ahead_is_due(const struct probe_ahead *p);
/* Forgets the files named so far. */
void probe_ahead_forget(struct probe_ahead *p);
/* Names a file, by its whole path. */
void probe_ahead_name(struct probe_ahead *p, const char *path);
/*
 * Begins to probe an entry. Returns a probe for probe_entry(), open if the file was read ahead; or NULL if it will not
 * be, since the program is to end.
 */
struct entry_probe *probe_ahead_begin(struct probe_ahead *p, const struct entry *entry);
/* Ends it. */
void probe_ahead_end(struct probe_ahead *p);
