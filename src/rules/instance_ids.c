/*
 * Error message
 *   IndexError: Target 26001 is out of bounds.
 *
 * What it finds
 *   16-bit files whose out-of-range ids are a class and an instance number in one: class * 1000 + n, as in the
 *   instanceIds files of Cityscapes and in panoptic maps, or class * 256 + n, as in the instance maps of Mapillary.
 *
 * Why it matters
 *   They are beside the semantic files and look like 16-bit masks. Their ids are out of range by thousands; if a loader
 *   converts them to 8 bits, they wrap around to existing classes: 26001 becomes 145.
 *
 * Example
 *   gtFine/frankfurt_000000_000294_gtFine_instanceIds.png: error instance-ids: 12 ids are class * 1000 + n, such as
 *   26003, instance 3 of class 26: an instance map
 *
 * What to do
 *   Audit and train on the semantic file; or take the class: `np.where(ids >= 1000, ids // 1000, ids)`, or `ids // 256`
 *   for maps of Mapillary.
 */
#include "judge/check.h"

enum {
	LARGE = 1000, /* a smaller id is a plain class in either encoding, or instance n of class 0 to 3 */
	LARGE_MIN = 2,
	/* The largest n, numbered from 0. Depths and other measured numbers have every remainder up to 255 or 999. */
	INSTANCES_MAX = 200,
};

/*
 * Returns whether every id is class * base + n, with n numbered without large gaps. With base 1000 an id below 1000
 * must be a plain class. With base 256 the classes must be valid, and some n must be neither 0 nor the class itself,
 * because multiples of 256 and of 257 are scaled ids.
 */
static bool fits(const struct rule_input *s, int64_t base)
{
	int64_t class = -1, largest = 0;
	uint64_t members = 0;
	bool numbered = false;

	for (uint64_t i = 0; i < s->stats->ids_count; i++) {
		int64_t id = s->ids[i].id;

		if (settings_role(s->settings, id) == ID_IGNORED)
			continue;
		if (base == 1000 && id < LARGE) {
			if (id > 255)
				return false;
			continue;
		}
		if (id % base >= INSTANCES_MAX)
			return false;
		if (base == 256 && settings_role(s->settings, id / base) == ID_INVALID)
			return false;
		if (id / base != class) {
			class = id / base;
			members = 0;
		}
		members++;
		largest = id % base;
		numbered |= largest > 0 && largest != class;
		/* Small objects vanish when annotations are drawn, so some numbers may be missing. */
		if (largest > 4 * (int64_t)members + 8)
			return false;
	}
	return base == 1000 || numbered;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct id_stats *last = NULL;
	unsigned large = 0;

	if (s->sample->png.bit_depth != 16 || s->stats->coded || s->settings->view == VIEW_CV2 || s->stats->max < LARGE)
		return false;

	int64_t base = fits(s, 1000) ? 1000 : fits(s, 256) ? 256 : 0;

	if (!base)
		return false;
	for (uint64_t i = 0; i < s->stats->ids_count; i++) {
		if (settings_role(s->settings, s->ids[i].id) != ID_INVALID || s->ids[i].id < base)
			continue;
		finding_add_id(f, s->ids[i].id, s->ids[i].labels);
		last = &s->ids[i];
		large += last->id >= LARGE;
	}
	if (large < LARGE_MIN)
		return false;
	say(f,
	    "%" PRIu64 " ids are class * %" PRId64 " + n, such as %" PRId64 ", instance %" PRId64 " of class %" PRId64
	    ": an instance map",
	    f->details.ids_total, base, last->id, last->id % base, last->id / base);
	finding_map(f, last->id, last->id / base);
	if (base == 1000)
		advise(f, "audit and train on the semantic file beside it, or take the class: np.where(ids >= 1000, "
			  "ids // 1000, ids)");
	else
		advise(f, "audit and train on the semantic file beside it, or take the class: ids // 256");
	return true;
}

const struct rule rule_instance_ids = {
	RULE("instance-ids", "range", LEVEL_ERROR, "class and instance number in one id"),
	.facts_needed = FACTS_PNG,
	.check_file = check,
};
