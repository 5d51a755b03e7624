/*
 * Runs what may wait for storage apart from the main thread, so that an interrupted program ends although storage does
 * not answer.
 */
#pragma once

#include <stdbool.h>

/*
 * Calls work(self) in a thread of its own, or in this one if there can be none, and returns true when it has ended.
 * Returns false if the program was interrupted, and it did not end within STORAGE_MS (base/stop.h) after that: then it
 * goes on, so that nothing that it uses may be freed or is valid, and the process is to end by _exit, as exit_now()
 * says. may_leave: asked before; NULL: at any time.
 */
bool run_apart(void (*work)(void *self), void *self, bool (*may_leave)(void *self));
