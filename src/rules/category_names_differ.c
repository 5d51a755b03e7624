/*
 * What it finds
 *   COCO files in which a category has a different name from the class that it becomes, where --classes or --preset
 *   gives names. Case, hyphens and underscores are not compared.
 *
 * Why it matters
 *   The class list of the training and the categories of the annotations are in different orders: every id is in range,
 *   and every class is learned under a wrong name.
 *
 * Example
 *   instances.json: warning category-names-differ: 2 categories have different names from their classes: category 1
 *   'dog' becomes class 0 'cat'
 *
 * What to do
 *   Write the class list in the order of the category ids, or map the categories by name.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_stats *c = &s->stats->coco;
	const char *name = class_set_get_name(&s->settings->classes, c->renamed_class);

	if (!c->renamed)
		return false;
	return say(f, "%" PRIu64 " %s: category %" PRId64 "%s becomes class %" PRId64 " '%s'", c->renamed,
		   plural(c->renamed, "category has a different name from its class",
			  "categories have different names from their classes"),
		   c->renamed_id, text_category(s->sample->coco, c->renamed_id).s, c->renamed_class, name ? name : "");
}

const struct rule rule_category_names_differ = {
	RULE("category-names-differ", "coco", LEVEL_WARNING, "COCO categories whose name is not that of their class"),
	.facts_needed = FACTS_COCO,
	.check_file = check,
	.advice = "write the class list in the order of the category ids, or map the categories by name",
};
