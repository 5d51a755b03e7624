/* read/list.c: which column is taken, the faults of each row, and that streaming and the plain path change nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "input_maker.h"

#include "base/cpu.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "random.h"
#include "read/list.h"

static const char *const fault_names[LIST_FAULTS] = {
	[LIST_MISSING] = "missing",       [LIST_NOT_INTEGER] = "not-integer",
	[LIST_OVERFLOW] = "overflow",     [LIST_RAGGED] = "ragged",
	[LIST_UNKNOWN] = "unknown",       [LIST_NUL] = "nul",
	[LIST_FLOAT] = "float",           [LIST_QUOTE] = "quote",
	[LIST_NOT_UTF8] = "not-utf8",     [LIST_LONE_CR] = "cr",
	[LIST_DUPLICATE] = "duplicate",   [LIST_CONFLICT] = "conflict",
	[LIST_COMMENT] = "comment",       [LIST_BOX_NO_AREA] = "no-area",
	[LIST_BOX_INVERTED] = "inverted", [LIST_BOX_OUTSIDE] = "outside",
	[LIST_BOX_AWAY] = "away",         [LIST_BOX_NUMBER] = "box-number",
	[LIST_NOT_NAME] = "not-name",     [LIST_BLANKS] = "blanks",
};

struct listing {
	const char *classes; /* a count, or names with commas if it begins with a letter */
	const char *column;
};

static void make_classes(struct class_set *classes, const char *text)
{
	struct error err = ERROR_INIT;
	char copy[200], *name, *rest = copy;

	class_set_init(classes);
	snprintf(copy, sizeof(copy), "%s", text);
	if (text[0] >= '0' && text[0] <= '9') {
		ck_assert_int_eq(class_set_parse_classes(classes, text, &err), STATUS_OK);
	} else {
		for (size_t id = 0; (name = strsep(&rest, ",")); id++) {
			id_ranges_add(&classes->classes, (int64_t)id, (int64_t)id);
			class_set_name(classes, id, name);
		}
	}
	class_set_finish(classes);
}

/* " numbered a 0, b 1" */
static void say_numbers(const struct list *list, struct strbuf *out)
{
	struct list_names *names = name_table_by_number(&list->names);

	for (size_t i = 0; i < names->count; i++)
		strbuf_addf(out, "%s%s %zu", i ? ", " : " numbered ", names->at[i], i);
	free(names);
}

/* "column 2 of 3 (label):" and each row as "line:column id faults;". max rows at a time. */
static void describe(const char *bytes, size_t n, const struct listing *how, bool streamed, size_t max,
		     struct strbuf *out)
{
	struct class_set classes;
	struct list_options options = { .classes = &classes, .column = how->column };
	struct list_row rows[64];
	struct list list;
	struct input in;
	struct fault fault;

	make_classes(&classes, how->classes);
	fault_clear(&fault);
	make_input(&in, bytes, n, streamed);
	if (list_open(&list, &in, &options, &fault)) {
		const struct list_layout *layout = &list.layout;
		size_t count;

		strbuf_addf(out, "%u of %u", layout->label_column + 1, layout->columns);
		if (layout->header)
			strbuf_addf(out, " (%s)", layout->label_name);
		if (layout->path_column != NO_COLUMN)
			strbuf_addf(out, " path %u", layout->path_column + 1);
		strbuf_addf(out, "%s%s:", layout->names ? " names" : "", layout->boxes ? " boxes" : "");
		while ((count = list_read(&list, rows, max, &fault))) {
			for (size_t i = 0; i < count; i++) {
				strbuf_addf(out, " %" PRIu64 ":%u", rows[i].line, rows[i].column);
				if (rows[i].has_id)
					strbuf_addf(out, " %" PRId64, rows[i].id);
				for (unsigned k = 0; k < LIST_FAULTS; k++)
					if (rows[i].faults >> k & 1)
						strbuf_addf(out, " %s", fault_names[k]);
				strbuf_addch(out, ';');
			}
		}
		if (layout->unknown[0])
			strbuf_addf(out, " unknown %s nearest %s", layout->unknown, layout->nearest);
		if (layout->numbered)
			say_numbers(&list, out);
	}
	if (fault.kind != FAULT_NONE)
		strbuf_addf(out, "%s (%" PRIu64 ", %" PRIu64 ")", fault.text, fault.line, fault.column);
	list_close(&list);
	input_release(&in);
	class_set_release(&classes);
}

static void expect(const char *bytes, size_t n, const struct listing *how, const char *wanted)
{
	static const size_t sizes[] = { 64, 1, 3 };

	for (int streamed = 0; streamed < 2; streamed++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct strbuf got = STRBUF_INIT;

			describe(bytes, n, how, streamed, sizes[i], &got);
			ck_assert_str_eq(got.s, wanted);
			strbuf_release(&got);
		}
	}
}
#define EXPECT(text, classes, wanted) expect(text, sizeof(text) - 1, &(const struct listing){ classes, NULL }, wanted)
#define EXPECT_COLUMN(text, classes, column, wanted) \
	expect(text, sizeof(text) - 1, &(const struct listing){ classes, column }, wanted)

TEST(one_column)
{
	EXPECT("0\n2\n1\n", "3", "1 of 1: 1:1 0; 2:1 2; 3:1 1;");
	EXPECT("label\n0\n2\n", "3", "1 of 1 (label): 2:1 0; 3:1 2;");
	EXPECT("foo\n5\n\n-1", "3", "1 of 1 (foo): 2:1 5; 4:1 -1;");
	EXPECT("7\r\n8\r\n", "9", "1 of 1: 1:1 7; 2:1 8;");
	EXPECT("7\r8\r", "9", "1 of 1: 1:1 7 cr; 2:1 8 cr;");
	EXPECT("1\n2.0\n0.5\nx\n99999999999999999999\n3 \n4", "9",
	       "1 of 1: 1:1 1; 2:1 2 float; 3:1 not-integer; 4:1 not-integer; 5:1 overflow; 6:1 3; 7:1 4;");
	EXPECT("1\n9999999999999999999\n", "3", "1 of 1: 1:1 1; 2:1 overflow;");
	EXPECT("999999999999999999\n9223372036854775807\n0\n", "3",
	       "1 of 1: 1:1 999999999999999999; 2:1 9223372036854775807; 3:1 0;");
}

TEST(path_and_label)
{
	EXPECT("a.png 0\nb.png 2\n", "3", "2 of 2 path 1: 1:7 0; 2:7 2;");
	EXPECT("a.png,0\nb.png,2\n", "3", "2 of 2 path 1: 1:7 0; 2:7 2;");
	EXPECT("0\ta b.png\n2\tc.png\n", "3", "1 of 2 path 2: 1:1 0; 2:1 2;");
	EXPECT("file;label\na.png;1\n", "3", "2 of 2 (label) path 1: 2:7 1;");
	EXPECT("\"a,b.png\",1\n\"c\"\"d.png\",\"2\"\n", "3", "2 of 2 path 1: 1:11 1; 2:12 2;");
	EXPECT("path,label\n\"a\nb.png\",1\nc.png,2\n", "3", "2 of 2 (label) path 1: 3:8 1; 4:7 2;");
	EXPECT("\xef\xbb\xbf"
	       "file,label\na.png,1\n",
	       "3", "2 of 2 (label) path 1: 2:7 1;");
}

TEST(bad_rows)
{
	EXPECT("path,label\na.png\nb.png,1,2\nc.png,\nd.png,NaN\ne.png,2\n", "3",
	       "2 of 2 (label) path 1: 2:1 ragged; 3:7 1 ragged; 4:7 missing; 5:7 missing; 6:7 2;");
	EXPECT("path,label\na\0b.png,1\nc.png,2\n", "3", "2 of 2 (label) path 1: 2:1 nul; 3:7 2;");
	EXPECT("path,label\ncaf\xe9.png,1\ncaf\xc3\xa9.png,2\n", "3",
	       "2 of 2 (label) path 1: 2:10 1 not-utf8; 3:11 2;");
	EXPECT("path,label\na\"b.png,1\n", "3", "2 of 2 (label) path 1: 2:9 1 quote;");
}

TEST(line_that_counts_rows)
{
	EXPECT("2\na.png 0\nb.png 2\n", "3", "2 of 2 path 1: 2:7 0; 3:7 2;");
	EXPECT("2\r\na.png 0\r\nb.png 2\r\n", "3", "2 of 2 path 1: 2:7 0; 3:7 2;");
	EXPECT("2\n1 25 16 38 56\n5 6 7 90 80\n", "6", "1 of 5 boxes: 2:1 1; 3:1 5;");
	EXPECT("1\n25 16 38 56 dog\n", "dog,cat", "5 of 5 names boxes: 2:13 0;");
	EXPECT("3\na.png 0\nb.png 2\n", "3",
	       "2 of 2 path 1: 2:7 0; 3:7 2;the first line says 3 rows, but 2 follow (1, 1)");
	EXPECT("3\nfile label\na.png 0\nb.png 2\n", "3",
	       "2 of 2 (label) path 1: 3:7 0; 4:7 2;the first line says 3 rows, but 2 follow (1, 1)");
	EXPECT("2\n1\n0\n", "3", "1 of 1: 1:1 2; 2:1 1; 3:1 0;");
}

TEST(lines_of_json)
{
	EXPECT("{\"file_name\": \"a.png\", \"label\": 2}\n{\"file_name\": \"b.png\", \"label\": 0}\n", "3",
	       "2 of 2 (label) path 1: 1:33 2; 2:33 0;");
	/* other orders, keys that are missing, null, escapes, values that are objects */
	EXPECT("{\"label\":\"cat\",\"o\":{\"a\":[1,\"]}\"]},\"file_name\":\"a.png\"}\r\n\n{\"file_name\":\"b.png\","
	       "\"label\":\"d\\u006fg\",\"x\":1}\n{\"file_name\":\"c.png\"}\n{\"file_name\":\"d.png\",\"label\":null}",
	       "dog,cat", "1 of 3 (label) path 3 names: 1:11 1; 3:31 0; 4:1 missing; 5:30 missing;");
	EXPECT("{\"label\": 1}\n{\"label\": 1.0}\n{\"label\": true}\n", "2",
	       "1 of 1 (label): 1:11 1; 2:11 1 float; 3:11 not-integer;");
	EXPECT_COLUMN("{\"text\":\"a\",\"kind\":1}\n{\"text\":\"b\",\"kind\":0}\n", "2", "kind",
		      "2 of 2 (kind) path 1: 1:20 1; 2:20 0;");
}

TEST(lines_of_json_that_are_none)
{
	static const char *const texts[][2] = {
		{ "{\"id\":1,\"label\":1}\n{\"id\":2,\"label\":1\n",
		  "2 of 2 (label) path 1:the JSON text ends where ',' or '}' is expected (2, 18)" },
		{ "{\"id\":1,\"label\":1}\n{\"id\":2,\"label\":1,}\n",
		  "2 of 2 (label) path 1:not JSON: expected a key in quotes, found '}' (2, 19)" },
		{ "{\"id\":1,\"label\":1}\n{\"id\":2} 3\n",
		  "2 of 2 (label) path 1:not JSON: expected the end of the text, found '3' (2, 10)" },
		{ "{\"id\":1,\"label\":1}\n{\"id\":2}\n[2, 1]\n",
		  "2 of 2 (label) path 1:expected an object of JSON, as on the first line (3, 1)" },
		{ "{\"id\":1,\"label\":1}\n{\"id\":2,\"label\":01}\n",
		  "2 of 2 (label) path 1:not JSON: expected no digit after a leading 0, found '1' (2, 18)" },
		{ "{\"id\":1,\"label\":\"a\"}\n{\"id\":2,\"label\":\"\\x\"}\n",
		  "not JSON: expected one of \"\\/bfnrtu after a backslash, found 'x' (2, 19)" },
	};
	const struct listing how = { "2", NULL };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct strbuf got = STRBUF_INIT;

		describe(texts[i][0], strlen(texts[i][0]), &how, i % 2, 64, &got);
		ck_assert_str_eq(got.s, texts[i][1]);
		strbuf_release(&got);
	}
}

TEST(repeated_paths)
{
	EXPECT("a.png 0\nb.png 1\na.png 0\nb.png 2\na.png 0\n", "3",
	       "2 of 2 path 1: 1:7 0; 2:7 1; 3:7 0 duplicate; 4:7 2 conflict; 5:7 0 duplicate;");
	/* blanks in the names: the path is all up to the label */
	EXPECT("My Data/cat 1.jpg 0\nMy Data/cat 2.jpg 1\nMy Data/cat 1.jpg 0\nMy Data/cat 2.jpg 2\n", "3",
	       "4 of 4: 1:19 0; 2:19 1; 3:19 0; 4:19 2;");
	/* boxes: an image has many */
	EXPECT("image,xmin,ymin,xmax,ymax,class\na.png,1,2,3,4,1\na.png,5,6,7,8,2\na.png,1,2,3,4,1\n", "3",
	       "6 of 6 (class) path 1 boxes: 2:15 1; 3:15 2; 4:15 1;");
}

TEST(columns_of_a_header)
{
	EXPECT("PassengerId,Survived,Pclass\n1,0,3\n2,1,1\n", "2", "2 of 3 (Survived): 2:3 0; 3:3 1;");
	EXPECT("id,label_name,label,width\n1,cat,0,640\n2,dog,1,480\n", "3", "3 of 4 (label) path 1: 2:7 0; 3:7 1;");
	EXPECT("path,label,class_id\na.png,cat,0\nb.png,dog,1\n", "3", "3 of 3 (class_id) path 1: 2:11 0; 3:11 1;");
	EXPECT("Filename,Width,ClassId\na.ppm,29,0\nb.ppm,30,1\n", "3", "3 of 3 (ClassId) path 1: 2:10 0; 3:10 1;");
	EXPECT("image,age,kind\na.png,80,2\nb.png,75,0\n", "3", "3 of 3 (kind) path 1: 2:10 2; 3:10 0;");
	EXPECT("image,my_class_no,fold\na.png,2,0\nb.png,0,1\n", "3", "2 of 3 (my_class_no) path 1: 2:7 2; 3:7 0;");
	/* as many words as classes, age or not */
	EXPECT("lesion,image_id,finding,age\nA,x1,bkl,80\nB,x2,nv,75\nC,x3,nv,70\nD,x4,bkl,1\n", "2",
	       "which column holds the labels? 1 lesion (A, B, C); 2 image_id (x1, x2, x3); 3 finding (bkl, nv, nv); 4 "
	       "age (80, 75, 70) (1, 1)");
	EXPECT("x,y\n1,2\n3,1\n", "3", "which column holds the labels? 1 x (1, 3); 2 y (2, 1) (1, 1)");
}

TEST(columns_without_a_header)
{
	EXPECT("00000,53,54,16\n00001,42,45,1\n00002,48,52,38\n00003,27,29,33\n", "43",
	       "which column holds the labels? 1 (00000, 00001, 00002); 2 (53, 42, 48); 3 (54, 45, 52); 4 (16, 1, 38) "
	       "(1, 1)");
	EXPECT("1 3\n2 1\n3 1\n4 2\n5 0\n", "4", "2 of 2: 1:3 3; 2:3 1; 3:3 1; 4:3 2; 5:3 0;");
	EXPECT("1 a/b.jpg\n2 a/c.jpg\n3 b/d.jpg\n4 b/e.jpg\n", "3",
	       "which column holds the labels? 1 (1, 2, 3); 2 (a/b.jpg, a/c.jpg, b/d.jpg) (1, 1)");
	EXPECT("a/b.jpg\na/c.jpg\n", "3", "a list of file names without labels (1, 1)");
	EXPECT("path,label\n", "3", "a header without a row after it: no labels (1, 1)");
	EXPECT("\n\n", "3", "only blank lines: no labels (1, 1)");
}

/* VisDrone's boxes: left, top, width, height, whether it counts, the class, cut off, hidden. */
TEST(boxes_of_visdrone)
{
	EXPECT("684,8,273,116,0,0,0,0\n406,119,265,70,1,4,0,2\n255,22,119,128,1,11,1,1\n", "12",
	       "6 of 8 boxes: 1:17 0; 2:18 4; 3:18 11;");
	EXPECT("1,3,684,8,273,116,0,0,0,0\n1,4,406,119,265,70,1,4,0,2\n2,4,255,22,119,128,1,11,1,1\n", "12",
	       "8 of 10 boxes: 1:21 0; 2:22 4; 3:22 11;");
	EXPECT("1,3,684,8,273,116,1,1,0.5\n1,4,406,119,265,70,0,12,1\n2,4,255,22,119,128,1,1,0\n", "13",
	       "8 of 9 boxes: 1:21 1; 2:22 12; 3:22 1;"); /* MOT's */
	/* a seventh column of other numbers: a table */
	EXPECT("684,8,273,116,0,0,7,0\n406,119,265,70,1,4,0,2\n255,22,119,128,1,11,1,1\n", "12",
	       "which column holds the labels? 1 (684, 406, 255); 2 (8, 119, 22); 3 (273, 265, 119); 4 (116, 70, 128); "
	       "5 (0, 1, 1); 6 (0, 4, 11); and 2 more (1, 1)");
}

/* Several ids in one field, as in Kaggle's protein atlas. */
TEST(fields_of_several_ids)
{
	EXPECT("Id,Target\na,16 0\nb,7 1 2 0\nc,5\nd,1\ne,18\n", "28",
	       "2 of 2 (Target) path 1: 2:3 16; 2:6 0; 3:3 7; 3:5 1; 3:7 2; 3:9 0; 4:3 5; 5:3 1; 6:3 18;");
	EXPECT("image,label\na.jpg,3|4\nb.jpg,3\n", "9", "2 of 2 (label) path 1: 2:7 3; 2:9 4; 3:7 3;");
	EXPECT("image,label\na.jpg,red fox\nb.jpg,fox 2\n", "2",
	       "2 of 2 (label) path 1 names: 2:7 1; 3:7 0; numbered fox 2 0, red fox 1");
}

/* Lines that begin with # and are no rows. */
TEST(comments)
{
	EXPECT("# file label\na.png 1\n# more\nb.png 2\n", "3", "2 of 2 path 1: 2:7 1; 4:7 2;");
	EXPECT("# seed 3\nid,label\na.png,1\n#b.png,2\n", "3", "2 of 2 (label) path 1: 3:7 1; 4:8 2;");
	EXPECT("#id\tlabel\na.png\t1\n", "3", "2 of 2 (label) path 1: 2:7 1;");
	EXPECT("# y\n1\n2\n", "3", "1 of 1 (# y): 2:1 1; 3:1 2;");
	EXPECT("#1 0\n#2 1\n", "3", "2 of 2 path 1: 1:4 0; 2:4 1;");
}

TEST(a_column_that_is_given)
{
	EXPECT_COLUMN("a,b\n1,2\n", "3", "a", "1 of 2 (a): 2:1 1;");
	EXPECT_COLUMN("a,b\n1,2\n", "3", "2", "2 of 2 (b): 2:3 2;");
	EXPECT_COLUMN("1,2\n0,1\n", "3", "1", "1 of 2: 1:1 1; 2:1 0;");
	EXPECT_COLUMN("a,b\n1,2\n", "3", "c",
		      "--column c: the first row has no such column; it has 1 a (1); 2 b (2) (1, 1)");
	EXPECT_COLUMN("a,b\n1,2\n", "3", "3", "--column 3: the first row has 2 columns: 1 a (1); 2 b (2) (1, 1)");
	EXPECT_COLUMN("a,b\n1,2\n", "3", "0", "--column 0: the first row has 2 columns: 1 a (1); 2 b (2) (1, 1)");
}

TEST(class_names)
{
	EXPECT("a.png,cat\nb.png,dog\nc.png,cat\n", "cat,dog", "2 of 2 path 1 names: 1:7 0; 2:7 1; 3:7 0;");
	EXPECT("a.png,cat \nb.png, dog\nc.png,\"cat\" \nd.png,cat\r\n", "cat,dog",
	       "2 of 2 path 1 names: 1:7 0 blanks; 2:8 1 blanks; 3:7 0; 4:7 0;");
	EXPECT("a.png  cat \nb.png dog\n", "cat,dog", "2 of 2 path 1 names: 1:8 0; 2:7 1;");
	EXPECT("a.png,cat\nb.png,Dog\nc.png,dog\nd.png,\n", "cat,dog",
	       "2 of 2 path 1 names: 1:7 0; 2:7 unknown; 3:7 1; 4:7 missing; unknown Dog nearest dog");
	EXPECT("path,label\na.png,pig\nb.png,dog\nc.png,cat\n", "3",
	       "2 of 2 (label) path 1 names: 2:7 2; 3:7 1; 4:7 0; numbered cat 0, dog 1, pig 2");
	/* more than there are classes: ids beyond them, for out-of-range-id */
	EXPECT("path,label\na.png,b\nb.png,a\nc.png,c\n", "2",
	       "2 of 2 (label) path 1 names: 2:7 1; 3:7 0; 4:7 2; numbered a 0, b 1, c 2");
	/* ids, though names are known */
	EXPECT("path,label\na.png,1\nb.png,0\n", "cat,dog", "2 of 2 (label) path 1: 2:7 1; 3:7 0;");
}

TEST(too_many_names)
{
	struct strbuf text = STRBUF_INIT, got = STRBUF_INIT;

	strbuf_adds(&text, "label,file\n");
	for (int i = 0; i < 70; i++)
		strbuf_addf(&text, "word%d,x%d.png\n", i, i);
	describe(text.s, text.len, &(const struct listing){ "3", NULL }, false, 64, &got);
	ck_assert_str_eq(
		got.s, "column 1 holds more than 68 different words, for 3 classes: it does not name classes (69, 1)");
	strbuf_release(&text);
	strbuf_release(&got);
}

/* The same rows with quotation marks, which the plain path does not take. */
TEST(plain_rows_against_records)
{
	struct strbuf plain = STRBUF_INIT, quoted = STRBUF_INIT, a = STRBUF_INIT, b = STRBUF_INIT;
	uint64_t state = 11;

	for (int i = 0; i < 120000; i++) {
		int64_t id = (int64_t)(random_next64(&state) >> (1 + random_below(&state, 62)));

		strbuf_addf(&plain, i % 1000 == 7 ? " %" PRId64 " \n" : "%" PRId64 "\n", id);
		strbuf_addf(&quoted, "\"%" PRId64 "\"\n", id);
	}
	describe(plain.s, plain.len, &(const struct listing){ "3", NULL }, true, 64, &a);
	describe(quoted.s, quoted.len, &(const struct listing){ "3", NULL }, false, 64, &b);
	/* blanks before it moved the column */
	for (size_t i = 0; i + 2 < a.len; i++)
		if (a.s[i] == ':' && a.s[i + 1] == '2' && a.s[i + 2] == ' ')
			a.s[i + 1] = '1';
	ck_assert_str_eq(a.s, b.s);
	strbuf_release(&plain);
	strbuf_release(&quoted);
	strbuf_release(&a);
	strbuf_release(&b);
}

/* The ids of lists, and each row but those of classes and of ids that are ignored. */
struct lists_read {
	const struct class_set *classes;
	uint64_t ids, sum; /* how many, and of a hash of each */
	struct strbuf rows;
};

static void add_ids(void *self, const int64_t *ids, size_t n)
{
	struct lists_read *read = self;

	for (size_t i = 0; i < n; i++) {
		ck_assert_int_ne(class_set_role(read->classes, ids[i]), ID_INVALID);
		read->sum += hash_mix((uint64_t)ids[i]);
	}
	read->ids += n;
}

static void read_lists(const struct strbuf *text, bool streamed, bool by_row, const char *hidden,
		       struct lists_read *out)
{
	struct class_set classes;
	struct list_options options = { .classes = &classes, .ids = by_row ? NULL : add_ids, .context = out };
	struct error err = ERROR_INIT;
	struct list_row rows[7];
	struct fault fault;
	struct list list;
	struct input in;
	size_t count;

	*out = (struct lists_read){ .classes = &classes };
	strbuf_init(&out->rows);
	setenv("LABELAUDIT_DISABLE_CPU_FEATURES", hidden, 1);
	ck_assert_int_eq(cpu_init(&err), STATUS_OK);
	class_set_init(&classes);
	ck_assert_int_eq(class_set_parse_classes(&classes, "50000", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(&classes, "-100", &err), STATUS_OK);
	class_set_finish(&classes);
	fault_clear(&fault);
	make_input(&in, text->s, text->len, streamed);
	ck_assert_msg(list_open(&list, &in, &options, &fault), "%s", fault.text);
	while ((count = list_read(&list, rows, ARRAY_SIZE(rows), &fault)))
		for (size_t i = 0; i < count; i++) {
			if (rows[i].has_id)
				out->ids++, out->sum += hash_mix((uint64_t)rows[i].id);
			if (rows[i].faults || (rows[i].has_id && class_set_role(&classes, rows[i].id) == ID_INVALID))
				strbuf_addf(&out->rows, "%" PRIu64 ":%u %" PRId64 " %x %" PRIx64 "\n", rows[i].line,
					    rows[i].column, rows[i].id, rows[i].faults, rows[i].key);
		}
	ck_assert_int_eq(fault.kind, FAULT_NONE);
	list_close(&list);
	input_release(&in);
	class_set_release(&classes);
}

/*
 * Lists, and an array of ids, by blocks, by digits and item by item: the same ids, and the same offenders at the same
 * places.
 */
TEST(lists_by_blocks_and_by_items)
{
	enum { CSV, JSON, MORE_JSON, ARRAY, FORMS, COMMAS_IN_A_LINE = 4 };
	static const char *const odd[] = { "50000", "-1", "12345678", "123456789", "3.0", "1e3", "-123456789", "007" };
	static const char *const commas[] = { ",", ", ", ",  ", ",\t", ",\n", ",\n    " };
	uint64_t state = 5;

	for (int round = 0; round < 60; round++) {
		struct strbuf text = STRBUF_INIT;
		struct lists_read by_item, by_digits, by_blocks;
		const int form = round % FORMS;
		const bool json = form != CSV, streamed = round / FORMS % 2;

		strbuf_adds(&text, form == CSV ? "labels,name\n" : form == ARRAY ? "[7" : "");
		for (int row = 0; row < 40; row++) {
			const char *comma = commas[random_below(&state, round / 8 % 2   ? 1
									: form == ARRAY ? ARRAY_SIZE(commas)
											: COMMAS_IN_A_LINE)];
			const unsigned items = (unsigned)random_below(&state, 300),
				       digits = 1 + (unsigned)random_below(&state, 16);

			strbuf_adds(&text, form == CSV ? "\"[" : form == ARRAY ? "" : "{\"input_ids\": [");
			for (unsigned i = 0; i < items; i++) {
				const uint64_t id = random_next64(&state) >> (64 - digits);

				strbuf_adds(&text, i || form == ARRAY ? comma : "");
				if (random_below(&state, 200) == 0)
					strbuf_adds(&text, odd[random_below(&state, ARRAY_SIZE(odd) - json)]);
				else if (random_below(&state, 8) == 0)
					strbuf_adds(&text, "-100");
				else
					strbuf_addf(&text, "%" PRIu64, MIN(id, UINT64_C(49999)));
			}
			strbuf_adds(&text, form == CSV ? "]\",x\n" : form == ARRAY ? "" : "]}\n");
		}
		strbuf_adds(&text, form == ARRAY ? "]\n" : "");
		read_lists(&text, streamed, true, "", &by_item);
		read_lists(&text, streamed, false, "avx2", &by_digits);
		read_lists(&text, streamed, false, "", &by_blocks);
		ck_assert_uint_eq(by_digits.ids, by_item.ids);
		ck_assert_uint_eq(by_digits.sum, by_item.sum);
		ck_assert_str_eq(by_digits.rows.s, by_item.rows.s);
		ck_assert_uint_eq(by_blocks.ids, by_item.ids);
		ck_assert_uint_eq(by_blocks.sum, by_item.sum);
		ck_assert_str_eq(by_blocks.rows.s, by_item.rows.s);
		strbuf_release(&text);
		strbuf_release(&by_item.rows);
		strbuf_release(&by_digits.rows);
		strbuf_release(&by_blocks.rows);
	}
}

TEST(entries_in_bounded_memory)
{
	struct entry_table t;
	uint64_t state = 3;

	t = (struct entry_table){ 0 };
	for (uint64_t i = 0; i < ENTRY_TABLE_MAX; i++)
		ck_assert_int_eq(entry_table_add(&t, i * 0x9e3779b97f4a7c15u, i % 70000), ENTRY_NEW);
	ck_assert(!t.full);
	for (int i = 0; i < 100000; i++) {
		uint64_t k = random_below(&state, ENTRY_TABLE_MAX);

		ck_assert_int_eq(entry_table_add(&t, k * 0x9e3779b97f4a7c15u, k % 70000), ENTRY_SAME);
		ck_assert_int_eq(entry_table_add(&t, k * 0x9e3779b97f4a7c15u, k % 70000 < 65535 ? 65536 : 0),
				 ENTRY_OTHER);
	}
	ck_assert_int_eq(entry_table_add(&t, 12345, 0), ENTRY_NEW);
	ck_assert_int_eq(entry_table_add(&t, 12345, 0), ENTRY_NEW); /* was not kept */
	ck_assert(t.full);
	entry_table_clear(&t);
	ck_assert(!t.full && !t.count);
	ck_assert_int_eq(entry_table_add(&t, 0, 0), ENTRY_NEW);
	ck_assert_int_eq(entry_table_add(&t, 0, 0), ENTRY_SAME);
	entry_table_release(&t);
}

TIMEOUT(60)
