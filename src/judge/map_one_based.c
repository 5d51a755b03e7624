/*
 * one-based-ids: ids that run from 1 to C, 0 never: each that is not ignored becomes the next smaller one. C must be no
 * slip: every id from 1 to C occurs, or C in a tenth of the files. And it must not be so of some files alone: most ids
 * occur, or 1, the background, in nearly all files.
 */
#include <inttypes.h>

#include "judge/coco_things.h"
#include "judge/id_map.h"
#include "judge/role.h"

/* With more classes, such as a vocabulary's, one id too large and no 0 is more likely a token that was added. */
enum { CLASSES_MANY = 1000 };

/* COCO's ids without those past 80 run from 1 to 80, too. */
static bool may_be_coco(const struct id_map *map, int64_t classes)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].role != ID_IGNORED && coco_leaves_out(map->v[i].id))
			return false;
	return classes == COCO_THINGS;
}

static enum map_answer propose(const struct map_question *q, struct id_map *map, struct text *why)
{
	int64_t classes = settings_class_count(q->settings), used = 0;
	const uint64_t files = q->files;

	for (size_t i = 0; i < map->count; i++) {
		const struct mapped_id *m = &map->v[i];

		if (m->role == ID_IGNORED && m->id > 0 && m->id <= classes)
			return MAP_OTHER; /* ignored, or class m->id - 1 */
		if (m->role == ID_IGNORED)
			continue;
		if (m->id < 1 || m->id > classes)
			return MAP_OTHER;
		used++;
	}
	const struct mapped_id *first = id_map_find(map, 1), *last = id_map_find(map, classes);

	if (classes > CLASSES_MANY && 2 * used < classes)
		return MAP_OTHER;
	if (!first || !last || first->role == ID_IGNORED || last->role != ID_INVALID || used < 2)
		return MAP_OTHER;
	if (used < classes && last->files < files / 10) {
		text_addf(why,
			  "ids run from 1 to %" PRId64 ", but %" PRId64 " is in %" PRIu64 " of %" PRIu64
			  " files only: counted from 1, or a slip?",
			  classes, classes, last->files, files);
		return MAP_REFUSED;
	}
	if (4 * used < 3 * classes && 10 * first->files < 9 * files) {
		text_addf(why,
			  "ids run from 1 to %" PRId64 ", but only %" PRId64 " of them occur, and 1 is in %" PRIu64
			  " of %" PRIu64 " files: counted from 1, or some files only?",
			  classes, used, first->files, files);
		return MAP_REFUSED;
	}
	if (may_be_coco(map, classes)) {
		text_addf(why, "ids run from 1 to 80: counted from 1, or COCO's 1 to 90 without those past 80?");
		return MAP_REFUSED;
	}
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].role != ID_IGNORED)
			map->v[i].to = map->v[i].id - 1;
	map->rule = map_one_based.rule;
	text_addf(id_map_method(map), "subtract 1");
	return MAP_FOUND;
}

const struct map_rule map_one_based = { "one-based-ids", propose };
