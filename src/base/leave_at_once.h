/*
 * A flag that the process must end without tidying up, because a thread of it is inside a driver that may never answer,
 * or a device still uses some of its memory. What is normally done at exit, here and in the driver's own library, could
 * then wait for ever. main asks once all reports are written, and ends the process by _exit. Set from any thread.
 */
#ifndef BASE_LEAVE_AT_ONCE_H
#define BASE_LEAVE_AT_ONCE_H

#include <stdbool.h>

void leave_at_once_set(void);
bool leave_at_once(void);

#endif
