/*
 * What it finds
 *   COCO files whose category ids are not 0 to C-1, while --classes declares C classes, such as the 80 categories that
 *   COCO numbers from 1 to 90. They are audited as the classes that they become when numbered in ascending order; the
 *   finding has the map. If there are more or fewer than C of them, nothing can be mapped, and the ids are audited as
 *   they are.
 *
 * Why it matters
 *   A category id is a name. If a loader uses it as an index without mapping it, it is out of range, or trains a
 *   different output from the one that is read later.
 *
 * Example
 *   instances_val2017.json: warning noncontiguous-categories: 80 categories have ids from 1 to 90; audited as classes
 *   0-79, in ascending order of id
 *
 * What to do
 *   Make sure that the training maps them the same way (detectron2 and mmdetection do), or declare the ids as they are:
 *   `--classes 91`; a file of up to 16 MiB may also be its own class list: `--classes instances_val2017.json`.
 */
#include "judge/check.h"

/* Advises --classes, which accepts at most 2^31 classes, from 0. */
static void advise_ids(struct finding *f, const struct coco_stats *c)
{
	if (c->lowest >= 0 && c->highest < INT32_MAX)
		advise(f, ", or declare the ids as they are: --classes %" PRId64, c->highest + 1);
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_stats *c = &s->stats->coco;
	int64_t classes = settings_class_count(s->settings);
	bool mapped = c->mapping == COCO_MAPPED; /* dummy-category reports COCO_MAPPED_WITHOUT_DUMMY */

	if (!c->listed || (!mapped && (c->mapping != COCO_AS_LISTED || !c->undeclared)))
		return false;
	if (!mapped && c->lowest == 0 && (uint64_t)c->highest == c->listed - 1)
		return false; /* contiguous, but more than are declared */
	say(f, "%" PRIu64 " %s", c->listed, c->listed == 1 ? "category has" : "categories have");
	if (c->listed == 1)
		say(f, " id %" PRId64, c->lowest);
	else
		say(f, " ids from %" PRId64 " to %" PRId64, c->lowest, c->highest);
	if (!mapped) {
		f->unrepairable = true;
		say(f, ", which are not the declared classes (up to %" PRId64 "): audited as they are", classes - 1);
		advise(f, "declare as many classes as there are categories (--classes %" PRIu64 ")", c->listed);
		advise_ids(f, c);
		return true;
	}
	say(f, "; audited as %s 0", c->listed == 1 ? "class" : "classes");
	if (c->listed > 1)
		say(f, "-%" PRIu64 ", in ascending order of id", c->listed - 1);
	advise(f, "make sure that the training maps them the same way, see the map");
	advise_ids(f, c);
	coco_add_map(f, s->sample->coco);
	return true;
}

const struct rule rule_noncontiguous_categories = {
	RULE("noncontiguous-categories", "coco", LEVEL_WARNING, "COCO category ids that are not 0 to C-1"),
	.repair = REPAIR_EXACT,
	.facts_needed = FACTS_COCO,
	.check_file = check,
};
