#include "audit/ahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "find/source.h"

static void draw_ahead(struct task *task, bool ahead);

void ahead_init(struct ahead *a, struct source *source, struct pool *pool, size_t unit_files)
{
	a->source = source;
	a->pool = pool;
	a->unit_files = unit_files;
	a->drawer = (struct task){ .run = draw_ahead };
	a->last = &a->first;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->drawn, NULL);
}

static bool is_packed(const struct ahead_unit *u)
{
	return u->unit.entries[0].member; /* a unit holds files or members, not both */
}

/* Under the lock. */
static struct ahead_unit *take_spare(struct ahead *a)
{
	struct ahead_unit *u = a->spare;

	if (u) {
		a->spare = u->next;
		return u;
	}
	u = xcalloc(1, sizeof(*u));
	work_unit_init(&u->unit);
	u->next_made = a->made;
	a->made = u;
	return u;
}

/* Begins to fetch the files of a unit from the i-th on. */
static void begin_files(struct ahead *a, struct ahead_unit *u, size_t i)
{
	for (; i < u->unit.count; i++)
		if (fetched_needs_storage(&u->files[i]) && task_is_idle(&u->files[i].task))
			pool_begin(a->pool, &u->files[i].task);
}

static void prepare_files(struct ahead *a, struct ahead_unit *u)
{
	size_t had = u->cap;

	GROW(u->files, u->cap, u->unit.count);
	for (; had < u->cap; had++)
		fetched_init(&u->files[had], &a->fetcher);
	for (size_t i = 0; i < u->unit.count; i++) {
		fetched_reset(&u->files[i], &u->unit.entries[i]);
		task_reset(&u->files[i].task);
	}
	begin_files(a, u, 0);
}

/* Draws a unit. Under the lock, which it releases meanwhile; nobody else draws. Returns NULL after the last one. */
static struct ahead_unit *draw(struct ahead *a)
{
	struct ahead_unit *u = take_spare(a);
	struct error err = ERROR_INIT;

	a->drawing = true;
	pthread_mutex_unlock(&a->lock);
	enum status status = source_draw(a->source, &u->unit, a->unit_files, &err);

	if (status == STATUS_OK && u->unit.count)
		prepare_files(a, u);
	pthread_mutex_lock(&a->lock);
	a->drawing = false;
	pthread_cond_broadcast(&a->drawn);
	if (status == STATUS_OK && u->unit.count)
		return u;
	a->ended = true;
	a->error = err;
	u->next = a->spare;
	a->spare = u;
	return NULL;
}

static bool may_draw_ahead(const struct ahead *a)
{
	return !a->drawing && !a->ended && (!a->files || a->files + a->unit_files <= AHEAD_FILES) &&
	       a->packed < AHEAD_PACKED;
}

static void draw_ahead(struct task *task, bool ahead)
{
	struct ahead *a = (struct ahead *)(void *)((char *)task - offsetof(struct ahead, drawer));

	(void)ahead;
	pthread_mutex_lock(&a->lock);
	while (may_draw_ahead(a)) {
		struct ahead_unit *u = draw(a);

		if (!u)
			break;
		u->next = NULL;
		*a->last = u;
		a->last = &u->next;
		a->files += u->unit.count;
		a->packed += is_packed(u);
	}
	pthread_mutex_unlock(&a->lock);
}

/* Has a reader draw units, if readers work. Under the lock. */
static void begin_to_draw(struct ahead *a)
{
	if (pool_is_active(a->pool) && may_draw_ahead(a) && !task_is_begun(&a->drawer))
		pool_begin(a->pool, &a->drawer);
}

static struct ahead_unit *take_first(struct ahead *a)
{
	struct ahead_unit *u = a->first;

	a->first = u->next;
	if (!a->first)
		a->last = &a->first;
	a->files -= u->unit.count;
	a->packed -= is_packed(u);
	return u;
}

enum status ahead_next(struct ahead *a, struct ahead_unit **unit, struct error *err)
{
	struct ahead_unit *u = NULL;

	pthread_mutex_lock(&a->lock);
	while (!a->first && a->drawing)
		pthread_cond_wait(&a->drawn, &a->lock);
	if (a->first)
		u = take_first(a);
	else if (!a->ended)
		u = draw(a);
	begin_to_draw(a);
	bool failed = !u && a->error.text[0];

	if (failed)
		*err = a->error;
	pthread_mutex_unlock(&a->lock);
	*unit = u;
	return failed ? STATUS_FAILED : STATUS_OK;
}

struct fetched *ahead_file(struct ahead *a, struct ahead_unit *u, size_t i, struct input *into)
{
	struct fetched *f = &u->files[i];

	if (task_is_idle(&f->task) && pool_is_active(a->pool) && fetched_needs_storage(f)) {
		/* storage became late after the unit was drawn */
		begin_files(a, u, i + 1);
		pthread_mutex_lock(&a->lock);
		begin_to_draw(a);
		pthread_mutex_unlock(&a->lock);
	}
	f->into = into;
	pool_finish(a->pool, &f->task);
	return f;
}

void ahead_give_back(struct ahead *a, struct ahead_unit *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->unit.count; i++) {
		pool_cancel(a->pool, &u->files[i].task);
		fetched_reset(&u->files[i], NULL);
	}
	work_unit_clear(&u->unit);
	pthread_mutex_lock(&a->lock);
	u->next = a->spare;
	a->spare = u;
	pthread_mutex_unlock(&a->lock);
}

void ahead_release(struct ahead *a)
{
	pool_cancel(a->pool, &a->drawer);
	while (a->first)
		ahead_give_back(a, take_first(a));
	while (a->made) {
		struct ahead_unit *u = a->made;

		a->made = u->next_made;
		for (size_t i = 0; i < u->cap; i++)
			fetched_release(&u->files[i]);
		work_unit_release(&u->unit);
		free(u->files);
		free(u);
	}
	fetcher_release(&a->fetcher);
	pthread_cond_destroy(&a->drawn);
	pthread_mutex_destroy(&a->lock);
}
