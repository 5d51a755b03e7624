#include "find/io.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/thread.h"

enum {
	FIRST_LEAST = 32, /* a cold disk answers 32 readers five times faster than one */
	FIRST_MOST = 256, /* before it is known whether more are faster */
	JOB_NS = 100000, /* what processors need for a file, the calls of the kernel included: as many wait meanwhile */
	LEAST = 8,       /* on a disk with one head */
	GROWTH = 2,      /* each step up; one that is too long costs more than one too many */
	SHRINKAGE = 4,   /* the one step down */
	STACK_BYTES =
		256 << 10, /* paths and first bytes of files lie on it: some 40 KiB; pages are taken as they are used */
	DESCRIPTORS_KEPT = 16, /* outputs, the cache, archives, those of the workers */
	SETTLED_MS = 250, /* after this, more threads are tried again, since storage changes; then twice as long ... */
	SETTLED_MOST = 4, /* times that it is doubled */
};

enum io_phase {
	IO_GROWS,    /* `target` is more than `best`, or is the first number */
	IO_SHRINKS,  /* fewer are tried, once */
	IO_VERIFIES, /* they were faster: is that so, or was it another time? */
	IO_SETTLED,
};

/* How the number of threads is found. */
struct io_control {
	enum io_phase phase;
	bool shrunk;         /* that was tried */
	unsigned best;       /* number of threads */
	double best_rate;    /* jobs a second with these; 0: not measured */
	double shrunk_rate;  /* with fewer */
	uint64_t settled_ns; /* when */
	unsigned settled;    /* times */
	/* this period */
	uint64_t since_ns;
	unsigned ended;
	bool starved; /* the queue was empty, so the rate is not that of the storage */
};

struct io {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a job came, or more may run, or the end */
	pthread_cond_t thread_ended;
	/* under the lock */
	struct io_job *first, **last;
	unsigned running, idle;
	unsigned threads; /* started, and not ended */
	unsigned target, most;
	unsigned reached;
	bool stopped, fixed; /* fixed: target stays as it is */
	struct io_control control;
	pthread_t *started; /* owned: `most` of them at first, `count` were started */
	unsigned count;
};

unsigned io_descriptors_max(void)
{
	struct rlimit limit;
	uint64_t half;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 1;
	half = (uint64_t)limit.rlim_cur - (uint64_t)limit.rlim_cur / 2;
	return half <= DESCRIPTORS_KEPT ? 1 : (unsigned)MIN(half - DESCRIPTORS_KEPT, (uint64_t)IO_MAX);
}

struct io *io_open(int most)
{
	struct io *io = xcalloc(1, sizeof(*io));
	unsigned allowed = io_descriptors_max();

	pthread_mutex_init(&io->lock, NULL);
	pthread_cond_init(&io->changed, NULL);
	pthread_cond_init(&io->thread_ended, NULL);
	io->last = &io->first;
	io->most = most > 0 ? MIN((unsigned)most, allowed) : allowed;
	io->fixed = most > 0;
	io->target = io->fixed ? io->most : MIN((unsigned)FIRST_LEAST, io->most);
	io->started = xcalloc(io->most, sizeof(*io->started));
	return io;
}

/* ---- how many ---------------------------------------------------------------------------------------------------- */

static void begin_period(struct io *io)
{
	io->control.since_ns = clock_ns();
	io->control.ended = 0;
	io->control.starved = false;
}

static void settle(struct io *io, unsigned threads)
{
	struct io_control *c = &io->control;

	io->target = c->best = threads;
	c->phase = IO_SETTLED;
	c->settled_ns = clock_ns();
	c->settled += c->settled < SETTLED_MOST;
}

/* Tries more threads than the best number so far. */
static void grow(struct io *io, double rate)
{
	struct io_control *c = &io->control;

	c->best = io->target;
	c->best_rate = rate;
	c->phase = IO_GROWS;
	io->target = MIN(io->target * GROWTH, io->most);
	if (io->target == c->best)
		settle(io, c->best);
}

/*
 * Decides by the rate of the period. Twice the threads must do a quarter more, and so must a quarter of them.
 */
static void decide(struct io *io, double rate)
{
	struct io_control *c = &io->control;

	switch (c->phase) {
	case IO_GROWS:
		if (rate > 1.25 * c->best_rate) {
			grow(io, rate);
		} else if (!c->shrunk && c->best > LEAST) {
			c->shrunk = true;
			c->phase = IO_SHRINKS;
			io->target = MAX(c->best / SHRINKAGE, (unsigned)LEAST);
		} else {
			settle(io, c->best);
		}
		return;
	case IO_SHRINKS:
		c->phase = IO_VERIFIES;
		c->shrunk_rate = rate;
		if (rate > 1.25 * c->best_rate)
			io->target = c->best;
		else
			settle(io, c->best);
		return;
	case IO_VERIFIES:
		settle(io, 1.25 * rate < c->shrunk_rate ? MAX(c->best / SHRINKAGE, (unsigned)LEAST) : c->best);
		return;
	case IO_SETTLED:
		if (clock_ns() - c->settled_ns > (UINT64_C(1000000) * SETTLED_MS << c->settled))
			grow(io, rate);
	}
}

/*
 * A period begins when as many threads run as may, and lasts until each of them ended two jobs.
 * Returns whether more may run than before.
 */
static bool count_ended(struct io *io)
{
	struct io_control *c = &io->control;
	unsigned target = io->target;

	c->starved |= !io->first;
	if (io->fixed)
		return false;
	if (io->running >= target || (io->threads < target && io->first)) {
		begin_period(io);
		return false;
	}
	if (++c->ended < 2 * target)
		return false;
	uint64_t took = MAX(clock_ns() - c->since_ns, UINT64_C(1));

	if (!c->starved)
		decide(io, 1e9 * (double)c->ended / (double)took);
	begin_period(io);
	return io->target > target;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void *io_main(void *arg);

static bool may_begin(const struct io *io)
{
	return io->first && io->running < io->target;
}

/* Starts a thread if there is a job for it. Returns false if there is no thread at all. */
static bool start_thread(struct io *io)
{
	if (io->idle || io->threads >= io->target || !io->first)
		return io->threads;
	if (!io->threads)
		begin_period(io);
	if (thread_start_small(&io->started[io->count], io_main, io, STACK_BYTES)) {
		io->count++;
		io->threads++;
	} else if (io->threads) {
		io->most = io->target = io->threads; /* as many as there can be */
		io->fixed = true;
	}
	return io->threads;
}

/* Takes the first job. The thread that does so starts the next thread, so that no one holds the lock for long. */
static struct io_job *take_job(struct io *io)
{
	struct io_job *job = io->first;

	io->first = job->next;
	if (!io->first)
		io->last = &io->first;
	io->running++;
	io->reached = MAX(io->reached, io->running);
	if (may_begin(io))
		start_thread(io);
	return job;
}

static void *io_main(void *arg)
{
	struct io *io = arg;

	pthread_mutex_lock(&io->lock);
	while (!io->stopped) {
		if (!may_begin(io)) {
			io->idle++;
			pthread_cond_wait(&io->changed, &io->lock);
			io->idle--;
			continue;
		}
		struct io_job *job = take_job(io);

		pthread_mutex_unlock(&io->lock);
		job->run(job);
		pthread_mutex_lock(&io->lock);
		io->running--;
		if (count_ended(io))
			pthread_cond_broadcast(&io->changed);
	}
	io->threads--;
	pthread_cond_broadcast(&io->thread_ended);
	pthread_mutex_unlock(&io->lock);
	return NULL;
}

void io_expect(struct io *io, uint64_t job_ns)
{
	uint64_t wanted = MAX(MIN(job_ns / JOB_NS, (uint64_t)FIRST_MOST), (uint64_t)FIRST_LEAST);

	pthread_mutex_lock(&io->lock);
	if (!io->fixed) {
		io->target = MIN((unsigned)wanted, io->most);
		io->control = (struct io_control){ .phase = IO_GROWS };
		begin_period(io);
	}
	pthread_mutex_unlock(&io->lock);
}

bool io_submit(struct io *io, struct io_job *job, bool urgent)
{
	pthread_mutex_lock(&io->lock);
	struct io_job *first = io->first, **last = io->last;

	job->next = urgent ? first : NULL;
	*(urgent ? &io->first : last) = job;
	if (!job->next)
		io->last = &job->next;
	bool taken = !io->stopped && start_thread(io);

	if (taken) {
		pthread_cond_signal(&io->changed);
	} else { /* without a thread there is no other job */
		io->first = NULL;
		io->last = &io->first;
	}
	pthread_mutex_unlock(&io->lock);
	return taken;
}

bool io_stop(struct io *io)
{
	struct last_wait wait = { 0 };

	pthread_mutex_lock(&io->lock);
	struct io_job *job = io->first, *next;

	io->stopped = true;
	io->first = NULL;
	io->last = &io->first;
	pthread_cond_broadcast(&io->changed);
	while (io->threads && !last_wait_is_over(&wait)) {
		struct timespec until = clock_deadline(LAST_WAIT_MS);

		pthread_cond_timedwait(&io->thread_ended, &io->lock, &until);
	}
	bool ended = !io->threads;

	pthread_mutex_unlock(&io->lock);
	for (; job; job = next) {
		next = job->next;
		if (job->drop)
			job->drop(job);
	}
	return ended;
}

void io_close(struct io *io)
{
	if (!io || !io_stop(io))
		return;
	for (unsigned i = 0; i < io->count; i++)
		pthread_join(io->started[i], NULL);
	pthread_cond_destroy(&io->thread_ended);
	pthread_cond_destroy(&io->changed);
	pthread_mutex_destroy(&io->lock);
	free(io->started);
	free(io);
}

unsigned io_reached(struct io *io)
{
	pthread_mutex_lock(&io->lock);
	unsigned reached = io->reached;

	pthread_mutex_unlock(&io->lock);
	return reached;
}
