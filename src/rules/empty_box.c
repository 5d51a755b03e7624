/*
 * What it finds
 *   Boxes of COCO files, YOLO texts and tables that have no area: a width or height of 0, points on one line; or of
 *   less than 0, with the right edge before the left one or the lower before the upper.
 *
 * Why it matters
 *   torchvision's detection models stop with "all bounding boxes should have positive height and width"; others
 *   divide by zero and the loss becomes NaN.
 *
 * Example
 *   instances.json: warning empty-box: 2 boxes have a width or height of 0 (first at line 1, column 5120)
 *
 * What to do
 *   Leave them out (`labelaudit fix --drop no-area`), or draw them again. Negative sizes usually are corners in the
 *   wrong order, or [x1, y1, x2, y2] where [x, y, width, height] is expected; where a third of all boxes have one, that
 *   is the remedy. In a COCO file, boxes of size 0 are a warning: COCO itself has some, and its loaders leave them out.
 */
#include "judge/check.h"
#include "judge/rewriting.h"

enum { MANY_MIN = 3 }; /* and a third of all: no slips of an annotator */

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct box_tally *all = rule_input_boxes(s);
	const struct phrase *phrases =
		PHRASES({ GEOMETRY_NO_AREA, "box has", "boxes have", "a width or height of 0" },
			{ GEOMETRY_INVERTED, "box has", "boxes have", "a width or height of less than 0" });

	if (!rule_input_one_image(s) && geometry_mistake(all) == MISTAKE_SIZES)
		return false; /* box-numbers says so */
	if (!boxes_finding(f, s, phrases))
		return false;
	if (s->sample->format == FORMAT_COCO && !s->stats->coco.facts.trouble[COCO_BOX_INVERTED].count)
		f->level = LEVEL_WARNING;
	if (s->sample->format == FORMAT_COCO)
		advise(f, "bbox is [x, y, width, height]: ");
	if (all->inverted >= MANY_MIN && 3 * all->inverted >= all->boxes)
		return advise(f, "many are of negative size: their numbers or columns are in another order, or corners "
				 "where sizes are expected, or sizes for corners");
	return advise(f, "draw them again, or leave them out%s",
		      rewriting_has_boxes(s) ? ": labelaudit fix --drop no-area" : "");
}

const struct rule rule_empty_box = {
	RULE("empty-box", "lists", LEVEL_ERROR, "boxes without an area"),
	.facts_needed = FACTS_GEOMETRY,
	.check_file = check,
};
