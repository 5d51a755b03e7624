/*
 * Error message
 *   ignoring corrupt image/label: non-normalized or out of bounds coordinates [1.0312]
 *
 * What it finds
 *   Boxes, and labelled keypoints of COCO, beyond their image: of pixels by more than a pixel, in YOLO texts and
 *   tables of fractions by more than 0.001 of the image. A COCO file has the size of its images. That of a table's
 *   is in its columns for width and height, or else in the header of the image: where the table names it, or where
 *   the layout of the set or --images has the image of a text. An image that EXIF turns may be as wide and high as
 *   its longer side. Without a size, only a part left of 0 or above it is known to be outside. For polygons and
 *   oriented boxes, the box around the points is judged. A centre or size of a YOLO text below -0.01 or above 1.01
 *   is a malformed-box. MOTChallenge has the size in seqinfo.ini. It draws boxes around the hidden part of its
 *   objects, too, so that many leave the frame: in its form, only those wholly outside are reported, as a warning.
 *
 * Why it matters
 *   Boxes drawn on an image of a different size, or before a rotation, are all in the wrong place. Some
 *   augmentations refuse such boxes, some trainers clip them, and some drop the image.
 *
 * Example
 *   instances.json: warning box-outside-image: 41 boxes are partly outside the image (first at line 1, column 911);
 *   boxes by 12.5 pixels at most (8.1 %)
 *
 * What to do
 *   Draw some of them over their images. If there are many, the image size or the box format is wrong; a few can be
 *   clipped. `labelaudit fix --clip` cuts boxes that leave the image by at most a hundredth of it. It is an error if a
 *   box is wholly outside.
 */
#include "judge/check.h"
#include "judge/rewriting.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct phrase phrases[] = {
		{ GEOMETRY_OUTSIDE, "box is", "boxes are", "partly outside the image" },
		{ GEOMETRY_AWAY, "box is", "boxes are", "wholly outside the image" },
		{ s->sample->format == FORMAT_COCO ? COCO_KEYPOINT_OUTSIDE - COCO_BOX_NO_AREA : GEOMETRY_AWAY,
		  s->sample->format == FORMAT_COCO ? "annotation has" : NULL, "annotations have",
		  "a keypoint outside the image by more than a pixel" },
		{ 0 },
	};
	const struct box_tally *t = rule_input_boxes(s);
	const bool leaves_frame = s->sample->format == FORMAT_LIST && s->sample->list.leaves_frame;
	const uint64_t away = rule_input_box_troubles(s, GEOMETRY_AWAY);
	const uint64_t outside = rule_input_box_troubles(s, GEOMETRY_OUTSIDE);
	const bool yolo = s->sample->format == FORMAT_YOLO, fractions = yolo || s->sample->list.fractions;

	if (!rule_input_one_image(s) && geometry_mistake(t) != MISTAKE_NONE) /* box-numbers says so */
		return false;
	if (!boxes_finding(f, s, leaves_frame ? phrases + 1 : phrases))
		return false;
	if (away + outside)
		say(f, "; boxes by %.*g %s at most%s", fractions ? 4 : 6, t->overshoot, fractions ? "of it" : "pixels",
		    text_percent(away + outside, t->boxes).s);
	f->level = away && !leaves_frame ? LEVEL_ERROR : LEVEL_WARNING;
	if (away + outside && !t->unclipped && rewriting_has_boxes(s))
		return advise(f, "cut them at the edge: labelaudit fix --clip");
	return advise(
		f, "draw some of them over their images: if there are many, the image size is wrong or the numbers are "
		   "others (corners, a centre); a few can be clipped");
}

const struct rule rule_box_outside_image = {
	RULE("box-outside-image", "lists", LEVEL_WARNING, "boxes that extend beyond their image"),
	.facts_needed = FACTS_GEOMETRY,
	.check_file = check,
};
