/*
 * COCO's ids 1 to 90 where 80 classes are declared, 0 to 79; with 81 classes, 0 is the background and stays. Known by
 * ids past 80, by the number of ids, and by the ten gaps in which none occurs.
 */
#include "judge/coco_things.h"
#include "judge/id_map.h"
#include "judge/role.h"

enum { PAST_MIN = 2, IDS_MIN = 20 };

static enum map_answer propose(const struct map_question *q, struct id_map *map, struct text *why)
{
	int64_t classes = settings_class_count(q->settings), background = classes - COCO_THINGS;
	unsigned past = 0, used = 0;

	(void)why;
	if (background != 0 && background != 1)
		return MAP_OTHER;
	for (size_t i = 0; i < map->count; i++) {
		const struct mapped_id *m = &map->v[i];

		if (m->role == ID_IGNORED)
			continue;
		if (m->id < 1 - background || m->id > COCO_LAST || (m->id && coco_leaves_out(m->id)))
			return MAP_OTHER;
		past += m->id > COCO_THINGS;
		used++;
	}
	if (past < PAST_MIN || used < IDS_MIN)
		return MAP_OTHER;
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].role != ID_IGNORED && map->v[i].id)
			map->v[i].to = coco_thing_index(map->v[i].id) + background;
	map->rule = map_coco_things.rule;
	text_addf(id_map_method(map), "COCO's ids 1 to 90 become %d to %d", (int)background, (int)classes - 1);
	return MAP_FOUND;
}

const struct map_rule map_coco_things = { "out-of-range-id", propose };
