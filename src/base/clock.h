/* Clocks for durations and for waiting. Any thread. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Returns nanoseconds of the monotonic clock: differences are durations, even if the wall clock is set. */
static inline uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns the wall-clock time `milliseconds` from now, for pthread_cond_timedwait. */
static inline struct timespec clock_deadline(unsigned milliseconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += milliseconds / 1000;
	until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	return until;
}
