/*
 * Colours that --ignore names (#e0e0c0), where colours become ids: they become the ignored id 255, which must be
 * declared, too. Asked before the other rules, which then see ignored ids alone.
 */
#include "judge/id_map.h"

static enum map_answer propose(const struct map_question *q, struct id_map *map, struct text *why)
{
	bool declared = id_ranges_contain(&q->settings->classes.ignored, 255);
	bool any = false;

	for (size_t i = 0; i < map->count; i++) {
		struct mapped_id *m = &map->v[i];

		if (m->role != ID_IGNORED || !id_is_colour(m->id))
			continue;
		if (!declared) {
			text_addf(why, "an ignored colour needs an ignored id that it can become: --ignore 255");
			return MAP_REFUSED;
		}
		m->to = 255;
		any = true;
	}
	if (any)
		text_addf(id_map_method(map), "ignored colours become 255");
	return any ? MAP_FOUND : MAP_OTHER;
}

const struct map_rule map_ignored_colours = { "color-mask", propose };
