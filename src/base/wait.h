/*
 * Waiting that can be called off: a stop flag is an atomic_bool that somebody sets to true once, and that whoever waits
 * or works for long looks at ten times a second or more often. NULL is a flag that nobody ever sets. Any thread.
 */
#ifndef BASE_WAIT_H
#define BASE_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* How soon a wait sees that it is called off: a tenth of a second is at once to a person. */
enum { WAIT_MS = 100 };

static inline bool is_stopped(const atomic_bool *stop)
{
	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/*
 * Waits until reading fd would not block: there are bytes, the end or an error. A regular file is always ready. False:
 * *stop became true.
 */
bool wait_readable(int fd, const atomic_bool *stop);

#endif
