/*
 * Error message
 *   AssertionError: Annotation ids in 'train.json' are not unique!
 *
 * What it finds
 *   COCO files in which several annotations, images or categories have the same id. Ids are compared exactly, as 64-bit
 *   integers. Segments of panoptic files are left out, since their ids are unique only within an image.
 *
 * Why it matters
 *   pycocotools keeps a dictionary by id: of two annotations with one id, the last one is kept, the other is lost from
 *   the training or counted wrongly in the evaluation; detectron2 refuses the file. Such files come from merging
 *   others.
 *
 * Example
 *   merged.json: error duplicate-annotation-id: 386 annotations repeat the id of an earlier one (first at line 1,
 *   column 90412)
 *
 * What to do
 *   Number the annotations again from 1. If you renumber images or categories, update all references to them.
 */
#include "judge/check.h"

const struct rule rule_duplicate_annotation_id = {
	RULE("duplicate-annotation-id", "coco", LEVEL_ERROR, "COCO annotations, images or categories with the same id"),
	.facts_needed = FACTS_COCO,
	.phrases = PHRASES(
		{ COCO_SAME_ANNOTATION, "annotation repeats", "annotations repeat", "the id of an earlier one" },
		{ COCO_SAME_IMAGE, "image repeats", "images repeat", "the id of an earlier one" },
		{ COCO_SAME_CATEGORY, "category repeats", "categories repeat", "the id of an earlier one" }),
	.advice = "number them again; if you renumber images or categories, update all references to them",
};
