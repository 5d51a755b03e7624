/*
 * scaled-ids: classes that were multiplied by g, or spread over the grey levels 0 to 255. The ids of the whole set
 * decide, not those of one file.
 *
 * {0, 50, 100} of 21 classes may be 1 and 2 times 50, 2 and 4 times 25, or 5 and 10 times 10: if several factors, or a
 * factor and the levels, give different classes, the map is refused. So is one that may be a slip: an id out of range
 * that is a multiple of classes in use by chance.
 */
#include <inttypes.h>

#include "judge/grey_levels.h"
#include "judge/id_map.h"
#include "judge/role.h"
#include "judge/wording.h"

enum {
	CHANCE_MAX = 1000, /* at most 1 in 1000: that all ids are multiples of g, or on levels, by chance */
	CANDIDATES_MAX = 256,
	ID_MAX = 1 << 24, /* larger ids are measured values; and all factors up to it are tried */
};

/* The ids in use that are not ignored, and not 0. */
struct scaled {
	uint64_t divisor; /* greatest common divisor */
	unsigned ids, valid;
	int64_t max;
};

/* Returns false if there is an id that no factor explains. */
static bool scan(const struct id_map *map, struct scaled *s)
{
	*s = (struct scaled){ 0 };
	for (size_t i = 0; i < map->count; i++) {
		const struct mapped_id *m = &map->v[i];

		if (m->role == ID_IGNORED || !m->id)
			continue;
		if (m->id < 0 || m->id > ID_MAX)
			return false;
		s->divisor = common_divisor(s->divisor, (uint64_t)m->id);
		s->ids++;
		s->valid += m->role == ID_CLASS;
		s->max = m->id;
	}
	return s->ids != 0;
}

/* Returns whether every id in use is a class if it is divided by g. */
static bool divides(const struct map_question *q, const struct id_map *map, int64_t g)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].role != ID_IGNORED && settings_role(q->settings, map->v[i].id / g) != ID_CLASS)
			return false;
	return true;
}

static bool is_on_levels(const struct map_question *q, const struct id_map *map, int64_t classes, bool cut)
{
	unsigned inner = 0;

	for (size_t i = 0; i < map->count; i++) {
		int64_t class = grey_level_class(map->v[i].id, classes, cut);

		if (map->v[i].role == ID_IGNORED)
			continue;
		if (class < 0 || settings_role(q->settings, class) != ID_CLASS)
			return false;
		inner += map->v[i].id != 0 && map->v[i].id != 255;
	}
	return grey_levels_are_certain(classes, inner);
}

/* Returns whether loaders and image tools multiply by g. */
static bool is_customary(uint64_t g)
{
	return g == 17 || g == 85 || g == 255 || g == 257;
}

/* Returns whether g^(n-1) is so large that n multiples of it are no chance. */
static bool is_no_chance(uint64_t g, unsigned n)
{
	uint64_t odds = 1;

	for (unsigned i = 1; i < n && odds < CHANCE_MAX; i++)
		odds *= g;
	return odds >= CHANCE_MAX;
}

/* Returns an ignored id that may be a class as well, if ids are divided by g (0: if they are levels); or -1. */
static int64_t doubtful_ignored(const struct map_question *q, const struct id_map *map, int64_t g, int64_t classes,
				bool cut)
{
	for (size_t i = 0; i < map->count; i++) {
		int64_t id = map->v[i].id;
		int64_t class = g && id % g == 0 ? id / g : g ? -1 : grey_level_class(id, classes, cut);

		if (map->v[i].role == ID_IGNORED && id > 0 && settings_role(q->settings, class) == ID_CLASS)
			return id;
	}
	return -1;
}

static enum map_answer propose(const struct map_question *q, struct id_map *map, struct text *why)
{
	int64_t classes = settings_class_count(q->settings);
	int64_t found[CANDIDATES_MAX];
	struct scaled s;
	size_t n = 0;

	if (!scan(map, &s))
		return MAP_OTHER;
	bool certain = s.valid ? is_no_chance(s.divisor, s.ids) : s.ids >= 2 || is_customary(s.divisor);

	for (uint64_t g = 2; certain && g <= s.divisor && n < CANDIDATES_MAX; g++) {
		if (s.divisor % g || s.max / (int64_t)g >= classes)
			continue;
		if (divides(q, map, (int64_t)g))
			found[n++] = (int64_t)g;
	}
	bool levels = false, cut = false;

	for (int way = 0; way < 2 && !levels; way++) {
		levels = is_on_levels(q, map, classes, way);
		cut = way;
	}
	/* the level of class 1 is also a factor if 255 is a multiple of C - 1 */
	if (levels && n == 1 && 255 % (classes - 1) == 0 && found[0] == 255 / (classes - 1))
		levels = false;
	if (!n && !levels)
		return MAP_OTHER;
	if (n + levels > 1) {
		text_addf(why, "several maps fit: ");
		for (size_t i = 0; i < n && i < 8; i++)
			text_addf(why, "%sdivide by %" PRId64, i ? ", or " : "", found[i]);
		text_addf(why, "%s", n > 8 ? ", or others" : "");
		if (levels)
			text_addf(why, "%s%" PRId64 " classes spread over 0 to 255", n ? ", or " : "", classes);
		return MAP_REFUSED;
	}
	int64_t doubtful = doubtful_ignored(q, map, levels ? 0 : found[0], classes, cut);

	if (doubtful >= 0) {
		text_addf(why,
			  "the ids are classes times a factor or spread over grey levels, and %" PRId64
			  " may be a class then, or the ignored id",
			  doubtful);
		return MAP_REFUSED;
	}
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].role != ID_IGNORED)
			map->v[i].to = levels ? grey_level_class(map->v[i].id, classes, cut) : map->v[i].id / found[0];
	map->rule = map_scaled.rule;
	if (levels)
		text_addf(id_map_method(map), "map the grey levels of %" PRId64 " classes back", classes);
	else
		text_addf(id_map_method(map), "divide by %" PRId64, found[0]);
	return MAP_FOUND;
}

const struct map_rule map_scaled = { "scaled-ids", propose };
