/*
 * What it finds
 *   COCO annotations and images that break the format: ids that are no integer of 64 bits (1.0, 1e2, -0, null), no
 *   category_id or image_id, boxes that are not four finite numbers, areas that are no finite number from 0, polygons
 *   with an odd count of coordinates or fewer than three points, run lengths (RLE) that do not add up to height times
 *   width or whose size is not the image's, widths and heights of images that are no positive integer, and elements
 * that are no object. Polygons and string ids of images are taken as they are otherwise.
 *
 * Why it matters
 *   Loaders stop in the middle of an epoch, or go on with a shape that nobody drew.
 *
 * Example
 *   instances.json: error malformed-annotation: 1 box is not four finite numbers; 2 polygons are not pairs of
 * coordinates of three points or more (first at line 1, column 224)
 *
 * What to do
 *   Mend or remove them at the place that is named; where there are many, look at the tool that wrote them.
 */
#include "base/mem.h"
#include "judge/coco_finding.h"

static bool check(const struct subject *s, struct finding *f)
{
	static const struct coco_phrase phrases[] = {
		{ COCO_NOT_AN_OBJECT, "element of a list is", "elements of lists are", "no object" },
		{ COCO_BAD_ID, "id is", "ids are", "no integer of 64 bits" },
		{ COCO_NO_REFERENCE, "annotation is", "annotations are", "without id, category_id or image_id" },
		{ COCO_BAD_BOX, "box is", "boxes are", "not four finite numbers" },
		{ COCO_BAD_AREA, "area is", "areas are", "no finite number from 0" },
		{ COCO_BAD_POLYGON, "annotation has", "annotations have",
		  "a polygon that is not pairs of coordinates of three points or more" },
		{ COCO_BAD_RLE, "annotation has", "annotations have", "runs that do not cover its image exactly" },
		{ COCO_BAD_SIZE, "image has", "images have", "a width or height that is no positive integer" },
	};

	if (!coco_finding(f, s, phrases, ARRAY_SIZE(phrases)))
		return false;
	text_addf(&f->advice, "mend or remove them; where there are many, look at the tool that wrote them");
	return true;
}

const struct rule rule_malformed_annotation = {
	.name = "malformed-annotation",
	.category = "coco",
	.level = LEVEL_ERROR,
	.needs = NEEDS_COCO,
	.since = "0.1.0",
	.summary = "COCO annotations that break the format",
	.check_file = check,
};
