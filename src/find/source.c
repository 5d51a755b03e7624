#include "find/source.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "find/file_list.h"
#include "find/glob.h"
#include "find/unit_fill.h"
#include "find/walk.h"

struct source {
	const struct find_options *options;
	struct walk_filter filter;
	struct splits splits;

	pthread_mutex_t lock;
	/* under the lock */
	struct walk walk;
	bool walking;
	size_t below;          /* length of the walk's root, '/' included */
	uint8_t split;         /* of what is walked or taken */
	struct walk_item item; /* the walk's last one */
	bool item_pending;     /* it did not fit into the unit before */
	size_t paths_next;
	struct file_list list;
	bool listed; /* the PATHs are over: what is walked or taken came from the list */
	uint64_t units;
	struct error error; /* the list could not be read: every draw from then on fails */

	struct strbuf key; /* scratch */

	atomic_uint_fast64_t drawn;
	atomic_bool complete;
	atomic_bool stop;
};

static enum status compile_globs(struct glob **out, size_t *out_count, const char *const *patterns, size_t count,
				 const char *option, struct error *err)
{
	const char *why;

	*out = xcalloc(count, sizeof(**out));
	for (*out_count = 0; *out_count < count; ++*out_count)
		if (!glob_compile(&(*out)[*out_count], patterns[*out_count], &why))
			return error_set(err, "%s %s: %s", option, patterns[*out_count], why);
	return STATUS_OK;
}

static void release_globs(struct glob *globs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		glob_release(&globs[i]);
	free(globs);
}

/* "-" is no file: it exists. */
static enum status check_paths(const struct find_options *o, struct error *err)
{
	for (size_t i = 0; i < o->paths_count; i++) {
		const char *path = o->paths[i];
		struct stat st;

		if (!strcmp(path, "-")) {
			if (o->files_from && !strcmp(o->files_from, "-"))
				return error_set(err, "standard input cannot be both a label file and --files-from");
		} else if (stat(path, &st) < 0) {
			return error_set_errno(err, errno, "%s", *path ? path : "''");
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
	s->filter.hidden = o->hidden;
	s->filter.follow = o->follow;
	enum status status = compile_globs(&s->filter.include, &s->filter.include_count, o->include, o->include_count,
					   "--include", err);

	if (status == STATUS_OK)
		status = compile_globs(&s->filter.exclude, &s->filter.exclude_count, o->exclude, o->exclude_count,
				       "--exclude", err);
	walk_init(&s->walk, &s->filter, folders_of_a_walk());
	if (status == STATUS_OK)
		status = check_paths(o, err);
	if (status == STATUS_OK)
		splits_init(&s->splits, o->paths, o->paths_count);
	if (status == STATUS_OK && o->files_from)
		status = file_list_open(&s->list, o->files_from, o->nul_separated, err);
	if (status != STATUS_OK) {
		source_close(s);
		s = NULL;
	}
	*out = s;
	return status;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	walk_release(&s->walk);
	release_globs(s->filter.include, s->filter.include_count);
	release_globs(s->filter.exclude, s->filter.exclude_count);
	file_list_release(&s->list);
	splits_release(&s->splits);
	strbuf_release(&s->key);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

unsigned source_split(const struct source *s, const struct entry *entry)
{
	return s->splits.typed ? entry->split : split_by_name(entry->path, entry->below);
}

const struct splits *source_splits(const struct source *s)
{
	return &s->splits;
}

void source_stop(struct source *s)
{
	atomic_store_explicit(&s->stop, true, memory_order_relaxed);
}

uint64_t source_progress(const struct source *s, bool *complete)
{
	/* complete first: a total that is too small would be a lie */
	*complete = atomic_load_explicit(&s->complete, memory_order_acquire);
	return atomic_load_explicit(&s->drawn, memory_order_relaxed);
}

static bool item_is_mine(struct source *s)
{
	const struct walk_item *item = &s->item;

	if (!s->options->shard.count || s->listed)
		return true;
	strbuf_clear(&s->key);
	strbuf_add(&s->key, item->folder, item->folder_len);
	strbuf_add(&s->key, item->name, item->name_len);
	size_t root = MIN(s->below, s->key.len);

	return shard_has(&s->options->shard, s->key.s + root, s->key.len - root);
}

/* A path that was typed or listed: a folder is walked, anything else is an entry, whatever its opening will tell. */
static void take_path(struct source *s, struct unit *u, const char *path, size_t len)
{
	int errnum = walk_start(&s->walk, path);

	if (!errnum) {
		s->walking = true;
		s->below = s->walk.path.len;
		return;
	}
	if (!s->listed && !shard_has(&s->options->shard, path, len))
		return;
	struct entry *e = unit_add_path(u, path, len);

	e->named = true;
	if (errnum == ENOTDIR || errnum == ENOENT || errnum == ENAMETOOLONG || errnum == ELOOP)
		return;
	e->failed = true;
	fault_clear(&e->fault);
	fault_set(&e->fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot open: %s", strerror(errnum));
}

/* Takes what comes after the last walk or file: a PATH, or one from the list. *more is false at the end of all. */
static enum status take_next(struct source *s, struct unit *u, bool *more, struct error *err)
{
	struct listed_path listed;

	*more = true;
	if (s->paths_next < s->options->paths_count) {
		s->split = s->splits.of_path[s->paths_next];
		const char *path = s->options->paths[s->paths_next++];

		if (strcmp(path, "-")) {
			take_path(s, u, path, strlen(path));
		} else if (shard_has(&s->options->shard, "-", 1)) {
			struct entry *e = unit_add_path(u, "-", 1);

			e->named = e->standard_input = true;
		}
		return STATUS_OK;
	}
	s->split = SPLIT_NONE;
	if (s->list.fd < 0) {
		*more = false;
		return STATUS_OK;
	}
	if (file_list_next(&s->list, &s->stop, &listed, err) != STATUS_OK)
		return STATUS_FAILED;
	s->listed = true;
	if (!listed.path) {
		*more = false;
	} else if (!shard_has(&s->options->shard, listed.path, listed.len)) {
		/* of another part, be it a file or a folder: nothing is asked of the file system */
	} else if (listed.cut) {
		struct entry *e = unit_add_path(u, listed.path, listed.len);

		e->named = e->failed = true;
		fault_clear(&e->fault);
		fault_set(&e->fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "listed path is longer than %d bytes",
			  FILE_LIST_PATH_MAX);
	} else {
		take_path(s, u, listed.path, listed.len);
	}
	return STATUS_OK;
}

/* Fills u as far as it goes. *more is false if that was the last. */
static enum status fill_unit(struct source *s, struct unit *u, size_t max, bool *more, struct error *err)
{
	*more = true;
	while (u->count < max && *more) {
		if (atomic_load_explicit(&s->stop, memory_order_relaxed))
			break;
		if (s->item_pending) {
			struct entry *e = unit_add_item(u, &s->item);

			if (!e)
				break;
			e->split = s->split;
			e->below = s->below;
			s->item_pending = false;
		} else if (s->walking) {
			s->walking = walk_next(&s->walk, &s->item);
			s->item_pending = s->walking && item_is_mine(s);
		} else {
			if (u->count && u->text.len >= UNIT_TEXT)
				break;
			if (take_next(s, u, more, err) != STATUS_OK)
				return STATUS_FAILED;
		}
	}
	return STATUS_OK;
}

enum status source_draw(struct source *s, struct unit *u, size_t max, struct error *err)
{
	enum status status = STATUS_OK;
	bool more = true;

	assert(!u->count && max);
	pthread_mutex_lock(&s->lock);
	if (!s->error.text[0])
		status = fill_unit(s, u, max, &more, &s->error);
	if (s->error.text[0]) {
		*err = s->error;
		status = STATUS_FAILED;
		unit_clear(u);
	} else if (u->count) {
		unit_end(u);
		u->number = s->units++;
		atomic_fetch_add_explicit(&s->drawn, u->count, memory_order_relaxed);
	}
	if (!more)
		atomic_store_explicit(&s->complete, true, memory_order_release);
	pthread_mutex_unlock(&s->lock);
	return status;
}
