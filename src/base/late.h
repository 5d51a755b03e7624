/*
 * Tells whether files come late, from storage, and not from memory. Wall time does not tell: on busy cores a thread
 * that is preempted is late, too, and so is one that waits for another to allocate memory.
 *
 * The kernel counts how often a thread gave up the processor by itself. In a call that opens or reads what is in memory
 * it never does, in one that waits for a disk or a network it always does. To ask takes 0.3 us, so that only the first
 * files of a thread are watched, and those after one that is late by the clock. The state is the thread's own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Call it before a file or a folder is opened. */
void late_begin(void);
/* Call them before and after each call of the file system that it takes. errno stays as it is. */
void late_call_begin(void);
void late_call_end(void);
/* fstatat(2) between them. */
int late_fstatat(int dirfd, const char *path, struct stat *st, int flags);
/* Instead of the first for a call that fills out[0..n): it writes there, since new pages of memory are waited for, too.
 */
void late_read_begin(void *out, size_t n);
/* Returns whether one of the calls waited so far, if they are watched. */
bool late_so_far(void);
/* Returns whether one of the calls waited for storage. ns: what all took; usual_ns: more than it takes from memory. */
bool late_end(uint64_t ns, uint64_t usual_ns);
