/*
 * SIGINT, SIGTERM and, unless nohup had it ignored, SIGHUP: a flag that workers look at between files. The first
 * signal ends the audit after the files in flight. The second ends the process at once, but the temporary file of an
 * unfinished output is removed; it is, too, when the process runs out of memory.
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>

/*
 * Call before threads are started; they inherit a mask so that the main thread gets the signals. on_exit: called before
 * the process ends at once, in a signal handler; it removes temporary files.
 */
void stop_install(void (*on_exit)(void));
/* 0, or the number of the first signal that came. Any thread. */
int stop_signal(void);
/* Becomes true with the first signal: for what waits or reads for long. */
const atomic_bool *stop_flag(void);

#endif
