/*
 * A flag: the process must end by _exit, without cleaning up. It is set when a thread is inside a driver that may never
 * answer, or when a device still uses memory of the process: exit handlers, ours and the driver's, could then wait for
 * ever. main() queries it after all reports are written. Any thread.
 */
#ifndef BASE_EXIT_NOW_H
#define BASE_EXIT_NOW_H

#include <stdbool.h>

void exit_now_set(void);
bool exit_now(void);

#endif
