/*
 * What it finds
 *   Objects whose parts contradict each other. COCO: box and shape (polygons, RLE) have less than half in common, by
 *   more than two pixels; the shape covers nothing, though the box does; the edges of a polygon of at most 8 points
 *   cross; all labelled keypoints are outside the box, by more than a tenth of it (for information); a labelled
 *   keypoint is at 0, 0; the area can be neither that of the box nor that of the shape, or is 0. It may be half of the
 *   smaller or one and a half of the larger. YOLO texts: polygons and keypoints. DOTA: corners.
 *
 * Why it matters
 *   One of the two is of another object, image or size. A detector learns the box, a segmenter the shape. RLE written
 *   with 0 and 1 exchanged, or row by row, covers all that is not the object. By its area COCO's evaluation sorts an
 *   object into small, medium and large, and scales the distance of keypoints; mmdetection leaves out those of area 0.
 *
 * Example
 *   labels.json: warning contradicting-annotation: 6 annotations have a box and a shape with less than half in common
 *   (first at line 1, column 911)
 *
 * What to do
 *   Draw some of them over their images, box and shape. A box is left, top, width and height of all polygons together;
 *   RLE goes down the columns, from a run of background on. Where points cross, write them in their order around the
 *   object. Write `area` again from the shape.
 */
#include "judge/check.h"

enum { MEANING_MIN = 3 }; /* boxes that tell what their numbers mean */

static const struct phrase *const phrases = PHRASES(
	{ COCO_SHAPE_OFF_BOX, "annotation has", "annotations have", "a box and a shape with less than half in common" },
	{ COCO_SHAPE_NOTHING, "annotation has", "annotations have", "a shape that covers nothing" },
	{ COCO_CROSSING, "annotation has", "annotations have", "a polygon whose edges cross" },
	{ COCO_KEYPOINTS_AWAY, "annotation has", "annotations have", "all labelled keypoints outside the box" },
	{ COCO_KEYPOINT_ORIGIN, "annotation has", "annotations have", "a labelled keypoint at 0, 0" },
	{ COCO_SHAPE_AREA, "annotation has", "annotations have",
	  "an area that is neither that of the box nor that of the shape" },
	{ COCO_ZERO_AREA, "annotation has", "annotations have",
	  "an area of 0, which evaluations and mmdetection leave out" });

static const struct phrase *const of_texts =
	PHRASES({ BOX_CROSSING, "has", "have", "a polygon whose edges cross" },
		{ BOX_AWAY_POINTS, "has", "have", "all labelled keypoints outside the box" },
		{ BOX_ORIGIN, "has", "have", "a labelled keypoint at 0, 0" });
static const struct phrase *const of_lists = PHRASES({ LIST_CROSSING, "has", "have", "corners whose edges cross" });

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->sample->format == FORMAT_LIST)
		return phrases_finding(f, s->sample, s->stats, of_lists);
	if (s->sample->format == FORMAT_YOLO) {
		if (phrases_finding(f, s->sample, s->stats, of_texts) &&
		    f->details.count == s->stats->boxes.faults[BOX_AWAY_POINTS].rows)
			f->level = LEVEL_INFO;
		return f->message.len;
	}
	const struct coco_facts *facts = &s->stats->coco.facts;
	const struct shape_tally *t = &facts->shapes;
	const uint64_t most = t->off_box - t->off_box / 10;

	/* box-numbers says it where the numbers of all boxes mean something else */
	if (geometry_mistake(&facts->boxes) != MISTAKE_NONE || !phrases_finding(f, s->sample, s->stats, phrases))
		return false;
	/* keypoints alone lie outside where poses are rough, or a number is a score */
	if (f->details.count == facts->trouble[COCO_KEYPOINTS_AWAY].count)
		f->level = LEVEL_INFO;
	if (f->details.count == facts->trouble[COCO_SHAPE_AREA].count + facts->trouble[COCO_ZERO_AREA].count)
		advise(f, "write `area` again: that of the shape, or else the width of the box times its height");
	if (t->off_box >= MEANING_MIN && t->as_corners >= most)
		say(f, "; most of these boxes fit as left, top, right, bottom");
	else if (t->off_box >= MEANING_MIN && t->as_centres >= most)
		say(f, "; most of these boxes fit as centre, width, height");
	return true;
}

const struct rule rule_contradicting_annotation = {
	RULE("contradicting-annotation", "coco", LEVEL_WARNING,
	     "objects whose box, shape, keypoints and area contradict each other"),
	.facts_needed = FACTS_GEOMETRY,
	.check_file = check,
	.advice = "draw some of them over their images, box and shape; write the wrong one again from the other",
};
