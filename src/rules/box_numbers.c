/*
 * What it finds
 *   Boxes whose numbers mean something else than in their form, by what all boxes of a file have in common; texts of
 *   one image each, as those of YOLO and KITTI, are judged together. Every box lies within one pixel: these are
 *   fractions of the image where pixels are expected. The third and fourth numbers are above the first and second in
 *   every box, and a fifth of the boxes or more (of 20 boxes, a twentieth) extend beyond the image: these are left,
 *   top, right and bottom where the width and height are expected. All boxes would be within their images if the
 *   first two numbers were the centre, and a fifth or more are not. Three boxes are needed for these. Twenty are
 *   needed for the rest: a twentieth, and five, extend beyond their images, or half have right and bottom before
 *   left and top, and all would be within if the numbers were left, top, width, height, or y before x (or the width
 *   and height of the images exchanged), or if those from which the form was made had been corners or the centre: x
 *   + x2 / 2 is the centre of a YOLO text where x2 was taken for the width.
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

static bool say_mistake(struct finding *f, const struct box_tally *t, enum box_numbers numbers)
{
	static const char *const names[] = { [BOX_CORNERS] = "left, top, right, bottom",
					     [BOX_CORNER_SIZE] = "left, top, width, height",
					     [BOX_CENTRE_SIZE] = "centre, width, height" };
	static const enum box_numbers meant[] = { [MISTAKE_CORNERS] = BOX_CORNERS,
						  [MISTAKE_MADE_CORNERS] = BOX_CORNERS,
						  [MISTAKE_CENTRES] = BOX_CENTRE_SIZE,
						  [MISTAKE_MADE_CENTRES] = BOX_CENTRE_SIZE,
						  [MISTAKE_SIZES] = BOX_CORNER_SIZE };
	const enum box_mistake mistake = geometry_mistake(t);
	const bool inverted = mistake == MISTAKE_SIZES && 2 * t->inverted >= t->boxes;

	if (mistake == MISTAKE_NONE)
		return false;
	f->details.count = t->boxes + t->inverted;
	if (mistake == MISTAKE_FRACTIONS) {
		say(f, "all %" PRIu64 " boxes lie within one pixel: fractions of the image where pixels are expected",
		    t->boxes);
		return advise(f, "multiply x and the width by the image's width, y and the height by its height");
	}
	say(f, "%" PRIu64 " of %" PRIu64 " boxes %s as %s; ", inverted ? t->inverted : t->outside,
	    inverted ? t->boxes + t->inverted : t->placed,
	    inverted ? "have right and bottom before left and top" : "extend beyond their images", names[numbers]);
	if (mistake == MISTAKE_SWAPPED)
		say(f, "with x and y exchanged, or the width and height of their images, all make sense");
	else if (mistake == MISTAKE_MADE_CORNERS || mistake == MISTAKE_MADE_CENTRES)
		say(f, "had %s been taken for left, top, width, height when they were written, all make sense",
		    names[meant[mistake]]);
	else
		say(f, "as %s, all make sense", names[meant[mistake]]);
	advise(f, "write the boxes as %s", names[numbers]);
	if (mistake == MISTAKE_SWAPPED)
		advise(f, "; if they fit the images as they are shown, correct the width and height that are declared");
	return numbers != BOX_CENTRE_SIZE || mistake != MISTAKE_CORNERS ||
	       advise(f,
		      ", in a copy of their folder (PATH): python3 -c \"import sys; from pathlib import Path; "
		      "[p.write_text(''.join('%%s %%.6f %%.6f %%.6f %%.6f\\n' %% (s[0], (l + r) / 2, (t + b) / 2, r - "
		      "l, "
		      "b - t) for s in map(str.split, p.open()) if s for l, t, r, b in [map(float, s[1:5])])) for p in "
		      "Path(sys.argv[1]).rglob('*.txt') if p.name != 'classes.txt']\" PATH");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	return !rule_input_one_image(s) &&
	       say_mistake(f, rule_input_boxes(s),
			   s->sample->format == FORMAT_LIST && !s->sample->list.box_sizes ? BOX_CORNERS
											  : BOX_CORNER_SIZE);
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	bool found = false;

	(void)settings;
	for (unsigned i = 0; i < BOX_NUMBERS && !found; i++) {
		const struct box_tally t = dataset_boxes(d, (enum box_numbers)i);

		found = say_mistake(f, &t, (enum box_numbers)i);
	}
	return found;
}

const struct rule rule_box_numbers = {
	RULE("box-numbers", "lists", LEVEL_ERROR, "boxes whose numbers mean something else than in their form"),
	.facts_needed = FACTS_GEOMETRY,
	.check_file = check,
	.check_dataset = check_dataset,
};
