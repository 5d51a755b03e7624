#include "audit/apart.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/thread.h"

/* The last of both threads to leave frees it. */
struct apart {
	void (*work)(void *self);
	void *self;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	/* under the lock */
	bool done, left;
};

static void release(struct apart *a)
{
	pthread_cond_destroy(&a->ended);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

static void *apart_main(void *arg)
{
	struct apart *a = arg;

	a->work(a->self);
	pthread_mutex_lock(&a->lock);
	a->done = true;
	bool left = a->left;

	pthread_cond_signal(&a->ended);
	pthread_mutex_unlock(&a->lock);
	if (left)
		release(a);
	return NULL;
}

/* Waits until the work is done, or is to be left. Returns whether it is done. */
static bool wait_for_end(struct apart *a, unsigned most_ms)
{
	const uint64_t end_ns = clock_ns() + most_ms * UINT64_C(1000000);
	struct last_wait wait = { 0 };

	pthread_mutex_lock(&a->lock);
	while (!a->done && !last_wait_is_over(&wait) && (!most_ms || clock_ns() < end_ns)) {
		struct timespec until = clock_deadline(LAST_WAIT_MS);

		pthread_cond_timedwait(&a->ended, &a->lock, &until);
	}
	a->left = !a->done;
	bool done = a->done;

	pthread_mutex_unlock(&a->lock);
	return done;
}

bool run_apart(void (*work)(void *self), void *self, unsigned most_ms)
{
	struct apart *a = xcalloc(1, sizeof(*a));
	pthread_t thread;

	a->work = work;
	a->self = self;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->ended, NULL);
	if (!thread_start(&thread, apart_main, a)) {
		release(a);
		work(self);
		return true;
	}
	if (wait_for_end(a, most_ms)) {
		pthread_join(thread, NULL);
		release(a);
		return true;
	}
	pthread_detach(thread);
	if (stop_signal())
		last_wait_give_up();
	else
		exit_now_set();
	return false;
}
