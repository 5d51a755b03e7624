/* read/yolo.c: what each row is and what is wrong with it; the layout of folders; numbers against a slow reading. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "input_maker.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "random.h"
#include "read/yolo.h"
#include "read/yolo_layout.h"

static const char *const fault_names[BOX_FAULTS] = {
	[BOX_CLASS] = "class",
	[BOX_NEGATIVE] = "negative",
	[BOX_COLUMNS] = "columns",
	[BOX_CONFIDENCE] = "confidence",
	[BOX_SEPARATOR] = "separator",
	[BOX_DECIMAL] = "decimal",
	[BOX_NUMBER] = "number",
	[BOX_RANGE] = "range",
	[BOX_NO_AREA] = "no-area",
	[BOX_INVERTED] = "inverted",
	[BOX_OUTSIDE] = "outside",
	[BOX_AWAY] = "away",
	[BOX_DUPLICATE] = "duplicate",
	[BOX_FLOAT] = "float",
	[BOX_BOM] = "bom",
	[BOX_TASK] = "task",
	[BOX_VISIBILITY] = "visibility",
	[BOX_NAME] = "name",
	[BOX_LONE_CR] = "cr",
	[BOX_SLIGHT] = "slight",
	[BOX_CROSSING] = "crossing",
	[BOX_AWAY_POINTS] = "points-away",
	[BOX_ORIGIN] = "origin",
	[BOX_UNLABELLED] = "unlabelled",
};
static const char *const type_names[BOX_TYPES] = { "none", "box", "polygon", "oriented", "pose" };

static struct yolo_form form; /* of all rows that are read */

/* Each row as "line:column type id faults;" */
static void describe(const char *bytes, size_t n, bool streamed, size_t max, struct entry_table *seen,
		     struct strbuf *out)
{
	struct box_row rows[64];
	struct yolo y;
	struct input in;
	struct fault fault;
	size_t count;

	fault_clear(&fault);
	make_input(&in, bytes, n, streamed);
	if (yolo_open(&y, &in, &form, seen, &fault)) {
		while ((count = yolo_read(&y, rows, max, &fault))) {
			for (size_t i = 0; i < count; i++) {
				strbuf_addf(out, "%s%" PRIu64 ":%u %s", out->len ? " " : "", rows[i].line,
					    rows[i].column, type_names[rows[i].type]);
				if (rows[i].has_id)
					strbuf_addf(out, " %" PRId64, rows[i].id);
				for (unsigned k = 0; k < BOX_FAULTS; k++)
					if (rows[i].faults >> k & 1)
						strbuf_addf(out, " %s", fault_names[k]);
				strbuf_addch(out, ';');
			}
		}
	}
	if (fault.kind != FAULT_NONE)
		strbuf_addf(out, "%s (%" PRIu64 ", %" PRIu64 ")", fault.text, fault.line, fault.column);
	yolo_close(&y);
	input_release(&in);
}

static void expect(const char *bytes, size_t n, const char *wanted)
{
	static const size_t sizes[] = { 64, 1, 3 };
	struct entry_table seen;

	seen = (struct entry_table){ 0 };
	for (int streamed = 0; streamed < 2; streamed++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct strbuf got = STRBUF_INIT;

			describe(bytes, n, streamed, sizes[i], &seen, &got); /* the table is that of the file before */
			ck_assert_str_eq(got.s, wanted);
			strbuf_release(&got);
		}
	}
	entry_table_release(&seen);
}
#define EXPECT(text, wanted) expect(text, sizeof(text) - 1, wanted)

TEST(boxes)
{
	EXPECT("", "");
	EXPECT("\n \n", "");
	EXPECT("0 0.5 0.5 0.2 0.2\n1 0.25 0.25 0.1 0.1\n", "1:1 box 0; 2:1 box 1;");
	EXPECT("0 0.5 0.5 0.2 0.2\r\n\r\n2\t0.25  0.25 0.1 0.1 ", "1:1 box 0; 3:1 box 2;");
	EXPECT("+0 +.5 5e-1 .2 2e-1", "1:1 box 0;");
	EXPECT("0 -0.01 1.01 1.01 0.000001", "1:3 box 0 away;");
	EXPECT("0 0.5 0.5 0.2 1.0004\n1 -0.0000001 0.5 0 0.1", "1:15 box 0 slight; 2:18 box 1 no-area;");
	EXPECT("0 0.5 0.5 1.00000005 0.1\n0 0.5 0.5 1.00000007 0.1", "1:1 box 0; 2:11 box 0 slight;");
	EXPECT("0 0 0 1.0003 0 0.5 1", "1:7 polygon 0 slight;");
	EXPECT("0 -0.0100001 0.5 0.2 0.2", "1:3 box 0 range;");
	EXPECT("0 0.5 1.010001 0.2 0.2", "1:7 box 0 range;");
	EXPECT("0 1e309 0.5 0.2 0.2", "1:3 box 0 range;");
	EXPECT("0 0.5 0.5 0 0.2", "1:11 box 0 no-area;");
	EXPECT("0 0.9995 0.5 0.002 0.2", "1:1 box 0;");
	EXPECT("0 0.1 0.5 0.205 0.2", "1:3 box 0 outside;");
	EXPECT("0 0.9 0.5 0.1 0.1 0.9 0.5", "1:1 polygon 0;");
	EXPECT("0 1.005 0.5 0.006 0.2", "1:3 box 0 away;");
	EXPECT("0 0.5 0.5 0.2 -0.001", "1:15 box 0 inverted;");
	EXPECT("0 0.5 0.5 1e-30 0.2", "1:1 box 0;");
	EXPECT("0 320 240 50 60", "1:3 box 0 range;");
}

TEST(separators)
{
	EXPECT("0,0.5,0.5,0.2,0.2\n1; 0.5; 0.5; 0.2; 0.2", "1:2 box 0 separator; 2:2 box 1 separator;");
	EXPECT("0,0.5,1.5,0,0.2\n2,.5,.5,.2", "1:2 box 0 range no-area separator; 2:2 none 2 columns separator;");
	EXPECT("0,0.5,0.5,0.2,0.2\n0 0.5 0.5 0.2 0.2", "1:2 box 0 separator; 2:1 box 0 duplicate;");
	EXPECT("0 0,5 0,5 0,2 0,2\n1;0,5;0,5;1,5;0,2", "1:3 box 0 decimal; 2:2 box 1 range separator decimal;");
	EXPECT("0 0,5 x 0,2 0,2\n0 0,5 y 0,2 0,2", "1:3 box 0 number decimal; 2:3 box 0 number decimal;");
	EXPECT("0,x\n0,\n,0.5", "1:1 none class columns; 2:1 none class columns; 3:1 none class columns;");
}

TEST(columns)
{
	EXPECT("0", "1:1 none 0 columns;");
	EXPECT("0 0.5 0.5 0.2", "1:1 none 0 columns;");
	EXPECT("0 0.5 0.5 0.2 0.2 0.9", "1:1 none 0 confidence;");
	EXPECT("0 0.1 0.1 0.2 0.1 0.2 0.2", "1:1 polygon 0;");
	EXPECT("0 0.1 0.1 0.2 0.1 0.2 0.2 0.1 0.2", "1:1 oriented 0;");
	EXPECT("0 0.1 0.1 0.2 0.1 0.2 0.2 0.1 0.2 0.1 0.1", "1:1 polygon 0;");
	EXPECT("0 0.1 0.1 0.2 0.1 0.2 0.2 0.1 1.2 0.1 0.1", "1:31 polygon 0 range;");
	EXPECT("0 0.5 0.5 0.2 0.2 0.4 0.4 2", "1:1 pose 0;");
	EXPECT("0 0.5 0.5 0.2 0.2 0.4 0.4 0.3", "1:1 pose 0;");
	EXPECT("0 0.5 0.5 0.2 0.2 0.4 0.4 2.5", "1:27 pose 0 range;");
	/* two keypoints of three numbers: a polygon of 11 columns, but for the visibility of 2 */
	EXPECT("0 0.5 0.5 0.2 0.2 0.4 0.4 2 0.6 0.6 1", "1:1 pose 0;");
	EXPECT("0 0.5 0.5 0.2 0.2 0.4 1.4 2 0.6 0.6 1", "1:23 polygon 0 range;");
	EXPECT("0 0.5 0.5 0 0.2 0.4 0.4 2 0.6 0.6 1", "1:11 pose 0 no-area;");
	EXPECT("0 .1 .1 .2 .1 .2 .2 .1 .2 .3", "1:1 none 0 columns;");
}

TEST(tasks)
{
	static const char rows[] = "0 .5 .5 .2 .2\n1 .1 .1 .2 .1 .2 .2\n2 .1 .1 .2 .1 .2 .2 .1 .2\n"
				   "3 .5 .5 .2 .2 .4 .4 2\n4 .5 .5 .2 .2 .9\n";
	static const struct {
		enum yolo_task task;
		const char *wanted;
	} cases[] = {
		{ TASK_AUTO, "1:1 box 0; 2:1 polygon 1; 3:1 oriented 2; 4:1 pose 3; 5:1 none 4 confidence;" },
		{ TASK_DETECT, "1:1 box 0; 2:1 polygon 1; 3:1 oriented 2; 4:1 pose 3 task; 5:1 none 4 confidence;" },
		{ TASK_SEGMENT,
		  "1:1 box 0 task; 2:1 polygon 1; 3:1 oriented 2; 4:1 pose 3 task; 5:1 none 4 confidence;" },
		{ TASK_OBB,
		  "1:1 box 0 task; 2:1 polygon 1 task; 3:1 oriented 2; 4:1 pose 3 task; 5:1 none 4 confidence;" },
		{ TASK_POSE, "1:1 box 0 task; 2:1 pose 1; 3:1 pose 2; 4:1 pose 3; 5:1 none 4 confidence;" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		form = (struct yolo_form){ .task = cases[i].task };
		EXPECT(rows, cases[i].wanted);
	}
	form = (struct yolo_form){ 0 };
}

TEST(declared_poses)
{
	form = (struct yolo_form){ TASK_POSE, 2, 3 };
	EXPECT("0 .5 .5 .2 .2 .4 .4 2 .6 .6 1", "1:1 pose 0;");
	EXPECT("0 .5 .5 .2 .2 .4 .4 .87 .6 .6 1", "1:21 pose 0 visibility;");
	EXPECT("0 .5 .5 .2 .2 .4 .4 2 .6 .6 3", "1:29 pose 0 visibility;");
	EXPECT("0 .5 .5 .2 .2 .4 1.4 2 .6 .6 1", "1:18 pose 0 range;");
	EXPECT("0 .5 .5 .2 0 .4 .4 2 .6 .6 nan", "1:28 pose 0 number;");
	EXPECT("0 .5 .5 .2 .2", "1:1 box 0 task;");
	EXPECT("0 .5 .5 .2 .2 .4 .4 2", "1:1 pose 0 task;");
	form = (struct yolo_form){ TASK_POSE, 1, 2 };
	EXPECT("0 .5 .5 .2 .2 .4 .4", "1:1 pose 0;");
	EXPECT("0 .5 .5 .2 .2 .4 1.4", "1:18 pose 0 range;");
	EXPECT("0 .5 .5 .2 .2", "1:1 box 0 task;");
	form = (struct yolo_form){ 0 };
}

TEST(what_is_no_number)
{
	EXPECT("0 nan 0.5 0.2 0.2", "1:3 box 0 number;");
	EXPECT("0 0.5 -inf 0.2 0.2", "1:7 box 0 number;");
	EXPECT("0 0x1p-1 0.5 0.2 0.2", "1:3 box 0 number;");
	EXPECT("0 0.5_0 0.5 0.2 0.2", "1:3 box 0 number;");
	EXPECT("person 0.5 0.5 0.2 0.2", "1:1 box class;");
	EXPECT("0.7 0.5 0.5 0.2 0.2", "1:1 box class;");
	EXPECT("3.0 0.5 0.5 0.2 0.2", "1:1 box 3 float;");
	EXPECT("-1 0.5 0.5 0.2 0.2", "1:1 box -1 negative;");
	EXPECT("9223372036854775808 0.5 0.5 0.2 0.2", "1:1 box class;");
	EXPECT("\xef\xbc\x90 0.5 0.5 0.2 0.2", "1:1 box class;");
	EXPECT("\xff 0.5 0.5 0.2 0.2", "1:1 box class;");
	EXPECT("0 0.5 0.5 0.2 0.2\n\0\0\n", "1:1 box 0; 2:1 none class columns;");
	EXPECT("\xef\xbb\xbf"
	       "0 0.5 0.5 0.2 0.2\n1 0.5 0.5 0.2 0.2\n",
	       "1:1 box 0 bom; 2:1 box 1;");
	EXPECT("0 0.5 0.5 0.2 0.2\r1 0.5 0.5 0.2 0.2\r", "1:1 box 0 cr; 2:1 box 1 cr;");
	EXPECT("\xff\xfe"
	       "0\0 \0",
	       "the text is in UTF-16; label files must be UTF-8 (1, 1)");
}

TEST(duplicates)
{
	EXPECT("0 0.5 0.5 0.2 0.2\n0 0.50 5e-1 .2 0.2\n1 0.5 0.5 0.2 0.2\n0 0.5 0.5 0.2 0.2\n",
	       "1:1 box 0; 2:1 box 0 duplicate; 3:1 box 1; 4:1 box 0 duplicate;");
	EXPECT("0 0.5 0.5 0.2 0.2\n0 0.5 0.5 0.2 0.200001\n", "1:1 box 0; 2:1 box 0;");
	/* the same points, once more at the end */
	EXPECT("0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0 0 0 0\n", "1:3 polygon 0 no-area; 2:3 polygon 0 no-area;");
}

/* ---- against a slow reading ------------------------------------------------------------------------------------- */

/* Random rows through sscanf and doubles, whose verdict on columns, range and size must be the same. */
TEST(against_a_slow_reading)
{
	struct strbuf text = STRBUF_INIT, got = STRBUF_INIT, wanted = STRBUF_INIT;
	struct entry_table seen;
	uint64_t state = 77;

	seen = (struct entry_table){ 0 };
	for (unsigned line = 1; line <= 20000; line++) {
		unsigned id = random_below(&state, 100);
		unsigned values = random_below(&state, 2) ? 4 : 6 + 2 * random_below(&state, 8);
		double v[24], first_bad = 0;
		size_t bad_at = 0, slight_at = 0, start = text.len;
		bool bad_size = false;

		strbuf_addf(&text, "%u", id);
		for (unsigned i = 0; i < values; i++) {
			char number[32];

			snprintf(number, sizeof(number), random_below(&state, 4) ? "%.6f" : "%.3e",
				 random_next(&state) * 0x1p-32 * 1.001);
			if (!random_below(&state, 1024))
				snprintf(number, sizeof(number), "1.0100%u", random_below(&state, 3));
			if (!random_below(&state, 512))
				snprintf(number, sizeof(number), "0.000");
			v[i] = strtod(number, NULL);
			strbuf_addch(&text, ' ');
			if (v[i] > 1 + 0x1p-24 && !slight_at)
				slight_at = text.len - start + 1;
			if ((v[i] > 1.01 || v[i] < -0.01) && !bad_at)
				bad_at = text.len - start + 1, first_bad = v[i];
			if (values == 4 && i >= 2 && v[i] <= 0 && !bad_size) {
				bad_size = true;
				if (!bad_at)
					bad_at = text.len - start + 1;
			}
			strbuf_adds(&text, number);
		}
		double low[2], high[2];
		bool outside = false, away = false;

		for (unsigned axis = 0; axis < 2; axis++) {
			low[axis] = values == 4 ? v[axis] - v[2 + axis] / 2 : v[axis];
			high[axis] = values == 4 ? v[axis] + v[2 + axis] / 2 : v[axis];
			for (unsigned i = axis; values > 4 && i < values; i += 2) {
				low[axis] = fmin(low[axis], v[i]);
				high[axis] = fmax(high[axis], v[i]);
			}
			outside |= low[axis] < -0.001 - 1e-9 || high[axis] - 1 > 0.001 + 1e-9;
			away |= high[axis] <= 0 || low[axis] >= 1;
		}
		bool slight = false;

		/* of a polygon, the centre and the size of the box around it are judged */
		double most = 0;

		for (unsigned axis = 0; values > 4 && axis < 2; axis++)
			most = fmax(most, fmax((low[axis] + high[axis]) / 2, high[axis] - low[axis]));
		if (values > 4 && most <= 1.01) {
			bad_at = 0;
			first_bad = 0;
		}
		if (values > 4 && most <= 1 + 0x1p-24)
			slight_at = 0;
		outside &= !bad_size && first_bad <= 0;
		away &= outside;
		if (outside && !bad_at)
			bad_at = id < 10 ? 3 : 4;
		if (slight_at && !bad_at) {
			bad_at = slight_at;
			slight = true;
		}
		const bool crossing = values > 4 && values <= 2 * CROSSING_POINTS && first_bad <= 0 && !bad_size &&
				      !outside && polygon_crosses(v, values / 2);

		strbuf_addch(&text, '\n');
		strbuf_addf(&wanted, "%s%u:%zu %s %u%s%s%s%s;", line > 1 ? " " : "", line, bad_at ? bad_at : 1,
			    values == 4   ? "box"
			    : values == 8 ? "oriented"
					  : "polygon",
			    id, first_bad > 0 ? " range" : "", bad_size ? " no-area" : "", crossing ? " crossing" : "",
			    away      ? " away"
			    : outside ? " outside"
			    : slight  ? " slight"
				      : "");
	}
	describe(text.s, text.len, true, 64, &seen, &got);
	ck_assert_str_eq(got.s, wanted.s);
	entry_table_release(&seen);
	strbuf_release(&text);
	strbuf_release(&got);
	strbuf_release(&wanted);
}

/* ---- the layout ------------------------------------------------------------------------------------------------- */

static void make(const char *root, const char *name, bool folder)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (folder) {
		ck_assert_int_eq(mkdir(path, 0700), 0);
		return;
	}
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fclose(f);
}

static enum yolo_partner find(const char *root, const char *name, bool image)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return image ? yolo_find_label(NULL, path) : yolo_find_image(NULL, path, NULL);
}

TEST(layout)
{
	char root[] = "/tmp/test_yolo_layout.XXXXXX", command[100];
	static const char *const folders[] = {
		"labels", "labels/train", "labels/val", "images", "images/train", "plain"
	};
	static const char *const files[] = { "images/train/a.jpg", "images/train/b.c.webp", "labels/train/a.txt",
					     "plain/a.txt" };

	ck_assert_ptr_nonnull(mkdtemp(root));
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		make(root, folders[i], true);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		make(root, files[i], false);
	ck_assert_int_eq(find(root, "labels/train/a.txt", false), PARTNER_THERE);
	ck_assert_int_eq(find(root, "labels/train/b.c.txt", false), PARTNER_THERE);
	ck_assert_int_eq(find(root, "labels/train/x.txt", false), PARTNER_MISSING);
	ck_assert_int_eq(find(root, "labels/val/x.txt", false), PARTNER_UNKNOWN);
	ck_assert_int_eq(find(root, "plain/a.txt", false), PARTNER_UNKNOWN);
	ck_assert_int_eq(find(root, "images/train/a.jpg", true), PARTNER_THERE);
	ck_assert_int_eq(find(root, "images/train/b.c.webp", true), PARTNER_MISSING);
	ck_assert_int_eq(find(root, "images/test/b.jpg", true), PARTNER_UNKNOWN);
	ck_assert_int_eq(yolo_find_image(NULL, "labels/none.txt", NULL), PARTNER_UNKNOWN);
	ck_assert_int_eq(yolo_find_image(NULL, "labels.txt", NULL), PARTNER_UNKNOWN);
	snprintf(command, sizeof(command), "rm -r %s", root);
	ck_assert_int_eq(system(command), 0);
}

TIMEOUT(60)
