/*
 * Error message
 *   Category ids in annotations are not in [1, #categories]! We'll apply a mapping for you.
 *
 * What it finds
 *   COCO files whose category ids are not 0 to C-1, while --classes declares C classes, such as the 80 categories
 *   that COCO numbers from 1 to 90. They are audited as the classes that they become when numbered in ascending
 *   order, and the finding has the map; `--coco-ids as-is` audits them as they are. If there are more or fewer than C
 *   of them, nothing can be mapped, and the ids are audited as they are. A map is said for information even if the
 *   rule is turned off.
 *
 * Why it matters
 *   A category id is a name. If a loader uses it as an index without mapping it, it is out of range, the commonest
 *   device-side assert of detectors, or trains a different output from the one that is read later.
 *
 * Example
 *   _annotations.coco.json: warning noncontiguous-categories: 3 categories have ids from 1 to 3; audited as classes
 *   0-2, in ascending order of id; used as they are, id 3 is out of range (0-2)
 *
 * What to do
 *   Say what the training does. `--coco-ids mapped`: it maps them the same way, as detectron2 and mmdetection do;
 *   the finding is then for information. `--coco-ids as-is`: it takes them as they are, as DETR and torchvision's
 *   references do, and RT-DETR, D-FINE and DEIM unless their remap_mscoco_category is set, which fits COCO's own ids
 *   alone. docs/frameworks.md has a table. Or declare the ids as they are: `--classes 91`; a file of up to 16 MiB may
 *   also be its own class list: `--classes instances_val2017.json`.
 */
#include "judge/check.h"

/* Returns whether --classes can have these ids, at most 2^31 from 0. */
static bool can_be_declared(const struct coco_stats *c)
{
	return c->lowest >= 0 && c->highest < INT32_MAX;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_stats *c = &s->stats->coco;
	int64_t classes = settings_class_count(s->settings);
	struct text names = { .len = 0 };
	bool mapped = c->mapping == COCO_MAPPED; /* dummy-category reports COCO_MAPPED_WITHOUT_DUMMY */

	if (s->settings->coco_ids == COCO_IDS_AS_IS) /* as declared: out-of-range-id tells what is wrong with them */
		return false;
	if (!c->listed || (!mapped && (c->mapping != COCO_AS_LISTED || !c->undeclared)))
		return false;
	if (!mapped && c->lowest == 0 && (uint64_t)c->highest == c->listed - 1)
		return false; /* contiguous, but more than are declared */
	if (!mapped && coco_say_strangers(&names, s))
		return false; /* category-names-differ names those that are too many, or missing */
	say(f, "%" PRIu64 " %s", c->listed, c->listed == 1 ? "category has" : "categories have");
	if (c->listed == 1)
		say(f, " id %" PRId64, c->lowest);
	else
		say(f, " ids from %" PRId64 " to %" PRId64, c->lowest, c->highest);
	if (!mapped) {
		f->unrepairable = true;
		say(f, ", which are not the declared classes (up to %" PRId64 "): audited as they are", classes - 1);
		advise(f, "declare as many classes as there are categories (--classes %" PRIu64 ")", c->listed);
		if (can_be_declared(c))
			advise(f, ", or declare the ids as they are: --classes %" PRId64, c->highest + 1);
		return true;
	}
	say(f, "; audited as %s 0", c->listed == 1 ? "class" : "classes");
	if (c->listed > 1)
		say(f, "-%" PRIu64 ", in ascending order of id", c->listed - 1);
	coco_add_map(f, s->sample->coco);
	if (s->settings->coco_ids == COCO_IDS_MAPPED) {
		f->level = LEVEL_INFO;
		return advise(f, "the map is that of --coco-ids mapped");
	}
	if (c->highest >= classes)
		say(f, "; used as they are, id %" PRId64 " is out of range (0-%" PRId64 ")", c->highest, classes - 1);
	advise(f,
	       "which does the training do? number them anew (detectron2, mmdetection): --coco-ids mapped; take them "
	       "as they are (DETR, torchvision): --coco-ids as-is");
	if (can_be_declared(c))
		advise(f, " --classes %" PRId64, c->highest + 1);
	return true;
}

const struct rule rule_noncontiguous_categories = {
	RULE("noncontiguous-categories", "coco", LEVEL_WARNING, "COCO category ids that are not 0 to C-1"),
	.repair = REPAIR_EXACT,
	.facts_needed = FACTS_COCO,
	.tells_reading = true,
	.check_file = check,
};
