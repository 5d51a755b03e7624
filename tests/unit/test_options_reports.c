/* The options of merge, render and diff, and --shard. */
#include <stdlib.h>

#include "options_line.h"

static void teardown(void)
{
	options_release(&o);
}

TEST(commands_on_reports)
{
	accept_line("merge a b --allow missing --max-findings 3 -f text -o m.json");
	ck_assert_int_eq(o.command, COMMAND_MERGE);
	ck_assert_uint_eq(o.words.count, 2);
	ck_assert(o.allowed == ALLOW_MISSING && o.output.max_findings_given);
	accept_line("render -q r.json -f text");
	ck_assert_int_eq(o.command, COMMAND_RENDER);
	accept_line("diff --fail-on warning --allow settings a b");
	ck_assert_int_eq(o.settings.fail_on, LEVEL_WARNING);
	ck_assert(o.allowed == ALLOW_SETTINGS && !options_never_fail(&o));
	accept_line("merge a b --allow=empty,stale --allow missing --fail-on never");
	ck_assert(o.allowed == (ALLOW_EMPTY | ALLOW_STALE | ALLOW_MISSING) && options_never_fail(&o));
	refuse_line("merge --allow settings a", "--allow settings: the command merge has nothing to allow there");
	refuse_line("merge --allow nothing a", "'nothing'");
	refuse_line("merge --allow-stale a", "--allow-stale was removed: use --allow stale");
	refuse_line("diff --force a b", "--force was removed: use --allow settings");
	refuse_line("-c 3 --exit-zero .", "--exit-zero was removed: use --fail-on never");
	refuse_line("-c 3 --allow-empty .", "--allow-empty was removed: use --allow empty");
	refuse_line("merge", "needs PART");
	refuse_line("merge -c 3 a", "the command merge has no option --classes");
	refuse_line("merge --shard 1/2 a", "the command merge has no option --shard");
	refuse_line("render a b", "does not take 'b'");
	refuse_line("render --allow missing a", "the command render has no option");
	refuse_line("render --statistics a", "--statistics was removed: -f json has the number of findings");
	refuse_line("diff a", "needs OLD NEW");
	refuse_line("-c 3 --allow missing .", "--allow missing: the command audit has nothing to allow there");
}

TEST(shards)
{
	accept_line("-c 3 .");
	ck_assert_uint_eq(o.settings.shards, 0);
	accept_line("-c 3 --shard 7/64 -o part-%r.json -o jsonl:%r/%r -o 100%.json . --fail-on never");
	ck_assert_uint_eq(o.settings.shard, 7);
	ck_assert_uint_eq(o.settings.shards, 64);
	ck_assert_uint_eq(o.input.find.shard.index, 7);
	ck_assert_str_eq(o.output.files[0].path, "part-07.json");
	ck_assert_str_eq(o.output.files[1].path, "07/07");
	ck_assert_str_eq(o.output.files[2].path, "100%.json");
	accept_line("-c 3 --shard 7/9 -o %r.json .");
	ck_assert_str_eq(o.output.files[0].path, "7.json");
	refuse_line("-c 3 -o %r.json .", "there is no --shard");
	refuse_line("-c 3 --shard 9 .", "expected something like 3/64");
	refuse_line("-c 3 --shard 9/8 .", "expected something like 3/64");
}

TEST(processes_of_a_machine_share_its_gpus)
{
	setenv("OMPI_COMM_WORLD_RANK", "5", 1);
	setenv("OMPI_COMM_WORLD_SIZE", "8", 1);
	setenv("OMPI_COMM_WORLD_LOCAL_RANK", "3", 1);
	accept_line("-c 3 --shard auto -d cuda .");
	ck_assert_int_eq(o.run.device.cuda[0], -4);
	accept_line("-c 3 -d cuda --shard auto .");
	ck_assert_int_eq(o.run.device.cuda[0], -4);
	accept_line("-c 3 --shard auto -d cuda:1 .");
	ck_assert_int_eq(o.run.device.cuda[0], 1);
	accept_line("-c 3 --shard 6/8 -d cuda .");
	ck_assert_int_eq(o.run.device.cuda[0], 0);
	unsetenv("OMPI_COMM_WORLD_RANK");
	unsetenv("OMPI_COMM_WORLD_SIZE");
	unsetenv("OMPI_COMM_WORLD_LOCAL_RANK");
}

FIXTURE(NULL, teardown)
