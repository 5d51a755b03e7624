#include "fix/id_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/role.h"

const struct map_rule *const map_rules[] = {
	&map_reduced_zero, &map_cityscapes, &map_coco_things, &map_one_based, &map_off_by_one, &map_scaled, &map_sparse,
};
const size_t map_rules_count = ARRAY_SIZE(map_rules);

void id_map_release(struct id_map *map)
{
	free(map->v);
	memset(map, 0, sizeof(*map));
}

static int compare_ids(const void *pa, const void *pb)
{
	const struct mapped_id *a = pa, *b = pb;

	return a->id < b->id ? -1 : a->id > b->id;
}

/* Adds up the entries of each id, which are neighbours. */
static void add_up(struct id_map *map)
{
	size_t n = 0;

	for (size_t i = 0; i < map->count; i++) {
		if (n && map->v[n - 1].id == map->v[i].id) {
			map->v[n - 1].labels += map->v[i].labels;
			map->v[n - 1].files += map->v[i].files;
		} else {
			map->v[n++] = map->v[i];
		}
	}
	map->count = n;
}

enum { ADDED_UP = 1 << 16 }; /* entries, before equal ids are added up: 40 bytes each */

void id_map_gather(struct id_map *map, const struct map_question *q)
{
	size_t limit = ADDED_UP;

	for (size_t i = 0; i < q->set->count; i++) {
		const struct fix_file *file = &q->set->files[i];
		int64_t scale = fix_file_scale(q->set, file);

		if (!map_question_has(q, file))
			continue;
		GROW(map->v, map->cap, map->count + file->ids_count);
		for (size_t k = 0; k < file->ids_count; k++) {
			const struct fix_id id = fix_file_id(q->set, file, k);
			bool by_category = q->by_category && file->categories_count;
			int64_t plain = by_category ? file->categories[k].id : fix_unscaled(id.id, scale, q->unscaled);

			map->v[map->count++] = (struct mapped_id){
				.id = plain,
				.to = plain,
				.labels = id.labels,
				.files = 1,
				.role = settings_role(q->set->settings, plain),
			};
		}
		if (map->count >= limit) {
			qsort(map->v, map->count, sizeof(*map->v), compare_ids);
			add_up(map);
			limit = MAX((size_t)ADDED_UP, 2 * map->count);
		}
	}
	if (map->count)
		qsort(map->v, map->count, sizeof(*map->v), compare_ids);
	add_up(map);
}

struct mapped_id *id_map_find(const struct id_map *map, int64_t id)
{
	const struct mapped_id key = { .id = id };

	return map->count ? bsearch(&key, map->v, map->count, sizeof(*map->v), compare_ids) : NULL;
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
	return compare_ids(pa, pb);
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
	struct mapped_id *by_target = xcalloc(map->count + 1, sizeof(*by_target));
	bool ok = true;

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
	free(by_target);
	return ok;
}
