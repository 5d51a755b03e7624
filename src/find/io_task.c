#include "find/io_task.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/stop.h"

/* One for all tasks, since a thread may come back from storage after all else has ended. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some_done = PTHREAD_COND_INITIALIZER;

static void end_task(struct io_task *t, bool cancelled)
{
	pthread_mutex_lock(&lock);
	t->done = true;
	t->cancelled = cancelled;
	bool dropped = t->dropped;

	if (t->wanted)
		pthread_cond_broadcast(&some_done);
	pthread_mutex_unlock(&lock);
	if (dropped)
		t->release(t);
}

static void run_task(struct io_job *job)
{
	struct io_task *t = (struct io_task *)job;

	pthread_mutex_lock(&lock);
	bool dropped = t->dropped;

	pthread_mutex_unlock(&lock);
	if (!dropped)
		t->work(t);
	end_task(t, false);
}

static void cancel_task(struct io_job *job)
{
	end_task((struct io_task *)job, true);
}

bool io_task_begin(struct io *io, struct io_task *t)
{
	t->job.run = run_task;
	t->job.drop = cancel_task;
	t->done = t->dropped = t->cancelled = t->wanted = false;
	return io_submit(io, &t->job, false);
}

bool io_task_wait(struct io_task *t, const atomic_bool *stop)
{
	pthread_mutex_lock(&lock);
	t->wanted = true;
	while (!t->done && !is_stopped(stop)) {
		struct timespec until = clock_deadline(WAIT_MS);

		pthread_cond_timedwait(&some_done, &lock, &until);
	}
	bool done = t->done;

	t->dropped = !done;
	pthread_mutex_unlock(&lock);
	return done;
}

void io_task_drop(struct io_task *t)
{
	pthread_mutex_lock(&lock);
	bool done = t->done;

	t->dropped = true;
	pthread_mutex_unlock(&lock);
	if (done)
		t->release(t);
}
