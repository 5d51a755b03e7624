/*
 * What it finds
 *   COCO files in which several annotations, images or categories have the same id. Ids are compared exactly, as 64-bit
 *   integers. Segments of panoptic files are not asked, since their ids are unique within their image only.
 *
 * Why it matters
 *   pycocotools keeps a dictionary by id: of two annotations with one id the last stays, the other is lost from the
 *   training or counted wrongly in the evaluation; detectron2 refuses the file. They come from merged files.
 *
 * Example
 *   merged.json: error duplicate-annotation-id: 386 annotations have an id that an earlier one has (first at line 1,
 *   column 90412)
 *
 * What to do
 *   Number the annotations again from 1; images and categories with care for what refers to them.
 */
#include "base/mem.h"
#include "judge/coco_finding.h"

static bool check(const struct subject *s, struct finding *f)
{
	static const struct coco_phrase phrases[] = {
		{ COCO_SAME_ANNOTATION, "annotation has", "annotations have", "an id that an earlier one has" },
		{ COCO_SAME_IMAGE, "image has", "images have", "an id that an earlier one has" },
		{ COCO_SAME_CATEGORY, "category has", "categories have", "an id that an earlier one has" },
	};

	if (!coco_finding(f, s, phrases, ARRAY_SIZE(phrases)))
		return false;
	text_addf(&f->advice,
		  "number them again; where images or categories are concerned, what refers to them as well");
	return true;
}

const struct rule rule_duplicate_annotation_id = {
	.name = "duplicate-annotation-id",
	.category = "coco",
	.level = LEVEL_ERROR,
	.needs = NEEDS_COCO,
	.since = "0.1.0",
	.summary = "COCO annotations, images or categories with the same id",
	.check_file = check,
};
