/*
 * The end of struct io: it waits for what storage answers, however late, and after an interruption for a moment, which
 * several waits share.
 */
#include <signal.h>
#include <unistd.h>

#include "check_main.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "find/io.h"

/* A job that storage answers late. */
struct late_job {
	struct io_job job; /* first */
	unsigned milliseconds;
	atomic_bool begun, ended;
};

static void run(struct io_job *job)
{
	struct late_job *late = (struct late_job *)job;

	atomic_store(&late->begun, true);
	usleep(late->milliseconds * 1000);
	atomic_store(&late->ended, true);
}

/* Begins the job in an io of its own. */
static struct io *begin(struct late_job *late)
{
	struct io *io = io_open(IO_MAX_AUTO);

	late->job.run = run;
	ck_assert(io_submit(io, &late->job, false));
	while (!atomic_load(&late->begun))
		usleep(1000);
	return io;
}

START_TEST(late_answers_are_waited_for)
{
	struct late_job late = { .milliseconds = 500 };
	struct io *io = begin(&late);

	ck_assert(io_stop(io));
	ck_assert(atomic_load(&late.ended));
	ck_assert(!exit_now());
	io_close(io);
}
END_TEST

static void no_last_act(void)
{
}

/* Four pools, none of which gets an answer: the first one has STORAGE_MS, the others next to nothing. */
START_TEST(an_interruption_is_answered_once)
{
	static struct late_job late[4];
	struct io *io[ARRAY_SIZE(late)];

	for (size_t i = 0; i < ARRAY_SIZE(late); i++) {
		late[i].milliseconds = 60000;
		io[i] = begin(&late[i]);
	}
	stop_install(no_last_act);
	raise(SIGINT);
	uint64_t since = clock_ns();

	for (size_t i = 0; i < ARRAY_SIZE(late); i++) {
		ck_assert(!io_stop(io[i]));
		last_wait_give_up();
	}
	/* a busy machine may take longer, but not as long as four whole waits */
	ck_assert_uint_lt(clock_ns() - since, UINT64_C(1000000) * (STORAGE_MS * ARRAY_SIZE(late) - LAST_WAIT_MS));
	ck_assert(exit_now());
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("io");
	TCase *t = tcase_create("io");

	tcase_add_test(t, late_answers_are_waited_for);
	tcase_add_test(t, an_interruption_is_answered_once);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
