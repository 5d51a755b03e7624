/*
 * Runs what may never end apart from the main thread: a wait for storage, so that an interrupted program ends although
 * storage does not answer; a question to a driver.
 */
#pragma once

#include <stdbool.h>

/*
 * Calls work(self) in a thread of its own, or in this one if there can be none, and returns true when it has ended.
 * Returns false if it goes on: for most_ms milliseconds (0: that is no limit), or for STORAGE_MS (base/stop.h) after
 * the program was interrupted. Then nothing that it uses may be freed or is valid, and the process is to end by _exit,
 * as exit_now() says.
 */
bool run_apart(void (*work)(void *self), void *self, unsigned most_ms);
