/*
 * Ending early: SIGINT, SIGTERM and, unless nohup ignores it, SIGHUP. The first signal sets the stop flag, and the
 * audit ends after the current files. The second ends the process at once; so does a lack of memory. Both remove
 * temporary files first.
 *
 * A stop flag becomes true once; code that waits or works for long checks it at least ten times a second. NULL is a
 * flag that stays false. Any thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Poll interval of waits: a tenth of a second feels immediate. */
enum { WAIT_MS = 100 };

/* Call before threads are started. on_exit removes temporary files; a signal handler calls it. */
void stop_install(void (*on_exit)(void));
/* Returns the number of the first signal, or 0. */
int stop_signal(void);
/* Returns the flag that the first signal sets. */
const atomic_bool *stop_flag(void);

static inline bool is_stopped(const atomic_bool *stop)
{
	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* read(2), after a wait and again after a signal. errno is ECANCELED if *stop became true. */
ssize_t read_or_stop(int fd, void *out, size_t n, const atomic_bool *stop);

/* A wait for another thread, which may wait for storage. All zero: it has not begun. One thread. */
struct last_wait {
	uint64_t stopped_ns;
};

enum {
	LAST_WAIT_MS = 50, /* between two questions, and for storage that was given up before */
	STORAGE_MS = 300,  /* for storage to answer, otherwise: the program is to end within a second */
};

/*
 * Returns whether the wait lasts too long: that is so only after an interruption. Ask at least every WAIT_MS, before
 * each part of the wait.
 */
bool last_wait_is_over(struct last_wait *w);
/*
 * Says that a wait was ended so: the next ones are short. Sets exit_now(), as a thread may come back: nothing that it
 * may use is to be freed.
 */
void last_wait_give_up(void);
/* Returns whether that was said. */
bool last_wait_given_up(void);

/*
 * Make main() end the process by _exit after all reports are written, without exit handlers: a thread is inside a
 * driver that may never answer, or a device still uses memory of the process.
 */
void exit_now_set(void);
bool exit_now(void);
