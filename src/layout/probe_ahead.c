#include "layout/probe_ahead.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stop.h"
#include "find/pool.h"

struct probe_task {
	struct task task;
	char *path; /* owned; the probe points to it */
	struct entry_probe probe;
};

void probe_ahead_init(struct probe_ahead *p, struct pool *pool, const atomic_bool *stop)
{
	memset(p, 0, sizeof(*p));
	p->pool = pool;
	p->stop = stop;
	strbuf_init(&p->paths);
	probe_init(&p->own);
}

void probe_ahead_release(struct probe_ahead *p)
{
	probe_ahead_forget(p);
	strbuf_release(&p->paths);
	free(p->named);
	probe_ahead_init(p, NULL, NULL);
}

bool probe_ahead_is_due(const struct probe_ahead *p)
{
	return pool_is_active(p->pool);
}

static void release_task(struct probe_task *t)
{
	probe_close(&t->probe);
	free(t->path);
	free(t);
}

static struct probe_task **task_at(struct probe_ahead *p, size_t index)
{
	return &p->tasks[index % PROBES_AHEAD];
}

static void drop_next(struct probe_ahead *p)
{
	struct probe_task **t = task_at(p, p->next);

	if (p->next < p->begun && *t) {
		pool_cancel(p->pool, &(*t)->task);
		release_task(*t);
	}
	if (p->next < p->begun)
		*t = NULL;
	p->next++;
}

void probe_ahead_forget(struct probe_ahead *p)
{
	while (p->next < p->begun)
		drop_next(p);
	p->count = p->next = p->begun = 0;
	strbuf_clear(&p->paths);
}

void probe_ahead_name(struct probe_ahead *p, const char *path)
{
	if (!p->pool || strlen(path) >= PATH_MAX)
		return;
	GROW(p->named, p->cap, p->count + 1);
	p->named[p->count++] = p->paths.len;
	strbuf_add(&p->paths, path, strlen(path) + 1);
}

static void open_and_read(struct task *task, bool ahead)
{
	struct probe_task *t = (struct probe_task *)task;
	const struct entry entry = { .path = t->path, .name = t->path, .dirfd = AT_FDCWD };
	struct fault ignored = FAULT_INIT;

	(void)ahead;
	probe_entry(&t->probe, &entry, &ignored); /* the detection tries again, and counts it */
}

static struct probe_task *begin_task(struct probe_ahead *p, const char *path)
{
	struct probe_task *t = xcalloc(1, sizeof(*t));

	t->task.run = open_and_read;
	t->path = xstrdup(path);
	probe_init(&t->probe);
	pool_begin(p->pool, &t->task);
	return t;
}

static void begin_tasks(struct probe_ahead *p)
{
	const size_t most = MIN((size_t)MAX(pool_descriptors_max() / 2, 1U), (size_t)PROBES_AHEAD);

	p->begun = MAX(p->begun, p->next);
	for (; p->begun < p->count && p->begun - p->next < most; p->begun++)
		*task_at(p, p->begun) = begin_task(p, p->paths.s + p->named[p->begun]);
}

/* Returns the index of a named file, or SIZE_MAX. Mostly it is the next one. */
static size_t find_named(const struct probe_ahead *p, const char *path)
{
	for (size_t i = p->next; i < p->count; i++)
		if (!strcmp(p->paths.s + p->named[i], path))
			return i;
	return SIZE_MAX;
}

struct entry_probe *probe_ahead_begin(struct probe_ahead *p, const struct entry *entry)
{
	size_t at = probe_ahead_is_due(p) && !entry->member ? find_named(p, entry->path) : SIZE_MAX;

	p->current = NULL;
	if (is_stopped(p->stop))
		return NULL;
	if (at != SIZE_MAX) {
		while (p->next < at)
			drop_next(p);
		begin_tasks(p);
		p->current = *task_at(p, at);
		*task_at(p, at) = NULL;
		p->next++;
	}
	if (!p->current && !entry->member && strlen(entry->path) < PATH_MAX)
		p->current = begin_task(p, entry->path);
	if (!p->current)
		return &p->own;
	pool_finish(p->pool, &p->current->task);
	return &p->current->probe;
}

void probe_ahead_end(struct probe_ahead *p)
{
	if (p->current) {
		release_task(p->current);
		p->current = NULL;
		return;
	}
	probe_close(&p->own);
}
