/*
 * Error message
 *   WARNING Box and segment counts should be equal, but got len(segments) = 130, len(boxes) = 134.
 *
 * What it finds
 *   YOLO texts with rows of different types: boxes beside polygons, or beside poses. Four points count as a polygon
 *   beside other polygons, else as an oriented box. Also sets in which some texts have rows of one type alone, and
 *   others of another. And COCO files in which some annotations have a segmentation and others have none.
 *
 * Why it matters
 *   Ultralytics trains on one type per set: boxes beside polygons lose the polygons, or become polygons of four points.
 *   torchvision and mmdetection stop at an annotation without a mask, or train on an empty one.
 *
 * Example
 *   labels/0042.txt: warning mixed-box-types: 11 boxes, 1 polygon (first other: line 12, column 1)
 *
 * What to do
 *   Write all rows in the type that you train on.
 */
#include "judge/check.h"

static void add_type(struct text *t, uint64_t count, const char *one, const char *many)
{
	if (count)
		text_addf(t, "%s%" PRIu64 " %s", t->len ? ", " : "", count, count == 1 ? one : many);
}

static const struct phrase *const coco_phrases =
	PHRASES({ COCO_NO_SHAPE, "annotation has", "annotations have", "no segmentation" });

static bool check_coco(const struct rule_input *s, struct finding *f)
{
	return phrases_finding(f, s->sample, s->stats, coco_phrases) &&
	       say(f, ", %" PRIu64 " have one", s->stats->coco.facts.shaped) &&
	       advise(f, "draw the missing ones, or train on boxes alone");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->sample->format == FORMAT_COCO)
		return check_coco(s, f);
	if (s->sample->format != FORMAT_YOLO)
		return false;

	const struct box_stats *boxes = &s->stats->boxes;
	uint64_t polygons = boxes->types[BOX_POLYGON], oriented = boxes->types[BOX_ORIENTED];

	if (!boxes->other_type.rows)
		return false;
	if (polygons) {
		polygons += oriented;
		oriented = 0;
	}
	add_type(&f->message, boxes->types[BOX_RECTANGLE], "box", "boxes");
	add_type(&f->message, polygons, "polygon", "polygons");
	add_type(&f->message, oriented, "row of four points", "rows of four points");
	add_type(&f->message, boxes->types[BOX_POSE], "pose", "poses");
	finding_set_row(f, &boxes->other_type, "first other: ");
	f->details.count = boxes->other_type.rows;
	return true;
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	static const char *const names[BOX_TYPES] = { [BOX_RECTANGLE] = "boxes",
						      [BOX_POLYGON] = "polygons",
						      [BOX_ORIENTED] = "rows of four points",
						      [BOX_POSE] = "poses" };
	const struct file_count *t = d->counted + COUNTED_BOXES - BOX_RECTANGLE;
	uint64_t files[BOX_TYPES] = { 0 }, types = 0, most = 0, all = 0;

	(void)settings;
	for (unsigned type = BOX_RECTANGLE; type < BOX_TYPES; type++)
		files[type] = t[type].files;
	if (files[BOX_POLYGON]) {
		files[BOX_POLYGON] += files[BOX_ORIENTED];
		files[BOX_ORIENTED] = 0;
	}
	for (unsigned type = BOX_RECTANGLE; type < BOX_TYPES; type++) {
		types += files[type] > 0;
		all += files[type];
		most = MAX(most, files[type]);
	}
	if (types < 2)
		return false;
	for (unsigned type = BOX_RECTANGLE; type < BOX_TYPES; type++)
		if (files[type])
			say_also(f, "%s alone in %s", names[type], text_files(files[type], t[type].example).s);
	f->details.count = all - most;
	for (unsigned type = BOX_RECTANGLE; type < BOX_TYPES; type++)
		f->example = files[type] && files[type] < most ? t[type].example : f->example;
	return true;
}

const struct rule rule_mixed_box_types = {
	RULE("mixed-box-types", "lists", LEVEL_WARNING, "boxes beside polygons or poses in a YOLO or COCO set"),
	.facts_needed = FACTS_IDS,
	.check_file = check,
	.check_dataset = check_dataset,
	.advice = "write all rows in the type that you train on",
};
