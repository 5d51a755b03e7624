#include "find/list_ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/late.h"
#include "base/mem.h"
#include "find/io_task.h"

enum {
	PATH_LATE_NS = 20000, /* memory takes 3 us */
	PATHS_LATE = 2,       /* more late paths than others: then they are asked about ahead */
};

struct path_task {
	struct io_task task;
	struct listed_path listed; /* owns its path */
	bool begun;
	int errnum;
	bool late; /* storage was */
};

void list_ahead_init(struct list_ahead *l, struct file_list *list, const struct shard *shard, struct io *io,
		     const atomic_bool *stop)
{
	memset(l, 0, sizeof(*l));
	l->list = list;
	l->shard = shard;
	l->io = io;
	l->stop = stop;
}

static void release_task(struct io_task *task)
{
	struct path_task *t = (struct path_task *)task;

	free(t->listed.path);
	free(t);
}

static void release_current(struct list_ahead *l)
{
	if (l->current)
		release_task(&l->current->task);
	l->current = NULL;
}

static struct path_task *take_first(struct list_ahead *l)
{
	l->count--;
	return l->tasks[l->first++ % PATHS_AHEAD];
}

void list_ahead_release(struct list_ahead *l)
{
	release_current(l);
	while (l->count) {
		struct path_task *t = take_first(l);

		if (t->begun)
			io_task_drop(&t->task);
		else
			release_task(&t->task);
	}
}

static void open_as_folder(struct io_task *task)
{
	struct path_task *t = (struct path_task *)task;
	uint64_t since = clock_ns();
	int fd;

	late_begin();
	late_call_begin();
	do
		fd = open(t->listed.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	while (fd < 0 && errno == EINTR);
	late_call_end();
	t->errnum = fd < 0 && errno != EMFILE ? errno : 0;
	t->late = late_end(clock_ns() - since, PATH_LATE_NS);
	if (fd >= 0)
		close(fd);
}

static void note_late(struct list_ahead *l, bool late)
{
	if (late)
		l->late += l->late < 2 * PATHS_LATE;
	else if (l->late)
		l->late--;
}

/* Asks about the paths that the list has in memory; at least one is read. */
static void read_on(struct list_ahead *l)
{
	while (!l->ended && l->count < PATHS_AHEAD && (!l->count || file_list_is_ready(l->list))) {
		struct listed_path listed;

		l->ended = file_list_next(l->list, l->stop, &listed, &l->error) != STATUS_OK || !listed.path;
		if (l->ended)
			return;
		struct path_task *t = xcalloc(1, sizeof(*t));

		t->task.work = open_as_folder;
		t->task.release = release_task;
		t->listed = listed;
		t->listed.path = xmemdup0(listed.path, listed.len);
		l->tasks[(l->first + l->count++) % PATHS_AHEAD] = t;
		t->begun =
			!listed.cut && shard_has(l->shard, listed.path, listed.len) && io_task_begin(l->io, &t->task);
	}
}

enum status list_ahead_next(struct list_ahead *l, struct listed_path *out, int *errnum, struct error *err)
{
	*errnum = 0;
	release_current(l);
	if (!l->count && !(l->io && l->late >= PATHS_LATE) && !l->ended)
		return file_list_next(l->list, l->stop, out, err);
	read_on(l);
	*out = (struct listed_path){ NULL, 0, false };
	if (!l->count) {
		*err = l->error;
		return l->error.text[0] ? STATUS_FAILED : STATUS_OK;
	}
	struct path_task *t = take_first(l);

	if (t->begun && !io_task_wait(&t->task, l->stop))
		return STATUS_OK;
	if (t->begun)
		note_late(l, t->late);
	l->current = t;
	*out = t->listed;
	*errnum = t->task.cancelled ? 0 : t->errnum;
	return STATUS_OK;
}

void list_ahead_note_time(struct list_ahead *l, uint64_t ns)
{
	const bool late = late_end(ns, PATH_LATE_NS);

	if (!l->current)
		note_late(l, late);
}
