/* The rules of category lists, and malformed-labels about rows: over texts that are read and measured. */
#include <stdio.h>

#include "../unit/check_main.h"
#include "measured.h"

#include "base/mem.h"
#include "measure/label_measurer.h"

extern const struct rule rule_malformed_labels, rule_unknown_class_name, rule_duplicate_entry, rule_conflicting_label,
	rule_ambiguous_columns, rule_nonstandard_text, rule_malformed_box, rule_mixed_box_types, rule_duplicate_box,
	rule_label_without_image, rule_image_without_label, rule_out_of_range_id, rule_empty_box,
	rule_box_outside_image, rule_box_numbers;

static const struct rule *const rules[] = {
	&rule_malformed_labels,  &rule_unknown_class_name,  &rule_duplicate_entry, &rule_conflicting_label,
	&rule_ambiguous_columns, &rule_nonstandard_text,    &rule_malformed_box,   &rule_mixed_box_types,
	&rule_duplicate_box,     &rule_label_without_image, &rule_empty_box,       &rule_box_outside_image,
};
enum { RULES = sizeof(rules) / sizeof(rules[0]) };

/* Reads a text as what `format` says into m. */
static void measure_text(struct measured *m, enum sample_format format, const char *text, size_t n)
{
	struct label_measurer measurer;
	struct batch batch;
	struct batch_item *item;

	label_measurer_init(&measurer, &m->settings);
	batch_init(&batch);
	item = batch_add(&batch);
	item->sample.path = "text";
	item->sample.format = format;
	fault_clear(&item->sample.fault);
	fault_clear(&item->sample.warning);
	input_from_memory(&item->input, text, n);
	label_measurer_measure(&measurer, &batch);
	m->sample = item->sample;
	m->sample.offenders = NULL; /* the measurer's, which ends here */
	m->sample.names = NULL;     /* the same */
	m->stats = item->stats;
	ck_assert_uint_le(item->stats.ids_count, ARRAY_SIZE(m->ids));
	for (size_t i = 0; i < item->stats.ids_count; i++)
		m->ids[i] = batch.ids[item->stats.ids_at + i];
	batch_release(&batch);
	label_measurer_release(&measurer);
}

static struct measured *new_with_names(const char *const *names, size_t count)
{
	char classes[16];

	snprintf(classes, sizeof(classes), "%zu", count);
	struct measured *m = measured_new(classes, NULL);

	for (size_t i = 0; i < count; i++)
		class_set_name(&m->settings.classes, i, names[i]);
	return m;
}

/* Asserts that exactly `rule` fires (or none, if NULL), with that message. */
static void expect_only(struct measured *m, const struct rule *rule, const char *message)
{
	for (int i = 0; i < RULES; i++) {
		bool fired = measured_check(m, rules[i]);

		ck_assert_msg(fired == (rules[i] == rule), "%s: %s", rules[i]->name, m->finding.message.s);
	}
	if (!rule)
		return;
	ck_assert(measured_check(m, rule));
	ck_assert_str_eq(m->finding.message.s, message);
	ck_assert_str_ne(m->finding.advice.s, "");
}

static void expect(enum sample_format format, const char *text, size_t n, const struct rule *rule, const char *message)
{
	struct measured *m = measured_new("3", NULL);

	measure_text(m, format, text, n);
	expect_only(m, rule, message);
}
#define LIST(text, rule, message) expect(FORMAT_LIST, text, sizeof(text) - 1, rule, message)
#define YOLO(text, rule, message) expect(FORMAT_YOLO, text, sizeof(text) - 1, rule, message)

TEST(silent_on_what_is_right)
{
	LIST("path,label\na.png,1\nb.png,2\n", NULL, NULL);
	LIST("1\n2\n1\n", NULL, NULL);
	LIST("a.png 1\r\nb.png 0\r\n", NULL, NULL);
	LIST("\xef\xbb\xbf"
	     "path,label\na.png,1\n",
	     NULL, NULL); /* Excel's way; every CSV reader takes it */
	YOLO("", NULL, NULL);
	YOLO("0 0.5 0.5 0.2 0.2\n2 0.4 0.5 0.2 0.2\n", NULL, NULL);
	YOLO("0 .1 .1 .2 .2 .3 .3\n1 .1 .1 .2 .2 .3 .3 .4 .4\n", NULL, NULL); /* four points beside three */
}

TEST(rows_that_are_malformed)
{
	struct measured *m = measured_new("3", NULL);
	static const char text[] =
		"path,label\na.png,\nb.png,x\nc.png,1,1\nd.png,NA\ne.png,1\nf.png,99999999999999999999\n";

	measure_text(m, FORMAT_LIST, text, sizeof(text) - 1);
	ck_assert_int_eq(m->sample.status, SAMPLE_READ);
	ck_assert_uint_eq(m->stats.labels, 2);
	ck_assert(measured_check(m, &rule_malformed_labels));
	ck_assert_str_eq(
		m->finding.message.s,
		"of 6 rows, 2 have no label, 1 has a label that is not an integer, 1 has a label that does not fit "
		"into 64 bits, 1 has more or fewer columns than the first row (first: line 2, column 7)");
	ck_assert_uint_eq(m->finding.details.line, 2);
	ck_assert_uint_eq(m->finding.details.column, 7);
	ck_assert_str_eq(m->finding.advice.s,
			 "correct these rows; if another column holds the labels, name it with --column");
	LIST("1\n2\nx\n", &rule_malformed_labels, "of 3 rows, 1 has a label that is not an integer (line 3, column 1)");
	LIST("path,label\n\"a.png,1\n", &rule_malformed_labels,
	     "an opening quotation mark is never closed (line 2, column 1)");
	LIST("a.png,1\nb\0.png,2\n", &rule_malformed_labels, "of 2 rows, 1 has a NUL byte (line 2, column 1)");
}

/* Rows whose lists do not go together, in sets where most do. */
TEST(lists_of_another_length)
{
#define TAGGED(row)                                                                                   \
	"{\"tokens\":[\"a\",\"\\\",[\"],\"ner_tags\":[0,1]}\n{\"tokens\":[\"a\"],\"ner_tags\":[2]}\n" \
	"{\"tokens\":[],\"ner_tags\":[]}\n{\"tokens\":[\"a\",\"b\"],\"ner_tags\":[0,1]}\n" row
#define TEACHER(row)                                                                       \
	"{\"input_ids\":[0,1],\"labels\":[0,1]}\n{\"input_ids\":[2,2],\"labels\":[2,2]}\n" \
	"{\"input_ids\":[2],\"labels\":[2]}\n" row

	LIST(TAGGED(""), NULL, NULL);
	LIST(TAGGED("{\"tokens\":[\"a\",\"b\"],\"ner_tags\":[0]}\n"), &rule_malformed_labels,
	     "of 7 items, 1 has a list of more or fewer labels than tokens, boxes or classes (line 5, column 33)");
	LIST(TEACHER(""), NULL, NULL);
	LIST(TEACHER("{\"input_ids\":[2,1],\"labels\":[2]}\n"), &rule_malformed_labels,
	     "of 13 items, 1 has a list of more or fewer labels than tokens, boxes or classes (line 4, column 17)");
	/* what a translator writes is as long as it is */
	LIST("{\"input_ids\":[0,1],\"labels\":[0]}\n{\"input_ids\":[2,2],\"labels\":[2,2]}\n", NULL, NULL);
#define HOT "{\"text\":\"a b\",\"labels\":[1.0,0.0,1.0]}\n{\"text\":\"b\",\"labels\":[0.0, 0.0, 0.0]}\n"
	LIST(HOT "{\"text\":\"c\",\"labels\":[0,1,0]}\n", NULL, NULL);
	LIST(HOT HOT "{\"text\":\"b\",\"labels\":[0.0,1.0]}\n", &rule_malformed_labels,
	     "of 14 items, 1 has a list of more or fewer labels than tokens, boxes or classes (line 5, column 27)");
}

TEST(names_that_are_unknown)
{
	static const char *const names[] = { "cat", "dog" };
	struct measured *m = new_with_names(names, 2);
	static const char text[] = "path,label\na.png,cat\nb.png,dgo\nc.png,dog\nd.png,dgo\n";

	measure_text(m, FORMAT_LIST, text, sizeof(text) - 1);
	ck_assert_uint_eq(m->stats.labels, 2);
	expect_only(m, &rule_unknown_class_name,
		    "of 4 rows, 2 name a class that is not declared: 'dgo' (the nearest is 'dog') (first: line 3, "
		    "column 7)");
	measure_text(m, FORMAT_LIST, text, strlen("path,label\na.png,cat\n"));
	expect_only(m, NULL, NULL);
	static const char several[] = "path,label\na.png,cat dog\nb.png,dog\nc.png,cat hen\n";

	measure_text(m, FORMAT_LIST, several, sizeof(several) - 1);
	ck_assert_uint_eq(m->stats.labels, 3);
	expect_only(m, &rule_unknown_class_name,
		    "of 4 items, 1 names a class that is not declared: 'cat hen' (the nearest is 'cat') (line 4, "
		    "column 7)");
	LIST("{\"label\":[\"0\",\"2\"]}\n{\"label\":[\"1\"]}\n", NULL, NULL); /* ids, though in quotation marks */
	LIST("{\"messages\":[{\"role\":\"user\"}]}\n", &rule_ambiguous_columns,
	     "objects, as of a conversation, and no labels: columns 1 messages ([{\"role\":\"user\"}]) (line 1, column "
	     "1)");
	LIST("text,label\n\"it is, so\",1\n\"it is, so\",2\n", NULL, NULL); /* a sentence is no path */
}

TEST(entries_that_repeat)
{
	LIST("a.png 1\nb.png 2\na.png 1\na.png 1\n", &rule_duplicate_entry,
	     "of 4 rows, 2 repeat a path with the same label (first: line 3, column 7)");
	LIST("a.png 1\nb.png 2\na.png 0\n", &rule_conflicting_label,
	     "of 3 rows, 1 gives a path a different label from an earlier row (line 3, column 7)");
	LIST("image,runs,label\na.png,1 2 3 4,1\na.png,1 2 3 5,2\na.png,1 2 3 4,1\n", &rule_duplicate_entry,
	     "of 3 rows, 1 repeats an earlier row (line 4, column 15)");
}

TEST(columns_that_are_asked_for)
{
	static const char text[] = "00000,53,2\n00001,42,1\n00002,48,0\n00003,27,1\n";
	struct measured *m = measured_new("3", NULL);

	measure_text(m, FORMAT_LIST, text, sizeof(text) - 1);
	expect_only(
		m, &rule_ambiguous_columns,
		"which column holds the labels? 1 (00000, 00001, 00002); 2 (53, 42, 48); 3 (2, 1, 0) (line 1, column "
		"1)");
	m->settings.list.column = "3";
	measure_text(m, FORMAT_LIST, text, sizeof(text) - 1);
	expect_only(m, NULL, NULL);
	LIST("path,label\na.png,b\nb.png,a\n", NULL, NULL); /* the numbers of names are of the set */
	LIST("Car 0.00 0 -1.58 587 173 614 200 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59\n"
	     "Car 0.00 0 -1.58 nan 173 587 200 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59\nCar 0.00\n",
	     &rule_malformed_labels,
	     "of 3 rows, 1 has more or fewer columns than the first row, 1 has a coordinate that is not a finite "
	     "number (first: line 2, column 1)");
}

TEST(texts_that_are_odd)
{
	LIST("path;label\na.png;1\n", &rule_nonstandard_text, "columns are separated by semicolons");
	LIST("path;label\na.png;1.0\n", &rule_nonstandard_text,
	     "of 1 row, 1 has an id written with a point or an exponent (line 2, column 7); columns are separated by "
	     "semicolons");
	LIST("path,label\na\"b.png,1\ncaf\xe9.png,1\rd.png,1\r", &rule_nonstandard_text,
	     "of 3 rows, 1 has a quotation mark inside a bare field, 1 has bytes that are not UTF-8, 2 end in CR alone "
	     "(first: line 2, column 9)");
	LIST("path,label\na.png, cat\nb.png,dog \n", &rule_nonstandard_text,
	     "of 2 rows, 2 have blanks around names, which pandas keeps (first: line 2, column 8)");
	YOLO("\xef\xbb\xbf"
	     "0 0.5 0.5 0.2 0.2\n",
	     &rule_nonstandard_text, "of 1 row, 1 begins with a byte order mark (line 1, column 1)");
	YOLO("1.0 0.5 0.5 0.2 0.2\n", &rule_nonstandard_text,
	     "of 1 row, 1 has a class written with a point or an exponent (line 1, column 1)");
}

TEST(boxes_that_are_malformed)
{
	YOLO("0 0.5 0.5 0.2 0.2\n0 0.5 1.5 0.2 0.2\n1 1.2 0.5 0.2 0.2\n1 0.5 0.5 0.2\n", &rule_malformed_box,
	     "of 4 rows, 1 has a number of columns that fits no box, polygon or pose, 2 have a coordinate below -0.01 "
	     "or above 1.01 "
	     "(first: "
	     "line 2, column 7)");
	YOLO("0 0.5 0.5 0.2 0.2 0.9\n", &rule_malformed_box,
	     "of 1 row, 1 has 6 columns, the last a confidence, as in predictions (line 1, column 1)");
	YOLO("0.5 0.5 0.2 0.2 1\n", &rule_malformed_box,
	     "of 1 row, 1 has a class that is not an integer (line 1, column 1)");
	struct measured *m = measured_new("3", NULL);

	measure_text(m, FORMAT_YOLO, "0.5 0.5 0.2 1.2 1\n", 18);
	ck_assert(measured_check(m, &rule_malformed_box));
	ck_assert_str_eq(m->finding.advice.s, "the class comes first, an integer from 0: class x y w h");
	m->settings.yolo.task = TASK_OBB;
	measure_text(m, FORMAT_YOLO, "0 0.5 0.5 0.2 0.2 0.9\n", 22);
	ck_assert(measured_check(m, &rule_malformed_box));
	ck_assert_str_eq(m->finding.advice.s,
			 "Ultralytics drops the image: rows of this task are class x1 y1 x2 y2 x3 y3 x4 y4");
	/* at the threshold */
	YOLO("0 -0.01 1.01 1 1\n", &rule_box_outside_image,
	     "of 1 row, 1 box is partly outside the image (line 1, column 3); boxes by 0.51 of it at most (100.0 %)");
	YOLO("0 0.5 0.5 1.00000005 1\n", NULL, NULL); /* 1 as a float of 32 bits */
	YOLO("0 0.5 0.5 1.001 1\n", &rule_nonstandard_text,
	     "of 1 row, 1 has a coordinate a little below 0 or above 1 (line 1, column 11)");
	YOLO("0 -0.010001 1 1 1\n", &rule_malformed_box,
	     "of 1 row, 1 has a coordinate below -0.01 or above 1.01 (line 1, column 3)");
	YOLO("0 0.5 0.5 0 0.1\n", &rule_empty_box, "of 1 row, 1 box has a width or height of 0 (line 1, column 11)");
	YOLO("0 0.9 0.5 0.21 0.1\n0 0.5 0.5 0.1 0.1\n", &rule_box_outside_image,
	     "of 2 rows, 1 box is partly outside the image (line 1, column 3); boxes by 0.005 of it at most (50.0 %)");
	LIST("a.png,5,5,5,9,1\nb.png,5,5,4,9,1\n", &rule_empty_box,
	     "of 2 rows, 1 box has a width or height of 0, 1 box has a width or height of less than 0 (first: line 1, "
	     "column 15)");
	LIST("a.png,-5,5,5,9,1\nb.png,-5,5,-1,9,1\n", &rule_box_outside_image,
	     "of 2 rows, 1 box is partly outside the image, 1 box is wholly outside the image (first: line 1, column "
	     "16); boxes by 5 "
	     "pixels at most (100.0 %)");
}

TEST(boxes_of_several_types)
{
	YOLO("0 0.5 0.5 0.2 0.2\n0 .1 .1 .2 .2 .3 .3\n0 0.4 0.5 0.2 0.2\n", &rule_mixed_box_types,
	     "2 boxes, 1 polygon (first other: line 2, column 1)");
	YOLO("0 .1 .1 .2 .2 .3 .3 .4 .4\n0 0.5 0.5 0.2 0.2\n", &rule_mixed_box_types,
	     "1 box, 1 row of four points (first other: line 2, column 1)");
	YOLO("0 .1 .1 .2 .2 .3 .3 .4 .4\n0 .1 .1 .2 .2 .3 .3\n0 .5 .5 .2 .2 .4 .4 2\n", &rule_mixed_box_types,
	     "2 polygons, 1 pose (first other: line 3, column 1)");
}

TEST(boxes_that_repeat)
{
	YOLO("0 0.5 0.5 0.2 0.2\n0 0.5 0.5 0.2 0.20\n0 0.5 0.5 0.2 0.2\n", &rule_duplicate_box,
	     "of 3 rows, 2 are equal to an earlier one (first: line 2, column 1)");

	/* a box that is nearly equal, or of another class, is for the set */
	YOLO("0 0.5 0.5 0.2 0.2\n1 0.5 0.5 0.2 0.2\n", NULL, NULL);
	LIST("image,x,y,w,h,label\na.png,1,2,30,40,1\na.png,1,2,30,50,2\nb.png,1,2,30,40,1\na.png,1,2,30,40,1\n",
	     &rule_duplicate_box,
	     "of 4 rows, 1 box is equal to an earlier one of its image and class (line 5, column 17)");
	/* frames of a video; AVA has a row for each action */
	LIST("1,1,794,247,71,174,1,1,0.9\n2,1,794,247,71,174,1,1,0.9\n", NULL, NULL);
	LIST("a,0902,0.077,0.151,0.283,0.811,0\na,0902,0.077,0.151,0.283,0.811,1\n", NULL, NULL);
}

TEST(classes_that_are_not_declared)
{
	struct measured *m = measured_new("3", NULL);
	static const char text[] = "0 0.5 0.5 0.2 0.2\n 3 0.4 0.5 0.2 0.2\n";

	measure_text(m, FORMAT_YOLO, text, sizeof(text) - 1);
	expect_only(m, NULL, NULL);
	ck_assert(measured_check(m, &rule_out_of_range_id));
	ck_assert_str_eq(m->finding.message.s, "1 box (50.0 %) has id 3; valid ids are 0-2");
	ck_assert(m->finding.details.has_first && m->finding.details.first_kind == FIRST_LINE);
	ck_assert_uint_eq(m->finding.details.first_y, 2);
	ck_assert_uint_eq(m->finding.details.first_x, 2);
}

TEST(partners_that_are_missing)
{
	struct measured *m = measured_new("3", NULL);
	struct dataset_stats d;

	measure_text(m, FORMAT_YOLO, "", 0);
	m->stats.boxes.lacks_image = 1;
	expect_only(m, &rule_label_without_image, "the image folder beside the labels has no image of that name");
	dataset_init(&d);
	finding_init(&m->finding, &rule_image_without_label);
	ck_assert(!rule_image_without_label.check_dataset(&m->settings, &d, &m->finding));
	dataset_release(&d);
}

TEST(pictures_without_a_label_file)
{
	struct measured *m = measured_new("3", NULL);
	struct dataset_stats d;
	static const char *const paths[] = { "images/b.jpg", "images/a.jpg", "images/c.jpg" };

	dataset_init(&d);
	finding_init(&m->finding, &rule_image_without_label);
	m->sample.status = SAMPLE_SKIPPED;
	for (int i = 0; i < 3; i++) {
		m->sample.path = paths[i];
		m->sample.left_out.lacks_label = i < 2;
		dataset_add(&d, &m->settings, &m->sample, &m->stats, m->ids, false);
	}
	ck_assert_uint_eq(d.files_skipped, 3);
	ck_assert(rule_image_without_label.check_dataset(&m->settings, &d, &m->finding));
	ck_assert_int_eq(m->finding.level, LEVEL_INFO);
	ck_assert_str_eq(m->finding.message.s, "2 images have no label file (first: images/a.jpg)");
	d.counted[COUNTED_FILLED_TEXTS].files = 10;
	d.counted[COUNTED_ELSEWHERE] = (struct file_count){ 9, strdup("annotations/1.txt") };
	finding_init(&m->finding, &rule_image_without_label);
	ck_assert(rule_image_without_label.check_dataset(&m->settings, &d, &m->finding));
	ck_assert_int_eq(m->finding.level, LEVEL_ERROR);
	ck_assert_ptr_nonnull(strstr(m->finding.message.s, "9 texts lie where trainers do not look (first: annot"));
	d.counted[COUNTED_ELSEWHERE].files = 8; /* some are where they should be */
	finding_init(&m->finding, &rule_image_without_label);
	ck_assert(rule_image_without_label.check_dataset(&m->settings, &d, &m->finding));
	ck_assert_int_eq(m->finding.level, LEVEL_INFO);
	dataset_release(&d);
}
