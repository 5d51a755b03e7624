/*
 * gap-in-ids: as many different ids as classes, with gaps between them: the ids, in their order, become 0 to C-1. At
 * least two ids must be out of range, and each in two files or, of labels one by one, in ten of them: a class that
 * never occurs and one slip look alike.
 */
#include <inttypes.h>

#include "judge/id_map.h"
#include "judge/role.h"

enum { PAST_MIN = 2, FILES_MIN = 2, LABELS_MIN = 10 };

static enum map_answer propose(const struct map_question *q, struct id_map *map, struct text *why)
{
	const struct id_ranges *classes = &q->settings->classes.classes;
	uint64_t used = 0, past = 0;
	int64_t next = 0;
	const bool single = !q->has_grids;

	(void)why;
	if (classes->count != 1 || classes->v[0].first != 0)
		return MAP_OTHER;
	for (size_t i = 0; i < map->count; i++) {
		const struct mapped_id *m = &map->v[i];

		if (m->role == ID_IGNORED)
			continue;
		if (m->id < 0 || id_is_colour(m->id) || (m->files < FILES_MIN && !(single && m->labels >= LABELS_MIN)))
			return MAP_OTHER;
		used++;
		past += m->role == ID_INVALID;
	}
	if (past < PAST_MIN || used != id_ranges_size(classes))
		return MAP_OTHER;
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].role != ID_IGNORED)
			map->v[i].to = next++;
	map->rule = map_sparse.rule;
	text_addf(id_map_method(map), "number the %" PRIu64 " ids without gaps", used);
	return MAP_FOUND;
}

const struct map_rule map_sparse = { "gap-in-ids", propose };
