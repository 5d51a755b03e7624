/*
 * What it finds
 *   COCO annotations whose box, or a labelled keypoint of theirs, is more than one pixel beyond the image, whose width
 *   and height the file states. Images without a size are skipped.
 *
 * Why it matters
 *   Boxes drawn on an image of a different size, or before a rotation, are all in the wrong place; [x1, y1, x2, y2]
 *   written as [x, y, width, height] extends beyond the right and lower borders. Some augmentations refuse such boxes.
 *
 * Example
 *   instances.json: warning box-outside-image: 41 boxes are outside the image by more than a pixel (8.1 % of 504
 *   annotations) (first at line 1, column 911)
 *
 * What to do
 *   Draw some of them over their images. If there are many, the image size or the box format is wrong; a few can be
 *   clipped.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_facts *facts = &s->stats->coco.facts;

	if (!facts->trouble[COCO_KEYPOINT_OUTSIDE].count)
		say(f, "%s", text_percent(facts->trouble[COCO_BOX_OUTSIDE].count, facts->annotations).s);
	return true;
}

const struct rule rule_box_outside_image = {
	RULE("box-outside-image", "coco", LEVEL_WARNING, "COCO boxes or keypoints beyond their image"),
	.facts_needed = FACTS_COCO,
	.phrases = PHRASES({ COCO_BOX_OUTSIDE, "box is", "boxes are", "outside the image by more than a pixel" },
			   { COCO_KEYPOINT_OUTSIDE, "annotation has", "annotations have",
			     "a keypoint outside the image by more than a pixel" }),
	.advice = "draw some of them over their images: if there are many, the image size is wrong or the boxes are "
		  "[x1, y1, x2, y2]; a few can be clipped",
	.check_file = check,
};
