/*
 * Error message
 *   IndexError: Target 255 is out of bounds.
 *
 * What it finds
 *   Ids that are classes multiplied for viewing: some id is out of range, and the ids that are not ignored are 0 and
 *   255 (or 0 and 65535 with 16 bits), or have a common divisor that brings them into range, or are the grey levels
 *   that spread the classes evenly over 0..255, such as 0, 64, 128, 191, 255 for five classes.
 *
 * Why it matters
 *   A mask of 0 and 1 looks black, so tools write it as 0 and 255; and loaders multiply grey of 1, 2 or 4 bits. A loss
 *   needs the class itself.
 *
 * Example
 *   masks/0001.png: error scaled-ids: ids 0, 64, 128, 191, 255 are the 5 classes spread over 0..255 in steps of 63.75
 *
 * What to do
 *   Map the levels back; the finding gives the map if the file alone tells it. If the ids are multiples: `mask // g`,
 *   where one g must fit all files of the set; `labelaudit fix` finds it.
 *
 *   Never divide a mask that also holds in-between levels (interpolated-mask): make it again from its source.
 *
 *   If fewer than a quarter of the files with ids out of range have such ids, chance explains them: then it is an info.
 *
 *   If the list of classes has gaps (0-18,33), the levels are those of all numbers from 0 to the largest class, and
 *   each quotient must be in the list.
 */
#include <stdio.h>

#include "judge/check.h"
#include "judge/grey_levels.h"

/* The ids in use that are not ignored. */
struct used_ids {
	uint64_t non_zero; /* number of those that are not 0 */
	int64_t min, max;
	uint64_t divisor;      /* greatest common divisor; 0 if there is no id but 0 */
	bool on_levels[2];     /* all are evenly spaced levels, rounded [0] or cut [1] */
	unsigned inner_levels; /* number of those other than 0 and 255 */
};

static void scan(const struct rule_input *s, int64_t classes, struct used_ids *u)
{
	*u = (struct used_ids){ .on_levels = { true, true } };
	for (size_t i = 0; i < s->stats->ids_count; i++) {
		int64_t id = s->ids[i].id;

		if (settings_role(s->settings, id) == ID_IGNORED)
			continue;
		u->min = MIN(u->min, id);
		u->max = MAX(u->max, id);
		u->inner_levels += id != 0 && id != 255;
		for (int cut = 0; cut < 2; cut++)
			u->on_levels[cut] &= grey_level_class(id, classes, cut) >= 0;
		if (id > 0) {
			u->non_zero++;
			u->divisor = common_divisor(u->divisor, (uint64_t)id);
		}
	}
}

/* Returns whether every id in use, divided by g, is valid. */
static bool quotients_valid(const struct rule_input *s, int64_t g)
{
	for (size_t i = 0; i < s->stats->ids_count; i++) {
		int64_t id = s->ids[i].id;

		if (settings_role(s->settings, id) != ID_IGNORED && settings_role(s->settings, id / g) == ID_INVALID)
			return false;
	}
	return true;
}

/*
 * Returns whether loaders and image tools multiply by g (grey of 4, 2 and 1 bits, 8 to 16 bits): then one id is enough.
 * Any other factor needs two, since a single id divides by itself.
 */
static bool is_customary_factor(uint64_t g)
{
	return g == 17 || g == 85 || g == 255 || g == 257;
}

/*
 * Returns whether ids are hardly all multiples of g by chance, which is one in g for each: 0, 2, 4 of 0..4 are one file
 * in four. Some of many files with other ids out of range are (verdict_dataset).
 */
static bool is_no_chance(uint64_t g, uint64_t non_zero)
{
	enum { CHANCE = 100 };
	uint64_t files = 1;

	for (uint64_t i = 0; i < non_zero && files < CHANCE; i++)
		files *= MIN(g, (uint64_t)CHANCE);
	return files >= CHANCE;
}

/* Returns whether a smaller factor explains the ids, too: 0, 144 and 240 are 3 and 5 times 48, or 9 and 15 times 16. */
static bool has_other_factor(const struct rule_input *s, const struct used_ids *u, int64_t classes)
{
	int64_t divisor = (int64_t)u->divisor;

	for (int64_t k = 2; k <= divisor / 2 && u->max / divisor * k < classes; k++)
		if (divisor % k == 0 && quotients_valid(s, divisor / k))
			return true;
	return false;
}

/* Lists the ids in use, and `old -> new` pairs in the map if it is certain. divisor 0: by level. */
static void list_ids(const struct rule_input *s, struct finding *f, int64_t divisor, int64_t classes, bool cut,
		     bool certain)
{
	for (size_t i = 0; i < s->stats->ids_count; i++) {
		int64_t id = s->ids[i].id;

		if (settings_role(s->settings, id) == ID_IGNORED)
			continue;
		finding_add_id(f, id, s->ids[i].labels);
		if (certain)
			finding_map(f, id, divisor ? id / divisor : grey_level_class(id, classes, cut));
	}
	say(f, "%s", text_finding_ids(f).s);
}

/* Advises `code`, which gives the classes of `mask`; ignored ids must not change. */
static void advise_code(const struct rule_input *s, struct finding *f, const char *before, const char *code)
{
	unsigned ignored = 0;
	int64_t first = 0;

	for (size_t i = 0; i < s->stats->ids_count; i++) {
		if (settings_role(s->settings, s->ids[i].id) != ID_IGNORED)
			continue;
		first = ignored++ ? first : s->ids[i].id;
	}
	if (ignored == 1)
		advise(f, "%snp.where(mask == %" PRId64 ", mask, %s)", before, first, code);
	else
		advise(f, "%s%s%s", before, code, ignored ? ", but not the ignored ids" : "");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	int64_t classes = settings_class_count(s->settings);
	struct used_ids u;
	char code[64];

	if (!rule_input_has(s, ID_INVALID))
		return false;
	scan(s, classes, &u);
	if (u.min < 0 || !u.non_zero)
		return false;

	/* 0 and full scale: a binary mask, or a file of a set of grey levels that has none of those between. */
	bool full = u.non_zero == 1 && (u.max == 255 || u.max == 65535) && (classes == 1 || quotients_valid(s, u.max));
	bool levels = (u.on_levels[0] || u.on_levels[1]) && grey_levels_are_certain(classes, u.inner_levels);

	if (levels) {
		bool cut = !u.on_levels[0];
		uint64_t step = 25500 / (uint64_t)MAX(classes - 1, 1); /* certain levels are 3 or more */

		list_ids(s, f, 0, classes, cut, true);
		say(f, " are grey levels: %" PRId64 " classes spread over 0..255 in steps of %" PRIu64 ".%02" PRIu64,
		    classes, step / 100, step % 100);
		snprintf(code, sizeof(code), "np.round(mask * (%" PRId64 " / 255)).astype(np.uint8)", classes - 1);
		advise_code(s, f, "map the levels back to classes, see the map: ids = ", code);
		return true;
	}
	if (full) {
		list_ids(s, f, u.max, classes, false, classes <= 2);
		say(f, " of a black-and-white mask: %" PRId64 " means 1", u.max);
		return advise(
			f, "write 1 for it: mask[mask == %" PRId64 "] = 1%s", u.max,
			classes > 2
				? "; unless other files of the set hold grey levels in between: then all need one map"
			: classes == 1 ? ", and declare --classes 2: the background is one of them"
				       : "");
	}
	if (u.divisor >= 2 && u.divisor <= INT64_MAX &&
	    ((u.non_zero >= 2 && is_no_chance(u.divisor, u.non_zero)) || is_customary_factor(u.divisor)) &&
	    quotients_valid(s, (int64_t)u.divisor)) {
		const bool other = has_other_factor(s, &u, classes);

		list_ids(s, f, (int64_t)u.divisor, classes, false, !other);
		say(f, " are all multiples of %" PRIu64 ": classes times %" PRIu64 "%s", u.divisor, u.divisor,
		    other ? ", or times a divisor of it" : "");
		snprintf(code, sizeof(code), "mask // %" PRIu64, u.divisor);
		advise_code(s, f,
			    other ? "divide by it, or by the divisor that fits all files of the set: "
				  : "divide by it: ",
			    code);
		return true;
	}
	return false;
}

const struct rule rule_scaled_ids = {
	RULE("scaled-ids", "range", LEVEL_ERROR, "classes multiplied or spread over the grey levels"),
	.repair = REPAIR_MAP,
	.facts_needed = FACTS_MASK,
	.check_file = check,
};
