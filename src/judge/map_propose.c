/* Asks the rules of maps, in their order. */
#include "judge/id_map.h"
#include "judge/rule.h"

/* In the order in which they are asked. */
static const struct map_rule *const map_rules[] = {
	&map_reduced_zero, &map_cityscapes, &map_coco_things, &map_one_based, &map_off_by_one, &map_scaled, &map_sparse,
};

bool map_question_has(const struct map_question *q, const char *rule)
{
	return q->findings && q->findings[rule_index(rule_find(rule))];
}

enum map_answer id_map_propose(const struct map_question *q, struct id_map *map, struct text *why)
{
	enum map_answer answer = MAP_OTHER;

	if (map_ignored_colours.propose(q, map, why) == MAP_REFUSED)
		return MAP_REFUSED;
	map_wrapped_ids.propose(q, map, why);
	if (!id_map_has_invalid(map) && !q->settings->reduce_zero_label)
		return MAP_FOUND;
	for (size_t i = 0; i < ARRAY_SIZE(map_rules) && answer == MAP_OTHER; i++)
		answer = map_rules[i]->propose(q, map, why);
	if (answer == MAP_OTHER)
		text_addf(why, "no map explains all ids that are out of range");
	return answer;
}
