/* Hashes of tables begin with a seed that no input can foresee: what collides today does not tomorrow. SHA-256. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/sha256.h"
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
TEST(each_run_has_its_seed)
{
	ck_assert_uint_ne(seed_of_a_process(), seed_of_a_process());
}

/* Two texts that want the same place under one seed want different ones under most others. */
TEST(the_seed_decides_what_collides)
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
TEST(chosen_ids_cost_what_others_cost)
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

/* The examples of FIPS 180-4 and of NIST, and any text in pieces, with and without the processor's instructions. */
TEST(sha256_is_the_standards)
{
	static const char *const examples[][2] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	char text[700], whole[2][65], pieces[65];
	struct error err = ERROR_INIT;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7);
	for (int hidden = 0; hidden < 2; hidden++) {
		struct sha256 s;

		setenv("LABELAUDIT_DISABLE_CPU_FEATURES", hidden ? "sha" : "", 1);
		ck_assert_int_eq(cpu_init(&err), STATUS_OK);
		for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
			sha256_init(&s);
			sha256_add(&s, examples[i][0], strlen(examples[i][0]));
			sha256_hex(&s, pieces);
			ck_assert_str_eq(pieces, examples[i][1]);
		}
		sha256_init(&s);
		sha256_add(&s, text, sizeof(text));
		sha256_hex(&s, whole[hidden]);
		for (size_t piece = 1; piece < 200; piece++) {
			sha256_init(&s);
			for (size_t at = 0; at < sizeof(text); at += piece)
				sha256_add(&s, text + at, MIN(piece, sizeof(text) - at));
			sha256_hex(&s, pieces);
			ck_assert_str_eq(pieces, whole[hidden]);
		}
	}
	ck_assert_str_eq(whole[0], whole[1]);
	unsetenv("LABELAUDIT_DISABLE_CPU_FEATURES");
	ck_assert_int_eq(cpu_init(&err), STATUS_OK);
}

TIMEOUT(60)
