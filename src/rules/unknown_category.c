/*
 * Error message
 *   KeyError: "Encountered category_id=91 but this id does not exist in 'categories' of the json file."
 *
 * What it finds
 *   COCO files with annotations whose category_id or image_id is not that of any category or image.
 *
 * Why it matters
 *   Loaders look up category ids in the list: such an annotation raises a KeyError in the middle of the training, or is
 *   silently dropped. The usual cause: a file was merged or filtered without updating all of its lists.
 *
 * Example
 *   instances.json: error unknown-category: 3 annotations have a category_id that no category has (first at line 1,
 *   column 3071): category ids 7, 9
 *
 * What to do
 *   Add the missing categories or images, or remove the annotations; do it with the tool that merged or split the file.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_map *map = s->sample->coco;

	if (!s->stats->coco.facts.trouble[COCO_UNKNOWN_CATEGORY].count)
		return advise(f, "add the images to the list, or remove the annotations");
	for (size_t i = 0; map && i < map->unknown_count; i++)
		finding_add_id(f, map->entries[map->listed_count + i].id, map->entries[map->listed_count + i].labels);
	return say(f, ": category %s", text_finding_ids(f).s);
}

const struct rule rule_unknown_category = {
	RULE("unknown-category", "coco", LEVEL_ERROR, "COCO annotations of a category or image that is not listed"),
	.facts_needed = FACTS_COCO,
	.phrases = PHRASES(
		{ COCO_UNKNOWN_CATEGORY, "annotation has", "annotations have", "a category_id that no category has" },
		{ COCO_UNKNOWN_IMAGE, "annotation has", "annotations have", "an image_id that no image has" }),
	.check_file = check,
	.advice = "add the missing categories and images to their lists, or remove the annotations",
};
