/* read/text_shape.c: what beginnings of texts are taken for. */
#include <string.h>

#include "check_main.h"

#include "base/mem.h"
#include "read/text_shape.h"

static const char *const looks[] = { "other", "yolo", "list", "table" };

static void expect(const char *text, size_t n, enum text_shape wanted)
{
	enum text_shape got = text_shape((const uint8_t *)text, n, true);

	ck_assert_msg(got == wanted, "%s: %s, not %s", text, looks[got], looks[wanted]);
}
#define EXPECT(text, wanted) expect(text, sizeof(text) - 1, wanted)

START_TEST(yolo)
{
	EXPECT("0 0.838292 0.700862 0.022073 0.029310\r\n", TEXT_YOLO);
	EXPECT("\n\n12 .5 .5 1 1", TEXT_YOLO);
	EXPECT("0 0.1 0.1 0.2 0.1 0.2 0.2\n1 0.5 0.5 0.1 0.1\n", TEXT_YOLO);
	EXPECT("0 0.5 0.5 0.2 0.2\r1 0.5 0.5 0.2 0.2\r", TEXT_YOLO);
	EXPECT("0 0.5 0.5 0.4 0.6 0.4 0.3 2 0.6 0.3 1\n", TEXT_YOLO);
	/* wrong, but no other thing */
	EXPECT("0 0.5 0.5 0.2", TEXT_YOLO);
	EXPECT("0.7 0.5 0.5 0.2 0.2", TEXT_YOLO);
	EXPECT("person 0.5 0.5 0.2 0.2", TEXT_YOLO);
	EXPECT("0 0,5 0,5 0,2 0,2", TEXT_YOLO);
	EXPECT("0 0x1p-1 0.5 0.2 0.2", TEXT_YOLO);
	EXPECT("0 nan inf 0.2 0.2", TEXT_YOLO);
	EXPECT("\xef\xbb\xbf"
	       "0 0.5 0.5 0.2 0.2",
	       TEXT_YOLO);
	EXPECT("0 0.5 0.5 0.2 0.2\n\0\0\0\n", TEXT_YOLO);
	EXPECT("\xff\xfe"
	       "0\0 \0000\0.\0005\0 \0000\0.\0005\0 \0001\0 \0001\0",
	       TEXT_YOLO);
}
END_TEST

START_TEST(lists)
{
	EXPECT("7\n2\n", TEXT_LIST);
	EXPECT("-1", TEXT_LIST);
	EXPECT("1 1\n2 1\n3 7\n", TEXT_LIST);
	EXPECT("a/b.jpg 3\na/c.jpg 4\n", TEXT_LIST);
	EXPECT("my picture.jpg,3\n", TEXT_LIST);
	EXPECT("000001 -1\n000002 1\n", TEXT_LIST);
	EXPECT("3 0 1 2\n4 1 1 0\n", TEXT_LIST);
	EXPECT("path,label\na.png,cat\n", TEXT_LIST);
	EXPECT("image\tclass id\n", TEXT_LIST);
	EXPECT("00000,53,54,6,5,48,49,16\n00001,42,45,5,5,36,40,1\n", TEXT_LIST);
	EXPECT("\xff\xfe"
	       "1\0\n\0002\0\n\0",
	       TEXT_LIST);
	EXPECT("imagesource:GoogleEarth\ngsd:0.1\n1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 ship 1\n", TEXT_LIST);
	EXPECT("1 2 3 4 5 6 7 8 ship\n", TEXT_LIST);
	EXPECT("a.jpg cat\nb.jpg dog\nc.jpg cat\n", TEXT_LIST);
	EXPECT("a.jpg cat\nb.jpg dog\nc.jpg emu\n", TEXT_TABLE); /* captions of one word, or more classes than lines */
	EXPECT("a.jpg a.xml\nb.jpg b.xml\na.jpg a.xml\n", TEXT_TABLE);
	/* logs of a training: the epoch, losses and shares */
	EXPECT("0 1.5 0.1\n1 1.4 0.2\n2 1.3 0.3\n3 1.2 0.3\n4 1.1 0.3\n5 1.1 0.3\n6 1.1 0.3\n7 1.1 0.3\n", TEXT_OTHER);
	EXPECT("0 1.5 0.1 2.5 0.2\n1 1.4 0.2 2.1 .3\n2 1.3 0.3 2 .3\n3 1.2 0.3 2 .3\n4 1.1 0.3 2 .3\n5 1 .3 2 .3\n"
	       "6 1 .3 2 .3\n7 1 .3 2 .3\n",
	       TEXT_TABLE);
	EXPECT("0 0.5\n1 0.4\n2 0.3\n3 0.2\n4 0.2\n5 0.2\n6 0.2\n7 0.2\n", TEXT_TABLE);
	/* eight boxes, each of a class of its own */
	EXPECT("0 .5 .5 .1 .1\n1 .5 .5 .1 .1\n2 .5 .5 .1 .1\n3 .5 .5 .1 .1\n4 .5 .5 .1 .1\n5 .5 .5 .1 .1\n"
	       "6 .5 .5 .1 .1\n7 .5 .5 .1 .1\n",
	       TEXT_YOLO);
	EXPECT("0.1 0.5 0.5 0.2 0.2 0.3 0.7 0.8\n", TEXT_OTHER);  /* features */
	EXPECT("imagesource:GoogleEarth\ngsd:0.1\n", TEXT_OTHER); /* of an image without objects */
	EXPECT("a.png,cat\nb.png,dog\n", TEXT_TABLE);
	EXPECT("a.png 0.95\nb.png 0.90\n", TEXT_TABLE);
	EXPECT("a.jpg 0.1 0.2 0.3 0.4\nb.jpg 0.1 0.2 0.3 0.4\n", TEXT_OTHER); /* scores of a picture, no boxes */
	EXPECT("not a mask", TEXT_OTHER);
	EXPECT("no mask", TEXT_OTHER);
	EXPECT("/img/0001TP.png /annot/0001TP.png\n/img/0002TP.png /annot/0002TP.png\n", TEXT_TABLE);
	/* the names of the classes, numbered */
	EXPECT("1 WALKING\n2 SITTING\n3 LAYING\n", TEXT_TABLE);
	/* indices, from 0 or 1; ids in another order, and few of them, may be labels */
	EXPECT("0\n1\n2\n3\n4\n5\n", TEXT_TABLE);
	EXPECT("1\n2\n3\n4\n5\n6\n", TEXT_TABLE);
	EXPECT("2\n3\n4\n5\n6\n7\n", TEXT_LIST);
	EXPECT("0\n1\n2\n3\n4\n", TEXT_LIST);
	EXPECT("0\n1\n2\n3\n4\n4\n", TEXT_LIST);
	/* a detector's boxes; the last column of labels may be -1, but not the one before it, too */
	EXPECT("1,-1,12.5,4,9,8,.97,-1,-1,-1\n1,-1,12.5,4,9,8,.97,-1,-1,-1\n", TEXT_TABLE);
	EXPECT("a.png,3,-1\na.png,2,-1\n", TEXT_LIST);
	EXPECT("a.png,9,8,-1,-1\na.png,9,8,-1,1\n", TEXT_LIST);
	/* flags of frames; a row of other numbers may end in a label, and so may several of flags */
	EXPECT("0,0,1,0,0,0,1,0", TEXT_TABLE);
	EXPECT("0,0,1,0\n", TEXT_LIST);
	EXPECT("7,0,1,4,0,2,1,3\n", TEXT_LIST);
	EXPECT("0,0,1,0,0,0,1,0\n1,0,1,0,0,0,1,0\n", TEXT_LIST);
	/* a class and a text, quoted */
	EXPECT("\"3\",\"Wall St., bears\",\"Reuters - Short-sellers, dwindling\"\n\"4\",\"Carlyle\",\"Reuters\"\n",
	       TEXT_LIST);
	EXPECT("\"a\",\"Wall St., bears\",\"Reuters - Short-sellers, dwindling\"\n\"b\",\"Carlyle\",\"Reuters\"\n",
	       TEXT_OTHER);
	/* the colours of the classes; a colour may be what a row is about */
	EXPECT("name,r,g,b\nroad,0,0,0\nsky,9,9,9\n", TEXT_TABLE);
	EXPECT("class_name,class_color\nroad,0 0 0\nsky,9 9 9\n", TEXT_TABLE);
	EXPECT("id,label,color\n0,road,red\n1,sky,blue\n", TEXT_TABLE);
	EXPECT("red,green,blue,label\n9,8,7,pink\n9,9,9,grey\n8,7,8,pink\n", TEXT_LIST);
	EXPECT("id,price,color,label\n1,9,red,cat\n2,8,blue,dog\n", TEXT_LIST);
	EXPECT("0,cat\n1,dog\n2,bird\n", TEXT_TABLE);
	EXPECT("1 cat\n2 dog\n3 cat\n", TEXT_LIST);
	/* an index of images; sentences without labels */
	EXPECT("1 b/1.jpg\n2 b/2.jpg\n3 b/3.jpg\n4 b/4.jpg\n5 b/5.jpg\n6 b/6.jpg\n7 b/7.jpg\n8 b/8.jpg\n", TEXT_TABLE);
	EXPECT("1 b/1.jpg\n1 b/2.jpg\n2 b/3.jpg\n", TEXT_LIST);
	EXPECT("index\tsentence\n0\tfine words\n1\tother words\n", TEXT_TABLE);
	EXPECT("index\tsentence\n0\t1\n1\t0\n", TEXT_LIST);
	/* MOT's boxes; with scores, as a detector writes them */
	EXPECT("1,3,684,8,273,116,1,1,0.5\n1,4,406,119,265,70,0,12,1\n", TEXT_LIST);
	EXPECT("1,-1,684.1,8,273,116,1,1,0.5\n1,-1,406.2,119,265,70,0,12,0.1\n", TEXT_TABLE);
	/* UCI's iris has no header */
	EXPECT("5.1,3.5,a\n4.9,3.0,a\n4.7,3.2,a\n4.6,3.1,b\n5.0,3.6,b\n5.1,3.5,a\n4.9,3.0,a\n4.7,3.2,b\n", TEXT_LIST);
	EXPECT("5.1,3.5,a\n4.9,3.0,b\n4.7,3.2,c\n4.6,3.1,d\n5.0,3.6,e\n5.1,3.5,f\n4.9,3.0,g\n4.7,3.2,h\n", TEXT_TABLE);
	EXPECT("1 cat\n3 dog\n4 bird\n", TEXT_LIST);
}
END_TEST

START_TEST(others)
{
	EXPECT("", TEXT_OTHER);
	EXPECT("\n \n", TEXT_OTHER);
	EXPECT("000001\n000005\n", TEXT_OTHER);
	EXPECT("cat\ndog\n", TEXT_OTHER);
	EXPECT("2007_000032\n2007_000039\n", TEXT_OTHER);
	EXPECT("Bell Pepper\nButter\nPeas and Carrots\nTomato\n", TEXT_OTHER);
	EXPECT("# Chess Pieces > raw\n\nThis set was exported, on 1 May,\nby a tool.\nEnjoy\n", TEXT_OTHER);
}
END_TEST

START_TEST(labels_by_words)
{
#define HAS(text) text_has_labels((const uint8_t *)(text), strlen(text), true)
	ck_assert(HAS("id,true_label_name\n1,cat\n"));
	ck_assert(!HAS("id,tif_label_path\na,b/a.tif\nc,b/c.tif\n"));
	ck_assert(!HAS("id,split\na,train\n"));
}
END_TEST

/* A line that the end of the head cuts is not judged. */
START_TEST(a_head_that_is_cut)
{
	static const char text[] = "a.jpg 1\nb.jpg 2\nc.jp";

	ck_assert_int_eq(text_shape((const uint8_t *)text, sizeof(text) - 1, false), TEXT_LIST);
	ck_assert_int_eq(text_shape((const uint8_t *)text, sizeof(text) - 1, true), TEXT_OTHER);
	ck_assert_int_eq(text_shape((const uint8_t *)"0 0.5 0.5 0.2 0.", 16, false), TEXT_YOLO);
}
END_TEST

static bool fives(const char *text)
{
	return text_is_boxes((const uint8_t *)text, strlen(text), true);
}

START_TEST(five_numbers)
{
	ck_assert(fives("1 320 240 64 48\n0 10 12 5 5\n"));
	ck_assert(fives("1,0.5,0.5,0.1,0.2\n"));
	ck_assert(fives("0, 0.5, 0.5, 0.1, 0.2"));
	ck_assert(!fives("1 320 240 64\n"));
	ck_assert(!fives("1 320 240 64 48\n1 2 3 4 5 6\n"));
	ck_assert(fives("1 .5 .5 .1 .1 7\n1 2 3 4 5 6\n"));
	ck_assert(fives("1 320 240 64 48 20 30 11 5\n"));
	ck_assert(!fives("1,2,3,4,5,6\n"));
	ck_assert(!fives("1 2 3 4 5 6 7\n"));
	ck_assert(!fives("cat 320 240 64 48\n"));
	ck_assert(!fives("1 320 240 64 48px\n"));
	ck_assert(!fives("1,,3,4,5\n"));
	ck_assert(!fives("\n"));
	/* the last line may be cut */
	ck_assert(text_is_boxes((const uint8_t *)"1 2 3 4 5\n1 2 3", 15, false));
	ck_assert(!text_is_boxes((const uint8_t *)"1 2 3 4 5\n1 2 3", 15, true));
}
END_TEST

START_TEST(notes)
{
	static const char *const yes[] = { "README.txt", "readme.md",    "classes.txt",
					   "LICENSE",    "_classes.csv", "label_class_dict.csv" };
	static const char *const no[] = { "0001.txt", "train.csv", "labels.txt", "reader.csv" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		ck_assert(is_name_of_notes(yes[i]));
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		ck_assert(!is_name_of_notes(no[i]));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("text_shape");
	TCase *t = tcase_create("looks");

	tcase_add_test(t, yolo);
	tcase_add_test(t, lists);
	tcase_add_test(t, others);
	tcase_add_test(t, labels_by_words);
	tcase_add_test(t, a_head_that_is_cut);
	tcase_add_test(t, five_numbers);
	tcase_add_test(t, notes);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
