/*
 * struct list_ahead: the paths of --files-from, and whether each is a folder. Where storage is late, that is asked of
 * many paths side by side, in threads of struct io, as far as the list was read: a pipe is never waited for while paths
 * are there. One thread at a time.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "find/file_list.h"
#include "find/io.h"
#include "find/shard.h"

enum { PATHS_AHEAD = 256 };

struct path_task;

struct list_ahead {
	struct file_list *list;
	const struct shard *shard; /* paths of other parts are not asked about */
	struct io *io;             /* or NULL */
	const atomic_bool *stop;   /* or NULL */
	unsigned late;             /* paths, more than others */
	struct path_task *tasks[PATHS_AHEAD];
	size_t first, count;
	struct path_task *current; /* whose path was given out last */
	struct error error;        /* after the tasks; if its text is not empty */
	bool ended;                /* there are no paths after the tasks */
};

/* All are borrowed. */
void list_ahead_init(struct list_ahead *l, struct file_list *list, const struct shard *shard, struct io *io,
		     const atomic_bool *stop);
void list_ahead_release(struct list_ahead *l);
/*
 * Gives the next path, as file_list_next() does. *errnum: why it cannot be opened as a folder (ENOTDIR: it is a file);
 * 0: it can, or was not asked about.
 */
enum status list_ahead_next(struct list_ahead *l, struct listed_path *out, int *errnum, struct error *err);
/* Notes how long it took to open the path, unless it was asked about; late_begin() was called before (base/late.h). */
void list_ahead_note_time(struct list_ahead *l, uint64_t ns);
