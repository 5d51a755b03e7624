/*
 * Reading COCO files: the same from memory and from a stream, and in whatever order the lists come; every cut and
 * damaged text; limits; which files are recognised; and the hostile files with their verdicts.
 *
 * The hostile files come from LABELAUDIT_SHARED (default ../shared); where it is absent this prints `skipped`.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "check_main.h"
#include "effort.h"
#include "random.h"
#include "read/coco.h"
#include "read/coco_images.h"
#include "read/coco_shapes.h"

static struct coco_file file;
static struct fault fault;

static bool read_input(struct input *in)
{
	coco_file_release(&file);
	fault_clear(&fault);
	return coco_read(&file, in, NULL, &fault);
}

static bool read_text(const char *text, size_t n)
{
	struct input in;
	bool ok;

	input_init(&in);
	input_from_memory(&in, text, n);
	ok = read_input(&in);
	input_release(&in);
	ck_assert_int_eq(ok, fault.kind == FAULT_NONE);
	return ok;
}

/* As a large file is read: from its descriptor, a buffer at a time. */
static bool read_streamed(const char *text, size_t n)
{
	char path[] = "/tmp/labelaudit-coco-XXXXXX";
	struct input in;
	bool ok;

	input_init(&in);
	in.fd = mkstemp(path);
	ck_assert_int_ge(in.fd, 0);
	unlink(path);
	ck_assert_int_eq(write(in.fd, text, n), (ssize_t)n);
	in.size = n;
	ck_assert(input_rewind(&in, &fault));
	ok = read_input(&in);
	input_release(&in);
	return ok;
}

/* Everything that was found, but for the places unless wanted. */
static void summarise(struct strbuf *out, bool places)
{
	const struct coco_facts *f = &file.facts;

	strbuf_clear(out);
	strbuf_addf(out, "%llu images, %llu annotations, %llu categories, panoptic %u\n", (unsigned long long)f->images,
		    (unsigned long long)f->annotations, (unsigned long long)f->categories, f->panoptic);
	for (size_t i = 0; i < COCO_TROUBLES; i++)
		if (f->trouble[i].count)
			strbuf_addf(out, "trouble %zu: %llu\n", i, (unsigned long long)f->trouble[i].count);
	for (size_t i = 0; places && i < COCO_TROUBLES; i++)
		strbuf_addf(out, "%lld %llu:%llu\n", (long long)f->trouble[i].id,
			    (unsigned long long)f->trouble[i].line, (unsigned long long)f->trouble[i].column);
	for (size_t i = 0; i < file.categories_count; i++) {
		const struct coco_category *c = &file.categories[i];
		const char *name = coco_category_name(&file, c);

		strbuf_addf(out, "category %lld '%.*s' %llu %d %d", (long long)c->id, (int)c->name_len,
			    name ? name : "", (unsigned long long)c->labels, c->listed, c->is_dummy);
		if (places)
			strbuf_addf(out, " %llu:%llu", (unsigned long long)c->line, (unsigned long long)c->column);
		strbuf_addch(out, '\n');
	}
}

static uint64_t random_state = 1;

static uint32_t below(uint32_t n)
{
	return random_below(&random_state, n);
}

/* Three lists with some of everything that can be wrong; order: which comes first, second, third. */
static void make_file(struct strbuf *out, const unsigned order[3], uint32_t annotations)
{
	struct strbuf lists[3] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };

	strbuf_adds(&lists[0], "\"images\": [");
	for (uint32_t i = 0; i < 200; i++)
		strbuf_addf(&lists[0], "%s{\"id\": %u, \"width\": %u, \"height\": 480, \"file_name\": \"%u.jpg\"}",
			    i ? ",\n" : "", i * 7 % 150, 300 + i, i);
	strbuf_adds(&lists[0], "]");
	strbuf_adds(&lists[1], "\"categories\": [");
	for (uint32_t i = 0; i < 30; i++)
		strbuf_addf(&lists[1], "%s{\"supercategory\": \"x\", \"id\": %u, \"name\": \"caf\\u00e9 %u\"}",
			    i ? "," : "", i * 3, i % 25);
	strbuf_adds(&lists[1], "]");
	strbuf_adds(&lists[2], "\"annotations\": [");
	for (uint32_t i = 0; i < annotations; i++) {
		strbuf_addf(&lists[2], "%s{\"segmentation\": [[", i ? ", " : "");
		for (uint32_t k = 0, n = 5 + below(40); k < n; k++)
			strbuf_addf(&lists[2], "%s%u.%02u", k ? ", " : "", below(640), below(100));
		strbuf_addf(&lists[2], "]], \"id\": %u, \"image_id\": %u, \"category_id\": %u, \"area\": %u, ",
			    below(60000), below(160), below(100), below(5000));
		strbuf_addf(&lists[2], "\"bbox\": [%u, %u.5, %u, %u.25]}\n", below(300), below(400), below(200),
			    below(90));
	}
	strbuf_adds(&lists[2], "]");
	strbuf_clear(out);
	strbuf_adds(out, "{\"info\": {\"year\": 2017}, ");
	for (size_t i = 0; i < 3; i++) {
		strbuf_add(out, lists[order[i]].s, lists[order[i]].len);
		strbuf_adds(out, i < 2 ? ",\n" : "}\n");
	}
	for (size_t i = 0; i < 3; i++)
		strbuf_release(&lists[i]);
}

static const unsigned orders[][3] = { { 0, 1, 2 }, { 1, 0, 2 }, { 0, 2, 1 }, { 2, 0, 1 }, { 2, 1, 0 }, { 1, 2, 0 } };

TEST(test_any_order_any_source)
{
	struct strbuf text = STRBUF_INIT, first = STRBUF_INIT, memory = STRBUF_INIT, stream = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		random_state = 77;
		make_file(&text, orders[i], 3000); /* three buffers long */
		ck_assert_uint_gt(text.len, 2 * JSON_BUFFER);
		ck_assert_msg(read_text(text.s, text.len), "%s", fault.text);
		summarise(i ? &memory : &first, false);
		if (i)
			ck_assert_str_eq(memory.s, first.s);
		summarise(&memory, true);
		ck_assert_msg(read_streamed(text.s, text.len), "%s", fault.text);
		summarise(&stream, true);
		ck_assert_str_eq(stream.s, memory.s);
	}
	/* of what was made: all of these must occur, or the test tests nothing */
	static const enum coco_trouble expected[] = { COCO_UNKNOWN_CATEGORY, COCO_UNKNOWN_IMAGE, COCO_SAME_ANNOTATION,
						      COCO_SAME_IMAGE,       COCO_SAME_NAME,     COCO_BAD_POLYGON,
						      COCO_BOX_OUTSIDE };

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		ck_assert_uint_gt(file.facts.trouble[expected[i]].count, 0);
	strbuf_release(&text);
	strbuf_release(&first);
	strbuf_release(&memory);
	strbuf_release(&stream);
}

/* Cut anywhere it is a truncated text; whatever a byte is changed to, it is read or refused. */
TEST(test_cut_and_damaged)
{
	struct strbuf text = STRBUF_INIT;
	const uint32_t tries = effort(6000, 20000);
	unsigned read = 0, refused = 0;

	make_file(&text, orders[3], 4);
	for (size_t n = text.len - 2; n > text.len - 900; n--) {
		ck_assert(!read_text(text.s, n));
		ck_assert_int_eq(fault.kind, FAULT_TRUNCATED);
		ck_assert_uint_eq(file.categories_count, 0);
	}
	for (uint32_t i = 0; i < tries; i++) {
		char *byte = &text.s[below((uint32_t)text.len)], before = *byte;

		*byte = i % 3 ? "[]{},:\"0-eN\\u. "[below(15)] : (char)below(256);
		*(read_text(text.s, text.len) ? &read : &refused) += 1;
		*byte = before;
	}
	ck_assert_uint_gt(read, tries / 20);
	ck_assert_uint_gt(refused, tries / 20);
	strbuf_release(&text);
}

TEST(test_not_coco)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "[]", "not COCO: expected an object with images, annotations and categories, found an array" },
		{ "null", "found null" },
		{ "{\"images\":{}}", "not COCO: expected a list after \"images\", found an object" },
		{ "{\"annotations\":3,\"images\":[]}", NULL }, /* skipped first, then read */
		{ "{\"images\":[],\"annotations\":3}", "expected a list after \"annotations\", found a number" },
		{ "{\"categories\":\"x\"}", "found a string" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert(!read_text(cases[i].text, strlen(cases[i].text)));
		ck_assert_int_eq(fault.kind, FAULT_LABELS);
		ck_assert_msg(!cases[i].says || strstr(fault.text, cases[i].says), "%s", fault.text);
	}
}

TEST(test_limits)
{
	struct strbuf text = STRBUF_INIT;
	struct coco_images images = { 0 };

	for (int over = 0; over < 2; over++) {
		strbuf_clear(&text);
		strbuf_adds(&text, "{\"images\":[{\"id\":1}],\"annotations\":[");
		for (int i = 0; i < COCO_CATEGORIES_MAX + over; i++)
			strbuf_addf(&text, "%s{\"image_id\":1,\"category_id\":%d}", i ? "," : "", i * 1000);
		strbuf_adds(&text, "]}");
		ck_assert_int_eq(read_text(text.s, text.len), !over);
		ck_assert_int_eq(fault.kind, over ? FAULT_LIMIT : FAULT_NONE);
	}
	ck_assert_msg(strstr(fault.text, "more than 65536 different category ids") != NULL, "%s", fault.text);
	strbuf_release(&text);

	for (uint64_t i = 0; i < 1000; i++) /* equal in their low 32 bits */
		ck_assert(coco_images_add(&images, (struct coco_id){ i << 32, COCO_ID_INTEGER }, 1, 2));
	ck_assert(!coco_images_add(&images, (struct coco_id){ 0, COCO_ID_INTEGER }, 9, 9));
	ck_assert(coco_images_add(&images, (struct coco_id){ 0, COCO_ID_LARGE }, 1, 2));
	ck_assert_uint_eq(coco_images_find(&images, (struct coco_id){ 0, COCO_ID_INTEGER })->width, 1);
	ck_assert_ptr_null(coco_images_find(&images, (struct coco_id){ 0, COCO_ID_TEXT }));
	coco_images_release(&images);
}

TEST(test_panoptic)
{
	static const char text[] =
		"{\"images\":[{\"id\":1,\"width\":20,\"height\":10}],\"categories\":[{\"id\":1,\"name\":\"a\"},"
		"{\"id\":9,\"name\":\"b\"}],\"annotations\":[{\"segments_info\":["
		"{\"id\":5,\"category_id\":9,\"area\":10,\"bbox\":[0,0,5,2]},"
		"{\"id\":6,\"category_id\":9,\"area\":1,\"bbox\":[0,0,5,22]},"
		"{\"id\":5,\"category_id\":2}],\"file_name\":\"x.png\",\"image_id\":1}]}";

	ck_assert(read_text(text, strlen(text)));
	ck_assert_uint_eq(file.facts.panoptic, 1);
	ck_assert_uint_eq(file.facts.annotations, 3);
	ck_assert_uint_eq(file.facts.trouble[COCO_BOX_OUTSIDE].count, 1);
	ck_assert_uint_eq(file.facts.trouble[COCO_UNKNOWN_CATEGORY].count, 1);
	ck_assert_uint_eq(file.facts.trouble[COCO_SAME_ANNOTATION].count, 0);
	ck_assert_uint_eq(file.categories[2].labels, 2);
}

/* Compressed runs as pycocotools writes them. */
TEST(test_runs)
{
	static const struct {
		const char *s;
		bool good;
		uint64_t sum;
	} cases[] = {
		{ "", true, 0 },
		{ "0", true, 0 },
		{ "5", true, 5 },
		{ "?", true, 15 },
		{ "`0", true, 16 },
		{ "@", false, 0 } /* -16 */,
		{ "1Vl41", true, 5000 },
		{ "P", false, 0 },
		{ "p0", false, 0 },
		{ "PPPPPPPPPPPP0", false, 0 },
		{ "\x7f", false, 0 },
		{ "/", false, 0 },
		{ "1234", true, 1 + 2 + 3 + 6 }, /* the fourth is a difference from the second */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct coco_runs runs = { .top = UINT64_MAX };
		bool good = coco_add_runs(cases[i].s, strlen(cases[i].s), 0, &runs);

		ck_assert_msg(good == cases[i].good && (!good || runs.sum == cases[i].sum), "%s: %d %llu", cases[i].s,
			      good, (unsigned long long)runs.sum);
	}
}

/* The place of a mask is that of its pixels, one by one. */
TEST(test_place_of_runs)
{
	uint64_t seed = 7;

	for (int round = 0; round < 3000; round++) {
		const size_t height = 1 + random_below(&seed, 6), width = 1 + random_below(&seed, 6);
		size_t left = width, right = 0, top = height, bottom = 0, at = 0;
		struct coco_shape shape;
		struct json_pull json;
		char text[512];
		size_t n = (size_t)snprintf(text, sizeof(text), "{\"size\":[%zu,%zu],\"counts\":[", height, width);

		for (unsigned k = 0; at < height * width; k++) {
			size_t run = random_below(&seed, 7);

			run = MIN(run, height * width - at);

			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%zu", k ? "," : "", run);
			for (; run; run--, at++) {
				left = k % 2 ? MIN(left, at / height) : left;
				right = k % 2 ? MAX(right, at / height + 1) : right;
				top = k % 2 ? MIN(top, at % height) : top;
				bottom = k % 2 ? MAX(bottom, at % height + 1) : bottom;
			}
		}
		n += (size_t)snprintf(text + n, sizeof(text) - n, "]}");
		json_open_memory(&json, text, n, 0);
		ck_assert(coco_read_segmentation(&json, &shape));
		ck_assert_msg(shape.measured && !shape.no_rows == (shape.shape.area > 0), "%s: %d %d %g", text,
			      shape.measured, shape.no_rows, shape.shape.area);
		if (shape.shape.area > 0)
			ck_assert_msg(shape.shape.left == (double)left && shape.shape.right == (double)right &&
					      shape.shape.top == (double)top && shape.shape.bottom == (double)bottom,
				      "%s", text);
		json_close(&json);
	}
}

TEST(test_looks_like)
{
	static const char *const yes[] = { "{\"images\":[",
					   " {\"info\":{\"a\":[1]},\"licenses\":[{}],\"categories\": [ {",
					   "{\"annotations\":[]}", "\xef\xbb\xbf{\"images\":[" },
				 *const no[] = { "",
						 "{",
						 "[",
						 "{}",
						 "{\"images\"",
						 "{\"images\":{",
						 "{\"a\":{\"images\":[]}}",
						 "{\"version\":\"5.0\",\"shapes\":[{\"images\":[]}]}",
						 "{\"categories\":{\"label\":",
						 "images: [",
						 "{\"names\":[],\"annotations\":\"x\"" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		ck_assert_msg(coco_looks_like((const uint8_t *)yes[i], strlen(yes[i])), "%s", yes[i]);
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		ck_assert_msg(!coco_looks_like((const uint8_t *)no[i], strlen(no[i])), "%s", no[i]);
}

/* A row of truth.csv: whether it is read as it says; finding: some trouble, or lists that are empty. */
static bool agrees(const char *path, const char *verdict)
{
	struct input in;
	bool read, trouble = false;

	input_init(&in);
	fault_clear(&fault);
	ck_assert_msg(input_open(&in, AT_FDCWD, path, &fault), "%s: %s", path, fault.text);
	read = read_input(&in);
	input_release(&in);
	for (size_t i = 0; i < COCO_TROUBLES; i++)
		/* the truth is about what a reader can take; these files name all of their images alike */
		trouble = trouble || (i != COCO_SAME_FILE && file.facts.trouble[i].count);
	trouble = trouble || !file.facts.images;
	if (!strcmp(verdict, "valid"))
		return read && !trouble;
	if (!strcmp(verdict, "finding"))
		return read && trouble;
	return !read;
}

/* An id that comes twice is found, however it is held: with a mark, also in a table that grows, or among the others. */
TEST(test_annotation_ids)
{
	static const char *const ids[] = { "0",
					   "16383",
					   "16384",
					   "999999",
					   "268435455",
					   "268435456",
					   "-1",
					   "7",
					   "\"7\"",
					   "-9223372036854775808",
					   "18446744073709551615",
					   "\"a\"" };
	const size_t n = ARRAY_SIZE(ids);
	struct strbuf text = STRBUF_INIT;

	for (int large = 0; large < 2; large++) { /* a small file has fewer marks */
		strbuf_clear(&text);
		strbuf_adds(&text, "{\"images\":[{\"id\":1}],\"categories\":[{\"id\":1}],\"annotations\":[");
		for (size_t i = 0; i < 2 * n; i++)
			strbuf_addf(&text, "{\"id\":%s,\"image_id\":1,\"category_id\":1},",
				    ids[i < n ? i : 2 * n - 1 - i]);
		strbuf_adds(&text, "{\"id\":1,\"image_id\":1,\"category_id\":1}]");
		for (int i = 0; large && i < 1 << 20; i++)
			strbuf_adds(&text, "                                ");
		strbuf_adds(&text, "}");
		ck_assert_msg(read_text(text.s, text.len), "%s", fault.text);
		ck_assert_uint_eq(file.facts.annotations, 2 * n + 1);
		ck_assert_uint_eq(file.facts.trouble[COCO_SAME_ANNOTATION].count, n);
	}
	strbuf_release(&text);
}

/* A list of coordinates where a list of polygons is wanted has a trouble of its own, unless it is worse than that. */
TEST(test_flat_polygons)
{
	static const char text[] = "{\"images\":[{\"id\":1}],\"categories\":[{\"id\":1}],\"annotations\":["
				   "{\"id\":1,\"image_id\":1,\"category_id\":1,\"segmentation\":[1,2,3,4,5,6]},"
				   "{\"id\":2,\"image_id\":1,\"category_id\":1,\"segmentation\":[1,2,[1,2,3,4]]},"
				   "{\"id\":3,\"image_id\":1,\"category_id\":1,\"segmentation\":[1,2,\"3\"]},"
				   "{\"id\":4,\"image_id\":1,\"category_id\":1,\"segmentation\":[[1,2,3,4,5,6]]}]}";

	ck_assert(read_text(text, strlen(text)));
	ck_assert_uint_eq(file.facts.trouble[COCO_FLAT_POLYGON].count, 1);
	ck_assert_int_eq(file.facts.trouble[COCO_FLAT_POLYGON].id, 1);
	ck_assert_uint_eq(file.facts.trouble[COCO_BAD_POLYGON].count, 2);
}

/* Categories are sorted by id; the place is that of the first annotation in the file, in whatever order they come. */
TEST(test_first_of_several)
{
	static const char *const ids[][2] = { { "7", "9" }, { "9", "7" } };
	char text[1024];

	for (size_t i = 0; i < 2; i++) {
		int n = snprintf(
			text, sizeof(text),
			"{\"images\":[{\"id\":1}],\"annotations\":[\n{\"id\":1,\"image_id\":1,\"category_id\":%s},"
			"\n{\"id\":2,\"image_id\":1,\"category_id\":%s},\n{\"id\":3,\"image_id\":1,\"category_id\":%s}]"
			"}",
			ids[i][0], ids[i][1], ids[i][0]);

		ck_assert(read_text(text, (size_t)n));
		const struct coco_trouble_count *t = &file.facts.trouble[COCO_UNKNOWN_CATEGORY];

		ck_assert_uint_eq(t->count, 3);
		ck_assert_uint_eq(t->line, 2);
		ck_assert_uint_eq(t->column, 1);
		ck_assert_int_eq(t->id, atoi(ids[i][0]));
	}
}

TEST(test_hostile)
{
	const char *shared = getenv("LABELAUDIT_SHARED");
	char path[1024], line[1024];
	unsigned files = 0;

	snprintf(path, sizeof(path), "%s/hostile/generated/truth.csv", shared ? shared : "../shared");
	FILE *truth = fopen(path, "r");

	if (!truth) {
		printf("skipped: no hostile files\n");
		return;
	}
	while (fgets(line, sizeof(line), truth)) {
		char name[256], verdict[32];

		if (sscanf(line, "%255[^,],coco,%31[^,]", name, verdict) != 2)
			continue;
		snprintf(path, sizeof(path), "%s/hostile/generated/%s", shared ? shared : "../shared", name);
		ck_assert_msg(agrees(path, verdict), "%s: %s", name, verdict);
		files++;
	}
	fclose(truth);
	printf("hostile COCO files: %u, all as expected\n", files);
	ck_assert_uint_ge(files, 50);
}

TIMEOUT(120)
