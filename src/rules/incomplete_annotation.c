/*
 * What it finds
 *   COCO annotations without (or with null for) bbox, area, iscrowd, or num_keypoints beside their keypoints; images
 *   without width and height, or without file_name; categories without name. A missing bbox is an error. Annotations
 *   with no more than ids are labels of whole images: for information, or a warning beside others. For information,
 *   too: categories that name no keypoints, though annotations have some. Not in files of captions, nor iscrowd in
 *   files of LVIS.
 *
 * Why it matters
 *   Without bbox, all trainers stop with KeyError: 'bbox', also those of masks and keypoints: torchvision's references
 *   and transforms, mmdetection, DETR and its kin, YOLOX and Ultralytics' convert_coco when they load, detectron2 at
 *   the first such image, pycocotools when it evaluates boxes. pycocotools stops with KeyError: 'area', 'iscrowd' or
 *   'num_keypoints', too, often after the first epoch; torchvision's references and DETR read all of an annotation's
 *   when they load; detectron2 and mmdetection need the size of an image, and the names of categories.
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
	const struct coco_facts *facts = &s->stats->coco.facts;
	const uint64_t whole = facts->trouble[COCO_WHOLE_IMAGE].count;

	if (facts->trouble[COCO_LACKS_BOX].count) {
		f->level = LEVEL_ERROR;
		return advise(f, "write bbox, left, top, width and height around the shape, or leave these annotations "
				 "out: without it trainers stop with KeyError: 'bbox'");
	}
	if (whole) {
		f->level = whole == facts->annotations && whole == f->details.count ? LEVEL_INFO : LEVEL_WARNING;
		return advise(f, "as labels of whole images, as iNaturalist's, they are complete; leave them out for a "
				 "detector, whose trainer stops with KeyError: 'bbox'");
	}
	if (f->details.count != facts->trouble[COCO_LACKS_POINT_NAMES].count)
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
		{ COCO_WHOLE_IMAGE, "annotation has", "annotations have", "no more than ids" },
		{ COCO_LACKS_BOX, "annotation has", "annotations have", "no bbox" },
		{ COCO_LACKS_AREA, "annotation has", "annotations have", "no area" },
		{ COCO_LACKS_CROWD, "annotation has", "annotations have", "no iscrowd" },
		{ COCO_LACKS_VISIBLE, "annotation has", "annotations have", "keypoints and no num_keypoints" },
		{ COCO_LACKS_POINT_NAMES, "category does", "categories do", "not name the keypoints of annotations" },
		{ COCO_LACKS_CLASS_NAME, "category has", "categories have", "no name" },
		{ COCO_LACKS_SIZE, "image has", "images have", "no width and height" },
		{ COCO_LACKS_NAME, "image has", "images have", "no file_name" }),
	.check_file = check,
	.advice = "write them: pycocotools and trainers stop with a KeyError (iscrowd: 0 for single objects; area: of "
		  "the shape, or else of the box)",
};
