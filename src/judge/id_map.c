#include "judge/id_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/mem.h"
#include "judge/finding.h"
#include "judge/role.h"

void id_map_release(struct id_map *map)
{
	free(map->v);
	memset(map, 0, sizeof(*map));
}

/* Sorts the ids, and adds up the entries of each. */
static void add_up(struct id_map *map)
{
	size_t n = 0;

	if (map->count)
		qsort(map->v, map->count, sizeof(*map->v), compare_int64);
	for (size_t i = 0; i < map->count; i++) {
		if (n && map->v[n - 1].id == map->v[i].id) {
			map->v[n - 1].labels += map->v[i].labels;
			map->v[n - 1].files += map->v[i].files;
		} else {
			map->v[n++] = map->v[i];
		}
	}
	map->count = map->sorted = n;
}

void id_map_add(struct id_map *map, const struct settings *settings, int64_t id, uint64_t labels, uint64_t files)
{
	enum { ADDED_UP = 1 << 8 }; /* entries, before they are sorted, and equal ids are added up: 40 bytes each */
	const struct mapped_id key = { .id = id };
	struct mapped_id *same =
		map->sorted ? bsearch(&key, map->v, map->sorted, sizeof(*map->v), compare_int64) : NULL;

	if (same) {
		same->labels += labels;
		same->files += files;
		return;
	}
	if (map->count - map->sorted >= MAX(map->sorted, (size_t)ADDED_UP))
		add_up(map);
	GROW(map->v, map->cap, map->count + 1);
	map->v[map->count++] = (struct mapped_id){
		.id = id, .to = id, .labels = labels, .files = files, .role = settings_role(settings, id)
	};
}

void id_map_finish(struct id_map *map)
{
	add_up(map);
}

void id_map_merge(struct id_map *into, struct id_map *from)
{
	add_up(from);
	GROW(into->v, into->cap, into->count + from->count);
	if (from->count)
		memcpy(into->v + into->count, from->v, from->count * sizeof(*from->v));
	into->count += from->count;
	add_up(into);
	id_map_release(from);
}

void id_map_keep_all(struct id_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		map->v[i].to = map->v[i].id;
	map->rule = NULL;
	map->has_voids = map->unwraps = map->reduces_zero = false;
	text_clear(&map->method);
}

struct mapped_id *id_map_find(const struct id_map *map, int64_t id)
{
	const struct mapped_id key = { .id = id };

	return map->count ? bsearch(&key, map->v, map->count, sizeof(*map->v), compare_int64) : NULL;
}

struct text *id_map_method(struct id_map *map)
{
	if (map->method.len)
		text_addf(&map->method, "; ");
	return &map->method;
}

bool id_map_has_invalid(const struct id_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].role == ID_INVALID && map->v[i].labels)
			return true;
	return false;
}

bool id_map_changes(const struct id_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].to != map->v[i].id)
			return true;
	return false;
}

bool id_map_ignored_id(const struct settings *settings, int64_t *id)
{
	const struct id_ranges *ignored = &settings->classes.ignored;

	*id = 255;
	if (id_ranges_contain(ignored, *id))
		return true;
	if (id_ranges_size(ignored) != 1)
		return false;
	*id = ignored->v[0].first;
	return true;
}

static int compare_targets(const void *pa, const void *pb)
{
	const struct mapped_id *a = pa, *b = pb;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return compare_int64(pa, pb);
}

/* Checks one id by itself. */
static bool check_role(const struct id_map *map, const struct mapped_id *m, enum id_role role, struct text *why)
{
	if (role == ID_INVALID && m->to == m->id) {
		text_addf(why, "id %" PRId64 " fits no map that fits the other ids", m->id);
		return false;
	}
	if (role == ID_INVALID) {
		text_addf(why, "id %" PRId64 " would become %" PRId64 ", which is neither a class nor ignored", m->id,
			  m->to);
		return false;
	}
	if (m->role == ID_IGNORED && role == ID_CLASS) {
		text_addf(why, "id %" PRId64 " is ignored, and would become class %" PRId64, m->id, m->to);
		return false;
	}
	if (m->role == ID_CLASS && role == ID_IGNORED && !map->has_voids) {
		text_addf(why, "class %" PRId64 " would become %" PRId64 ", which is ignored", m->id, m->to);
		return false;
	}
	return true;
}

bool id_map_check(const struct id_map *map, const struct settings *after, struct text *why)
{
	FREED struct mapped_id *by_target = xcalloc(map->count + 1, sizeof(*by_target));
	bool ok = true;

	if (map->count) /* else map->v may be NULL */
		memcpy(by_target, map->v, map->count * sizeof(*by_target));
	qsort(by_target, map->count, sizeof(*by_target), compare_targets);
	for (size_t i = 0; i < map->count && ok; i++) {
		const struct mapped_id *m = &by_target[i];
		enum id_role role = settings_role(after, m->to);

		ok = check_role(map, m, role, why);
		if (ok && i && role == ID_CLASS && by_target[i - 1].to == m->to) {
			text_addf(why, "ids %" PRId64 " and %" PRId64 " would both become %" PRId64,
				  by_target[i - 1].id, m->id, m->to);
			ok = false;
		}
	}
	return ok;
}
