/* Threads. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Starts a thread that gets no signals, which are for the main thread. Returns false if none could be made. */
bool thread_start(pthread_t *thread, void *(*main)(void *), void *arg);
/* The same with a stack of that many bytes, for threads of which there are many. 0: the usual size. */
bool thread_start_small(pthread_t *thread, void *(*main)(void *), void *arg, size_t stack_bytes);
