/*
 * reduce-zero-label, declared by --reduce-zero-label: 0 becomes 255, which is ignored, and every other id the next
 * smaller one, as mmsegmentation does while it loads. The result is audited without the option.
 */
#include "judge/id_map.h"
#include "judge/role.h"

static enum map_answer propose(const struct map_question *q, struct id_map *map, struct text *why)
{
	const struct settings *settings = q->settings;

	if (!settings->reduce_zero_label)
		return MAP_OTHER;
	if (id_map_has_invalid(map)) {
		text_addf(why, "some ids are out of range even with --reduce-zero-label");
		return MAP_REFUSED;
	}
	if (!id_ranges_contain(&settings->classes.ignored, REDUCED_ZERO)) {
		text_addf(why, "0 becomes 255, which must be declared as ignored: --ignore 255");
		return MAP_REFUSED;
	}
	for (size_t i = 0; i < map->count; i++)
		map->v[i].to = settings_trained_id(settings, map->v[i].id);
	map->rule = map_reduced_zero.rule;
	map->reduces_zero = true;
	text_addf(id_map_method(map), "0 becomes 255, which is ignored, and every other id the next smaller one");
	return MAP_FOUND;
}

const struct map_rule map_reduced_zero = { "background-off-by-one", propose };
