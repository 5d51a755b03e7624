/*
 * Error message
 *   ignoring corrupt image/label: labels require 5 columns, 6 columns detected
 *
 * What it finds
 *   Rows of a YOLO text that are not a box, polygon, oriented box or pose: a class that is not an integer, or its
 *   name in its place, or is below 0; a number of columns other than 5, 9, an odd number from 7 on, or 5 plus 2 or 3
 *   for each keypoint; a confidence as the sixth column; coordinates that are not numbers, below -0.01 or above
 *   1.01; commas or semicolons between the columns, or commas for decimal points. The coordinates of a polygon or an
 *   oriented box are the centre, width and height of the box around its points, as in Ultralytics, which cuts points
 *   outside at the edge. Where --task or kpt_shape of data.yaml declares the rows: the columns of another task; a
 *   visibility of a keypoint that is not 0, 1 or 2. out-of-range-id reports classes that are integers but not
 *   declared.
 *
 * Why it matters
 *   Ultralytics drops the image with all its boxes and prints a line that scrolls by; other loaders train on it.
 *
 * Example
 *   labels/0042.txt: error malformed-box: of 12 rows, 2 have a coordinate below -0.01 or above 1.01 (first: line 3,
 *   column 3)
 *
 * What to do
 *   Names in place of numbers: `labelaudit fix` with the names as --classes writes the numbers. Coordinates are
 *   fractions. Divide x and w of pixels by the width of the image, y and h by its height, and percentages by 100;
 *   cut a few that are a little outside 0 to 1 at the edges: many were divided by another size. Keypoints that are
 *   missing are 0 0. Drop the confidence of predictions. Write blanks between the columns, and points in decimals.
 */
#include "judge/check.h"

/* Returns what rows of the declared task have. */
static const char *columns_of(enum yolo_task task)
{
	switch (task) {
	case TASK_DETECT:
		return "class x y w h";
	case TASK_SEGMENT:
		return "class x1 y1 x2 y2 x3 y3 ...";
	case TASK_OBB:
		return "class x1 y1 x2 y2 x3 y3 x4 y4";
	case TASK_POSE:
		return "class x y w h, and 2 or 3 numbers for each keypoint";
	case TASK_AUTO:
	case TASK_CLASSIFY:
		break;
	}
	return "class folders, no texts";
}

static void advise_task(const struct yolo_form *form, struct finding *f)
{
	text_addf(&f->advice, "Ultralytics drops the image: ");
	if (form->keypoints)
		text_addf(&f->advice,
			  "kpt_shape: [%" PRIu32 ", %" PRIu32 "] wants 5 + %" PRIu32 " x %" PRIu32 " = %" PRIu32
			  " columns, class x y w h and the keypoints",
			  form->keypoints, form->numbers, form->keypoints, form->numbers,
			  5 + form->keypoints * form->numbers);
	else
		text_addf(&f->advice, "rows of this task are %s", columns_of(form->task));
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct row_tally *faults = s->stats->boxes.faults;

	if (faults[BOX_DECIMAL].rows)
		advise(f, "write points for decimals, and blanks between the columns: loaders read no commas");
	else if (faults[BOX_SEPARATOR].rows)
		advise(f, "write blanks between the columns: loaders read no commas or semicolons");
	else if (faults[BOX_TASK].rows || (faults[BOX_CONFIDENCE].rows && s->settings->yolo.task > TASK_DETECT))
		advise_task(&s->settings->yolo, f);
	else if (faults[BOX_NAME].rows)
		advise(f, "write the number of each class, from 0, in place of its name");
	else if (faults[BOX_CLASS].rows)
		advise(f, "the class comes first, an integer from 0: class x y w h");
	else if (faults[BOX_RANGE].rows && s->stats->boxes.types[BOX_POSE] && s->stats->boxes.farthest == 1)
		advise(f, "keypoints of -1 -1 are missing ones: write 0 0, and where there is a visibility, 0");
	else if (faults[BOX_RANGE].rows && s->stats->boxes.farthest <= BOX_FRACTION_MOST)
		advise(f, "coordinates are fractions: cut a few that are beyond at the edges, 0 and 1; many were "
			  "divided by another size than the image's: height for width, or that before a resize");
	else if (faults[BOX_RANGE].rows && s->stats->boxes.farthest <= 100)
		advise(f, "coordinates are fractions: divide percentages by 100; of pixels, x and w by the image's "
			  "width, y and h by its height");
	else if (faults[BOX_RANGE].rows)
		advise(f, "coordinates are fractions: divide x and w by the image's width, y and h by its height");
	else if (faults[BOX_CONFIDENCE].rows)
		advise(f, "these are predictions: drop the sixth column to train on them");
	return true;
}

const struct rule rule_malformed_box = {
	RULE("malformed-box", "lists", LEVEL_ERROR, "a row of a YOLO text that is not a box, polygon or pose"),
	.facts_needed = FACTS_BOXES,
	.phrases = PHRASES({ BOX_CLASS, "has", "have", "a class that is not an integer" },
			   { BOX_NEGATIVE, "has", "have", "a class below 0" },
			   { BOX_COLUMNS, "has", "have", "a number of columns that fits no box, polygon or pose" },
			   { BOX_CONFIDENCE, "has", "have", "6 columns, the last a confidence, as in predictions" },
			   { BOX_NUMBER, "has", "have", "a coordinate that is not a finite number" },
			   { BOX_RANGE, "has", "have", "a coordinate below -0.01 or above 1.01" },
			   { BOX_TASK, "has", "have", "the columns of another task than the declared one" },
			   { BOX_VISIBILITY, "has", "have", "a keypoint whose visibility is not 0, 1 or 2" },
			   { BOX_NAME, "has", "have", "the name of a class in place of its number" },
			   { BOX_DECIMAL, "has", "have", "commas for decimal points" },
			   { BOX_SEPARATOR, "has", "have", "columns separated by commas or semicolons" }),
	.check_file = check,
	.advice = "correct these rows, or remove them",
};
