/* Rules about COCO files: each fires, stays silent beside what looks like it, and at its threshold. */
#include <stdio.h>

#include "../unit/check_main.h"
#include "coco_text.h"

extern const struct rule rule_unknown_category, rule_noncontiguous_categories, rule_dummy_category,
	rule_duplicate_annotation_id, rule_duplicate_category_name, rule_category_names_differ,
	rule_malformed_annotation, rule_empty_box, rule_box_outside_image, rule_nonstandard_json,
	rule_unsafe_image_name, rule_no_annotations, rule_missing_class, rule_category_map_differs, rule_box_numbers,
	rule_malformed_keypoints, rule_duplicate_entry, rule_mixed_box_types, rule_contradicting_annotation,
	rule_incomplete_annotation, rule_duplicate_box, rule_unusual_box_size;

static const struct rule *const all[] = { &rule_unknown_category,        &rule_noncontiguous_categories,
					  &rule_dummy_category,          &rule_duplicate_annotation_id,
					  &rule_duplicate_category_name, &rule_category_names_differ,
					  &rule_malformed_annotation,    &rule_empty_box,
					  &rule_box_outside_image,       &rule_nonstandard_json,
					  &rule_unsafe_image_name,       &rule_no_annotations,
					  &rule_malformed_keypoints,     &rule_duplicate_entry,
					  &rule_mixed_box_types };

#define IMAGE  "{\"id\":1,\"file_name\":\"a.jpg\",\"width\":100,\"height\":50}"
#define CAT(i) "{\"id\":" #i ",\"name\":\"c" #i "\",\"supercategory\":\"x\"}"
#define ANN(i, c) \
	"{\"id\":" #i ",\"image_id\":1,\"category_id\":" #c ",\"bbox\":[1,2,10,20],\"area\":200,\"iscrowd\":0}"

static char json[1 << 16];

static const char *file(const char *images, const char *categories, const char *annotations)
{
	snprintf(json, sizeof(json), "{\"images\":[%s],\"categories\":[%s],\"annotations\":[%s]}", images, categories,
		 annotations);
	return json;
}

static struct coco_text *t;

static void measure(const char *classes, const char *text)
{
	if (t)
		coco_text_free(t);
	t = coco_text_new(classes);
	ck_assert_msg(coco_text_measure(t, text), "%s: %s", text, coco_text_item(t)->sample.fault.text);
}

/* "line 1, column N" of a part of the current file */
static const char *place_of(const char *part)
{
	static char out[64];

	snprintf(out, sizeof(out), "line 1, column %td)", strstr(json, part) - json + 1);
	return out;
}

/* Only `rule` fires, or none if it is NULL; the message says `part`. */
static void expect(const struct rule *rule, const char *part)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		bool fires = coco_text_check(t, all[i]);

		ck_assert_msg(fires == (all[i] == rule), "%s %s: %s", json, all[i]->name, t->finding.message.s);
	}
	if (!rule)
		return;
	ck_assert(coco_text_check(t, rule));
	ck_assert_msg(strstr(t->finding.message.s, part) != NULL, "'%s' does not say '%s'", t->finding.message.s, part);
	ck_assert(t->finding.advice.len > 0);
}

static void expect_only(const char *classes, const char *text, const struct rule *rule, const char *part)
{
	measure(classes, text);
	expect(rule, part);
}

TEST(nothing_wrong)
{
	expect_only("2", file(IMAGE, CAT(0) "," CAT(1), ANN(1, 0) "," ANN(2, 1) "," ANN(3, 1)), NULL, "");
	ck_assert_str_eq(coco_text_rows(t), "0:1 1:2");
	/* images without objects are legal, the ids of images and annotations are apart */
	expect_only("1", file(IMAGE, CAT(0), ""), NULL, "");
	expect_only("1", file(IMAGE, CAT(0), ANN(1, 0)), NULL, "");
	/* null boxes, no box at all: other tools write them */
	expect_only("1",
		    file("{\"id\":1,\"width\":9,\"height\":9}", CAT(0),
			 "{\"id\":1,\"image_id\":1,\"category_id\":0,\"bbox\":null},"
			 "{\"id\":2,\"image_id\":1,\"category_id\":0}"),
		    NULL, "");
}

TEST(unknown_category)
{
	expect_only("2", file(IMAGE, CAT(0) "," CAT(1), ANN(1, 0) "," ANN(2, 7) "," ANN(3, 7) "," ANN(4, 9)),
		    &rule_unknown_category, "3 annotations have a category_id that no category has (first at line 1, ");
	ck_assert_ptr_nonnull(strstr(t->finding.message.s, "): category ids 7, 9"));
	ck_assert_ptr_nonnull(strstr(t->finding.message.s, place_of("{\"id\":2")));
	ck_assert_str_eq(coco_text_rows(t), "0:1"); /* what is unknown has no id */
	ck_assert_int_eq(t->finding.details.first_id, 7);
	expect_only("1", file(IMAGE, CAT(0), "{\"id\":3,\"image_id\":4,\"category_id\":0}"), &rule_unknown_category,
		    "1 annotation has an image_id that no image has (first at");
	/* one list counts from 0, the other from 1 */
	expect_only("0-2", file(IMAGE, CAT(0) "," CAT(1), ANN(1, 1) "," ANN(2, 2)), &rule_unknown_category,
		    "): category id 2, while category 0 'c0' has no annotation");
	expect_only("0-2", file(IMAGE, CAT(1) "," CAT(2), ANN(1, 1) "," ANN(2, 0)), &rule_unknown_category,
		    "): category id 0, while category 2 'c2' has no annotation");
	expect_only("0-2", file(IMAGE, CAT(0) "," CAT(1), ANN(1, 0) "," ANN(2, 1) "," ANN(3, 2)),
		    &rule_unknown_category, "): category id 2");
	ck_assert_ptr_null(strstr(t->finding.message.s, "while"));
	/* wherever the lists stand */
	expect_only("1", "{\"annotations\":[" ANN(1, 0) "],\"categories\":[" CAT(0) "],\"images\":[" IMAGE "]}", NULL,
		    "");
	expect_only(
		"1", "{\"annotations\":[" ANN(1, 3) "],\"categories\":[" CAT(0) "],\"images\":[{\"id\":2}]}",
		&rule_unknown_category,
		"1 annotation has a category_id that no category has; 1 annotation has an image_id that no image has");
	ck_assert_str_eq(coco_text_rows(t), "");
}

TEST(noncontiguous_categories)
{
	const char *gaps = file(IMAGE, CAT(1) "," CAT(90) "," CAT(3), ANN(1, 3) "," ANN(2, 90) "," ANN(3, 90));

	expect_only("3", gaps, &rule_noncontiguous_categories,
		    "3 categories have ids from 1 to 90; audited as classes 0-2, in ascending order of id; used as "
		    "they are, "
		    "id 90 is out of range (0-2)");
	ck_assert_str_eq(coco_text_rows(t), "1:1 2:2");
	ck_assert_str_eq(t->finding.details.map.s, "1 -> 0, 3 -> 1, 90 -> 2");
	/* declared as they are: by number or one by one */
	expect_only("91", gaps, NULL, "");
	ck_assert_str_eq(coco_text_rows(t), "3:1 90:2");
	expect_only("1,3,90", gaps, NULL, "");
	/* neither: taken as they are, out of range */
	expect_only("4", gaps, &rule_noncontiguous_categories, "audited as they are");
	ck_assert_str_eq(coco_text_rows(t), "3:1 90:2");
	ck_assert_uint_eq(t->batch.ids[1].first_index,
			  PLACE_OF_TEXT(1, (uint64_t)(strstr(json, "{\"id\":2,") - json + 1)));
	expect_only("1", file(IMAGE, CAT(7), ANN(1, 7)), &rule_noncontiguous_categories,
		    "1 category has id 7; audited as");
	/* contiguous, but too many: out-of-range-id says it */
	expect_only("1", file(IMAGE, CAT(0) "," CAT(1) "," CAT(2), ANN(1, 1)), NULL, "");
}

#define ROBOFLOW                                                                                               \
	"{\"id\":0,\"name\":\"pets\",\"supercategory\":\"none\"},"                                             \
	"{\"id\":1,\"name\":\"cat\",\"supercategory\":\"pets\"},{\"id\":2,\"name\":\"dog\",\"supercategory\":" \
	"\"pets\"}"

TEST(dummy_category)
{
	expect_only(
		"2", file(IMAGE, ROBOFLOW, ANN(1, 1) "," ANN(2, 2)), &rule_dummy_category,
		"category 0 'pets' has no annotation, and is the supercategory of all 2 others; audited without it");
	ck_assert_str_eq(coco_text_rows(t), "0:1 1:1");
	ck_assert_str_eq(t->finding.details.map.s, "1 -> 0, 2 -> 1");
	/* counted by the user: it stays, and is said all the same */
	expect_only("3", file(IMAGE, ROBOFLOW, ANN(1, 1)), &rule_dummy_category,
		    "category 0 'pets' has no annotation, and is the supercategory of all 2 others");
	ck_assert_str_eq(coco_text_rows(t), "1:1");
	/* used: no dummy, and then there is one class too many */
	expect_only("2", file(IMAGE, ROBOFLOW, ANN(1, 0) "," ANN(2, 2)), NULL, "");
	ck_assert_str_eq(coco_text_rows(t), "0:1 2:1");
	/* not Roboflow's, but one more than declared and empty */
	expect_only(
		"1", file(IMAGE, CAT(0) "," CAT(1), ANN(1, 1)), &rule_dummy_category,
		"category 0 'c0' has no annotation, and there is one category more than declared; audited without it");
	expect_only("2",
		    file(IMAGE,
			 "{\"id\":0,\"name\":\"x\",\"supercategory\":\"none\"},"
			 "{\"id\":1,\"name\":\"c\",\"supercategory\":\"x\"}",
			 ANN(1, 1)),
		    &rule_dummy_category,
		    "category 0 'x' has no annotation, and is the supercategory of the other one");
	/* of none, or not of all: no dummy */
	expect_only("3",
		    file(IMAGE,
			 "{\"id\":0,\"name\":\"x\",\"supercategory\":\"none\"},{\"id\":1,\"name\":\"c\","
			 "\"supercategory\":\"y\"},"
			 "{\"id\":2,\"name\":\"d\",\"supercategory\":\"x\"}",
			 ANN(1, 1) "," ANN(2, 2)),
		    NULL, "");
	/* an unused class that is declared is missing, not a dummy */
	expect_only("2", file(IMAGE, CAT(0) "," CAT(1), ANN(1, 1)), NULL, "");
}

TEST(duplicate_annotation_id)
{
	expect_only("1", file(IMAGE, CAT(0), ANN(1, 0) "," ANN(2, 0) "," ANN(1, 0) "," ANN(1, 0)),
		    &rule_duplicate_annotation_id, "2 annotations repeat the id of an earlier one (first at");
	ck_assert_str_eq(coco_text_rows(t), "0:4");
	ck_assert_int_eq(t->finding.details.first_id, 1);
	expect_only("1", file(IMAGE "," IMAGE, CAT(0) "," CAT(0), ANN(1, 0)), &rule_duplicate_annotation_id,
		    "1 image repeats the id of an earlier one; 1 category repeats the id of an earlier one");
	/* a double cannot tell these apart */
	expect_only("1", file(IMAGE, CAT(0), ANN(9007199254740992, 0) "," ANN(9007199254740993, 0)), NULL, "");
	expect_only("1", file(IMAGE, CAT(0), ANN(9223372036854775807, 0) "," ANN(9223372036854775808, 0)), NULL, "");
}

TEST(duplicate_category_name)
{
	expect_only(
		"3",
		file(IMAGE, "{\"id\":0,\"name\":\"car\"},{\"id\":2,\"name\":\"car\"},{\"id\":1,\"name\":\"cart\"}", ""),
		&rule_duplicate_category_name, "1 category has the name of another: id 2 'car'");
	expect_only("2", file(IMAGE, "{\"id\":0,\"name\":\"\"},{\"id\":1,\"name\":\"\"}", ""), NULL, "");
}

TEST(category_names_differ)
{
	const char *pets = file(IMAGE, "{\"id\":1,\"name\":\"traffic light\"},{\"id\":2,\"name\":\"dog\"}", ANN(1, 2));
	static const char *const same[] = { "traffic light", "dog" }, *const swapped[] = { "dog", "traffic light" };
	static const char *const respelled[] = { "Traffic_Light", "dog" };

	for (int k = 0; k < 3; k++) {
		if (t)
			coco_text_free(t);
		t = coco_text_new("2");
		for (size_t i = 0; i < 2; i++)
			class_set_name(&t->settings.classes, i, k == 0 ? same[i] : k == 1 ? respelled[i] : swapped[i]);
		ck_assert(coco_text_measure(t, pets));
		ck_assert_int_eq(coco_text_check(t, &rule_category_names_differ), k > 0);
		if (k == 1)
			ck_assert_str_eq(
				t->finding.message.s,
				"1 category is named as its class but for case, blanks, hyphens or underscores: "
				"category 1 'traffic light', class 'Traffic_Light'");
	}
	ck_assert_str_eq(t->finding.message.s,
			 "2 categories have different names from their classes: category 1 'traffic light' "
			 "becomes class 0 'dog'");
}

TEST(categories_that_are_no_class)
{
	static const char *const classes[] = { "bird", "cat", "dog" };
	static const struct {
		const char *names[4], *message;
	} cases[] = {
		{ { "cow", "bird", "cat", "dog" },
		  "1 category is no class (1 'cow'); so category 1 'cow' becomes class 1 'cat'" },
		{ { "bird", "cat", "dog", "cow" },
		  "1 category is no class (4 'cow'); so category 1 'bird' becomes class 1 'cat'" },
		{ { "bird", "cat" }, "1 class has no category (2 'dog'); so category 1 'bird' becomes class 1 'cat'" },
		{ { "cow", "bird", "cat" },
		  "1 category is no class (1 'cow'); 1 class has no category (2 'dog'); so category 1 'cow' becomes "
		  "class 0 'bird'" },
		/* by their ids these are right */
		{ { "cat", "dog" }, "" },
		{ { "bird", "cat", "dig" },
		  "1 category has a different name from its class: category 3 'dig' becomes class 2 'dog'" },
		{ { "ape", "cow", "owl", "yak" },
		  "2 categories have different names from their classes: category 1 'ape' becomes class 1 'cat'" },
	};

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		char listed[512] = "";

		for (size_t i = 0; i < 4 && cases[k].names[i]; i++)
			snprintf(listed + strlen(listed), sizeof(listed) - strlen(listed),
				 "%s{\"id\":%zu,\"name\":\"%s\"}", i ? "," : "", i + 1, cases[k].names[i]);
		if (t)
			coco_text_free(t);
		t = coco_text_new("3");
		for (size_t i = 0; i < 3; i++)
			class_set_name(&t->settings.classes, i, classes[i]);
		ck_assert(coco_text_measure(t, file(IMAGE, listed, ANN(1, 1))));
		ck_assert_int_eq(coco_text_check(t, &rule_category_names_differ), cases[k].message[0] != '\0');
		ck_assert_str_eq(t->finding.message.s, cases[k].message);
		/* one story: the other rule tells of ids alone */
		if (strstr(cases[k].message, " no c") && cases[k].names[3])
			ck_assert(!coco_text_check(t, &rule_noncontiguous_categories));
	}
}

TEST(names_alike)
{
	expect_only("2", file(IMAGE, "{\"id\":0,\"name\":\"Dump Truck\"},{\"id\":1,\"name\":\"dump_truck \"}", ""),
		    &rule_duplicate_category_name,
		    "1 category has the name of another but for case, blanks, hyphens or underscores: id 1");
}

TEST(one_file_name_twice)
{
	expect_only(
		"1",
		file(IMAGE ",{\"id\":2,\"file_name\":\"b.jpg\"},{\"id\":3,\"file_name\":\"a.jpg\"}", CAT(0), ANN(1, 0)),
		&rule_duplicate_entry, "1 image has the file_name of an earlier one");
	expect(&rule_duplicate_entry, place_of("{\"id\":3"));
	/* no name is no name twice */
	expect_only("1", file(IMAGE ",{\"id\":2,\"file_name\":\"\"},{\"id\":3,\"file_name\":\"\"}", CAT(0), ANN(1, 0)),
		    NULL, "");
	expect_only("1", file(IMAGE ",{\"id\":2},{\"id\":3}", CAT(0), ANN(1, 0)), NULL, "");
}

TEST(all_crowds)
{
	static const char crowd[] = "{\"id\":1,\"image_id\":1,\"category_id\":0,\"iscrowd\":1}";
	char two[256];

	expect_only("1", file(IMAGE, CAT(0), crowd), &rule_no_annotations, "the one annotation has iscrowd: 1");
	snprintf(two, sizeof(two), "%s,%s", crowd, ANN(2, 0));
	expect_only("1", file(IMAGE, CAT(0), two), NULL, "");
}

#define SHAPED(i, shape) \
	"{\"id\":" #i ",\"image_id\":1,\"category_id\":0,\"bbox\":[1,2,10,20],\"segmentation\":" shape "}"

TEST(missing_segmentation)
{
	static const char *const none[] = { ANN(2, 0), SHAPED(2, "[]"), SHAPED(2, "null") };
	char two[512];

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		snprintf(two, sizeof(two), "%s,%s", SHAPED(1, "[[1,2,11,2,11,22]]"), none[i]);
		expect_only("1", file(IMAGE, CAT(0), two), &rule_mixed_box_types,
			    "1 annotation has no segmentation (first at line 1, column ");
		/* of none but the box: nobody expects a shape */
		snprintf(two, sizeof(two), "%s,%s", ANN(1, 0), none[i]);
		expect_only("1", file(IMAGE, CAT(0), two), NULL, "");
	}
	snprintf(two, sizeof(two), "%s,%s", SHAPED(1, "[[1,2,11,2,11,22]]"),
		 SHAPED(2, "{\"size\":[50,100],\"counts\":[5000]}"));
	expect_only("1", file(IMAGE, CAT(0), two), NULL, "");
}

#define TWO_POINTS "{\"id\":0,\"name\":\"c0\",\"keypoints\":[\"a\",\"b\"]}"
#define POSE(i, points, visible) \
	"{\"id\":" #i ",\"image_id\":1,\"category_id\":0,\"keypoints\":" points ",\"num_keypoints\":" visible "}"

TEST(keypoints)
{
	static const struct {
		const char *annotation, *part;
		const struct rule *rule;
	} cases[] = {
		{ POSE(2, "[1,2,2,3,4,1]", "2"), "", NULL },
		{ POSE(2, "[0,0,0,0,0,0]", "0"), "", NULL },
		{ POSE(2, "[100.9,50.9,2,-0.9,-0.9,1]", "2"), "", NULL },
		{ POSE(2, "null", "null"), "", NULL },
		{ POSE(2, "[1,2,2]", "1"), "1 annotation has more or fewer keypoints", &rule_malformed_keypoints },
		{ POSE(2, "[]", "0"), "1 annotation has more or fewer keypoints", &rule_malformed_keypoints },
		{ POSE(2, "[1,2,2,3,4]", "2"), "not three finite numbers", &rule_malformed_keypoints },
		{ POSE(2, "[1,2,2,3,null,2]", "2"), "not three finite numbers", &rule_malformed_keypoints },
		{ POSE(2, "7", "2"), "not three finite numbers", &rule_malformed_keypoints },
		{ POSE(2, "[1,2,0.87,3,4,2]", "2"), "a visibility that is not 0, 1 or 2", &rule_malformed_keypoints },
		{ POSE(2, "[1,2,-1,3,4,2]", "1"), "a visibility that is not 0, 1 or 2", &rule_malformed_keypoints },
		{ POSE(2, "[1,2,3,3,4,2]", "2"), "a visibility that is not 0, 1 or 2", &rule_malformed_keypoints },
		{ POSE(2, "[1,2,2,3,4,2]", "0"), "a num_keypoints of 0 and labelled", &rule_malformed_keypoints },
		{ POSE(2, "[1,2,0,3,4,0]", "2"), "a num_keypoints of 0 and labelled", &rule_malformed_keypoints },
		{ POSE(2, "[1,2,2,3,4,0]", "2"), "a num_keypoints that is not", &rule_malformed_keypoints },
		{ POSE(2, "[101.5,2,2,3,4,2]", "2"), "1 annotation has a keypoint outside", &rule_box_outside_image },
		{ POSE(2, "[1,-1.5,2,3,4,2]", "2"), "1 annotation has a keypoint outside", &rule_box_outside_image },
		/* not labelled: its place means nothing */
		{ POSE(2, "[999,2,0,3,4,2]", "1"), "", NULL },
	};
	char two[512];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(two, sizeof(two), "%s,%s", POSE(1, "[1,2,2,3,4,2]", "2"), cases[i].annotation);
		expect_only("1", file(IMAGE, TWO_POINTS, two), cases[i].rule, cases[i].part);
		if (cases[i].rule == &rule_malformed_keypoints) /* CrowdPose's count is not 0 where some are labelled */
			ck_assert((t->finding.level == LEVEL_WARNING) ==
				  !strncmp(cases[i].part, "a num_keypoints that", 20));
	}
	/* categories that come last, or that name no keypoints: most of the annotations tell */
	snprintf(json, sizeof(json), "{\"images\":[%s],\"annotations\":[%s,%s,%s],\"categories\":[%s]}", IMAGE,
		 POSE(1, "[1,2,2]", "1"), POSE(2, "[1,2,2,3,4,2]", "2"), POSE(3, "[1,2,2,3,4,2]", "2"), CAT(0));
	expect_only("1", json, &rule_malformed_keypoints, "1 annotation has more or fewer keypoints");
	expect(&rule_malformed_keypoints, place_of("{\"id\":1,\"image_id\""));
	/* more numbers of keypoints than are kept apart */
	snprintf(json, sizeof(json), "{\"images\":[%s],\"annotations\":[%s,%s,%s,%s,%s],\"categories\":[%s]}", IMAGE,
		 POSE(1, "[]", "0"), POSE(2, "[1,2,2]", "1"), POSE(3, "[1,2,2,3,4,2,5,6,2]", "3"),
		 POSE(4, "[1,2,2,3,4,2,5,6,2,7,8,2]", "4"), POSE(5, "[1,2,2,3,4,2,5,6,2,7,8,2,9,9,2]", "5"),
		 TWO_POINTS);
	expect_only("1", json, &rule_malformed_keypoints, "5 annotations have more or fewer keypoints");
}

static const char *annotation(const char *rest)
{
	static char text[2048];

	snprintf(text, sizeof(text), "{\"id\":5,\"image_id\":1,\"category_id\":0,%s}", rest);
	return file(IMAGE, CAT(0), text);
}

TEST(malformed_annotation)
{
	static const struct {
		const char *rest, *says; /* NULL: nothing */
	} cases[] = {
		{ "\"bbox\":[0,0,5]", "1 box is not four finite numbers (first at line 1, column" },
		{ "\"bbox\":[0,0,5,5,5]", "1 box is not" },
		{ "\"bbox\":[0,0,5,\"5\"]", "1 box is not" },
		{ "\"bbox\":[[0,0,5,5]]", "1 box is not" },
		{ "\"bbox\":{\"x\":1}", "1 box is not" },
		{ "\"bbox\":[1e308,0,1e308,5]", "1 box is not" },
		{ "\"bbox\":[1e999,0,1,5]", "1 box is not" },
		{ "\"bbox\":[]", "1 box is not" },
		{ "\"area\":-1", "1 area is negative or not a finite number" },
		{ "\"area\":\"1\"", "1 area" },
		{ "\"area\":1e999", "1 area" },
		{ "\"area\":0", NULL },
		{ "\"area\":null", NULL },
		{ "\"segmentation\":[]", NULL },
		{ "\"segmentation\":[[1,2,3,4,5,6]]", NULL },
		{ "\"segmentation\":[[1,2,3,4,5,6],[1,2,3,4,5,6.5,7e0,8]]", NULL },
		{ "\"segmentation\":[[1,2,3,4,5]]", "1 annotation has a polygon with" },
		{ "\"segmentation\":[[1,2,3,4,5,6,7]]", "1 annotation has a polygon with" },
		{ "\"segmentation\":[[1,2,3,4]]", "1 annotation has a polygon with" },
		{ "\"segmentation\":[[1,2,3,4,5,6],[]]", "polygon" },
		{ "\"segmentation\":[1,2,3,4,5,6]", "polygon" },
		{ "\"segmentation\":[[1,2,3,4,5,\"6\"]]", "polygon" },
		{ "\"segmentation\":\"x\"", "polygon" },
		{ "\"segmentation\":null", NULL },
		{ "\"segmentation\":{\"counts\":[4000,1000],\"size\":[50,100]}", NULL },
		{ "\"segmentation\":{\"size\":[50,100],\"counts\":[0,5000]}", NULL },
		{ "\"segmentation\":{\"size\":[50,100],\"counts\":[0,4999]}",
		  "1 annotation has run lengths (RLE) that" },
		{ "\"segmentation\":{\"size\":[100,50],\"counts\":[5000]}",
		  "1 annotation has RLE whose size, [height, " },
		{ "\"segmentation\":{\"size\":[50,100],\"counts\":[5001,-1]}", "run lengths" },
		{ "\"segmentation\":{\"size\":[50,100]}", "run lengths" },
		{ "\"segmentation\":{\"counts\":[5000]}", "run lengths" },
		{ "\"segmentation\":{\"size\":[50,100],\"counts\":[18446744073709551615,5001]}", "run lengths" },
		/* pycocotools' encode of a 50 by 100 mask: 1, 4998, 1 */
		{ "\"segmentation\":{\"size\":[50,100],\"counts\":\"1Vl41\"}", NULL },
		{ "\"segmentation\":{\"size\":[50,100],\"counts\":\"1Vl4\"}", "run lengths" },
		{ "\"segmentation\":{\"size\":[50,100],\"counts\":\"~~~~\"}", "run lengths" },
		{ "\"segmentation\":{\"size\":[50,100],\"counts\":\"\"}", "run lengths" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_only("1", annotation(cases[i].rest), cases[i].says ? &rule_malformed_annotation : NULL,
			    cases[i].says);

	static const char *const bad_ids[] = { "1.5", "15e-1", "-0", "null", "[]", "true", "18446744073709551616" };

	for (size_t i = 0; i < sizeof(bad_ids) / sizeof(bad_ids[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text), "{\"id\":%s,\"image_id\":1,\"category_id\":0}", bad_ids[i]);
		expect_only("1", file(IMAGE, CAT(0), text), &rule_malformed_annotation,
			    "1 element has an id that is no 64-bit integer");
		snprintf(text, sizeof(text), "{\"id\":1,\"image_id\":1,\"category_id\":%s}", bad_ids[i]);
		expect_only("1", file(IMAGE, CAT(0), text), &rule_malformed_annotation,
			    "1 element has an id that is no 64-bit integer");
	}
	expect_only("1", file(IMAGE, CAT(0), "{\"id\":1,\"image_id\":1},{\"id\":2,\"category_id\":0},7"),
		    &rule_malformed_annotation,
		    "1 list element is not an object; 2 annotations lack id, category_id or "
		    "image_id");
	expect_only(
		"1",
		file("{\"id\":1,\"width\":0,\"height\":5},{\"id\":2,\"width\":5.5,\"height\":5}", CAT(0), ANN(1, 0)),
		&rule_malformed_annotation, "2 images have a width or height that is not a positive integer");
}

TEST(boxes)
{
	expect_only("1", annotation("\"bbox\":[1,2,0,5]"), &rule_empty_box, "1 box has a width or height of 0");
	ck_assert_int_eq(t->finding.level, LEVEL_WARNING);
	expect_only("1", annotation("\"bbox\":[1,2,5,-1]"), &rule_empty_box,
		    "1 box has a width or height of less than 0");
	ck_assert_int_eq(t->finding.level, LEVEL_ERROR);
	expect_only("1", annotation("\"bbox\":[1,2,0.01,1e-3]"), NULL, "");
	/* a pixel is tolerated on each side, not more */
	expect_only("1", annotation("\"bbox\":[-1,-1,102,52]"), NULL, "");
	expect_only("1", annotation("\"bbox\":[-1.01,0,5,5]"), &rule_box_outside_image,
		    "1 box is partly outside the image (first at line 1, column 137); boxes by 1.01 pixels at most "
		    "(100.0 %)");
	expect_only("1", annotation("\"bbox\":[101,0,5,5]"), &rule_box_outside_image,
		    "1 box is wholly outside the image");
	ck_assert_int_eq(t->finding.level, LEVEL_ERROR);
	expect_only("1", annotation("\"bbox\":[0,-2,5,5]"), &rule_box_outside_image, "1 box");
	expect_only("1", annotation("\"bbox\":[90,0,11.1,5]"), &rule_box_outside_image, "1 box");
	expect_only("1", annotation("\"bbox\":[0,47,5,4.5]"), &rule_box_outside_image, "1 box");
	/* also where the images come last, and not where the size is unknown */
	expect_only(
		"1",
		"{\"annotations\":[{\"id\":5,\"image_id\":1,\"category_id\":0,\"bbox\":[0,0,500,5]}],\"images\":[" IMAGE
		"],\"categories\":[" CAT(0) "]}",
		&rule_box_outside_image, "1 box");
	expect_only("1", file("{\"id\":1}", CAT(0), "{\"id\":5,\"image_id\":1,\"category_id\":0,\"bbox\":[0,0,500,5]}"),
		    NULL, "");
}

#define BOX(i, box) "{\"id\":" #i ",\"image_id\":1,\"category_id\":0,\"bbox\":[" box "]}"

/* An annotation with a box, a shape and an area. */
#define WHOLE(i, box, shape, area)                                                                                     \
	"{\"id\":" #i ",\"image_id\":1,\"category_id\":0,\"bbox\":[" box "],\"segmentation\":" shape ",\"area\":" area \
	",\"iscrowd\":0}"

TEST(contradicting_annotation)
{
	static const struct {
		const char *annotation, *says; /* NULL: nothing */
	} cases[] = {
		{ WHOLE(1, "10,10,20,10", "[[10,10,30,10,30,20,10,20]]", "200"), NULL },
		{ WHOLE(1, "10,10,20,10", "[[60,10,80,10,80,20,60,20]]", "200"),
		  "1 annotation has a box and a shape with less than half in common (first at line 1, " },
		/* of several polygons together */
		{ WHOLE(1, "10,10,70,10", "[[60,10,80,10,80,20,60,20],[10,10,12,10,12,20]]", "210"), NULL },
		{ WHOLE(1, "10,10,20,10", "[[10,10,30,20,30,10,10,20]]", "100"),
		  "1 annotation has a polygon whose edges cross" },
		/* the first point again at the end, and points that touch an edge */
		{ WHOLE(1, "10,10,20,10", "[[10,10,30,10,30,20,10,20,10,10]]", "200"), NULL },
		{ WHOLE(1, "10,10,20,10", "[[10,10,30,10,30,20,20,10,10,20]]", "100"), NULL },
		{ WHOLE(1, "10,10,20,10", "[[0,0,0,0,0,0]]", "200"), "1 annotation has a shape that covers nothing" },
		{ WHOLE(1, "10,10,20,10", "[[10,10,30,10,30,20,10,20]]", "5000"),
		  "1 annotation has an area that is neither that of the box nor that of the shape" },
		{ WHOLE(1, "10,10,20,10", "[[10,10,30,10,30,20,10,20]]", "0"), "an area of 0" },
		/* RLE of columns 10 to 29, rows 10 to 19, of an image of 100 by 50; and inverted */
		{ WHOLE(1, "10,10,20,10", "{\"size\":[50,100],\"counts\":[510,10,40,10,4430]}", "20"),
		  "less than half" },
		{ WHOLE(1, "10,10,2,10", "{\"size\":[50,100],\"counts\":[510,10,40,10,4430]}", "20"), NULL },
		{ WHOLE(1, "10,10,2,10", "{\"size\":[50,100],\"counts\":[0,510,10,40,10,4430]}", "20"),
		  "less than half" },
		{ WHOLE(1, "10,10,2,10", "{\"size\":[50,100],\"counts\":[5000]}", "20"), "covers nothing" },
		/* before the size, the columns tell */
		{ WHOLE(1, "10,10,2,10", "{\"counts\":[510,10,40,10,4430],\"size\":[50,100]}", "20"), NULL },
		{ WHOLE(1, "10,10,2,10", "{\"counts\":[0,510,10,40,10,4430],\"size\":[50,100]}", "20"),
		  "less than half" },
		/* the area of a crowd is that of its objects */
		{ "{\"id\":1,\"image_id\":1,\"category_id\":0,\"bbox\":[10,10,20,10],\"area\":5000,\"iscrowd\":1}"
		  "," WHOLE(2, "10,10,20,10", "[]", "200"),
		  NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		measure("1", file(IMAGE, CAT(0), cases[i].annotation));
		ck_assert_msg(coco_text_check(t, &rule_contradicting_annotation) == (cases[i].says != NULL), "%s: %s",
			      json, t->finding.message.s);
		ck_assert_msg(!cases[i].says || strstr(t->finding.message.s, cases[i].says), "%s: %s", json,
			      t->finding.message.s);
		ck_assert(!cases[i].says || t->finding.level == LEVEL_WARNING);
	}
	/* without bbox trainers stop */
	static const char *const boxless[] = {
		ANN(1, 0) ",{\"id\":2,\"image_id\":1,\"category_id\":0,\"area\":9,\"iscrowd\":0}",
		"{\"id\":1,\"image_id\":1,\"category_id\":0,\"segmentation\":[[1,1,9,1,9,9]]}",
		"{\"id\":1,\"image_id\":1,\"category_id\":0,\"keypoints\":[2,3,2]}",
		"{\"id\":1,\"image_id\":1,\"category_id\":0,\"bbox\":null,\"area\":null,\"iscrowd\":0}",
		/* of whole images */
		ANN(1, 0) ",{\"id\":2,\"image_id\":1,\"category_id\":0}",
		"{\"id\":1,\"image_id\":1,\"category_id\":0}",
	};
	for (size_t i = 0; i < sizeof(boxless) / sizeof(boxless[0]); i++) {
		const size_t whole = i + 2 - sizeof(boxless) / sizeof(boxless[0]);

		measure("1", file(IMAGE, CAT(0), boxless[i]));
		ck_assert(coco_text_check(t, &rule_incomplete_annotation));
		ck_assert_msg(strstr(t->finding.message.s,
				     whole < 2 ? "1 annotation has no more than ids" : "1 annotation has no bbox"),
			      "%s", t->finding.message.s);
		ck_assert_msg(t->finding.level == (whole == 0   ? LEVEL_WARNING
						   : whole == 1 ? LEVEL_INFO
								: LEVEL_ERROR),
			      "%s", json);
	}
	/* keypoints aside are for information */
	measure("1",
		file(IMAGE, CAT(0),
		     "{\"id\":1,\"image_id\":1,\"category_id\":0,\"bbox\":[50,10,20,10],\"keypoints\":[48,15,2]}"));
	ck_assert(!coco_text_check(t, &rule_contradicting_annotation));
	measure("1",
		file(IMAGE, CAT(0),
		     "{\"id\":1,\"image_id\":1,\"category_id\":0,\"bbox\":[50,10,20,10],\"keypoints\":[0.5,0.5,2]}"));
	ck_assert(coco_text_check(t, &rule_contradicting_annotation));
	ck_assert_str_eq(t->finding.message.s,
			 "1 annotation has all labelled keypoints outside the box (first at line 1, column 137)");
	ck_assert_int_eq(t->finding.level, LEVEL_INFO);
#define CENTRED(i, x) WHOLE(i, x ",15,20,10", "[[10,10,30,10,30,20,10,20]]", "200")
	measure("1", file(IMAGE, CAT(0), CENTRED(1, "20") "," CENTRED(2, "20.5") "," CENTRED(3, "19.5")));
	ck_assert(coco_text_check(t, &rule_contradicting_annotation));
	ck_assert_ptr_nonnull(strstr(t->finding.message.s, "most of these boxes fit as centre, width, height"));
}

TEST(incomplete_annotation)
{
	static const struct {
		const char *images, *annotation, *says; /* NULL: nothing */
	} cases[] = {
		{ IMAGE, ANN(1, 0), NULL },
		{ IMAGE, "{\"id\":1,\"image_id\":1,\"category_id\":0,\"bbox\":[1,2,3,4]}",
		  "1 annotation has no area; 1 annotation has no iscrowd (first at line 1, " },
		{ IMAGE,
		  "{\"id\":1,\"image_id\":1,\"category_id\":0,\"bbox\":[1,2,3,4],\"area\":12,\"iscrowd\":false,"
		  "\"keypoints\":[2,3,2]}",
		  "1 annotation has keypoints and no num_keypoints" },
		{ "{\"id\":1,\"file_name\":\"a.jpg\"}", ANN(1, 0), "1 image has no width and height" },
		{ "{\"id\":1,\"width\":100,\"height\":50}", ANN(1, 0), "1 image has no file_name" },
		{ "{\"id\":1,\"coco_url\":\"http://x\",\"width\":100,\"height\":50}", ANN(1, 0), NULL },
		/* LVIS has no iscrowd */
		{ "{\"id\":1,\"coco_url\":\"http://x\",\"width\":100,\"height\":50,\"neg_category_ids\":[]}",
		  "{\"id\":1,\"image_id\":1,\"category_id\":0,\"bbox\":[1,2,3,4],\"area\":12}", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		measure("1", file(cases[i].images, CAT(0), cases[i].annotation));
		ck_assert_msg(coco_text_check(t, &rule_incomplete_annotation) == (cases[i].says != NULL), "%s: %s",
			      json, t->finding.message.s);
		ck_assert_msg(!cases[i].says || strstr(t->finding.message.s, cases[i].says), "%s: %s", json,
			      t->finding.message.s);
	}
	/* names of keypoints are for information */
	for (int named = 0; named < 2; named++) {
		measure("1",
			file(IMAGE, named ? TWO_POINTS : CAT(0),
			     "{\"id\":1,\"image_id\":1,\"category_id\":0,\"bbox\":[1,2,3,4],\"area\":12,\"iscrowd\":0,"
			     "\"keypoints\":[2,3,2,0,0,0],\"num_keypoints\":1}"));
		ck_assert(coco_text_check(t, &rule_incomplete_annotation) == !named);
		ck_assert(named || (t->finding.level == LEVEL_INFO &&
				    strstr(t->finding.message.s, "1 category does not name the keypoints")));
	}
	/* captions have nothing else */
	measure("1", "{\"images\":[" IMAGE "],\"annotations\":[{\"id\":1,\"image_id\":1,\"caption\":\"x\"}]}");
	ck_assert(!coco_text_check(t, &rule_incomplete_annotation));
}

#define PUT(i, c, box) \
	"{\"id\":" #i ",\"image_id\":1,\"category_id\":" #c ",\"bbox\":[" box "],\"area\":200,\"iscrowd\":0}"

TEST(duplicate_boxes)
{
	char many[1 << 14];
	size_t n = 0;

	measure("2", file(IMAGE, CAT(0) "," CAT(1), PUT(1, 0, "1,2,40,20") "," PUT(2, 0, "1,2,40,20")));
	ck_assert(coco_text_check(t, &rule_duplicate_box));
	ck_assert_ptr_nonnull(strstr(t->finding.message.s, "1 box is equal to an earlier one of its image and class"));
	ck_assert_ptr_nonnull(strstr(t->finding.message.s, place_of("{\"id\":2")));
	ck_assert_int_eq(t->finding.level, LEVEL_WARNING);
	measure("2", file(IMAGE, CAT(0) "," CAT(1), PUT(1, 0, "1,2,40,20") "," PUT(2, 1, "1.5,2,40,20")));
	ck_assert(coco_text_check(t, &rule_duplicate_box));
	ck_assert_ptr_nonnull(
		strstr(t->finding.message.s, "1 box has more than 95 % in common with one of another class"));
	ck_assert_int_eq(t->finding.level, LEVEL_INFO);
	measure("2", file(IMAGE, CAT(0) "," CAT(1), PUT(1, 0, "1,2,40,20") "," PUT(2, 0, "3,2,40,20")));
	ck_assert(!coco_text_check(t, &rule_duplicate_box));
	/* one in a hundred is for information */
	for (int i = 0; i < 100; i++)
		n += (size_t)snprintf(many + n, sizeof(many) - n, PUT(% d, 0, "%d,2,%d,20") ",", i + 10, i / 2 * 2,
				      20 + 20 * (i % 2));
	snprintf(many + n, sizeof(many) - n, PUT(1, 1, "0.1,2,20,20"));
	measure("2", file(IMAGE, CAT(0) "," CAT(1), many));
	ck_assert(coco_text_check(t, &rule_duplicate_box));
	ck_assert_int_eq(t->finding.level, LEVEL_INFO);
}

TEST(sizes_of_boxes)
{
	char many[4096];

	measure("1", file(IMAGE, CAT(0), PUT(1, 0, "1,2,0.5,20")));
	ck_assert(coco_text_check(t, &rule_unusual_box_size));
	ck_assert_str_eq(t->finding.message.s, "1 of 1 boxes is at most one pixel wide or high");
	for (int whole = 5; whole <= 6; whole++) {
		size_t n = 0;

		for (int i = 0; i < 10; i++)
			n += (size_t)snprintf(many + n, sizeof(many) - n, "%s" PUT(% d, 0, "%d,0,%d,50"), i ? "," : "",
					      i, i < whole ? 0 : i, i < whole ? 100 : 20 + i);
		measure("1", file(IMAGE, CAT(0), many));
		ck_assert_int_eq(coco_text_check(t, &rule_unusual_box_size), whole == 6);
	}
}

TEST(images_without_annotations)
{
	static const struct {
		int with, without;
		enum level level; /* LEVEL_OFF: silent */
	} cases[] = { { 1, 2, LEVEL_OFF },  { 28, 3, LEVEL_OFF },    { 27, 3, LEVEL_INFO },
		      { 4, 3, LEVEL_INFO }, { 3, 3, LEVEL_WARNING }, { 1, 3, LEVEL_WARNING } };
	char images[4096], annotations[4096];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = 0, m = 0;

		for (int k = 0; k < cases[i].with + cases[i].without; k++)
			n += (size_t)snprintf(images + n, sizeof(images) - n, "%s{\"id\":%d}", k ? "," : "", k);
		for (int k = 0; k < cases[i].with; k++)
			m += (size_t)snprintf(annotations + m, sizeof(annotations) - m,
					      "%s{\"id\":%d,\"image_id\":%d,\"category_id\":0}", k ? "," : "", k, k);
		measure("1", file(images, CAT(0), annotations));
		ck_assert_int_eq(coco_text_check(t, &rule_no_annotations), cases[i].level != LEVEL_OFF);
		if (cases[i].level != LEVEL_OFF)
			ck_assert_int_eq(t->finding.level, cases[i].level);
	}
}

TEST(numbers_of_boxes)
{
	measure("1", file(IMAGE, CAT(0), BOX(1, "80,30,95,45") "," BOX(2, "1,1,9,9") "," BOX(3, "60,20,70,40")));
	ck_assert(coco_text_check(t, &rule_box_numbers));
	ck_assert_str_eq(t->finding.message.s,
			 "2 of 3 boxes extend beyond their images as left, top, width, height; as "
			 "left, top, right, bottom, all make sense");
	measure("1", file(IMAGE, CAT(0),
			  BOX(1, "0.8,0.3,0.1,0.4") "," BOX(2, "0.1,0.1,0.9,0.9") "," BOX(3, "0.6,0.2,0.1,0.1")));
	ck_assert(coco_text_check(t, &rule_box_numbers));
	ck_assert_str_eq(t->finding.message.s,
			 "all 3 boxes lie within one pixel: fractions of the image where pixels are expected");
	/* two are too few */
	measure("1", file(IMAGE, CAT(0), BOX(1, "80,30,95,45") "," BOX(2, "1,1,9,9")));
	ck_assert(!coco_text_check(t, &rule_box_numbers));
}

TEST(nonstandard_json)
{
	expect_only("1", annotation("\"x\":NaN"), &rule_nonstandard_json, "1 number is NaN or Infinity");
	expect_only("1", annotation("\"area\":1,\"area\":2"), &rule_nonstandard_json,
		    "1 key is repeated in the same object");
	expect_only("1",
		    "{\"images\":[" IMAGE
		    "],\"categories\":[" CAT(0) "],\"annotations\":[],\"annotations\":[" ANN(1, 0) "]}",
		    &rule_nonstandard_json, "1 key is repeated in the same object (first at line 1, column 139)");
	ck_assert_str_eq(coco_text_rows(t), "0:1");
	expect_only("1", "{\"images\":[" IMAGE "],\"categories\":[" CAT(0.0) "],\"annotations\":[" ANN(1, 0) "]}",
		    &rule_nonstandard_json, "1 id is written as 3.0, which readers of integers refuse");
	ck_assert_str_eq(coco_text_rows(t), "0:1");
	expect_only("1",
		    file("{\"id\":\"x1\",\"width\":9,\"height\":9}", CAT(0),
			 "{\"id\":\"a\",\"image_id\":\"x1\",\"category_id\":0,\"bbox\":null}"),
		    &rule_nonstandard_json, "3 ids are strings, of which loaders can make no tensors");
	ck_assert_str_eq(coco_text_rows(t), "0:1");
	expect_only("1", annotation("\"x\":\"\xff\""), &rule_nonstandard_json, "1 string is not well-formed Unicode");
	expect_only("1", annotation("\"x\":\"\\ud800\""), &rule_nonstandard_json,
		    "1 string is not well-formed Unicode");
	expect_only("1", "\xef\xbb\xbf{\"images\":[" IMAGE "],\"categories\":[" CAT(0) "],\"annotations\":[]}",
		    &rule_nonstandard_json, "1 byte order mark is at the beginning");
	ck_assert_int_eq(t->finding.level, LEVEL_ERROR); /* Python's json refuses it */

	char name[1100], category[1200];

	for (size_t n = COCO_NAME_MAX; n <= COCO_NAME_MAX + 1; n++) {
		memset(name, 'x', n);
		name[n] = '\0';
		snprintf(category, sizeof(category), "{\"id\":0,\"name\":\"%s\"}", name);
		expect_only("1", file(IMAGE, category, ""), n > COCO_NAME_MAX ? &rule_nonstandard_json : NULL,
			    "1 name is longer than 1024 bytes");
	}
}

/* Returns the message about two files with these categories; "" if there is none. */
static const char *compare(const char *train, const char *val)
{
	const char *const lists[] = { train, val }, *const paths[] = { "train.json", "val.json" };
	struct dataset_stats d;
	bool differ;

	if (t)
		coco_text_free(t);
	t = coco_text_new("3");
	dataset_init(&d);
	for (int i = 0; i < 2; i++) {
		ck_assert(coco_text_measure_at(t, paths[i], file(IMAGE, lists[i], ANN(1, 1))));
		struct batch_item *item = coco_text_item(t);

		dataset_add(&d, &t->settings, &item->sample, &item->stats, t->batch.ids + item->stats.ids_at, false);
	}
	finding_init(&t->finding, &rule_category_map_differs);
	differ = rule_check_dataset(&rule_category_map_differs, &t->settings, &d, &t->finding);
	dataset_release(&d);
	return differ ? t->finding.message.s : "";
}

TEST(category_map_differs)
{
	ck_assert_str_eq(compare(CAT(1) "," CAT(2) "," CAT(3), CAT(1) "," CAT(2) "," CAT(3)), "");
	ck_assert_str_eq(compare(CAT(1) "," CAT(2), CAT(1)), "val lacks categories of train: 'c2'");
	ck_assert_int_eq(t->finding.level, LEVEL_WARNING);
	ck_assert_str_eq(compare("{\"id\":1,\"name\":\"c 2\"}", "{\"id\":1,\"name\":\"C_2\"}"), "");
	ck_assert_str_eq(compare("{\"id\":1,\"name\":\"cat\"}", "{\"id\":1,\"name\":\"dog\"}"),
			 "1 category id has several names: 1 is 'cat' in train.json and 'dog' in val.json");
	ck_assert_int_eq(t->finding.level, LEVEL_WARNING);
	ck_assert_str_eq(compare(CAT(1) "," CAT(2), "{\"id\":1,\"name\":\"c2\"},{\"id\":2,\"name\":\"c1\"}"),
			 "2 category names have several ids: 'c1' is 1 in train.json and 2 in val.json");
	ck_assert_int_eq(t->finding.level, LEVEL_ERROR);
}

TEST(unsafe_image_name)
{
	static const struct {
		const char *name, *says;
	} cases[] = {
		{ "a/b/c.jpg", NULL },
		{ "..a/b../c..d/...jpg", NULL },
		{ "http://x/y.jpg", NULL },
		{ "../a.jpg", "1 file name leads out of" },
		{ "a/../../b.jpg", "1 file name leads out of" },
		{ "a\\\\..\\\\b.jpg", "1 file name leads out of" },
		{ "..", "1 file name leads out of" },
		{ "/dev/zero", "1 file name is absolute" },
		{ "C:\\\\a.jpg", "1 file name is absolute" },
		{ "a\\u0000b.jpg", "1 file name has control bytes" },
		{ "a\\nb.jpg", "1 file name has control bytes" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char image[128];

		snprintf(image, sizeof(image), "{\"id\":1,\"file_name\":\"%s\"}", cases[i].name);
		expect_only("1", file(image, CAT(0), ""), cases[i].says ? &rule_unsafe_image_name : NULL,
			    cases[i].says);
	}
}

TEST(category_without_name)
{
	static const char *const categories[] = { "{\"id\":0}", "{\"id\":0,\"name\":null}", "{\"id\":0,\"name\":3}" };

	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
		expect_only("1", file(IMAGE, categories[i], ANN(1, 0)), &rule_incomplete_annotation,
			    "1 category has no name");
}

TEST(no_annotations)
{
	expect_only("1", "{\"images\":[" IMAGE "],\"categories\":[" CAT(0) "]}", &rule_no_annotations,
		    "the file lists no annotations");
	expect_only("1", "{\"images\":[" IMAGE "],\"annotations\":[{\"id\":1,\"image_id\":1,\"caption\":\"a dog\"}]}",
		    &rule_no_annotations, "the file lists no categories");
	measure("1", "{\"annotations\":[" ANN(1, 0) "],\"categories\":[" CAT(0) "]}");
	ck_assert(coco_text_check(t, &rule_no_annotations));
	ck_assert_int_eq(t->finding.level, LEVEL_ERROR);
	ck_assert_str_eq(t->finding.message.s, "the file lists no images, but 1 annotation of them");
	expect_only("1", file("", CAT(0), ""), &rule_no_annotations, "the file lists no images");
}
