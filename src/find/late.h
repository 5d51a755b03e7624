/*
 * struct late_watch: tells whether a call of the file system waited for storage. Wall time alone does not: on busy
 * cores a thread that is preempted is late, too, though its file is in memory.
 *
 * The kernel counts how often a thread gave up the processor by itself: in a call that reads from memory it never does,
 * in one that waits for a disk or a network it always does. To ask takes 0.3 us, so that a thread does it only while
 * calls are late by the clock, and at its beginning. Owner: one thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct late_watch {
	unsigned left;           /* calls that are watched still */
	bool watched;            /* this one is */
	long waits, preemptions; /* of the thread before it */
};

void late_watch_init(struct late_watch *w);
/* Call it before and after a call. ns: what that took. late_ns: more than it takes if all is in memory. */
void late_watch_begin(struct late_watch *w);
bool late_watch_end(struct late_watch *w, uint64_t ns, uint64_t late_ns);
