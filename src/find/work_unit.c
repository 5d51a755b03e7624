/* struct work_unit (find/work_unit.h), and how a source fills it (find/work_unit_fill.h). */
#include "find/work_unit_fill.h"

#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "find/split.h"

enum {
	FOLDERS_MIN = 6,   /* for a walk of three levels and three units, however low the limit */
	FOLDERS_MAX = 512, /* 16 threads with 16 folders each, twice */
	WALK_MAX = 64,     /* deeper than data sets are; a closed folder costs one openat on the way back */
};

/*
 * References of all units. A global, because descriptors are the process's: two sources share one limit, and a unit may
 * outlive its source.
 */
static atomic_size_t held_now;

/* A half of what RLIMIT_NOFILE allows: the rest is for the files. */
static size_t folders_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return FOLDERS_MIN;
	return MAX((size_t)MIN(limit.rlim_cur / 2, (rlim_t)FOLDERS_MAX), (size_t)FOLDERS_MIN);
}

static size_t of_a_walk(size_t max)
{
	return MIN(max / 2, (size_t)WALK_MAX);
}

size_t folders_of_a_walk(void)
{
	return of_a_walk(folders_max());
}

static bool may_hold_more(const struct work_unit *u)
{
	size_t max = folders_max();

	return u->dirs_count < UNIT_FOLDERS &&
	       atomic_load_explicit(&held_now, memory_order_relaxed) < max - of_a_walk(max);
}

void work_unit_init(struct work_unit *u)
{
	memset(u, 0, sizeof(*u));
	strbuf_init(&u->text);
}

void work_unit_clear(struct work_unit *u)
{
	for (size_t i = 0; i < u->dirs_count; i++)
		dir_handle_put(u->dirs[i]);
	atomic_fetch_sub_explicit(&held_now, u->dirs_count, memory_order_relaxed);
	u->dirs_count = 0;
	u->count = 0;
	work_unit_members_clear(u->members);
	strbuf_clear(&u->text);
}

void work_unit_release(struct work_unit *u)
{
	work_unit_clear(u);
	free(u->entries);
	free(u->dirs);
	work_unit_members_free(u->members);
	strbuf_release(&u->text);
	work_unit_init(u);
}

/* While a unit is filled its text moves: until work_unit_end, the pointers of an entry are offsets into it. */
static const char *as_offset(size_t at)
{
	return (const char *)(uintptr_t)at;
}

static struct entry *add_entry(struct work_unit *u)
{
	GROW(u->entries, u->cap, u->count + 1);
	struct entry *e = &u->entries[u->count++];

	/* not the fault: it is half a kilobyte, and only failed entries have one */
	e->path = e->name = as_offset(u->text.len);
	e->dirfd = AT_FDCWD;
	e->is_explicit = e->standard_input = e->failed = false;
	e->split = SPLIT_NONE;
	e->rel_offset = 0;
	e->member = NULL;
	e->bytes = NULL;
	e->bytes_len = 0;
	e->size = 0;
	e->stream = NULL;
	e->skipped = e->is_wanted = e->repeated = e->name_cut = false;
	e->format = NULL;
	e->archive = NULL;
	return e;
}

struct entry *work_unit_add_path(struct work_unit *u, const char *path, size_t len)
{
	struct entry *e = add_entry(u);

	strbuf_add(&u->text, path, len);
	strbuf_addch(&u->text, '\0');
	return e;
}

/* Whether the unit may point at the folder. One that it points at already is mostly the last one. */
static bool hold(struct work_unit *u, struct dir_handle *dir, bool must)
{
	for (size_t i = u->dirs_count; i-- > 0;)
		if (u->dirs[i] == dir)
			return true;
	if (!must && !may_hold_more(u))
		return false;
	atomic_fetch_add_explicit(&held_now, 1, memory_order_relaxed);
	GROW(u->dirs, u->dirs_cap, u->dirs_count + 1);
	u->dirs[u->dirs_count++] = dir_handle_get(dir);
	return true;
}

struct entry *work_unit_add_member(struct work_unit *u, const char *path, const char *name, size_t name_len)
{
	struct work_unit_members *m = unit_members(u);

	if (!m->has_path) {
		m->has_path = true;
		m->path_at = u->text.len;
		strbuf_add(&u->text, path, strlen(path) + 1);
	}
	struct entry *e = add_entry(u);

	e->path = as_offset(m->path_at);
	e->member = e->name = as_offset(u->text.len); /* not 0: the path is there */
	strbuf_add(&u->text, name, name_len);
	strbuf_addch(&u->text, '\0');
	return e;
}

struct entry *work_unit_add_item(struct work_unit *u, const struct walk_item *item)
{
	size_t len = item->folder_len + item->name_len;
	bool below = false;

	if (u->count && u->text.len + len >= UNIT_TEXT)
		return NULL;
	if (!item->failed) {
		bool too_long = len >= PATH_MAX;

		below = hold(u, item->dir, too_long && !u->count);
		if (!below && too_long)
			return NULL;
	}
	struct entry *e = add_entry(u);

	strbuf_add(&u->text, item->folder, item->folder_len);
	if (below) {
		e->dirfd = item->dir->fd;
		e->name = as_offset(u->text.len);
	}
	strbuf_add(&u->text, item->name, item->name_len);
	strbuf_addch(&u->text, '\0');
	if (item->failed) {
		e->failed = true;
		e->fault = item->fault;
	}
	return e;
}

void work_unit_end(struct work_unit *u)
{
	for (size_t i = 0; i < u->count; i++) {
		struct entry *e = &u->entries[i];

		e->path = u->text.s + (uintptr_t)e->path;
		e->name = u->text.s + (uintptr_t)e->name;
		if (e->member)
			e->member = u->text.s + (uintptr_t)e->member;
	}
}
