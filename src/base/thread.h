/* Threads. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that gets no signals, which are for the main thread. Returns false if none could be made. */
bool thread_start(pthread_t *thread, void *(*main)(void *), void *arg);
