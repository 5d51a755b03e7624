#include "find/source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/stop.h"
#include "base/work_units.h"
#include "find/archive.h"
#include "find/file_list.h"
#include "find/path_state.h"
#include "find/pool.h"
#include "find/walk.h"
#include "find/walk_filter.h"
#include "find/work_unit.h"

/* The parts of their bounds that archives have used up; they are read one after the other, in the order of the walk. */
struct archives_read {
	uint64_t units_free, heads_units;
	uint64_t done; /* bytes of those that were closed */
};

/* For the progress. Any thread may read them. */
struct source_counts {
	atomic_uint_fast64_t drawn;
	atomic_uint_fast64_t members;       /* of them */
	atomic_uint_fast64_t archive_bytes; /* that were read so far */
	atomic_bool complete;
};

struct source {
	const struct find_options *options;
	struct walk_filter filter;
	struct link_roots roots; /* under the lock */
	struct splits splits;

	pthread_mutex_t lock;
	/* under the lock */
	struct walk walk;
	bool walking;
	size_t rel_offset;     /* of new entries: the length of the walk's root, '/' included, or 0 */
	struct walk_item item; /* the walk's last one */
	bool item_pending;     /* it goes into the next unit */
	size_t paths_next;
	struct archive_reader *archive; /* whose members come next, or NULL */
	struct archive_options archive_options;
	struct archives_read archives;
	struct file_list list;
	uint64_t units;
	struct error error; /* the list could not be read: all further draws fail */

	struct strbuf key; /* scratch */

	struct source_counts progress;
	atomic_bool stop;
};

/* ---- PATHs ------------------------------------------------------------------------------------------------------- */

/* "-" is no file: it exists. */
static enum status check_paths(const struct find_options *o, struct error *err)
{
	for (size_t i = 0; i < o->paths_count; i++) {
		const char *path = o->paths[i];
		const int errnum = path_state_of(o, i).errnum;

		if (!strcmp(path, "-")) {
			if (o->files_from && !strcmp(o->files_from, "-"))
				return error_set(err, "standard input cannot be both a label file and --files-from");
		} else if (errnum && errnum != ECANCELED) {
			return error_set_errno(err, errnum, "%s", *path ? path : "''");
		}
	}
	return STATUS_OK;
}

enum status source_open(struct source **out, const struct find_options *options, struct error *err)
{
	struct source *s = xcalloc(1, sizeof(*s));
	const struct find_options *o = options;

	s->options = options;
	pthread_mutex_init(&s->lock, NULL);
	file_list_init(&s->list);
	strbuf_init(&s->key);
	enum status status =
		walk_filter_init(&s->filter, o->include, o->include_count, o->exclude, o->exclude_count, err);

	s->filter.hidden = o->hidden;
	s->filter.follow = o->follow;
	link_roots_init(&s->roots, o->paths, o->paths_count);
	walk_init(&s->walk, &s->filter, &s->roots);
	s->archive_options = (struct archive_options){
		.find = o,
		.stop = o->stop ? o->stop : &s->stop,
		.filter = &s->filter,
		.units_free = &s->archives.units_free,
		.heads_units = &s->archives.heads_units,
	};
	s->archives.units_free = ARCHIVES_UNITS_FREE;
	s->archives.heads_units = ARCHIVES_HEADS_UNITS;
	s->walk.stop = s->archive_options.stop;
	s->walk.pool = o->pool;
	if (status == STATUS_OK)
		status = check_paths(o, err);
	if (status == STATUS_OK)
		splits_init(&s->splits, o);
	if (status == STATUS_OK && o->files_from)
		status = file_list_open(&s->list, o->files_from, o->nul_separated, err);
	if (status != STATUS_OK) {
		source_close(s);
		s = NULL;
	}
	*out = s;
	return status;
}

uint64_t source_listed(const struct source *s, uint64_t *sum)
{
	*sum = atomic_load_explicit(&s->list.sum, memory_order_relaxed);
	return atomic_load_explicit(&s->list.count, memory_order_relaxed);
}

void source_close(struct source *s)
{
	if (!s)
		return;
	archive_close(s->archive);
	walk_release(&s->walk);
	walk_filter_release(&s->filter);
	link_roots_release(&s->roots);
	file_list_release(&s->list);
	splits_release(&s->splits);
	strbuf_release(&s->key);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* A member's split is that of its folders, or else of the archive as if that were a folder. */
static unsigned split_of_member(const struct entry *entry)
{
	unsigned split = split_by_name(entry->member, 0);
	char folder[PATH_MAX];
	size_t len = strlen(entry->path);

	if (split != SPLIT_NONE || len + 2 > sizeof(folder))
		return split;
	memcpy(folder, entry->path, len);
	memcpy(folder + len, "/", 2);
	return split_by_name(folder, entry->rel_offset);
}

unsigned source_split(const struct source *s, const struct entry *entry)
{
	if (s->splits.typed)
		return s->splits.of_path[entry->typed_path];
	return entry->member ? split_of_member(entry) : split_by_name(entry->path, entry->rel_offset);
}

const struct splits *source_splits(const struct source *s)
{
	return &s->splits;
}

void source_stop(struct source *s)
{
	atomic_store_explicit(&s->stop, true, memory_order_relaxed);
}

struct source_progress source_progress(const struct source *s)
{
	struct source_progress p;

	/* complete first, so that a complete total is never too small */
	p.complete = atomic_load_explicit(&s->progress.complete, memory_order_acquire);
	p.drawn = atomic_load_explicit(&s->progress.drawn, memory_order_relaxed);
	p.members = atomic_load_explicit(&s->progress.members, memory_order_relaxed);
	p.archive_bytes = atomic_load_explicit(&s->progress.archive_bytes, memory_order_relaxed);
	p.list_bytes = atomic_load_explicit(&s->list.bytes, memory_order_relaxed);
	p.list_size = s->list.size;
	return p;
}

static bool item_is_mine(struct source *s)
{
	const struct walk_item *item = &s->item;

	if (!s->options->shard.count)
		return true;
	strbuf_set(&s->key, item->folder, item->folder_len);
	strbuf_add(&s->key, item->name, item->name_len);
	size_t root = MIN(s->rel_offset, s->key.len);

	return shard_has(&s->options->shard, s->key.s + root, s->key.len - root);
}

/* Adds an entry that the user named, or that claims to be an archive. It failed if there is a fault. */
static struct entry *add_explicit(struct work_unit *u, const char *path, size_t len, const struct fault *fault)
{
	struct entry *e = work_unit_add_path(u, path, len);

	e->is_explicit = true;
	entry_fail(e, fault);
	return e;
}

/*
 * Begins a path that was typed or listed: walks a folder, expands an archive, adds an entry for anything else. errnum:
 * ENOTDIR, it is to be a file; or 0.
 */
static void begin_path(struct source *s, struct work_unit *u, const char *path, size_t len, int errnum)
{
	if (!errnum)
		errnum = walk_start(&s->walk, path);
	struct fault fault = FAULT_INIT;

	s->walking = !errnum;
	s->rel_offset = s->walking ? s->walk.path.len : 0;
	if (s->walking || !shard_has(&s->options->shard, path, len))
		return;
	s->archive_options.is_explicit = true;
	if (errnum == ENOTDIR && !s->options->no_archives &&
	    archive_open(&s->archive, AT_FDCWD, path, path, is_archive_name(path), &s->archive_options, &fault) ==
		    ARCHIVE_OPENED)
		return;
	if (errnum != ENOTDIR && errnum != ENOENT && errnum != ENAMETOOLONG && errnum != ELOOP)
		fault_set(&fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot open: %s", strerror(errnum));
	add_explicit(u, path, len, &fault);
}

/* Begins "-": an archive, or one label file. */
static void begin_standard_input(struct source *s, struct work_unit *u)
{
	uint8_t head[ARCHIVE_HEAD];
	enum archive_opened opened = ARCHIVE_NONE;
	struct fault fault = FAULT_INIT;
	size_t n = 0;

	s->rel_offset = 0;
	s->archive_options.is_explicit = true;
	if (!s->options->keep_standard_input && !s->options->no_archives)
		opened = archive_open_standard_input(&s->archive, &s->archive_options, head, &n, &fault);
	if (opened == ARCHIVE_OPENED)
		return;
	uint8_t *bytes = work_unit_take_memory(u, n);
	struct entry *e = add_explicit(u, "-", 1, &fault);

	if (n)
		memcpy(bytes, head, n);
	e->standard_input = true;
	e->bytes = bytes;
	e->bytes_len = n;
}

/* Begins the walk's item if its name is an archive's: other files are not opened. Returns whether that was done. */
static bool begin_found_archive(struct source *s, struct work_unit *u)
{
	const struct walk_item *item = &s->item;
	struct fault fault = FAULT_INIT;

	if (item->failed || item->skip_reason || s->options->no_archives || !is_archive_name(item->name))
		return false;
	RELEASED struct strbuf path = STRBUF_INIT;

	strbuf_add(&path, item->folder, item->folder_len);
	strbuf_add(&path, item->name, item->name_len);
	s->archive_options.is_explicit = false;
	if (archive_open(&s->archive, item->dir->fd, item->name, path.s, true, &s->archive_options, &fault) !=
	    ARCHIVE_OPENED)
		add_explicit(u, path.s, path.len, &fault); /* the report says what it is */
	return true;
}

/* Begins the next PATH, or path of the list. *more becomes false after the last one. */
static enum status begin_next(struct source *s, struct work_unit *u, bool *more, struct error *err)
{
	struct listed_path listed;

	*more = true;
	if (s->paths_next < s->options->paths_count) {
		s->archive_options.typed_path = (uint32_t)s->paths_next;
		const struct path_state *state = s->options->states ? &s->options->states[s->paths_next] : NULL;
		const char *path = s->options->paths[s->paths_next++];

		if (strcmp(path, "-"))
			begin_path(s, u, path, strlen(path),
				   state && !state->errnum && !S_ISDIR(state->mode) ? ENOTDIR : 0);
		else if (shard_has(&s->options->shard, "-", 1))
			begin_standard_input(s, u);
		return STATUS_OK;
	}
	s->archive_options.typed_path = (uint32_t)s->options->paths_count;
	if (s->list.fd < 0) {
		*more = false;
		return STATUS_OK;
	}
	if (file_list_next(&s->list, s->archive_options.stop, &listed, err) != STATUS_OK)
		return STATUS_FAILED;
	if (!listed.path) {
		*more = false;
	} else if (!listed.cut) {
		begin_path(s, u, listed.path, listed.len, ENOTDIR); /* opening a folder as a file says what it is */
	} else if (shard_has(&s->options->shard, listed.path, listed.len)) {
		struct fault fault = { .kind = FAULT_NONE };

		s->rel_offset = 0;
		fault_set(&fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "the listed path is longer than %d bytes",
			  FILE_LIST_PATH_MAX);
		add_explicit(u, listed.path, listed.len, &fault);
	}
	return STATUS_OK;
}

/* Returns true if the unit is done. */
static bool fill_from_archive(struct source *s, struct work_unit *u, size_t max)
{
	bool more = archive_fill(s->archive, u, max);

	if (s->archive_options.is_explicit && is_npz_name(archive_path(s->archive)))
		for (size_t i = 0; i < u->count; i++)
			u->entries[i].is_explicit = true;
	if (more)
		return true;
	s->archives.done += archive_file_size(s->archive);
	archive_close(s->archive);
	s->archive = NULL;
	return u->count;
}

/* Fills u. *more becomes false if there is nothing left. */
static enum status fill_unit(struct source *s, struct work_unit *u, size_t max, bool *more, struct error *err)
{
	bool full = false;

	*more = true;
	while (u->count < max && *more && !full && !is_stopped(s->archive_options.stop)) {
		size_t first = u->count;

		if (s->archive) {
			/* a unit holds files or members of one archive, not both */
			full = u->count || fill_from_archive(s, u, max);
		} else if (s->item_pending) {
			full = !begin_found_archive(s, u) && !work_unit_add_item(u, &s->item);
			s->item_pending = full;
		} else if (s->walking) {
			s->walking = walk_next(&s->walk, &s->item);
			s->item_pending = s->walking && item_is_mine(s);
		} else if (u->count && u->text.len >= UNIT_TEXT) {
			full = true;
		} else if (begin_next(s, u, more, err) != STATUS_OK) {
			return STATUS_FAILED;
		}
		for (size_t i = first; i < u->count; i++) {
			u->entries[i].rel_offset = s->rel_offset;
			u->entries[i].typed_path = s->archive_options.typed_path;
		}
	}
	return STATUS_OK;
}

/* fill_unit() as a task of the pool that its owner does at once: so the pool knows whether storage is late. */
struct fill_task {
	struct task task;
	struct source *source;
	struct work_unit *unit;
	size_t max;
	bool more;
	enum status status;
};

static void fill(struct task *task, bool ahead)
{
	struct fill_task *t = (struct fill_task *)task;

	(void)ahead;
	t->status = fill_unit(t->source, t->unit, t->max, &t->more, &t->source->error);
}

/* For the progress, after a unit was filled. */
static void count_archive_bytes(struct source *s, const struct work_unit *u)
{
	uint64_t bytes = s->archives.done + (s->archive ? archive_position(s->archive) : 0);

	atomic_store_explicit(&s->progress.archive_bytes, bytes, memory_order_relaxed);
	if (u->entries[0].member) /* a unit holds files or members, not both */
		atomic_fetch_add_explicit(&s->progress.members, u->count, memory_order_relaxed);
}

enum status source_draw(struct source *s, struct work_unit *u, size_t max, struct error *err)
{
	struct fill_task t = { .task.run = fill, .source = s, .unit = u, .max = max, .more = true };

	assert(!u->count && max);
	pthread_mutex_lock(&s->lock);
	if (!s->error.text[0])
		pool_finish(s->options->pool, &t.task);
	enum status status = t.status;

	if (s->error.text[0]) {
		*err = s->error;
		status = STATUS_FAILED;
		work_unit_clear(u);
	} else if (u->count) {
		work_unit_end(u);
		u->number = s->units++;
		atomic_fetch_add_explicit(&s->progress.drawn, u->count, memory_order_relaxed);
		count_archive_bytes(s, u);
	}
	if (!t.more)
		atomic_store_explicit(&s->progress.complete, true, memory_order_release);
	pthread_mutex_unlock(&s->lock);
	work_unit_unpack(u);
	return status;
}

enum status source_each(const struct find_options *options, bool (*take)(void *self, const struct entry *entry),
			void *self, struct source_progress *seen, struct error *err)
{
	enum { DRAW = 256 };
	struct source *s;
	struct work_unit unit;
	bool more = true;
	enum status status = source_open(&s, options, err);

	if (status != STATUS_OK)
		return status;
	work_unit_init(&unit);
	do {
		work_unit_clear(&unit);
		status = source_draw(s, &unit, DRAW, err);
		if (options->progress)
			progress_add(options->progress, unit.count);
		if (options->drawn && status == STATUS_OK)
			options->drawn(self, unit.entries, unit.count);
		for (size_t i = 0; status == STATUS_OK && more && i < unit.count; i++)
			more = take(self, &unit.entries[i]);
	} while (status == STATUS_OK && more && unit.count);
	work_unit_release(&unit);
	if (seen)
		*seen = source_progress(s);
	source_close(s);
	return status;
}
