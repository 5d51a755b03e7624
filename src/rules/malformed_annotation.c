/*
 * What it finds
 *   COCO annotations and images that break the format: ids that are not 64-bit integers (1.5, 1e2, -0, null), no
 *   category_id or image_id, boxes that are not four finite numbers, areas that are negative or not finite, iscrowd
 *   that is not 0, 1, true or false, polygons that are one list of coordinates, [x, y, ...] for [[x, y, ...]],
 *   polygons with an odd number of coordinates, fewer than three points or infinite ones, run lengths (RLE) that do
 *   not add up to height times width or whose size, height before width, is not that of the image, widths and heights
 *   of images that are not positive integers, and list elements that are not objects.
 *
 * Why it matters
 *   Loaders stop in the middle of an epoch, or continue with a shape that nobody drew.
 *
 * Example
 *   instances.json: error malformed-annotation: 1 box is not four finite numbers; 2 annotations have a polygon with an
 *   odd number of coordinates or fewer than three points (first at line 1, column 224)
 *
 * What to do
 *   Correct or remove them; the finding names the place. If there are many, check the tool that wrote them.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_trouble_count *t = s->stats->coco.facts.trouble;

	if (t[COCO_BAD_RLE].count + t[COCO_RLE_SIZE].count == f->details.count)
		advise(f, "write them with pycocotools.mask.encode(): size is [height, width], and counts are the "
			  "lengths of runs of 0 and 1 in turn, down the columns, not starts and lengths");
	return true;
}

const struct rule rule_malformed_annotation = {
	RULE("malformed-annotation", "coco", LEVEL_ERROR, "COCO annotations that break the format"),
	.facts_needed = FACTS_COCO,
	.check_file = check,
	.phrases = PHRASES(
		{ COCO_NOT_AN_OBJECT, "list element is not an object", "list elements are not objects", "" },
		{ COCO_BAD_ID, "element has", "elements have",
		  "an id that is no 64-bit integer (null, a string, 1.5)" },
		{ COCO_NO_REFERENCE, "annotation lacks", "annotations lack", "id, category_id or image_id" },
		{ COCO_BAD_BOX, "box is", "boxes are", "not four finite numbers" },
		{ COCO_BAD_AREA, "area is", "areas are", "negative or not a finite number" },
		{ COCO_BAD_CROWD, "annotation has", "annotations have", "an iscrowd that is not 0 or 1" },
		{ COCO_FLAT_POLYGON, "annotation has", "annotations have",
		  "one list of coordinates, [x, y, ...], where a list of polygons is wanted: [[x, y, ...]]" },
		{ COCO_BAD_POLYGON, "annotation has", "annotations have",
		  "a polygon with an odd number of coordinates or fewer than three points" },
		{ COCO_BAD_RLE, "annotation has", "annotations have",
		  "run lengths (RLE) that do not cover its image exactly" },
		{ COCO_RLE_SIZE, "annotation has", "annotations have",
		  "RLE whose size, [height, width], is not that of its image" },
		{ COCO_BAD_SIZE, "image has", "images have", "a width or height that is not a positive integer" }),
	.advice = "correct or remove them; if there are many, check the tool that wrote them",
};
