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

/* Returns a category without annotations if the annotations have its id plus or minus one all along; or NULL. */
static const struct coco_map_entry *find_shifted(const struct coco_map *map)
{
	const struct coco_map_entry *first = map->entries, *last = first + map->listed_count - 1, *unknown = last + 1;

	if (map->listed_count < 2 || map->unknown_count != 1)
		return NULL;
	if (!first->labels && unknown->id == last->id + 1)
		return first;
	return !last->labels && unknown->id == first->id - 1 ? last : NULL;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_facts *facts = &s->stats->coco.facts;
	const struct coco_map *map = s->sample->coco;

	if (!facts->trouble[COCO_UNKNOWN_CATEGORY].count && facts->trouble[COCO_TEXT_ID].count)
		return advise(f, "write all ids as integers: some are strings, and \"7\" is not 7");
	if (!facts->trouble[COCO_UNKNOWN_CATEGORY].count)
		return advise(f, "add the images to the list, or remove the annotations");
	for (size_t i = 0; map && i < map->unknown_count; i++)
		finding_add_id(f, map->entries[map->listed_count + i].id, map->entries[map->listed_count + i].labels);
	say(f, ": category %s", text_finding_ids(f).s);
	const struct coco_map_entry *shifted = map ? find_shifted(map) : NULL;

	if (shifted) {
		say(f, ", while category %" PRId64 "%s has no annotation", shifted->id,
		    text_category(map, shifted->id).s);
		return advise(
			f,
			"the ids of annotations or categories seem to be counted from 0 in one list and from 1 in the "
			"other: change one of the two; else add the missing category");
	}
	if (!facts->categories)
		advise(f, "write the list categories, with the id and name of each");
	return true;
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
