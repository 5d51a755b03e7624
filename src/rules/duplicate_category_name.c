/*
 * What it finds
 *   COCO files in which categories with different ids have the same name.
 *
 * Why it matters
 *   Loaders that choose categories by name take one of them, or both; the annotations of one class are split in two.
 *
 * Example
 *   instances.json: warning duplicate-category-name: 1 category has the name of another: id 7 'car'
 *
 * What to do
 *   Merge the two, or name each after its content.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_trouble_count *t = s->stats->coco.facts.trouble;
	int64_t id = t[t[COCO_SAME_NAME].count ? COCO_SAME_NAME : COCO_LIKE_NAME].id;

	return say(f, ": id %" PRId64 "%s", id, text_category(s->sample->coco, id).s);
}

const struct rule rule_duplicate_category_name = {
	RULE("duplicate-category-name", "coco", LEVEL_WARNING, "COCO categories with the same name"),
	.facts_needed = FACTS_COCO,
	.phrases = PHRASES({ COCO_SAME_NAME, "category has", "categories have", "the name of another" },
			   { COCO_LIKE_NAME, "category has", "categories have",
			     "the name of another but for case, blanks, hyphens or underscores" }),
	.advice = "merge them, or name each after its content",
	.check_file = check,
};
