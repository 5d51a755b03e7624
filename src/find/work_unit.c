#include "find/work_unit.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "find/member.h"
#include "find/walk.h"
#include "find/zip.h"

enum {
	UNIT_PADDING = 64, /* zero bytes after each member: wide loads may go beyond its end */
	UNIT_MEMORY = UNIT_MEMBER_MAX + 2 * UNIT_PADDING,
};

/* A member that waits to be unpacked. */
struct packed_member {
	struct zip_data data;
	size_t entry;
	const uint8_t *packed;
	uint8_t *out;
};

/* Allocated as a whole with the first member, so that pointers into it stay valid. */
struct work_unit_members {
	uint8_t *memory; /* UNIT_MEMORY bytes */
	size_t used;
	uint8_t *packed; /* UNIT_MEMORY bytes; NULL until the first member of a zip */
	size_t packed_used;
	struct packed_member *waiting;
	size_t waiting_count, waiting_cap;
	struct libdeflate_decompressor *inflater;
	struct archive_facts facts;
	struct archive_reader *lent; /* the archive that this unit streams from */
	void (*end_stream)(struct archive_reader *a);
	size_t path_at; /* where the text has the archive's path */
	bool has_path;
};

/* ---- folders ----------------------------------------------------------------------------------------------------- */

enum {
	FOLDERS_MIN = 6,   /* for a walk of three levels and three units, however low the limit */
	FOLDERS_MAX = 512, /* 16 threads with 16 folders each, twice */
};

/*
 * References of all units. Global, because descriptors belong to the process: two sources share one limit, and a unit
 * may outlive its source.
 */
static atomic_size_t held_now;

static bool may_hold_more(const struct work_unit *u)
{
	size_t max = FOLDERS_MIN; /* half of the descriptors: the rest is for files */
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		max = MAX((size_t)MIN(limit.rlim_cur / 2, (rlim_t)FOLDERS_MAX), max);
	max -= MIN(max / 2, (size_t)WALK_DEPTH_MAX);
	return u->dirs_count < UNIT_FOLDERS && atomic_load_explicit(&held_now, memory_order_relaxed) < max;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Members begin at multiples of 64, for wide loads. */
static size_t with_padding(size_t size)
{
	return (size + UNIT_PADDING + 63) / 64 * 64;
}

static struct work_unit_members *members_of(struct work_unit *u)
{
	if (!u->members) {
		u->members = xcalloc(1, sizeof(*u->members));
		u->members->memory = xmalloc(UNIT_MEMORY);
	}
	return u->members;
}

static void members_clear(struct work_unit_members *m)
{
	if (!m)
		return;
	if (m->lent)
		m->end_stream(m->lent);
	m->lent = NULL;
	m->used = m->packed_used = m->waiting_count = 0;
	m->has_path = false;
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
	members_clear(u->members);
	strbuf_clear(&u->text);
}

void work_unit_release(struct work_unit *u)
{
	work_unit_clear(u);
	free(u->entries);
	free(u->dirs);
	if (u->members) {
		libdeflate_free_decompressor(u->members->inflater);
		free(u->members->memory);
		free(u->members->packed);
		free(u->members->waiting);
		free(u->members);
	}
	strbuf_release(&u->text);
	work_unit_init(u);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

/* Until work_unit_end, the pointers of an entry are offsets into the text, which still moves. */
static const char *as_offset(size_t at)
{
	return (const char *)(uintptr_t)at;
}

static struct entry *add_entry(struct work_unit *u)
{
	GROW(u->entries, u->cap, u->count + 1);
	struct entry *e = &u->entries[u->count++];

	memset(e, 0, offsetof(struct entry, fault)); /* that is half a kilobyte, and only failed entries have one */
	e->path = e->name = as_offset(u->text.len);
	e->dirfd = AT_FDCWD;
	return e;
}

struct entry *work_unit_add_path(struct work_unit *u, const char *path, size_t len)
{
	struct entry *e = add_entry(u);

	strbuf_add(&u->text, path, len);
	strbuf_addch(&u->text, '\0');
	return e;
}

/* References a folder. Returns false if it must not keep more open. Mostly it is the last one referenced. */
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
	struct work_unit_members *m = members_of(u);

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
	if (item->link_target) {
		e->link.target = as_offset(u->text.len); /* not 0: the path is there */
		strbuf_add(&u->text, item->link_target->target.s, item->link_target->target.len + 1);
		e->link.rel_offset = item->link_target->root_len;
	}
	e->skip_reason = (uint8_t)item->skip_reason;
	e->looks_like_labels = item->looks_like_labels;
	if (item->failed)
		entry_fail(e, &item->fault);
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
		if (e->link.target)
			e->link.target = u->text.s + (uintptr_t)e->link.target;
	}
}

/* ---- memory of members ------------------------------------------------------------------------------------------- */

bool work_unit_fits(const struct work_unit *u, size_t size, size_t packed)
{
	const struct work_unit_members *m = u->members;

	if (!m)
		return true;
	return with_padding(size) <= UNIT_MEMORY - m->used && packed <= UNIT_MEMORY - m->packed_used;
}

uint8_t *work_unit_take_memory(struct work_unit *u, size_t size)
{
	struct work_unit_members *m = members_of(u);
	uint8_t *out = m->memory + m->used;

	memset(out + size, 0, UNIT_PADDING);
	m->used += with_padding(size);
	return out;
}

uint8_t *work_unit_add_packed(struct work_unit *u, const struct zip_data *data, uint8_t *out)
{
	struct work_unit_members *m = members_of(u);

	if (!m->packed)
		m->packed = xmalloc(UNIT_MEMORY);
	uint8_t *packed = m->packed + m->packed_used;

	GROW(m->waiting, m->waiting_cap, m->waiting_count + 1);
	m->waiting[m->waiting_count++] = (struct packed_member){ *data, u->count, packed, out };
	m->packed_used += (size_t)data->packed;
	return packed;
}

void work_unit_drop_packed(struct work_unit *u)
{
	u->members->waiting_count--;
}

void work_unit_lend(struct work_unit *u, struct archive_reader *a, void (*end_stream)(struct archive_reader *a))
{
	struct work_unit_members *m = members_of(u);

	m->lent = a;
	m->end_stream = end_stream;
}

const struct archive_facts *work_unit_keep_facts(struct work_unit *u, const struct archive_facts *f)
{
	struct work_unit_members *m = members_of(u);

	m->facts = *f;
	return &m->facts;
}

void work_unit_unpack(struct work_unit *u)
{
	struct work_unit_members *m = u->members;

	for (size_t i = 0; m && i < m->waiting_count; i++) {
		const struct packed_member *p = &m->waiting[i];
		struct entry *e = &u->entries[p->entry];

		fault_clear(&e->fault);
		e->failed = !zip_unpack(&p->data, p->packed, p->out, &m->inflater, &e->fault);
		if (e->failed)
			e->bytes = NULL;
	}
}
