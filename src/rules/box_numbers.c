/*
 * What it finds
 *   Boxes whose numbers mean something else than in their form, by what all boxes of a file have in common. Every box
 *   lies within one pixel: these are fractions of the image where pixels are expected. The third and fourth numbers
 *   are above the first and second in every box, and a fifth of the boxes or more (of 20 boxes, a twentieth) extend
 *   beyond the image: these are left, top, right and bottom where left, top, width and height are expected, or in a
 *   YOLO text the centre and the size. All boxes would be within their images if the first two numbers were the
 *   centre, and a fifth or more are not. Three boxes are needed; YOLO texts are judged together.
 *
 * Why it matters
 *   Nothing fails: the boxes are all in the wrong place, or all empty once they are cut to pixels, and the training
 *   learns nothing.
 *
 * Example
 *   train.json: error box-numbers: 611 of 1204 boxes extend beyond their images as left, top, width, height; as
 *   left, top, right, bottom, all make sense
 *
 * What to do
 *   Write the numbers again as the form has them. COCO: left, top, width, height in pixels. YOLO: the centre, width
 *   and height as fractions of the image.
 */
#include "judge/check.h"

static bool say_mistake(struct finding *f, const struct box_tally *t, bool yolo)
{
	const enum box_mistake mistake = geometry_mistake(t);
	const char *const form = yolo ? "centre, width, height" : "left, top, width, height";

	if (mistake == MISTAKE_NONE)
		return false;
	f->details.count = t->boxes;
	if (mistake == MISTAKE_FRACTIONS) {
		say(f, "all %" PRIu64 " boxes lie within one pixel: fractions of the image where pixels are expected",
		    t->boxes);
		return advise(f, "multiply x and the width by the image's width, y and the height by its height");
	}
	say(f, "%" PRIu64 " of %" PRIu64 " boxes extend beyond their images as %s; as %s, all make sense", t->outside,
	    t->placed, form, mistake == MISTAKE_CORNERS ? "left, top, right, bottom" : "centre, width, height");
	advise(f, "write the boxes as %s", form);
	return !yolo || mistake != MISTAKE_CORNERS ||
	       advise(f,
		      ", in a copy of their folder (PATH): python3 -c \"import sys; from pathlib import Path; "
		      "[p.write_text(''.join('%%s %%.6f %%.6f %%.6f %%.6f\\n' %% (s[0], (l + r) / 2, (t + b) / 2, r - "
		      "l, "
		      "b - t) for s in map(str.split, p.open()) if s for l, t, r, b in [map(float, s[1:5])])) for p in "
		      "Path(sys.argv[1]).rglob('*.txt') if p.name != 'classes.txt']\" PATH");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	return s->sample->format != FORMAT_YOLO && say_mistake(f, rule_input_boxes(s), false);
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct box_tally all = { .boxes = d->yolo_boxes,
				       .placed = d->yolo_boxes,
				       .as_corners = d->yolo_as_corners,
				       .outside = d->yolo_outside };

	(void)settings;
	return say_mistake(f, &all, true);
}

const struct rule rule_box_numbers = {
	RULE("box-numbers", "lists", LEVEL_ERROR, "boxes whose numbers mean something else than in their form"),
	.facts_needed = FACTS_GEOMETRY,
	.check_file = check,
	.check_dataset = check_dataset,
};
