#include "base/thread.h"

#include <signal.h>

bool thread_start(pthread_t *thread, void *(*main)(void *), void *arg)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int rc = pthread_create(thread, NULL, main, arg);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc == 0;
}
