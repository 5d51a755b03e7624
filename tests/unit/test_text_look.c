/* read/text_look.c: what beginnings of texts are taken for. */
#include <string.h>

#include "check_main.h"

#include "base/mem.h"
#include "read/text_look.h"

static const char *const kinds[] = { "none", "yolo", "boxes", "list", "names", "pairs", "classes", "table" };

static struct text_look expect(const char *text, size_t n, enum text_kind wanted)
{
	struct text_look look;

	text_look(text, n, true, &look);
	ck_assert_msg(look.kind == wanted, "%s: %s, not %s", text, kinds[look.kind], kinds[wanted]);
	return look;
}
#define EXPECT(text, wanted) expect(text, sizeof(text) - 1, TEXT_IS_##wanted)

TEST(yolo)
{
	EXPECT("0 0.838292 0.700862 0.022073 0.029310\r\n", YOLO);
	EXPECT("\n\n12 .5 .5 1 1", YOLO);
	EXPECT("0 0.1 0.1 0.2 0.1 0.2 0.2\n1 0.5 0.5 0.1 0.1\n", YOLO);
	EXPECT("0 0.5 0.5 0.2 0.2\r1 0.5 0.5 0.2 0.2\r", YOLO);
	EXPECT("0 0.5 0.5 0.4 0.6 0.4 0.3 2 0.6 0.3 1\n", YOLO);
	/* wrong, but no other thing */
	EXPECT("0 0.5 0.5 0.2", YOLO);
	EXPECT("0.7 0.5 0.5 0.2 0.2", YOLO);
	EXPECT("person 0.5 0.5 0.2 0.2", YOLO);
	EXPECT("0 0,5 0,5 0,2 0,2", YOLO);
	EXPECT("0,0.5,0.5,0.2,0.2\n", YOLO);
	EXPECT("0 0x1p-1 0.5 0.2 0.2", YOLO);
	EXPECT("0 nan inf 0.2 0.2", YOLO);
	EXPECT("0 320.5 240.5 100.5 90.5 310.5 420.5\n", YOLO);
	EXPECT("\xef\xbb\xbf"
	       "0 0.5 0.5 0.2 0.2",
	       YOLO);
	EXPECT("0 0.5 0.5 0.2 0.2\n\0\0\0\n", YOLO);
	EXPECT("\xff\xfe"
	       "0\0 \0000\0.\0005\0 \0000\0.\0005\0 \0001\0 \0001\0",
	       YOLO);
	EXPECT("0.1 0.5 0.5 0.2 0.2 0.3 0.7 0.8\n", NONE); /* features */
}

TEST(lists)
{
	EXPECT("7\n2\n", LIST);
	EXPECT("-1", LIST);
	EXPECT("1 1\n2 1\n3 7\n4 7\n5 7\n", LIST);
	EXPECT("a/b.jpg 3\na/c.jpg 4\n", LIST);
	EXPECT("my picture.jpg,3\n", LIST);
	EXPECT("000001 -1\n000002 1\n", LIST);
	EXPECT("path,label\na.png,cat\n", LIST);
	EXPECT("image\tclass id\n", LIST);
	EXPECT("\xff\xfe"
	       "1\0\n\0002\0\n\0",
	       LIST);
	EXPECT("\"3\",\"Wall St., bears\",\"Reuters\"\n\"4\",\"Carlyle\",\"Reuters\"\n", LIST);
	EXPECT("red,green,blue,label\n9,8,7,pink\n9,9,9,grey\n8,7,8,pink\n", LIST);
	EXPECT("1 b/1.jpg\n1 b/2.jpg\n2 b/3.jpg\n", LIST);
	EXPECT("0\n1\n2\n3\n4\n4\n", LIST);
	ck_assert(EXPECT("7\n1\n2\n5\n", LIST).distinct);
	ck_assert(!EXPECT("7\n1\n2\n7\n", LIST).distinct);
	EXPECT("{\"text\": \"a\", \"label\": 3}\n{\"text\": \"b\", \"label\": 1}\n", LIST);
	EXPECT("{\"input_ids\": [1, 2], \"labels\": [3, -100]}\n{\"labels\": [1]}\n", LIST);
	EXPECT("{\"file_name\": \"a.jpg\"}\n{\"file_name\": \"b.jpg\"}\n", TABLE);
}

TEST(tables)
{
	EXPECT("3 0 1 2\n4 1 1 0\n", TABLE); /* which? */
	EXPECT("a.png,cat\nb.png,dog\n", LIST);
	EXPECT("a.png,a cat\nb.png,a dog\n", TABLE); /* captions */
	EXPECT("0 0.5\n1 0.4\n2 0.3\n3 0.2\n4 0.2\n", TABLE);
	EXPECT("id,label,label\n1,3,4\n2,3,4\n", TABLE);
	EXPECT("id,fine_label,coarse_label\n1,3,4\n2,3,4\n", TABLE);
	EXPECT("0,0,1,0,0,0,1,0", TABLE);
	EXPECT("#ID: 1:37 Class ids\nabyssinian_1 1 1 1\nbeagle_1 2 1 1\n", TABLE);
	EXPECT("5.1,3.5,a\n4.9,3.0,a\n4.7,3.2,a\n4.6,3.1,b\n", TABLE);
	EXPECT("/img/1TP.png /annot/1TP.png\n/img/2TP.png /annot/2TP.png\n", PAIRS);
	EXPECT("1 WALKING\n2 SITTING\n3 LAYING\n", CLASSES);
	EXPECT("ClassId,Name\n0,Limit (20km/h)\n1,Limit (30km/h)\n2,Stop\n", CLASSES);
	EXPECT("/a/airfield 0\n/a/alley 1\n/b/bar 2\n", CLASSES);
	EXPECT("name,r,g,b\nroad,0,0,0\nsky,9,9,9\n", CLASSES);
	EXPECT("class_name,class_color\nroad,0 0 0\nsky,9 9 9\n", CLASSES);
	EXPECT("image,label\na.jpg,0\nb.jpg,1\nc.jpg,2\n", LIST);
	EXPECT("1 cat\n2 dog\n3 cat\n", LIST);
}

TEST(others)
{
	EXPECT("", NONE);
	EXPECT("\n \n", NONE);
	EXPECT("cat\ndog\n", NONE);
	EXPECT("not a mask", NONE);
	EXPECT("imagesource:GoogleEarth\ngsd:0.1\n", NONE);
	EXPECT("# Chess Pieces > raw\n\nThis set was exported, on 1 May,\nby a tool.\nEnjoy\n", NONE);
	EXPECT("000001\n000005\n", NAMES);
	EXPECT("0\n1\n2\n3\n4\n5\n", NAMES);
	EXPECT("a.jpg\nb.jpg\n", NAMES);
}

/* A form is reported by its columns: wrong values, and a wrong row in two, hide no file. */
TEST(boxes)
{
	static const struct {
		const char *form, *text;
	} v[] = {
		{ "kitti", "Car 0.00 0 -1.58 587 173 614 200 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59\n" },
		{ "kitti", "Car 0.00 0 -1.58 614 173 587 200 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59\n" },
		{ "kitti", "Car 0.00 0 -1.58 nan 173 587 200 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59\nCar 0.00\n" },
		{ "dota", "imagesource:x\ngsd:0.1\n1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 ship 1\n" },
		{ "dota", "1 2 3 4 5 6 7 8 ship\n" },
		{ "visdrone", "684,8,273,116,0,0,0,0\n406,119,265,70,0,77,0,0\n" },
		{ "visdrone-video", "1,3,684,8,273,116,0,0,0,0\n1,4,406,119,265,70,0,4,1,2\n" },
		{ "mot", "1,3,684,8,273,116,1,1,0.5\n1,4,406,119,265,70,0,120,1\n" },
		{ "keras-yolo3", "a b/1.jpg 48,240,195,371,11 8,12,352,498,14\nb/2.jpg\n" },
		{ "keras-yolo3", "a b/1.jpg 48,240,195,371,cat 8,12,352,498,traffic_light\n" },
		{ "ava", "-5KQ66,0902,0.077,0.151,0.283,0.811,80,1\n-5KQ66,0903,0.07,0.15,0.28,0.81,80,1\n" },
		{ "keras-retinanet", "a/1.jpg,25,16,38,56,person\na/2.jpg,,,,,\n" },
		{ "keras-retinanet", "a/1.jpg,38,16,25,56,3,640,480\n" },
		{ "automl", "TRAIN,gs://b/1.jpg,cat,.1,.2,,,.3,.4,,\nTEST,gs://b/2.jpg,dog,.1,.2,,,.3,.4,,\n" },
		{ "gtsdb", "00000.ppm;774;411;815;446;11\n00001.ppm;983;388;1024;432;40\n" },
		{ "class-box", "person 25 16 38 56\ncar 38 16 25 56\n" },
		{ "class-box", "2\n3 25 16 38 56\n3 25 16 38 50\n" },
		{ "box-class", "25 16 38 56 person\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		const struct text_look look = expect(v[i].text, strlen(v[i].text), TEXT_IS_BOXES);

		ck_assert_msg(look.form == box_form_find(v[i].form), "%s: %s", v[i].text, look.form->name);
	}
	char names[] = BOX_FORM_NAMES, *rest = names;

	for (const char *name; (name = strsep(&rest, ","));)
		ck_assert_ptr_nonnull(box_form_find(name));
	EXPECT("25 16 38 56\n25 16 38 50\n", TABLE);
	EXPECT("3 25 16 38 56\n3 25 16 38 50\n", TABLE);
	EXPECT("1,-1,684.1,8,273,116,1,-1,-1,-1\n1,-1,684.1,8,273,116,1,-1,-1,-1\n", TABLE); /* a detector's */
}

/* A line that the end of the head cuts is not judged. */
TEST(a_head_that_is_cut)
{
	static const char text[] = "a.jpg 1\nb.jpg 2\nc.jp";
	struct text_look look;

	text_look(text, strlen(text), false, &look);
	ck_assert_int_eq(look.kind, TEXT_IS_LIST);
	text_look("7", 1, false, &look);
	ck_assert_int_eq(look.kind, TEXT_IS_LIST);
}

TEST(line_before_the_rows)
{
	ck_assert_uint_eq(EXPECT("2\na 1\nb 2\n", LIST).rows, 2);
	ck_assert_uint_eq(EXPECT("3\na 1\nb 2\n", LIST).rows, 3); /* the reader counts them */
	ck_assert(!EXPECT("2\n1\n2\n", LIST).counted);
}
