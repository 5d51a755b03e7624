#include "base/thread.h"

#include <signal.h>

bool thread_start(pthread_t *thread, void *(*main)(void *), void *arg)
{
	return thread_start_small(thread, main, arg, 0);
}

bool thread_start_small(pthread_t *thread, void *(*main)(void *), void *arg, size_t stack_bytes)
{
	pthread_attr_t attributes;
	sigset_t all, before;

	if (pthread_attr_init(&attributes) != 0)
		return false;
	if (stack_bytes) /* else, or if that is too small, the usual size */
		pthread_attr_setstacksize(&attributes, stack_bytes);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int rc = pthread_create(thread, &attributes, main, arg);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return rc == 0;
}
