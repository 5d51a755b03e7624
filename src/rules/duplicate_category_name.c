/*
 * What it finds
 *   COCO files with categories of different ids that have the same name.
 *
 * Why it matters
 *   Loaders that choose categories by name take one of them, or both; the annotations of one class are split in two.
 *
 * Example
 *   instances.json: warning duplicate-category-name: 1 category has the name of another: id 7 'car'
 *
 * What to do
 *   Merge the two, or give each the name of what it holds.
 */
#include <inttypes.h>

#include "judge/coco_finding.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	static const struct coco_phrase phrase = { COCO_SAME_NAME, "category has", "categories have",
						   "the name of another" };

	if (!coco_finding(f, s, &phrase, 1))
		return false;
	int64_t id = s->stats->coco.facts.trouble[COCO_SAME_NAME].id;

	text_addf(&f->message, ": id %" PRId64, id);
	coco_word_name(&f->message, coco_entry(s, id));
	text_addf(&f->advice, "merge them, or name each after what it holds");
	return true;
}

const struct rule rule_duplicate_category_name = {
	.name = "duplicate-category-name",
	.category = "coco",
	.level = LEVEL_WARNING,
	.facts_needed = FACTS_COCO,
	.since = "0.1.0",
	.summary = "COCO categories with the same name",
	.check_file = check,
};
