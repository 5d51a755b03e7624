/*
 * Error message
 *   images/0007.jpg: 2 duplicate labels removed
 *
 * What it finds
 *   Boxes that repeat another of their image. In YOLO texts: equal rows, the same class and the same coordinates,
 *   however they are written. Everywhere, but for crowds of COCO files and ignored classes: the same class and the
 *   same numbers; the same class and more than 95 % in common; two classes and more than 95 % in common. Polygons
 *   and oriented boxes are compared by the boxes around them. Two classes are for information; boxes of one class are,
 *   too, if they are no more than one in a hundred. Texts of one image each, as those of YOLO and KITTI, have these two
 *   reported once for the set. In a list whose boxes have a row for each of their classes (AVA), two classes are none.
 *   The first 1,048,576 boxes of a file are compared, 16,384 of a YOLO text, each with the next 64 to the right.
 *
 * Why it matters
 *   Ultralytics removes equal rows with a warning; elsewhere the object counts twice, and one of two equal predictions
 *   is a false positive. Often an export ran twice into one file, or two files were merged. An object in two classes
 *   teaches each that the other is wrong, unless the training knows several labels of one object, as those of a
 *   hierarchy.
 *
 * Example
 *   labels/0042.txt: warning duplicate-box: of 12 rows, 6 are equal to an earlier one (first: line 7, column 1)
 *
 * What to do
 *   Remove the duplicates.
 */
#include "judge/check.h"
#include "read/box_pairs.h"

enum { FEW = 100 }; /* one box in a hundred may be so by chance */

#define PAIRS_OF(same)                                                                                           \
	{ same, "box is", "boxes are", "equal to an earlier one of its image and class" },                       \
		{ same + PAIR_NEAR, "box has", "boxes have",                                                     \
		  "more than 95 % in common with one of its image and class" },                                  \
	{                                                                                                        \
		same + PAIR_CLASS, "box has", "boxes have", "more than 95 % in common with one of another class" \
	}

static const struct phrase *const of_coco = PHRASES(PAIRS_OF(COCO_SAME_BOX));
static const struct phrase *const of_lists = PHRASES(PAIRS_OF(LIST_SAME_BOX));
static const struct phrase *const equal_of_lists =
	PHRASES({ LIST_SAME_BOX, "box is", "boxes are", "equal to an earlier one of its class" });
static const struct phrase *const equal_rows = PHRASES({ BOX_DUPLICATE, "is", "are", "equal to an earlier one" });
static const char *const one_class = "keep one class of each, unless the training knows several labels of one object";

static bool check_coco(const struct rule_input *s, struct finding *f)
{
	const struct coco_facts *facts = &s->stats->coco.facts;
	const struct coco_trouble_count *t = facts->trouble;

	if (!phrases_finding(f, s->sample, s->stats, of_coco))
		return false;
	if (facts->uncompared)
		say(f, "; %" PRIu64 " boxes were not compared with all others", facts->uncompared);
	if (!t[COCO_SAME_BOX].count && t[COCO_NEAR_BOX].count * FEW <= facts->annotations)
		f->level = LEVEL_INFO;
	return f->details.count != t[COCO_OTHER_CLASS].count || advise(f, "%s", one_class);
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const bool yolo = s->sample->format == FORMAT_YOLO, one_image = rule_input_one_image(s);
	const struct box_tally *t;
	uint64_t uncompared;

	if (s->sample->format == FORMAT_COCO)
		return check_coco(s, f);
	if (!phrases_finding(f, s->sample, s->stats, yolo ? equal_rows : one_image ? equal_of_lists : of_lists))
		return false;
	t = rule_input_boxes(s);
	uncompared = yolo ? s->stats->boxes.uncompared : s->stats->list.uncompared;
	if (uncompared)
		say(f, "; %" PRIu64 " boxes were not compared with all others", uncompared);
	if (!one_image && f->details.count == t->near + t->two_class && t->near * FEW <= t->boxes)
		f->level = LEVEL_INFO;
	return one_image || f->details.count != t->two_class || advise(f, "%s", one_class);
}

/* Reports once what a few of each text may have. */
static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct file_count *files = &d->counted[COUNTED_BOX_PAIRS];
	uint64_t boxes = 0, near = 0, two_class = 0;

	(void)settings;
	for (unsigned i = 0; i < BOX_NUMBERS; i++) {
		const struct box_tally t = dataset_boxes(d, (enum box_numbers)i);

		boxes += t.boxes;
		near += t.near;
		two_class += t.two_class;
	}
	if (!near && !two_class)
		return false;
	say(f, "of %" PRIu64 " boxes", boxes);
	if (near)
		say(f, ", %" PRIu64 " %s more than 95 %% in common with one of their image and class", near,
		    plural(near, "has", "have"));
	if (two_class)
		say(f, ", %" PRIu64 " %s more than 95 %% in common with one of another class", two_class,
		    plural(two_class, "has", "have"));
	say(f, ": %s", text_files(files->files, files->example).s);
	f->details.count = near + two_class;
	f->level = near * FEW > boxes ? LEVEL_WARNING : LEVEL_INFO;
	return near || advise(f, "%s", one_class);
}

const struct rule rule_duplicate_box = {
	RULE("duplicate-box", "lists", LEVEL_WARNING, "boxes that repeat another of their image"),
	.facts_needed = FACTS_GEOMETRY,
	.check_file = check,
	.check_dataset = check_dataset,
	.advice = "remove the duplicates",
};
