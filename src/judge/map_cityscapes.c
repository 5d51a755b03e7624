/*
 * cityscapes-label-ids: labelIds become trainIds, by the table of cityscapesscripts (helpers/labels.py); all that it
 * does not train on becomes the ignored id. Refused if some file seems to hold trainIds already.
 */
#include <inttypes.h>

#include "judge/id_map.h"
#include "judge/role.h"

enum { LABEL_IDS = 34, TRAIN_IDS = CITYSCAPES_TRAIN_IDS, PAST_MIN = 2, VOID = -1 };

static const int8_t train_ids[LABEL_IDS] = {
	VOID, VOID, VOID, VOID, VOID, VOID, VOID, 0,  1,  VOID, VOID, 2,  3,    4,    VOID, VOID, VOID,
	5,    VOID, 6,    7,    8,    9,    10,   11, 12, 13,   14,   15, VOID, VOID, 16,   17,   18,
};

/* A file agrees if an id is past the trainIds, or if all are ones that labelIds train on, or void in front of the car.
 */
bool map_cityscapes_contradicts(const int64_t *ids, size_t count)
{
	bool trained = false;

	for (size_t i = 0; i < count; i++) {
		if (ids[i] >= TRAIN_IDS && ids[i] < LABEL_IDS)
			return false;
		trained |= ids[i] >= 0 && ids[i] < TRAIN_IDS && train_ids[ids[i]] != VOID;
	}
	for (size_t i = 0; i < count; i++)
		if (ids[i] > 6 && (ids[i] >= LABEL_IDS || train_ids[ids[i]] == VOID))
			return true;
	return !trained;
}

static enum map_answer propose(const struct map_question *q, struct id_map *map, struct text *why)
{
	const struct settings *settings = q->settings;
	uint64_t past = 0;
	int64_t ignored;

	if (settings_class_count(settings) != TRAIN_IDS || !map_question_has(q, "cityscapes-label-ids"))
		return MAP_OTHER;
	for (size_t i = 0; i < map->count; i++) {
		if (map->v[i].role != ID_IGNORED && map->v[i].id >= LABEL_IDS)
			return MAP_OTHER;
		past += map->v[i].role == ID_INVALID && map->v[i].id >= TRAIN_IDS;
	}
	if (past < PAST_MIN)
		return MAP_OTHER;
	if (!id_map_ignored_id(settings, &ignored)) {
		text_addf(why, "labelIds of Cityscapes need an ignored id for what is not trained on: --ignore 255");
		return MAP_REFUSED;
	}
	if (q->contradicting) {
		text_addf(why,
			  "files disagree: %" PRIu64 " may hold trainIds of Cityscapes already (first %s), others hold "
			  "labelIds",
			  q->contradicting, q->contradicting_example);
		return MAP_REFUSED;
	}
	for (size_t i = 0; i < map->count; i++) {
		struct mapped_id *m = &map->v[i];
		bool trains = m->id >= 0 && m->id < LABEL_IDS && train_ids[m->id] != VOID;

		if (m->role != ID_IGNORED)
			m->to = trains ? train_ids[m->id] : ignored;
	}
	map->rule = map_cityscapes.rule;
	map->has_voids = true;
	text_addf(id_map_method(map), "labelIds of Cityscapes become trainIds, all others %" PRId64, ignored);
	return MAP_FOUND;
}

const struct map_rule map_cityscapes = { "cityscapes-label-ids", propose };
