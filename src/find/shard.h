/*
 * struct shard: one part of a data set that several processes audit, each its own.
 *
 * Of N parts, a file belongs to number XXH3-64(key) mod N + 1. The key is the file's path below the PATH that was
 * walked, without the extension; of a file that was itself typed, its path as typed; of what --files-from lists, be it
 * a file or a folder, the line, so that a part never looks at a file that is not its own. A mask and its image differ
 * only in the extension, and so are in the same part. What is read as one thing (an archive, standard input) is in one
 * part as a whole.
 *
 * The parts are the same for every order of the walk, every machine and every retry: XXH3-64 with seed 0, as xxHash 0.8
 * fixed it, will not change.
 */
#ifndef FIND_SHARD_H
#define FIND_SHARD_H

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
 * Which part this process is, by what the program that launched it says in the environment:
 *   LABELAUDIT_SHARD                                   I/N, outweighs all others
 *   SLURM_ARRAY_TASK_ID, _MIN, _MAX, _STEP, _COUNT     a task of a job array, and within it one of
 *   OMPI_COMM_WORLD_RANK, _SIZE                        a rank of Open MPI
 *   PMI_RANK, PMI_SIZE                                 a rank of MPICH, Intel MPI, Slurm's PMI
 *   SLURM_PROCID, SLURM_NTASKS                         a task of a Slurm step (SLURM_STEP_ID is set)
 * or JOB_COMPLETION_INDEX and LABELAUDIT_SHARD_COUNT   a pod of an Indexed Job of Kubernetes
 * An MPI rank outweighs the Slurm step that started its daemon. *local_rank: the number of this process among those of
 * the same launch on this machine, from 0. Fails if nothing is found, or a job array does not tell how many parts there
 * are: a part that took itself for the whole would be the worst of answers.
 */
enum status shard_from_launcher(struct shard *out, unsigned *local_rank, struct error *err);

/* How many bytes of a path are its key: all but the extension. */
size_t shard_key_length(const char *path, size_t n);
/* The part that a key belongs to. */
uint32_t shard_of_key(const char *key, size_t n, uint32_t count);
/* Whether a file belongs to the part, by its path below the PATH that was walked; always, if the part is the whole. */
bool shard_has(const struct shard *shard, const char *path, size_t n);

#endif
