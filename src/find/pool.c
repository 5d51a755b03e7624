#include "find/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/thread.h"
#include "platform/platform.h"

enum {
	FIRST = 8, /* readers that begin: on a disk with one head more gain little */
	FIRST_MOST = 256,
	COMPUTED_NS = 100000, /* for a file, calls of the kernel included: as many may wait while one is computed */
	GROWTH = 2,
	LATE_NS = 50000, /* a task that takes longer, but for its bytes, may have waited: memory takes 2 to 20 us */
	/* Kernels of sandboxes do not count waits for files outside of them, nor preemptions: so long is late. */
	SURELY_NS = 3000000,
	WATCHED = 8,
	QUICK = 64, /* tasks more from memory than late: then fewer readers work */
	STACK_BYTES =
		256 << 10, /* paths and first bytes of files lie on it, some 40 KiB; pages are taken as they are used */
	ALL_AHEAD = 256,   /* tasks of pool_do_all() */
	DESCRIPTORS_KEPT = 16, /* outputs, the cache, archives, those of the workers */
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work;         /* readers: a task, or the end */
	pthread_cond_t done;         /* owners: a task that one of them waits for */
	pthread_cond_t reader_ended; /* the main thread */
	atomic_uint wanted;          /* readers that may work; written under the lock */
	/* under the lock */
	struct task *first, *last; /* queued */
	unsigned most;
	bool fixed; /* wanted == most */
	bool stopped;
	unsigned working, idle, readers, reached;
	unsigned quick;   /* tasks from memory more than late ones */
	pthread_t *v;     /* owned: `most` */
	unsigned started; /* of them */
};

unsigned pool_descriptors_max(void)
{
	struct rlimit limit;
	uint64_t half;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 1;
	half = (uint64_t)limit.rlim_cur - (uint64_t)limit.rlim_cur / 2;
	return half <= DESCRIPTORS_KEPT ? 1 : (unsigned)MIN(half - DESCRIPTORS_KEPT, (uint64_t)IO_MAX);
}

struct pool *pool_open(int most)
{
	struct pool *p = xcalloc(1, sizeof(*p));
	unsigned allowed = pool_descriptors_max();

	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->done, NULL);
	pthread_cond_init(&p->reader_ended, NULL);
	p->most = most >= 0 ? MIN((unsigned)most, allowed) : allowed;
	p->fixed = most >= 0;
	atomic_init(&p->wanted, p->fixed ? p->most : 0);
	p->v = xcalloc((size_t)p->most + 1, sizeof(*p->v));
	return p;
}

bool pool_is_active(const struct pool *p)
{
	return p && atomic_load_explicit(&p->wanted, memory_order_relaxed);
}

static void set_state(struct task *t, enum task_state state)
{
	atomic_store_explicit(&t->state, state, memory_order_release);
}

static enum task_state state_of(const struct task *t)
{
	return atomic_load_explicit(&t->state, memory_order_acquire);
}

bool task_is_begun(const struct task *t)
{
	enum task_state state = state_of(t);

	return state == TASK_QUEUED || state == TASK_RUNNING;
}

bool task_is_idle(const struct task *t)
{
	return state_of(t) == TASK_IDLE;
}

void task_reset(struct task *t)
{
	set_state(t, TASK_IDLE);
}

/* ---- whether storage is late ------------------------------------------------------------------------------------- */

/* How often this thread gave the processor up by itself, and was made to, when it was looked at last. */
static _Thread_local struct {
	unsigned watched; /* tasks before which it is looked at: after a slow one */
	long waits, preemptions;
} switches;

/* Looks. Returns whether the thread waited since it looked last; ns: for that long it did what it was to do. */
static bool look(uint64_t ns)
{
	long waits, preemptions;

	if (!platform_switches(&waits, &preemptions))
		return false;
	bool waited = waits != switches.waits || (ns > SURELY_NS && preemptions == switches.preemptions);

	switches.waits = waits;
	switches.preemptions = preemptions;
	return waited;
}

/* Does the task, and notes whether it waited for storage. To look takes 0.3 us: so an owner does after a slow task. */
static void run(struct task *t, bool ahead)
{
	const bool watched = ahead || switches.watched;

	if (watched)
		look(0);
	uint64_t since = clock_ns();

	t->bytes = 0;
	t->run(t, ahead);
	uint64_t ns = clock_ns() - since;
	bool slow = ns > LATE_NS + t->bytes;

	t->late_ns = slow && watched && look(ns) ? ns : 0;
	switches.watched = slow ? WATCHED : switches.watched - MIN(switches.watched, 1U);
}

/* ---- readers ----------------------------------------------------------------------------------------------------- */

static void *reader_main(void *arg);

static bool may_work(const struct pool *p)
{
	return p->first && p->working < p->wanted;
}

/* Wakes or starts one reader if there is something to do for it, which does the same for the next. Under the lock. */
static void wake_one(struct pool *p)
{
	if (!may_work(p) || p->stopped)
		return;
	if (p->idle) {
		pthread_cond_signal(&p->work);
	} else if (p->readers < p->wanted && p->started < p->most) {
		if (thread_start_small(&p->v[p->started], reader_main, p, STACK_BYTES)) {
			p->started++;
			p->readers++;
		} else {
			p->most = p->readers; /* as many as there can be */
			atomic_store(&p->wanted, MIN(p->wanted, p->most));
		}
	}
}

/* Under the lock. */
static void unlink_task(struct pool *p, struct task *t)
{
	*(t->before ? &t->before->next : &p->first) = t->next;
	*(t->next ? &t->next->before : &p->last) = t->before;
	t->next = t->before = NULL;
}

/* Notes the end of a task: tasks from memory need no reader. Under the lock. */
static void note(struct pool *p, const struct task *t)
{
	if (t->late_ns)
		p->quick -= MIN(p->quick, 2U);
	else if (!p->fixed && ++p->quick >= QUICK) {
		p->quick = 0;
		atomic_store(&p->wanted, p->wanted / GROWTH < FIRST ? 0 : p->wanted / GROWTH);
	}
}

/* Lets more readers work, if those that may do: an owner waited for storage, that long. Under the lock. */
static void grow(struct pool *p, uint64_t ns)
{
	if (p->fixed || (p->wanted && p->working < p->wanted))
		return;
	unsigned enough = (unsigned)MAX(MIN(ns / COMPUTED_NS, (uint64_t)FIRST_MOST), (uint64_t)FIRST);

	atomic_store(&p->wanted, MIN(MAX(GROWTH * p->wanted, enough), p->most));
	p->quick = 0;
	wake_one(p);
}

static void *reader_main(void *arg)
{
	struct pool *p = arg;

	pthread_mutex_lock(&p->lock);
	while (!p->stopped) {
		if (!may_work(p)) {
			p->idle++;
			pthread_cond_wait(&p->work, &p->lock);
			p->idle--;
			continue;
		}
		struct task *t = p->first;

		unlink_task(p, t);
		set_state(t, TASK_RUNNING);
		p->working++;
		p->reached = MAX(p->reached, p->working);
		wake_one(p);
		pthread_mutex_unlock(&p->lock);
		run(t, true);
		pthread_mutex_lock(&p->lock);
		p->working--;
		note(p, t);
		if (t->awaited)
			pthread_cond_broadcast(&p->done);
		set_state(t, TASK_DONE); /* it may be freed from here on */
	}
	p->readers--;
	pthread_cond_broadcast(&p->reader_ended);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ---- owners ------------------------------------------------------------------------------------------------------ */

void pool_begin(struct pool *p, struct task *t)
{
	t->awaited = false;
	set_state(t, TASK_IDLE);
	if (!pool_is_active(p))
		return;
	pthread_mutex_lock(&p->lock);
	set_state(t, TASK_QUEUED);
	t->next = NULL;
	t->before = p->last;
	*(p->last ? &p->last->next : &p->first) = t;
	p->last = t;
	wake_one(p);
	pthread_mutex_unlock(&p->lock);
}

/* Waits while a reader is at the task. Under the lock. Returns whether that was so. */
static bool wait_for_reader(struct pool *p, struct task *t)
{
	bool waited = false;

	while (state_of(t) == TASK_RUNNING) {
		t->awaited = waited = true;
		pthread_cond_wait(&p->done, &p->lock);
	}
	return waited;
}

void pool_finish(struct pool *p, struct task *t)
{
	bool waited = false, own = state_of(t) == TASK_IDLE;

	if (state_of(t) == TASK_DONE)
		return;
	if (!own) {
		pthread_mutex_lock(&p->lock);
		own = state_of(t) == TASK_QUEUED;
		if (own)
			unlink_task(p, t);
		waited = wait_for_reader(p, t);
		if (waited && t->late_ns)
			grow(p, t->late_ns);
		pthread_mutex_unlock(&p->lock);
	}
	if (!own)
		return;
	set_state(t, TASK_IDLE); /* no reader finds it */
	run(t, false);
	set_state(t, TASK_DONE);
	if (!p || !(t->late_ns || pool_is_active(p)))
		return;
	pthread_mutex_lock(&p->lock);
	note(p, t);
	if (t->late_ns)
		grow(p, t->late_ns);
	pthread_mutex_unlock(&p->lock);
}

void pool_cancel(struct pool *p, struct task *t)
{
	if (!task_is_begun(t))
		return;
	pthread_mutex_lock(&p->lock);
	if (state_of(t) == TASK_QUEUED) {
		unlink_task(p, t);
		set_state(t, TASK_IDLE);
	}
	wait_for_reader(p, t);
	pthread_mutex_unlock(&p->lock);
}

void pool_do_all(struct pool *p, void *tasks, size_t count, size_t size)
{
	size_t begun = 0;

	for (size_t i = 0; i < count; i++) {
		for (; begun < count && begun < i + (pool_is_active(p) ? ALL_AHEAD : 1); begun++)
			pool_begin(p, (struct task *)(void *)((char *)tasks + begun * size));
		pool_finish(p, (struct task *)(void *)((char *)tasks + i * size));
	}
}

bool pool_stop(struct pool *p)
{
	struct last_wait wait = { 0 };

	if (!p)
		return true;
	pthread_mutex_lock(&p->lock);
	p->stopped = p->fixed = true;
	atomic_store(&p->wanted, 0);
	pthread_cond_broadcast(&p->work);
	while (p->readers && !last_wait_is_over(&wait)) {
		struct timespec until = clock_deadline(LAST_WAIT_MS);

		pthread_cond_timedwait(&p->reader_ended, &p->lock, &until);
	}
	bool ended = !p->readers;

	pthread_mutex_unlock(&p->lock);
	if (!ended)
		last_wait_give_up();
	return ended;
}

void pool_close(struct pool *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->started; i++)
		pthread_join(p->v[i], NULL);
	pthread_cond_destroy(&p->reader_ended);
	pthread_cond_destroy(&p->done);
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->lock);
	free(p->v);
	free(p);
}

unsigned pool_reached(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	unsigned reached = p->reached;

	pthread_mutex_unlock(&p->lock);
	return reached;
}
