/* Shards: whose a file is, what is parsed, and what each launcher says in the environment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/settings.h"
#include "check_main.h"
#include "find/shard.h"

static void clear_environment(void)
{
	static const char *const names[] = {
		"LABELAUDIT_SHARD_COUNT",
		"SLURM_ARRAY_TASK_ID",
		"SLURM_ARRAY_TASK_MIN",
		"SLURM_ARRAY_TASK_MAX",
		"SLURM_ARRAY_TASK_STEP",
		"SLURM_ARRAY_TASK_COUNT",
		"SLURM_STEP_ID",
		"SLURM_PROCID",
		"SLURM_NTASKS",
		"SLURM_LOCALID",
		"OMPI_COMM_WORLD_RANK",
		"OMPI_COMM_WORLD_SIZE",
		"OMPI_COMM_WORLD_LOCAL_RANK",
		"JOB_COMPLETION_INDEX",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unsetenv(names[i]);
}

/* "A=1 B=2" into the environment; what comes of it as "index/count rank on this machine", or the error. */
static const char *launched(const char *variables)
{
	static char out[2048];
	struct shard shard = { 0, 0 };
	struct error err = ERROR_INIT;
	unsigned local = 0;
	char *words = xstrdup(variables), *rest = words;

	clear_environment();
	for (char *word; (word = strsep(&rest, " "));) {
		char *equals = strchr(word, '=');

		if (!equals)
			continue;
		*equals = '\0';
		setenv(word, equals + 1, 1);
	}
	free(words);
	if (shard_from_launcher(&shard, &local, &err) != STATUS_OK)
		snprintf(out, sizeof(out), "%s", err.text);
	else
		snprintf(out, sizeof(out), "%u/%u %u", shard.index, shard.count, local);
	clear_environment();
	return out;
}

#define ARRAY(id, min, max, step, count)                                                       \
	"SLURM_ARRAY_TASK_ID=" #id " SLURM_ARRAY_TASK_MIN=" #min " SLURM_ARRAY_TASK_MAX=" #max \
	" SLURM_ARRAY_TASK_STEP=" #step " SLURM_ARRAY_TASK_COUNT=" #count " "

static void expect_refused(const char *variables, const char *why)
{
	const char *said = launched(variables);

	ck_assert_msg(strstr(said, why) != NULL, "%s: '%s'", variables, said);
}

TEST(launchers)
{
	ck_assert_str_eq(launched(ARRAY(1, 1, 64, 1, 64)), "1/64 0");
	ck_assert_str_eq(launched(ARRAY(64, 1, 64, 1, 64)), "64/64 0");
	ck_assert_str_eq(launched(ARRAY(0, 0, 63, 1, 64)), "1/64 0");
	ck_assert_str_eq(launched(ARRAY(14, 10, 20, 2, 6)), "3/6 0");
	ck_assert_str_eq(launched("SLURM_STEP_ID=0 SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_LOCALID=1"), "6/8 1");
	ck_assert_str_eq(launched("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=0"),
			 "1/4 0");
	ck_assert_str_eq(launched("OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1"),
			 "4/4 1");
	ck_assert_str_eq(launched("JOB_COMPLETION_INDEX=0 LABELAUDIT_SHARD_COUNT=10"), "1/10 0");
	ck_assert_str_eq(launched("JOB_COMPLETION_INDEX=9 LABELAUDIT_SHARD_COUNT=10"), "10/10 0");
}

TEST(one_within_the_other)
{
	/* srun -n 8 or mpirun -n 8 in each task of an array of 4 */
	ck_assert_str_eq(launched(ARRAY(2, 1, 4, 1, 4) "SLURM_STEP_ID=0 SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_LOCALID=5"),
			 "14/32 5");
	ck_assert_str_eq(launched(ARRAY(4, 1, 4, 1, 4) "OMPI_COMM_WORLD_RANK=7 OMPI_COMM_WORLD_SIZE=8"), "32/32 7");
	/* mpirun's daemon is a task of a step of its own, one a machine */
	ck_assert_str_eq(launched("SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=2 OMPI_COMM_WORLD_RANK=9 "
				  "OMPI_COMM_WORLD_SIZE=16"),
			 "10/16 9");
	/* a batch script is no step */
	ck_assert_str_eq(launched(ARRAY(2, 1, 4, 1, 4) "SLURM_PROCID=0 SLURM_NTASKS=8"), "2/4 0");
}

TEST(tasks_that_are_run_again)
{
	expect_refused(ARRAY(7, 3, 7, 1, 2), "set LABELAUDIT_SHARD_COUNT, or pass --shard 7/N");
	expect_refused(ARRAY(7, 7, 7, 1, 1), "set LABELAUDIT_SHARD_COUNT, or pass --shard 7/N");
	expect_refused("SLURM_ARRAY_TASK_ID=7", "set LABELAUDIT_SHARD_COUNT");
	ck_assert_str_eq(launched(ARRAY(7, 3, 7, 1, 2) "LABELAUDIT_SHARD_COUNT=64"), "7/64 0");
	ck_assert_str_eq(launched(ARRAY(7, 7, 7, 1, 1) "LABELAUDIT_SHARD_COUNT=64"), "7/64 0");
	ck_assert_str_eq(launched(ARRAY(0, 0, 63, 1, 64) "LABELAUDIT_SHARD_COUNT=64"), "1/64 0");
	ck_assert_str_eq(launched(ARRAY(3, 1, 8, 1, 8) "LABELAUDIT_SHARD_COUNT=64"), "3/64 0");
	ck_assert_str_eq(launched(ARRAY(7, 7, 7, 1, 1) "LABELAUDIT_SHARD_COUNT=8 OMPI_COMM_WORLD_RANK=1 "
						       "OMPI_COMM_WORLD_SIZE=2"),
			 "14/16 1");
	expect_refused(ARRAY(0, 0, 8, 4, 3) "LABELAUDIT_SHARD_COUNT=64", "is not one of the shards 1 to");
	expect_refused(ARRAY(65, 3, 65, 1, 2) "LABELAUDIT_SHARD_COUNT=64", "is not one of the shards 1 to");
}

TEST(nothing_is_guessed)
{
	expect_refused("", "no launcher was found");
	expect_refused("SLURM_PROCID=0 SLURM_NTASKS=8", "no launcher was found");
	expect_refused("LABELAUDIT_SHARD_COUNT=8", "no launcher was found");
	expect_refused("PMI_RANK=2 PMI_SIZE=4", "under others pass --shard I/N");
	expect_refused("JOB_COMPLETION_INDEX=3", "LABELAUDIT_SHARD_COUNT is not");
	expect_refused("JOB_COMPLETION_INDEX=8 LABELAUDIT_SHARD_COUNT=8", "is not below");
	expect_refused("OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE is not");
	expect_refused("OMPI_COMM_WORLD_RANK=x OMPI_COMM_WORLD_SIZE=4", "is not a number");
	expect_refused("OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=", "is not a number");
	expect_refused("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=0", "is not below");
	expect_refused("OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=y", "is not a number");
	expect_refused("JOB_COMPLETION_INDEX=1 LABELAUDIT_SHARD_COUNT=many", "is not a number");
	expect_refused("SLURM_ARRAY_TASK_ID=x", "SLURM_ARRAY_TASK_ID=x is not a number");
	expect_refused("SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=x", "SLURM_ARRAY_TASK_MIN=x is not a number");
	expect_refused("SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MAX=x", "SLURM_ARRAY_TASK_MAX=x is not a number");
	expect_refused("SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_STEP=x", "SLURM_ARRAY_TASK_STEP=x is not a number");
	expect_refused("SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=x", "SLURM_ARRAY_TASK_COUNT=x is not a number");
	expect_refused(ARRAY(1, 1, 4, 1, 4) "LABELAUDIT_SHARD_COUNT=x", "LABELAUDIT_SHARD_COUNT=x is not a number");
	expect_refused("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1000001", "more than 1000000 shards");
	expect_refused("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=99999999999999999999", "is not a number");
	expect_refused(ARRAY(1, 1, 1000, 1, 1000) "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=18446744073709551615",
		       "more than 1000000 shards");
}

TEST(what_is_typed)
{
	static const char *const wrong[] = { "",     "3",         "3/",   "/3",
					     "0/3",  "4/3",       "-1/3", "1/3 ",
					     " 1/3", "1/1000001", "1//3", "99999999999999999999/99999999999999999999",
					     "0/0",  "1.0/3" };
	struct shard shard;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		ck_assert_msg(!shard_parse(wrong[i], &shard), "%s", wrong[i]);
	ck_assert(shard_parse("1000000/1000000", &shard));
	ck_assert_uint_eq(shard.index, 1000000);
	ck_assert(shard_parse("007/64", &shard));
	ck_assert_uint_eq(shard.index, 7);
}

static size_t key(const char *path)
{
	return shard_key_length(path, strlen(path));
}

TEST(keys)
{
	ck_assert_uint_eq(key("a/b.png"), 3);
	ck_assert_uint_eq(key("a/b"), 3);
	ck_assert_uint_eq(key("a.d/b"), 5);
	ck_assert_uint_eq(key("a/.hidden"), 9);
	ck_assert_uint_eq(key(".hidden"), 7);
	ck_assert_uint_eq(key("a/b.tar.gz"), 7);
	ck_assert_uint_eq(key("a/b."), 3);
	ck_assert_uint_eq(key(""), 0);
	ck_assert_uint_eq(key("-"), 1);
}

/* XXH3_64bits of xxHash 0.8: written into the manual, so it must never change. */
TEST(the_hash_is_the_documented_one)
{
	ck_assert_uint_eq(shard_of_key("", 0, 1000000), UINT64_C(0x2d06800538d394c2) % 1000000 + 1);
	ck_assert_uint_eq(shard_of_key("a", 1, 1000000), UINT64_C(0xe6c632b61e964e1f) % 1000000 + 1);
	ck_assert_uint_eq(shard_of_key("abc", 3, 1000000), UINT64_C(0x78af5f94892f3950) % 1000000 + 1);
	ck_assert_uint_eq(shard_of_key("anything", 8, 1), 1);
}

TEST(parts_are_about_equal)
{
	enum { PARTS = 16, FILES = 16000 };
	unsigned count[PARTS + 1] = { 0 };
	char name[64];

	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "train/%06d.png", i);
		uint32_t part = shard_of_key(name, shard_key_length(name, strlen(name)), PARTS);

		ck_assert_uint_ge(part, 1);
		ck_assert_uint_le(part, PARTS);
		count[part]++;
	}
	/* binomial: 1000 with a deviation of 31 */
	for (int i = 1; i <= PARTS; i++)
		ck_assert_msg(count[i] > 850 && count[i] < 1150, "%u files in part %d", count[i], i);
}
