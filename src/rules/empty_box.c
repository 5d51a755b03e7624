/*
 * What it finds
 *   COCO annotations whose box has a width or height of 0 or less.
 *
 * Why it matters
 *   torchvision's detection models stop with "all bounding boxes should have positive height and width"; others divide
 *   by zero and the loss becomes NaN. COCO itself has a few.
 *
 * Example
 *   instances.json: warning empty-box: 2 boxes have no area: width or height is 0 or less (first at line 1, column
 *   5120)
 *
 * What to do
 *   Leave them out of the training, as detectron2 does, or draw them again. Negative sizes usually are corners in the
 *   wrong order, or [x1, y1, x2, y2] where [x, y, width, height] is expected.
 */
#include "judge/check.h"

const struct rule rule_empty_box = {
	RULE("empty-box", "coco", LEVEL_WARNING, "COCO boxes without an area"),
	.facts_needed = FACTS_COCO,
	.phrases = PHRASES({ COCO_EMPTY_BOX, "box has", "boxes have", "no area: width or height is 0 or less" }),
	.advice = "leave them out, or draw them again; bbox is [x, y, width, height]",
};
