/*
 * A process that must not tidy up: a thread of it is in a driver that may never answer, or a device still has some of
 * its memory. Then what is done at exit, here and in the driver's own library, could wait for ever too: all reports
 * are written by then, and main ends the process as it stands. Set from any thread, asked by main.
 */
#ifndef BASE_LEAVE_AT_ONCE_H
#define BASE_LEAVE_AT_ONCE_H

#include <stdbool.h>

void leave_at_once_set(void);
bool leave_at_once(void);

#endif
