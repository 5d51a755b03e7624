/* Time for measuring how long things take, and for waiting. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since some moment in the past: never jumps when somebody sets the clock, so differences are durations. */
static inline uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The moment that is `milliseconds` (below 1000) from now, on the wall clock, by which pthread_cond_timedwait goes. */
static inline struct timespec clock_deadline(unsigned milliseconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)milliseconds * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	return until;
}

#endif
