/*
 * What it finds
 *   COCO files with a meaningless category 0: it has no annotation, and either it is the supercategory of all others
 *   (Roboflow exports one with the name of the project), or there is one category more than --classes declares. In the
 *   second case it is left out, and the others are audited as classes 0 to C-1.
 *
 * Why it matters
 *   A model built from the list has an output that learns nothing, and every class is higher by one than in a list
 *   without category 0. Mixing the two kinds of lists, or taking C from elsewhere, shifts every class by one or goes
 *   out of range.
 *
 * Example
 *   _annotations.coco.json: warning dummy-category: category 0 'pieces' has no annotation, and is the supercategory of
 *   all 13 others; audited without it
 *
 * What to do
 *   Remove it from the list and lower all other ids by one; or keep it everywhere and declare one more class.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_stats *c = &s->stats->coco;
	bool left_out = c->mapping == COCO_MAPPED_WITHOUT_DUMMY;

	if (!c->dummy && !left_out)
		return false;
	say(f, "category 0%s has no annotation, and ", text_category(s->sample->coco, 0).s);
	if (c->dummy && c->listed == 2)
		say(f, "is the supercategory of the other one");
	else if (c->dummy)
		say(f, "is the supercategory of all %" PRIu64 " others", c->listed - 1);
	else
		say(f, "there is one category more than declared");
	if (left_out) {
		say(f, "; audited without it");
		advise(f, "remove it from the list and lower all other ids by one, as the map says");
		coco_add_map(f, s->sample->coco);
	}
	return true;
}

const struct rule rule_dummy_category = {
	RULE("dummy-category", "coco", LEVEL_WARNING, "a meaningless COCO category 0, as Roboflow writes it"),
	.facts_needed = FACTS_COCO,
	.tells_reading = true,
	.check_file = check,
	.advice = "remove it from the list and lower all other ids by one, or keep its unused output in every model",
};
