/*
 * background-off-by-one: 0 to C occur where 0 to C-1 are declared. It may mean three things, and only the user knows
 * which: always refused, with what to declare.
 */
#include <inttypes.h>

#include "judge/id_map.h"
#include "judge/role.h"

static enum map_answer propose(const struct map_question *q, struct id_map *map, struct text *why)
{
	int64_t classes = settings_class_count(q->settings);

	(void)map;
	if (!map_question_has(q, "background-off-by-one"))
		return MAP_OTHER;
	text_addf(why,
		  "all ids from 0 to %" PRId64 " occur: if 0 is not trained on, pass --reduce-zero-label --ignore=255; "
		  "if it is a class, --classes %" PRId64 "; if %" PRId64 " is a void, --ignore=%" PRId64,
		  classes, classes + 1, classes, classes);
	return MAP_REFUSED;
}

const struct map_rule map_off_by_one = { "background-off-by-one", propose };
