#include "judge/content_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "find/split.h"

enum {
	PATHS_OF_PLACES = 4, /* path, second, split_path */
	PATH_OVERHEAD = 16,  /* of the allocator */
};

static uint64_t last_kept(const struct content_table *t)
{
	return atomic_load_explicit(&t->last, memory_order_relaxed);
}

void content_table_init(struct content_table *t)
{
	memset(t, 0, sizeof(*t));
	pthread_mutex_init(&t->lock, NULL);
	atomic_init(&t->last, UINT64_MAX);
}

static void content_release(struct content_total *c)
{
	if (c->places) {
		free(c->places->second);
		free(c->places->split_path[0]);
		free(c->places->split_path[1]);
		free(c->places);
	}
	free(c->path);
}

static void clear(struct content_table *t)
{
	for (size_t i = 0; i < t->count; i++)
		content_release(&t->v[i]);
	free(t->v);
	table_release(&t->table);
	t->v = NULL;
	t->count = t->cap = t->paths_bytes = 0;
}

void content_table_release(struct content_table *t)
{
	clear(t);
	pthread_mutex_destroy(&t->lock);
}

/* ---- the index -------------------------------------------------------------------------------------------------- */

/* Keys are hashes already, but those of a report that is read back may be anything. */
static uint64_t hash_key(const uint64_t key[2])
{
	return hash_mix(key[1] ^ hash_mix(key[0] ^ hash_seed()));
}

static struct content_total *look_up(struct content_table *t, const uint64_t key[2])
{
	uint64_t hash = hash_key(key);
	uint32_t i;

	for (size_t at = table_start(&t->table, hash); (i = table_next(&t->table, hash, &at)) != TABLE_NONE;)
		if (t->v[i].key[0] == key[0] && t->v[i].key[1] == key[1])
			return &t->v[i];
	return NULL;
}

static void index_again(struct content_table *t)
{
	table_clear(&t->table);
	for (size_t i = 0; i < t->count; i++)
		table_add(&t->table, hash_key(t->v[i].key), i);
}

/* ---- bounds ----------------------------------------------------------------------------------------------------- */

/* Returns a bound of a mask's paths: all as long as the longest, so that it only grows, in any order of files. */
static size_t bytes_of(const struct content_total *c)
{
	return ((size_t)c->path_max + PATH_OVERHEAD) * (c->places ? PATHS_OF_PLACES : 1);
}

/* Drops the masks whose key is above `last`. */
static void drop_beyond(struct content_table *t, uint64_t last)
{
	size_t kept = 0;

	atomic_store_explicit(&t->last, last, memory_order_relaxed);
	for (size_t i = 0; i < t->count; i++) {
		struct content_total *c = &t->v[i];

		if (c->key[0] > last) {
			t->paths_bytes -= bytes_of(c);
			content_release(c);
		} else {
			t->v[kept++] = *c;
		}
	}
	t->count = kept;
	index_again(t);
}

static void fit(struct content_table *t)
{
	while (t->paths_bytes > DISTINCT_PATHS_MAX && last_kept(t))
		drop_beyond(t, last_kept(t) >> 1);
}

/* ---- places ----------------------------------------------------------------------------------------------------- */

static void set_path(char **at, const char *path)
{
	char *copy = xstrdup(path);

	free(*at);
	*at = copy;
}

/* Returns the split of a mask without places; the highest if its file was given in several ways. */
static unsigned only_split(const struct content_total *c)
{
	unsigned split = 0;

	while (c->splits >> split > 1)
		split++;
	return split;
}

/*
 * Updates the two smallest paths of different splits. If a new first path is of another split than the old first one,
 * the old one is the smallest of all other splits.
 */
static void note_split_path(struct content_places *p, const char *path, unsigned split)
{
	int order = p->split_path[0] ? strcmp(path, p->split_path[0]) : -1;

	if (!split || !order)
		return;
	if (order < 0) {
		if (p->split_path[0] && p->split[0] != split) {
			free(p->split_path[1]);
			p->split_path[1] = p->split_path[0];
			p->split[1] = p->split[0];
			p->split_path[0] = NULL;
		}
		set_path(&p->split_path[0], path);
		p->split[0] = (uint8_t)split;
	} else if (split != p->split[0] && (!p->split_path[1] || strcmp(path, p->split_path[1]) < 0)) {
		set_path(&p->split_path[1], path);
		p->split[1] = (uint8_t)split;
	}
}

/* Adds a path to a mask that has one, before c->splits is updated. */
static void note_path(struct content_total *c, const char *path)
{
	int order = strcmp(path, c->path);

	if (!order)
		return;
	if (!c->places) {
		c->places = xcalloc(1, sizeof(*c->places));
		note_split_path(c->places, c->path, only_split(c));
	}
	if (order < 0) {
		free(c->places->second);
		c->places->second = c->path;
		c->path = xstrdup(path);
	} else if (!c->places->second || strcmp(path, c->places->second) < 0) {
		set_path(&c->places->second, path);
	}
}

/* ---- adding ----------------------------------------------------------------------------------------------------- */

/* Returns the entry of that key, which it makes (no files, no path) if needed; NULL if the key is out of range. */
static struct content_total *find_content(struct content_table *t, const uint64_t key[2])
{
	while (key[0] <= last_kept(t)) {
		struct content_total *found = look_up(t, key);

		if (found)
			return found;
		if (t->count < DISTINCT_MASKS_MAX) {
			GROW(t->v, t->cap, t->count + 1);
			table_add(&t->table, hash_key(key), t->count);
			t->v[t->count] = (struct content_total){ .key = { key[0], key[1] } };
			return &t->v[t->count++];
		}
		/* The new one would be one too many. */
		drop_beyond(t, last_kept(t) >> 1);
	}
	return NULL;
}

static void note_file(struct content_total *c, const char *path, unsigned split)
{
	if (c->path)
		note_path(c, path);
	else
		c->path = xstrdup(path);
	if (c->places)
		note_split_path(c->places, path, split);
	c->splits = (uint16_t)(c->splits | 1u << split);
	c->path_max = MAX(c->path_max, (uint32_t)MIN(strlen(path) + 1, (size_t)UINT32_MAX));
}

void content_table_add(struct content_table *t, uint32_t width, uint32_t height, const uint64_t content[2],
		       unsigned split, const char *path, const char *member)
{
	/* No hash_seed(), because keys are in reports. Every bit depends on all bits of content and size. */
	uint64_t size = hash_mix((uint64_t)height << 32 | width);
	const uint64_t key[2] = { hash_mix(content[0] ^ size) ^ content[1], hash_mix(content[1] + size) ^ content[0] };
	RELEASED struct strbuf name = STRBUF_INIT;

	if (key[0] > last_kept(t))
		return;
	if (member) {
		strbuf_adds(&name, path);
		strbuf_addch(&name, '#');
		strbuf_adds(&name, member);
		path = name.s;
	}
	pthread_mutex_lock(&t->lock);
	struct content_total *c = find_content(t, key);

	if (c) {
		t->paths_bytes -= c->path ? bytes_of(c) : 0;
		c->files++;
		note_file(c, path, split);
		t->paths_bytes += bytes_of(c);
		fit(t);
	}
	pthread_mutex_unlock(&t->lock);
}

/* ---- merging ---------------------------------------------------------------------------------------------------- */

void content_table_limit(struct content_table *t, uint64_t last)
{
	if (last < last_kept(t))
		drop_beyond(t, last);
}

void content_table_put(struct content_table *t, const struct content_total *more)
{
	const struct content_places *p = more->places;

	struct content_total *c = find_content(t, more->key);

	if (!c)
		return;
	t->paths_bytes -= c->path ? bytes_of(c) : 0;
	uint16_t splits = c->splits;

	c->files += more->files;
	if (p) {
		for (int i = 0; i < 2; i++)
			if (p->split_path[i])
				note_file(c, p->split_path[i], p->split[i]);
		/* They have no split, or one for which a smaller path was noted. */
		note_file(c, more->path, SPLIT_NONE);
		note_file(c, p->second, SPLIT_NONE);
	} else {
		note_file(c, more->path, only_split(more));
	}
	c->splits = splits | more->splits;
	c->path_max = MAX(c->path_max, more->path_max);
	t->paths_bytes += bytes_of(c);
	fit(t);
}

void content_table_merge(struct content_table *into, struct content_table *from)
{
	content_table_limit(into, last_kept(from));
	for (size_t i = 0; i < from->count; i++)
		content_table_put(into, &from->v[i]);
	clear(from);
	atomic_store_explicit(&from->last, UINT64_MAX, memory_order_relaxed);
}

static int compare_keys(const void *pa, const void *pb)
{
	const struct content_total *a = pa, *b = pb;
	int half = a->key[0] == b->key[0];

	return a->key[half] < b->key[half] ? -1 : a->key[half] > b->key[half];
}

void content_table_sort(struct content_table *t)
{
	if (!t->count)
		return;
	qsort(t->v, t->count, sizeof(*t->v), compare_keys);
	index_again(t);
}

uint64_t content_table_share(const struct content_table *t)
{
	uint64_t last = last_kept(t), share = 1;

	for (; last < UINT64_MAX && last; last = last << 1 | 1)
		share *= 2;
	return last ? share : UINT64_MAX;
}
