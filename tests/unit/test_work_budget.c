/*
 * The budget of an audit: it is spent in the order of the walk, whichever thread comes first, and nobody waits after
 * the audit was stopped. Whole audits with a budget are in tests/property/budget.py.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "check_main.h"

#include "audit/work_budget.h"

enum { BUDGET = 100, SOME = 60 /* twice is too much */, MOMENT_NS = 20000000 };

static atomic_bool stop;
static struct work_budget budget;

static void setup(void)
{
	atomic_store(&stop, false);
	work_budget_init(&budget, BUDGET, &stop);
}

static void teardown(void)
{
	work_budget_release(&budget);
}

/* Charges a file of this work unit that unpacks to SOME units. Returns whether the budget sufficed. */
static bool charge(uint64_t number)
{
	struct work_charge c = { .budget = &budget, .number = number };
	struct input_meter meter = work_charge_meter(&c);
	struct fault fault = { 0 };
	bool enough = meter.allow(meter.self, SOME, &fault);

	ck_assert(enough == (fault.kind == FAULT_NONE));
	fault_clear(&fault);
	return enough;
}

/* A thread that measures a work unit. */
struct worker {
	uint64_t number;
	pthread_t thread;
	atomic_bool began, enough;
};

static void *work(void *context)
{
	struct worker *w = context;

	atomic_store(&w->began, true);
	atomic_store(&w->enough, charge(w->number));
	work_budget_end_unit(&budget, w->number);
	return NULL;
}

/* Starts it and gives it the time to take what it does not have to wait for. */
static void start(struct worker *w)
{
	const struct timespec moment = { 0, MOMENT_NS };

	ck_assert_int_eq(pthread_create(&w->thread, NULL, work, w), 0);
	while (!atomic_load(&w->began))
		;
	nanosleep(&moment, NULL);
}

TEST(earlier_unit_comes_first)
{
	struct worker later = { .number = 1 };

	start(&later);
	ck_assert(charge(0));
	work_budget_end_unit(&budget, 0);
	pthread_join(later.thread, NULL);
	ck_assert(!later.enough);
}

/* Units without an excess end in any order; the last one waits for all of them. */
TEST(units_end_in_any_order)
{
	struct worker last = { .number = 4 };

	work_budget_end_unit(&budget, 3);
	work_budget_end_unit(&budget, 1);
	start(&last);
	work_budget_end_unit(&budget, 2);
	ck_assert(charge(0));
	work_budget_end_unit(&budget, 0);
	pthread_join(last.thread, NULL);
	ck_assert(!last.enough);
	ck_assert_uint_eq(budget.next, 5);
	ck_assert_uint_eq(budget.ahead_count, 0);
}

TEST(nobody_waits_after_a_stop)
{
	struct worker later = { .number = 1 };

	start(&later);
	atomic_store(&stop, true);
	pthread_join(later.thread, NULL); /* although unit 0 never ends */
	ck_assert(later.enough);
}

FIXTURE(setup, teardown)
