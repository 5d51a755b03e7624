/*
 * What it finds
 *   COCO files in which categories with different ids have the same name. Class names of --classes, of a training's
 *   configuration or of a preset that are given twice, but for those that mean "none": N/A in COCO's list of 91.
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
#include <string.h>

#include "judge/check.h"
#include "read/list_words.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_trouble_count *t = s->stats->coco.facts.trouble;
	int64_t id = t[t[COCO_SAME_NAME].count ? COCO_SAME_NAME : COCO_LIKE_NAME].id;

	return say(f, ": id %" PRId64 "%s", id, text_category(s->sample->coco, id).s);
}

enum { COMPARED_MAX = 1000, NAMED_MAX = 3 }; /* names that are compared with all before them */

/* Returns the class before `id` that has its name, or `id`. */
static size_t find_same(const struct class_set *classes, size_t id)
{
	const char *name = classes->names[id];

	return name && !word_is_missing(name, strlen(name)) ? class_set_find_name(classes, name) : id;
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct class_set *classes = &settings->classes;

	(void)d;
	for (size_t id = 0; !classes->names_shared && id < MIN(classes->names_count, (size_t)COMPARED_MAX); id++) {
		const size_t same = find_same(classes, id);

		if (same == id || f->details.count++ >= NAMED_MAX)
			continue;
		say_also(f, "classes %zu and %zu are both called '%.60s'", same, id, classes->names[id]);
		finding_add_id(f, (int64_t)id, 0);
	}
	if (f->details.count > NAMED_MAX)
		say(f, "; and %" PRIu64 " more", f->details.count - NAMED_MAX);
	return f->message.len && advise(f, "give each class a name of its own: what goes by names takes these for one");
}

const struct rule rule_duplicate_category_name = {
	RULE("duplicate-category-name", "coco", LEVEL_WARNING, "COCO categories, or classes, with the same name"),
	.facts_needed = FACTS_COCO,
	.phrases = PHRASES({ COCO_SAME_NAME, "category has", "categories have", "the name of another" },
			   { COCO_LIKE_NAME, "category has", "categories have",
			     "the name of another but for case, blanks, hyphens or underscores" }),
	.advice = "merge them, or name each after its content",
	.check_file = check,
	.check_dataset = check_dataset,
};
