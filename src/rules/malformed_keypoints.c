/*
 * What it finds
 *   COCO annotations whose keypoints break the format: they are not three finite numbers each (x, y, visibility); there
 *   are more or fewer than their category names, or, if it names none, than most of its annotations have; a visibility
 *   is not 0 (not labelled), 1 (hidden) or 2 (visible); num_keypoints is not how many have a visibility above 0. That
 *   is a warning where neither number is 0, as in the files of CrowdPose and Halpe: trainers ask whether it is.
 *
 * Why it matters
 *   Rows of two lengths do not fit in one tensor: the loader stops in the middle of an epoch. Trainers leave out
 *   annotations whose num_keypoints is 0 without a word, whatever their keypoints are, and the evaluation weighs by
 *   visibility. A visibility such as 0.87 is a score: predictions were saved as labels.
 *
 * Example
 *   person_keypoints.json: error malformed-keypoints: 1 annotation has more or fewer keypoints than its category names
 *   (first at line 1, column 911)
 *
 * What to do
 *   Correct the annotations that the finding names; write num_keypoints from the keypoints.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (f->details.count == s->stats->coco.facts.trouble[COCO_VISIBLE_NUMBER].count)
		f->level = LEVEL_WARNING;
	return true;
}

const struct rule rule_malformed_keypoints = {
	RULE("malformed-keypoints", "coco", LEVEL_ERROR,
	     "COCO keypoints that break the format or contradict their count"),
	.facts_needed = FACTS_COCO,
	.phrases =
		PHRASES({ COCO_BAD_KEYPOINTS, "annotation has", "annotations have",
			  "keypoints that are not three finite numbers each: x, y, visibility" },
			{ COCO_KEYPOINTS_NUMBER, "annotation has", "annotations have",
			  "more or fewer keypoints than its category names" },
			{ COCO_VISIBILITY, "annotation has", "annotations have", "a visibility that is not 0, 1 or 2" },
			{ COCO_VISIBLE_NONE, "annotation has", "annotations have",
			  "a num_keypoints of 0 and labelled keypoints, or one above 0 and none" },
			{ COCO_VISIBLE_NUMBER, "annotation has", "annotations have",
			  "a num_keypoints that is not the number of its labelled keypoints" }),
	.check_file = check,
	.advice = "correct these annotations, or the names in their category's keypoints if all have another number; "
		  "num_keypoints is the number of keypoints with a visibility above 0",
};
