/*
 * What it finds
 *   Boxes of COCO files and tables, in pixels, that are less than one pixel wide or high; and files in which more than
 *   half of the boxes, of 10 or more, are as large as their image (98 % of its width and height).
 *
 * Why it matters
 *   mmdetection leaves out boxes of less than one pixel; others learn from nothing. Boxes as large as the image come
 *   from tools that had no boxes to write, and from masks with object and background exchanged.
 *
 * Example
 *   instances.json: info unusual-box-size: 3 of 2114 boxes are less than one pixel wide or high
 *
 * What to do
 *   Nothing, if they are as they should be. Draw some of them over their images.
 */
#include "judge/check.h"

enum { WHOLE_MIN = 10 };

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct box_tally *t = rule_input_boxes(s);

	if (s->sample->format == FORMAT_YOLO || geometry_mistake(t) != MISTAKE_NONE)
		return false;
	if (t->tiny)
		say(f, "%" PRIu64 " of %" PRIu64 " boxes %s less than one pixel wide or high", t->tiny, t->boxes,
		    plural(t->tiny, "is", "are"));
	if (t->placed >= WHOLE_MIN && t->whole > t->placed / 2)
		say(f, "%s%" PRIu64 " of %" PRIu64 " boxes are as large as their image", t->tiny ? "; " : "", t->whole,
		    t->placed);
	f->details.count = t->tiny + t->whole;
	return f->message.len;
}

const struct rule rule_unusual_box_size = {
	RULE("unusual-box-size", "lists", LEVEL_INFO, "boxes below one pixel, or mostly as large as their images"),
	.facts_needed = FACTS_GEOMETRY,
	.check_file = check,
	.advice = "draw some of them over their images",
};
