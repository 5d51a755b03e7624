#include "find/shard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Inline: loading the library would take longer than most runs hash. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"
#include "base/scan_number.h"
#include "base/settings.h"

bool shard_parse(const char *text, struct shard *out)
{
	uint64_t index, count;

	if (!scan_uint64(&text, &index) || *text++ != '/' || !scan_uint64(&text, &count) || *text)
		return false;
	if (!index || index > count || count > SHARDS_MAX)
		return false;
	*out = (struct shard){ (uint32_t)index, (uint32_t)count };
	return true;
}

size_t shard_key_length(const char *path, size_t n)
{
	size_t at = n;

	while (at && path[at - 1] != '/' && path[at - 1] != '.')
		at--;
	/* a dot, but not the first byte of a name */
	return at > 1 && path[at - 1] == '.' && path[at - 2] != '/' ? at - 1 : n;
}

uint32_t shard_of_key(const char *key, size_t n, uint32_t count)
{
	return (uint32_t)(XXH3_64bits(key, n) % count) + 1;
}

bool shard_has(const struct shard *shard, const char *path, size_t n)
{
	return !shard->count || shard_of_key(path, shard_key_length(path, n), shard->count) == shard->index;
}

/* ---- launchers -------------------------------------------------------------------------------------------------- */

/* One of several equal processes, from 0. */
struct place {
	bool found;
	uint64_t rank, size;
};

/* Sets *found to whether the variable is set. */
static enum status get_number(const char *name, bool *found, uint64_t *out, struct error *err)
{
	const char *text = getenv(name), *end = text;

	*found = text != NULL;
	if (!text || (scan_uint64(&end, out) && !*end))
		return STATUS_OK;
	return error_set(err, "--shard auto: %s=%s is not a number", name, text);
}

/* Reads two variables that only make sense together. */
static enum status get_place(const char *rank, const char *size, struct place *out, struct error *err)
{
	bool has_size;

	if (get_number(rank, &out->found, &out->rank, err) != STATUS_OK || !out->found)
		return err->text[0] ? STATUS_FAILED : STATUS_OK;
	if (get_number(size, &has_size, &out->size, err) != STATUS_OK)
		return STATUS_FAILED;
	if (!has_size)
		return error_set(err, "--shard auto: %s is set, but %s is not", rank, size);
	if (out->rank >= out->size)
		return error_set(err, "--shard auto: %s=%" PRIu64 " is not below %s=%" PRIu64, rank, out->rank, size,
				 out->size);
	return STATUS_OK;
}

/*
 * Reads the task of a Slurm job array. An array without gaps is the whole. Failed tasks are run again as one with gaps,
 * or as a single task: then the ids are numbers of shards, and LABELAUDIT_SHARD_COUNT must say how many there are.
 */
static enum status get_array(struct place *out, struct error *err)
{
	static const char *const names[] = { "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
					     "SLURM_ARRAY_TASK_COUNT", "LABELAUDIT_SHARD_COUNT" };
	uint64_t v[ARRAY_SIZE(names)] = { 0, 0, 1 }, id = 0;
	bool has[ARRAY_SIZE(names)];

	if (get_number("SLURM_ARRAY_TASK_ID", &out->found, &id, err) != STATUS_OK || !out->found)
		return err->text[0] ? STATUS_FAILED : STATUS_OK;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (get_number(names[i], &has[i], &v[i], err) != STATUS_OK)
			return STATUS_FAILED;

	uint64_t min = v[0], max = v[1], step = v[2], tasks = v[3], count = v[4];
	bool has_count = has[4], whole = has[0] && has[1] && has[3] && step && min <= id && id <= max && tasks > 1 &&
					 (max - min) / step + 1 == tasks && (id - min) % step == 0;

	if (whole && (!has_count || count == tasks)) {
		out->rank = (id - min) / step;
		out->size = tasks;
		return STATUS_OK;
	}
	if (!has_count)
		return error_set(err,
				 "--shard auto: the tasks of this job array do not give the number of shards (one "
				 "task, or gaps); set LABELAUDIT_SHARD_COUNT, or pass --shard %" PRIu64 "/N",
				 id);
	if (!id || id > count)
		return error_set(err,
				 "--shard auto: SLURM_ARRAY_TASK_ID=%" PRIu64 " is not one of the shards 1 to "
				 "LABELAUDIT_SHARD_COUNT=%" PRIu64,
				 id, count);
	out->rank = id - 1;
	out->size = count;
	return STATUS_OK;
}

/* Reads the rank of a process of mpirun or srun, and its place on this machine. */
static enum status get_process(struct place *out, unsigned *local_rank, struct error *err)
{
	static const struct {
		const char *rank, *size, *local;
		bool in_step;
	} launchers[] = {
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", false },
		{ "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", true },
	};
	uint64_t local;
	bool found;

	out->found = false;
	for (size_t i = 0; i < ARRAY_SIZE(launchers) && !out->found; i++) {
		/* a batch script has SLURM_PROCID=0, too, but is no step */
		if (launchers[i].in_step && !getenv("SLURM_STEP_ID"))
			continue;
		if (get_place(launchers[i].rank, launchers[i].size, out, err) != STATUS_OK)
			return STATUS_FAILED;
		if (!out->found)
			continue;
		if (get_number(launchers[i].local, &found, &local, err) != STATUS_OK)
			return STATUS_FAILED;
		/* if the launcher does not say, ranks most likely fill one machine after the other */
		*local_rank = (unsigned)((found ? local : out->rank) % (UINT64_C(1) << 30));
	}
	return STATUS_OK;
}

static enum status get_pod(struct place *out, struct error *err)
{
	if (!getenv("JOB_COMPLETION_INDEX"))
		return STATUS_OK;
	return get_place("JOB_COMPLETION_INDEX", "LABELAUDIT_SHARD_COUNT", out, err);
}

enum status shard_from_launcher(struct shard *out, unsigned *local_rank, struct error *err)
{
	struct place array = { .found = false }, process = { .found = false };
	uint64_t rank, size;

	*local_rank = 0;
	if (get_array(&array, err) != STATUS_OK || get_process(&process, local_rank, err) != STATUS_OK)
		return STATUS_FAILED;
	if (!array.found && !process.found && get_pod(&array, err) != STATUS_OK)
		return STATUS_FAILED;
	if (!array.found && !process.found)
		return error_set(err, "--shard auto: no launcher was found (Slurm array or step, Open MPI, Kubernetes "
				      "Indexed Job); under others pass --shard I/N");
	if (!array.found)
		array = (struct place){ true, 0, 1 };
	if (!process.found)
		process = (struct place){ true, 0, 1 };
	if (!size_mul(array.size, process.size, &size) || size > SHARDS_MAX)
		return error_set(err, "--shard auto: more than %d shards", SHARDS_MAX);
	rank = array.rank * process.size + process.rank;
	*out = (struct shard){ (uint32_t)rank + 1, (uint32_t)size };
	return STATUS_OK;
}
