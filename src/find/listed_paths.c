#include "find/listed_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { PATHS_AHEAD = 256 };

struct path_task {
	struct task task;
	struct path_task *next;
	struct listed_path listed; /* owns its path */
	bool asked;                /* the file system */
	int errnum;
};

void listed_paths_init(struct listed_paths *l, struct file_list *list, const struct shard *shard, struct pool *pool,
		       const atomic_bool *stop)
{
	memset(l, 0, sizeof(*l));
	l->list = list;
	l->shard = shard;
	l->pool = pool;
	l->stop = stop;
	l->last = &l->first;
}

static void free_task(struct path_task *t)
{
	if (t)
		free(t->listed.path);
	free(t);
}

static struct path_task *take_first(struct listed_paths *l)
{
	struct path_task *t = l->first;

	l->first = t->next;
	l->count--;
	if (!l->count)
		l->last = &l->first;
	return t;
}

void listed_paths_release(struct listed_paths *l)
{
	free_task(l->current);
	while (l->count) {
		struct path_task *t = take_first(l);

		pool_cancel(l->pool, &t->task);
		free_task(t);
	}
}

static void open_as_folder(struct task *task, bool ahead)
{
	struct path_task *t = (struct path_task *)task;
	int fd;

	(void)ahead;
	do
		fd = open(t->listed.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	while (fd < 0 && errno == EINTR);
	t->errnum = fd < 0 && errno != EMFILE ? errno : 0;
	if (fd >= 0)
		close(fd);
}

/* Asks about the paths that the list has in memory; at least one is read. */
static void read_on(struct listed_paths *l)
{
	const size_t most = pool_is_active(l->pool) ? PATHS_AHEAD : 1;

	while (!l->ended && l->count < most && (!l->count || file_list_is_ready(l->list))) {
		struct listed_path listed;

		l->ended = file_list_next(l->list, l->stop, &listed, &l->error) != STATUS_OK || !listed.path;
		if (l->ended)
			return;
		struct path_task *t = xcalloc(1, sizeof(*t));

		t->task.run = open_as_folder;
		t->listed = listed;
		t->listed.path = xmemdup0(listed.path, listed.len);
		*l->last = t;
		l->last = &t->next;
		l->count++;
		t->asked = !listed.cut && shard_has(l->shard, listed.path, listed.len);
		if (t->asked)
			pool_begin(l->pool, &t->task);
	}
}

enum status listed_paths_next(struct listed_paths *l, struct listed_path *out, int *errnum, struct error *err)
{
	*errnum = 0;
	*out = (struct listed_path){ NULL, 0, false };
	free_task(l->current);
	l->current = NULL;
	read_on(l);
	if (!l->count) {
		*err = l->error;
		return l->error.text[0] ? STATUS_FAILED : STATUS_OK;
	}
	l->current = take_first(l);
	if (l->current->asked)
		pool_finish(l->pool, &l->current->task);
	*out = l->current->listed;
	*errnum = l->current->errnum;
	return STATUS_OK;
}
