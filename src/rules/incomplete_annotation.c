/*
 * What it finds
 *   COCO annotations without (or with null for) bbox, area, iscrowd, or num_keypoints beside their keypoints; images
 *   without width and height, or without file_name. For information: categories that name no keypoints, though
 *   annotations have some. Not in files of captions, nor iscrowd in files of LVIS.
 *
 * Why it matters
 *   pycocotools stops with KeyError: 'area', 'iscrowd' or 'num_keypoints' when it evaluates, often after the first
 *   epoch; torchvision's references and DETR read all of an annotation's when they load; detectron2 and mmdetection
 *   need the size of an image.
 *
 * Example
 *   instances.json: warning incomplete-annotation: 1204 annotations have no iscrowd (first at line 1, column 911)
 *
 * What to do
 *   Write the keys: iscrowd 0 for single objects; area, the pixels of the shape or else of the box; bbox, left, top,
 *   width and height around the shape.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (f->details.count != s->stats->coco.facts.trouble[COCO_LACKS_POINT_NAMES].count)
		return true;
	f->level = LEVEL_INFO; /* trainers have them in their settings */
	return advise(f,
		      "name them in the category, in their order: what flips, draws or converts them needs the names");
}

const struct rule rule_incomplete_annotation = {
	RULE("incomplete-annotation", "coco", LEVEL_WARNING,
	     "COCO annotations and images without a key that trainers or pycocotools read"),
	.facts_needed = FACTS_COCO,
	.phrases = PHRASES(
		{ COCO_LACKS_BOX, "annotation has", "annotations have", "no bbox" },
		{ COCO_LACKS_AREA, "annotation has", "annotations have", "no area" },
		{ COCO_LACKS_CROWD, "annotation has", "annotations have", "no iscrowd" },
		{ COCO_LACKS_VISIBLE, "annotation has", "annotations have", "keypoints and no num_keypoints" },
		{ COCO_LACKS_POINT_NAMES, "category does", "categories do", "not name the keypoints of annotations" },
		{ COCO_LACKS_SIZE, "image has", "images have", "no width and height" },
		{ COCO_LACKS_NAME, "image has", "images have", "no file_name" }),
	.check_file = check,
	.advice = "write them: pycocotools and trainers stop with a KeyError (iscrowd: 0 for single objects; area: of "
		  "the "
		  "shape, or else of the box)",
};
