/*
 * What it finds
 *   Boxes that are at most one pixel wide or high, where the size of a pixel is known: in COCO files and tables of
 *   pixels, and in YOLO texts whose images are found. And files in which more than half of the boxes, of 10 or more,
 *   are as large as their image (98 % of its width and height); texts of one image each are judged together.
 *
 * Why it matters
 *   mmdetection leaves out boxes of less than one pixel; others learn from nothing. Boxes as large as the image come
 *   from tools that had no boxes to write, and from masks with object and background exchanged.
 *
 * Example
 *   instances.json: info unusual-box-size: 3 of 2114 boxes are at most one pixel wide or high
 *
 * What to do
 *   Nothing, if they are as they should be. Draw some of them over their images.
 */
#include "judge/check.h"

enum { WHOLE_MIN = 10 };

static void say_whole(struct finding *f, const struct box_tally *t)
{
	if (t->placed < WHOLE_MIN || t->whole <= t->placed / 2)
		return;
	say_also(f, "%" PRIu64 " of %" PRIu64 " boxes are as large as their image", t->whole, t->placed);
	f->details.count += t->whole;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct box_tally *t = rule_input_boxes(s);
	const bool one_image = rule_input_one_image(s);

	/* box-numbers says so */
	if (one_image ? t->in_a_pixel == t->boxes : geometry_mistake(t) != MISTAKE_NONE)
		return false;
	if (t->tiny)
		say(f, "%" PRIu64 " of %" PRIu64 " boxes %s at most one pixel wide or high", t->tiny, t->boxes,
		    plural(t->tiny, "is", "are"));
	f->details.count = t->tiny;
	if (!one_image)
		say_whole(f, t);
	return f->message.len;
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	(void)settings;
	for (unsigned i = 0; i < BOX_NUMBERS; i++) {
		const struct box_tally t = dataset_boxes(d, (enum box_numbers)i);

		say_whole(f, &t);
	}
	return f->message.len;
}

const struct rule rule_unusual_box_size = {
	RULE("unusual-box-size", "lists", LEVEL_INFO, "boxes of at most one pixel, or mostly as large as their images"),
	.facts_needed = FACTS_GEOMETRY,
	.check_file = check,
	.check_dataset = check_dataset,
	.advice = "draw some of them over their images",
};
