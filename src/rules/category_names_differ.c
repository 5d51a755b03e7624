/*
 * What it finds
 *   COCO files in which a category has a different name from the class that it becomes, where --classes or --preset
 *   gives names, and then, by name, categories that are no class and classes without a category. It is an error if
 *   the name is another class's. Names that differ only in case, blanks, hyphens and underscores are counted
 *   apart.
 *
 * Why it matters
 *   The class list of the training and the categories of the annotations are in different orders: every id is in range,
 *   and every class is learned under a wrong name. Trainers that choose categories by name, as mmdetection does,
 *   compare exactly. For "Dump Truck" and "dump truck" they find no annotation, and say nothing.
 *
 * Example
 *   instances.json: error category-names-differ: 2 categories have different names from their classes: category 1 'dog'
 *   becomes class 0 'cat'
 *
 * What to do
 *   Write the class list in the order of the category ids, or map the categories by name.
 */
#include <string.h>

#include "judge/check.h"
#include "read/coco.h"

/* Returns whether the first category that is named differently has the name of another class. */
static bool is_other_class(const struct rule_input *s)
{
	const struct class_set *classes = &s->settings->classes;
	const struct coco_map *map = s->sample->coco;

	for (size_t i = 0; map && i < map->listed_count; i++) {
		const char *name = map->entries[i].name;

		if (map->entries[i].id != s->stats->coco.renamed_id)
			continue;
		for (size_t k = 0; k < classes->names_count; k++)
			if (classes->names[k] && coco_same_name(name, strlen(name), classes->names[k]))
				return true;
	}
	return false;
}

static bool say_respelled(const struct rule_input *s, struct finding *f)
{
	const struct coco_stats *c = &s->stats->coco;
	const char *name = class_set_get_name(&s->settings->classes, c->respelled_class);

	say(f,
	    "%" PRIu64 " %s named as %s but for case, blanks, hyphens or underscores: category %" PRId64
	    "%s, class '%s'",
	    c->respelled, plural(c->respelled, "category is", "categories are"),
	    plural(c->respelled, "its class", "their classes"), c->respelled_id,
	    text_category(s->sample->coco, c->respelled_id).s, name ? name : "");
	return advise(f,
		      "write the class list with the names of the file: trainers that choose by name compare exactly");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_stats *c = &s->stats->coco;
	const char *name = class_set_get_name(&s->settings->classes, c->renamed_class);
	const bool strangers = (c->renamed || c->undeclared) && coco_say_strangers(&f->message, s);

	if (!c->renamed && !strangers)
		return c->respelled && say_respelled(s, f);
	if (c->renamed && is_other_class(s))
		f->level = LEVEL_ERROR;
	if (strangers && c->renamed)
		say(f, "; so category %" PRId64 "%s becomes class %" PRId64 " '%s'", c->renamed_id,
		    text_category(s->sample->coco, c->renamed_id).s, c->renamed_class, name ? name : "");
	if (strangers)
		return advise(f, "let the class list and the file have the same names, in one order");
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
