/*
 * struct listed_paths: the paths of --files-from, and whether each is a folder. Where storage is late, that is asked of
 * many paths ahead (find/pool.h), as far as the list was read: a pipe is never waited for while paths are there. One
 * thread at a time.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "find/file_list.h"
#include "find/pool.h"
#include "find/shard.h"

struct path_task;

struct listed_paths {
	struct file_list *list;
	const struct shard *shard; /* paths of other parts are not asked about */
	struct pool *pool;         /* or NULL */
	const atomic_bool *stop;   /* or NULL */
	struct path_task *tasks;   /* owned; those from at on come next */
	size_t at, count;
	struct error error; /* after the tasks; if its text is not empty */
	bool ended;         /* there are no paths after the tasks */
};

/* All are borrowed. */
void listed_paths_init(struct listed_paths *l, struct file_list *list, const struct shard *shard, struct pool *pool,
		       const atomic_bool *stop);
void listed_paths_release(struct listed_paths *l);
/*
 * Gives the next path, as file_list_next() does. *errnum: why it cannot be opened as a folder (ENOTDIR: it is a file);
 * 0: it can, or was not asked about.
 */
enum status listed_paths_next(struct listed_paths *l, struct listed_path *out, int *errnum, struct error *err);
