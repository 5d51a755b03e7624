/*
 * struct pool: each task is done once, by a reader or by the owner; readers begin where storage is late, and only
 * there; the end waits for what storage answers, however late, and after an interruption for a moment.
 */
#include <signal.h>
#include <unistd.h>

#include "check_main.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "find/pool.h"

enum { TASKS = 500 };

struct counted {
	struct task task;      /* first */
	unsigned milliseconds; /* that storage takes */
	atomic_uint begun, done, ahead;
};

static struct counted v[TASKS];

static void run(struct task *task, bool ahead)
{
	struct counted *c = (struct counted *)task;

	atomic_fetch_add(&c->begun, 1);
	if (c->milliseconds)
		usleep(c->milliseconds * 1000);
	atomic_fetch_add(&c->ahead, ahead);
	atomic_fetch_add(&c->done, 1);
}

static void prepare(unsigned milliseconds)
{
	memset(v, 0, sizeof(v));
	for (size_t i = 0; i < TASKS; i++) {
		v[i].task.run = run;
		v[i].milliseconds = milliseconds;
	}
}

/* Begins each task some tasks ahead, and finishes all in turn. Returns how many readers did. */
static unsigned run_all(struct pool *pool)
{
	enum { AHEAD = 64 };
	unsigned ahead = 0;
	size_t begun = 0;

	for (size_t i = 0; i < TASKS; i++) {
		for (; begun < TASKS && begun < i + (pool_is_active(pool) ? AHEAD : 1); begun++)
			pool_begin(pool, &v[begun].task);
		pool_finish(pool, &v[i].task);
		ck_assert_uint_eq(atomic_load(&v[i].done), 1);
		pool_finish(pool, &v[i].task); /* once more */
	}
	for (size_t i = 0; i < TASKS; i++) {
		ck_assert_uint_eq(atomic_load(&v[i].begun), 1);
		ahead += atomic_load(&v[i].ahead);
	}
	return ahead;
}

TEST(from_memory)
{
	struct pool *pool = pool_open(IO_MAX_AUTO);

	prepare(0);
	ck_assert_uint_eq(run_all(pool), 0);
	ck_assert_uint_eq(pool_reached(pool), 0);
	ck_assert(pool_stop(pool));
	pool_close(pool);
	prepare(0);
	ck_assert_uint_eq(run_all(NULL), 0);
}

TEST_EACH(fixed, 5)
{
	struct pool *pool = pool_open(_i);

	prepare(0);
	run_all(pool);
	ck_assert_uint_le(pool_reached(pool), (unsigned)_i);
	ck_assert(pool_is_active(pool) == (_i > 0));
	ck_assert(pool_stop(pool));
	ck_assert(!pool_is_active(pool));
	prepare(0);
	ck_assert_uint_eq(run_all(pool), 0); /* owners do it then */
	pool_close(pool);
}

TEST(late_storage)
{
	struct pool *pool = pool_open(IO_MAX_AUTO);

	prepare(5);
	ck_assert_uint_gt(run_all(pool), TASKS / 2);
	ck_assert_uint_ge(pool_reached(pool), 8);
	/* from memory again: the readers leave it to the owner */
	prepare(0);
	for (int i = 0; i < 100 && pool_is_active(pool); i++) {
		run_all(pool);
		prepare(0);
	}
	ck_assert(!pool_is_active(pool));
	ck_assert(pool_stop(pool));
	pool_close(pool);
}

TEST(cancelled)
{
	struct pool *pool = pool_open(1);
	unsigned done = 0;

	prepare(1);
	for (size_t i = 0; i < 100; i++)
		pool_begin(pool, &v[i].task);
	for (size_t i = 0; i < 100; i++)
		pool_cancel(pool, &v[i].task);
	for (size_t i = 0; i < 100; i++) {
		ck_assert_uint_eq(atomic_load(&v[i].begun), atomic_load(&v[i].done));
		done += atomic_load(&v[i].done);
		ck_assert(!task_is_begun(&v[i].task));
	}
	ck_assert_uint_lt(done, 100);
	ck_assert(pool_stop(pool));
	pool_close(pool);
}

static void begin_late(struct pool *pool, unsigned milliseconds)
{
	prepare(milliseconds);
	pool_begin(pool, &v[0].task);
	while (!atomic_load(&v[0].begun))
		usleep(1000);
}

static void do_nothing(void)
{
}

TEST(the_end)
{
	struct pool *pool = pool_open(1);

	begin_late(pool, 500);
	ck_assert(pool_stop(pool));
	ck_assert_uint_eq(atomic_load(&v[0].done), 1);
	pool_close(pool);

	pool = pool_open(1);
	begin_late(pool, 3000);
	stop_install(do_nothing);
	raise(SIGTERM);
	uint64_t since = clock_ns();

	ck_assert(!pool_stop(pool));
	ck_assert_uint_lt(clock_ns() - since, UINT64_C(2000000000));
	ck_assert_uint_eq(atomic_load(&v[0].done), 0);
	ck_assert(exit_now() && last_wait_given_up());
}

TIMEOUT(60)
