/* Late storage and a busy processor are not the same: a thread that waits, one that is preempted, and one that is
 * watched no more. */
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"

#include "base/clock.h"
#include "base/late.h"
#include "base/thread.h"

enum { LATE_NS = 25000, MOST_RIVALS = 64 };

static void nap(long ns)
{
	const struct timespec t = { 0, ns };

	nanosleep(&t, NULL);
}

/* As a call that storage answers late. */
static bool wait_is_late(void)
{
	uint64_t since = clock_ns();

	late_begin();
	late_call_begin();
	nap(200000);
	late_call_end();
	return late_end(clock_ns() - since, LATE_NS);
}

/* As one that waits for another thread to allocate memory. */
static bool other_wait_is_late(void)
{
	uint64_t since = clock_ns();

	late_begin();
	late_call_begin();
	late_call_end();
	nap(200000);
	return late_end(clock_ns() - since, LATE_NS);
}

START_TEST(waits_of_calls_are_late)
{
	for (int i = 0; i < 100; i++) {
		ck_assert(wait_is_late());
		ck_assert(!other_wait_is_late());
	}
}
END_TEST

/* After many calls in time the first late one is not counted, since nothing is known of it, but those that follow are.
 */
START_TEST(watched_again_after_calls_in_time)
{
	for (int i = 0; i < 100; i++) {
		late_begin();
		ck_assert(!late_end(LATE_NS, LATE_NS));
	}
	ck_assert(!wait_is_late());
	ck_assert(wait_is_late());
	late_begin(); /* as an open folder is in memory */
	ck_assert(!late_end(1000, LATE_NS));
	ck_assert(wait_is_late());
}
END_TEST

static atomic_bool stop;

static void *spin(void *unused)
{
	while (!atomic_load(&stop))
		;
	return unused;
}

static long preemptions(void)
{
	struct rusage usage;

	/* No ck_assert here: it writes to a file, and this runs where waits are counted. */
	return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : -1;
}

/* A thread that shares its core with others is late by the clock each time that it is preempted. */
START_TEST(preemption_is_not_late)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int count = (int)(2 * cores < MOST_RIVALS ? 2 * cores : MOST_RIVALS), late = 0, preempted = 0;
	pthread_t rivals[MOST_RIVALS];
	uint64_t begin = clock_ns();

	atomic_store(&stop, false);
	for (int i = 0; i < count; i++)
		ck_assert(thread_start(&rivals[i], spin, NULL));
	while (preempted < 5 && clock_ns() - begin < UINT64_C(2000000000)) {
		uint64_t since = clock_ns();
		bool was_preempted;

		late_begin();
		late_call_begin();
		long before = preemptions();

		while (!(was_preempted = preemptions() != before) && clock_ns() - since < UINT64_C(50000000))
			;
		late_call_end();
		late += late_end(clock_ns() - since, LATE_NS) && was_preempted;
		preempted += was_preempted;
	}
	atomic_store(&stop, true);
	for (int i = 0; i < count; i++)
		pthread_join(rivals[i], NULL);
	ck_assert_int_eq(late, 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("late");
	TCase *t = tcase_create("late");

	tcase_add_test(t, waits_of_calls_are_late);
	tcase_add_test(t, watched_again_after_calls_in_time);
	tcase_add_test(t, preemption_is_not_late);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
