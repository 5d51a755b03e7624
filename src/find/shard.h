/*
 * struct shard: the part of a data set that this process audits; other processes audit the others.
 *
 * A file belongs to part XXH3-64(key) mod N + 1 of N. The key is the file's path below the PATH that was walked,
 * without the extension; for a file that was typed, its path as typed; for a file or a folder of --files-from, the
 * line, so that a part never opens a file of another one. A mask and its image differ only in the extension, so they
 * are in the same part. An archive or standard input is in one part as a whole.
 *
 * The parts are the same for every order of the walk, every machine and every retry: XXH3-64 with seed 0, as xxHash 0.8
 * fixed it, will not change.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct shard {
	uint32_t index, count; /* 1 <= index <= count <= SHARDS_MAX; 0, 0: the whole */
};

/* "3/64" */
bool shard_parse(const char *text, struct shard *out);

/*
 * Finds the part of this process in the environment, which its launcher set:
 *   SLURM_ARRAY_TASK_ID, _MIN, _MAX, _STEP, _COUNT     a task of a job array, and within it one of
 *   OMPI_COMM_WORLD_RANK, _SIZE                        a rank of Open MPI
 *   SLURM_PROCID, SLURM_NTASKS                         a task of a Slurm step (SLURM_STEP_ID is set)
 * or JOB_COMPLETION_INDEX and LABELAUDIT_SHARD_COUNT   a pod of an Indexed Job of Kubernetes
 * A rank of Open MPI outweighs the Slurm step that started its daemon. *local_rank is from the same launcher: of this
 * process among those on this machine, from 0. Fails if nothing is found, or a job array does not tell the number of
 * parts: a part must never be taken for the whole.
 */
enum status shard_from_launcher(struct shard *out, unsigned *local_rank, struct error *err);

/* Returns the length of a path without its extension, which is its key. */
size_t shard_key_length(const char *path, size_t n);
/* Returns the part that a key belongs to. */
uint32_t shard_of_key(const char *key, size_t n, uint32_t count);
/* Returns whether a file belongs to the part, by its path below the PATH; true if the part is the whole. */
bool shard_has(const struct shard *shard, const char *path, size_t n);
