/*
 * wrapped-negative-ids: -1, and what it became in 8, 16 and 32 bits, beside the ignored id that is declared. All of
 * them become that id. Asked before the other rules, which then see ignored ids alone.
 */
#include <inttypes.h>

#include "base/mem.h"
#include "judge/id_map.h"

static enum map_answer propose(const struct map_question *q, struct id_map *map, struct text *why)
{
	static const int64_t wraps[] = { -1, 255, 65535, UINT32_MAX };
	const struct id_ranges *ignored = &q->settings->classes.ignored;
	bool declared = false;
	int64_t target = 0;

	(void)why;
	if (!map_question_has(q, "wrapped-negative-ids") || q->settings->reduce_zero_label)
		return MAP_OTHER;
	for (size_t i = 0; i < ARRAY_SIZE(wraps); i++)
		if (id_ranges_contain(ignored, wraps[i]) && id_map_find(map, wraps[i])) {
			if (declared)
				return MAP_OTHER; /* two are legal: which one is meant? */
			declared = true;
			target = wraps[i];
		}
	if (!declared || (target < 0 && q->has_masks))
		return MAP_OTHER;
	for (size_t i = 0; i < ARRAY_SIZE(wraps); i++) {
		struct mapped_id *m = id_map_find(map, wraps[i]);

		if (!m || m->role != ID_INVALID)
			continue;
		m->to = target;
		m->role = ID_IGNORED;
		map->rule = map_wrapped_ids.rule;
		map->unwraps = true;
	}
	if (!map->rule)
		return MAP_OTHER;
	text_addf(id_map_method(map), "what -1 became in other types becomes %" PRId64, target);
	return MAP_FOUND;
}

const struct map_rule map_wrapped_ids = { "wrapped-negative-ids", propose };
