/*
 * struct shard: one part of a data set that several processes audit, each its own.
 *
 * A file belongs to part XXH3-64(key) mod N + 1 of N. key: the bytes of its path below the PATH that was walked,
 * without the extension of its last name; of a file that is itself typed, of its path as given. Of a line of
 * --files-from, be it a file or a folder, the key is the line, and all of it is in one part: so a part touches no file
 * but its own. XXH3-64 with seed 0 is that of xxHash 0.8, which will not change. So the parts are the same for every
 * order of the walk, every machine and every retry, and a mask and its image, which differ in the extension, meet. A
 * file read as one thing (an archive, standard input) is in one part as a whole.
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
 * What the launcher of this process says in the environment:
 *   LABELAUDIT_SHARD                                   I/N, outweighs all others
 *   SLURM_ARRAY_TASK_ID, _MIN, _MAX, _STEP, _COUNT     a task of a job array, and within it one of
 *   OMPI_COMM_WORLD_RANK, _SIZE                        a rank of Open MPI
 *   PMI_RANK, PMI_SIZE                                 a rank of MPICH, Intel MPI, Slurm's PMI
 *   SLURM_PROCID, SLURM_NTASKS                         a task of a Slurm step (SLURM_STEP_ID is set)
 * or JOB_COMPLETION_INDEX and LABELAUDIT_SHARD_COUNT   a pod of an Indexed Job of Kubernetes
 * An MPI rank outweighs the Slurm step that started its daemon. *local_rank: the how-manieth process of its kind on
 * this machine, from 0. Nothing found, or an array that does not tell how many parts there are: fails, since a part
 * that takes itself for the whole would be the worst of answers.
 */
enum status shard_from_launcher(struct shard *out, unsigned *local_rank, struct error *err);

/* Bytes of a path that are its key: all but the extension of the last name. */
size_t shard_key_length(const char *path, size_t n);
/* The part that a key belongs to. */
uint32_t shard_of_key(const char *key, size_t n, uint32_t count);
/* Whether a path, less the PATH that was walked to it, belongs to the part, or the part is the whole. */
bool shard_has(const struct shard *shard, const char *path, size_t n);

#endif
