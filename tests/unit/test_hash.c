/* Hashes of tables begin with a seed that no input can foresee: what collides today does not tomorrow. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "check_main.h"
#include "measure/id_counter.h"

/* Returns hash_seed() of a process of its own. */
static uint64_t seed_of_a_process(void)
{
	uint64_t seed = 0;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (!child) {
		seed = hash_seed();
		_exit(write(ends[1], &seed, sizeof(seed)) != sizeof(seed) || hash_seed() != seed);
	}
	int status;

	ck_assert_int_eq(read(ends[0], &seed, sizeof(seed)), sizeof(seed));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	close(ends[0]);
	close(ends[1]);
	return seed;
}

/* Before anything here has asked for it, or the children would share it. */
START_TEST(each_run_has_its_seed)
{
	ck_assert_uint_ne(seed_of_a_process(), seed_of_a_process());
}
END_TEST

/* Two texts that want the same place under one seed want different ones under most others. */
START_TEST(the_seed_decides_what_collides)
{
	enum { PLACES = 1024, SEEDS = 64 };
	char text[2][24] = { "a name, longer than 8", "" };
	unsigned together = 0;

	for (unsigned i = 0; i < 100 * PLACES; i++) {
		snprintf(text[1], sizeof(text[1]), "another one: %u", i);
		if (hash_bytes(1, text[0], 21) % PLACES == hash_bytes(1, text[1], strlen(text[1])) % PLACES)
			break;
	}
	ck_assert_uint_eq(hash_bytes(1, text[0], 21) % PLACES, hash_bytes(1, text[1], strlen(text[1])) % PLACES);
	for (uint64_t s = 0; s < SEEDS; s++) {
		uint64_t seed = hash_mix(s);

		together +=
			hash_bytes(seed, text[0], 21) % PLACES == hash_bytes(seed, text[1], strlen(text[1])) % PLACES;
	}
	ck_assert_uint_lt(together, 4);
}
END_TEST

/* CPU time that counting takes, in nanoseconds: ids from 2^32 on, `step` apart. */
static uint64_t time_of(uint64_t step)
{
	struct class_set classes;
	struct id_counter counter;
	struct timespec from, to;

	class_set_init(&classes);
	id_counter_init(&counter, &classes);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (uint64_t i = 0; i < ID_COUNTER_SPARSE; i++)
		id_counter_add(&counter, (int64_t)((UINT64_C(1) << 32) + i * step), i);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	ck_assert(!counter.overflow);
	id_counter_release(&counter);
	class_set_release(&classes);
	return (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000 + (uint64_t)to.tv_nsec - (uint64_t)from.tv_nsec;
}

/*
 * Ids that a hash without a seed would put in one place, and that a file of 512 KiB can hold: they took as many steps
 * as there are pairs of them, two thousand million. With a seed they take what any ids take.
 */
START_TEST(chosen_ids_cost_what_others_cost)
{
	/* The inverse of 0x9e3779b97f4a7c15 (2^64 / golden ratio) mod 2^64: its multiples are hashed to 1, 2, 3 ... */
	static const uint64_t steps[] = { UINT64_C(0xf1de83e19937733d), UINT64_C(1) << 32, UINT64_C(1) << 47 };
	uint64_t plain = UINT64_MAX;

	ck_assert_uint_eq(UINT64_C(0xf1de83e19937733d) * UINT64_C(0x9e3779b97f4a7c15), 1);
	for (int i = 0; i < 5; i++) {
		uint64_t took = time_of(1);

		plain = MIN(plain, took);
	}
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		uint64_t chosen = UINT64_MAX;

		for (int k = 0; k < 5 && chosen > 10 * plain; k++) {
			uint64_t took = time_of(steps[i]);

			chosen = MIN(chosen, took);
		}
		ck_assert_uint_le(chosen, 10 * plain);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("hash");
	TCase *t = tcase_create("hash");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, each_run_has_its_seed);
	tcase_add_test(t, the_seed_decides_what_collides);
	tcase_add_test(t, chosen_ids_cost_what_others_cost);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
