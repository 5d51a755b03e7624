#include "find/listed_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

enum { PATHS_AHEAD = 256 };

struct path_task {
	struct task task;
	struct listed_path listed; /* owns its path */
	bool asked;
	int errnum;
};

void listed_paths_init(struct listed_paths *l, struct file_list *list, const struct shard *shard, struct pool *pool,
		       const atomic_bool *stop)
{
	*l = (struct listed_paths){ .list = list, .shard = shard, .pool = pool, .stop = stop };
}

static void clear(struct listed_paths *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->tasks[i].listed.path);
	l->at = l->count = 0;
}

void listed_paths_release(struct listed_paths *l)
{
	clear(l);
	free(l->tasks);
}

static void open_as_folder(struct task *task, bool ahead)
{
	struct path_task *t = (struct path_task *)task;
	int fd;

	(void)ahead;
	if (!t->asked)
		return;
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

	clear(l);
	if (!l->tasks)
		l->tasks = xcalloc(PATHS_AHEAD, sizeof(*l->tasks));
	while (!l->ended && l->count < most && (!l->count || file_list_is_ready(l->list))) {
		struct listed_path listed;

		l->ended = file_list_next(l->list, l->stop, &listed, &l->error) != STATUS_OK || !listed.path;
		if (l->ended)
			break;
		struct path_task *t = &l->tasks[l->count++];

		*t = (struct path_task){ .task.run = open_as_folder, .listed = listed };
		t->listed.path = xmemdup0(listed.path, listed.len);
		t->asked = !listed.cut && shard_has(l->shard, listed.path, listed.len);
	}
	pool_do_all(l->pool, l->tasks, l->count, sizeof(*l->tasks));
}

enum status listed_paths_next(struct listed_paths *l, struct listed_path *out, int *errnum, struct error *err)
{
	*errnum = 0;
	*out = (struct listed_path){ NULL, 0, false };
	if (l->at == l->count)
		read_on(l);
	if (!l->count) {
		*err = l->error;
		return l->error.text[0] ? STATUS_FAILED : STATUS_OK;
	}
	const struct path_task *t = &l->tasks[l->at++];

	*out = t->listed;
	*errnum = t->errnum;
	return STATUS_OK;
}
