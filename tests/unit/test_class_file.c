/* Class files: each format as its tool writes it, what tells it from the others, and every refusal with its words. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "check_main.h"
#include "read/class_file.h"
#include "read/class_text.h"

static struct class_set *set;
static struct colour_table colours;
static struct error err;

static enum status read_bytes(const char *extension, const void *text, size_t n)
{
	char path[64] = "/tmp/labelaudit-classes-XXXXXX";
	int fd;

	class_set_release(set);
	colour_table_release(&colours);
	memset(&err, 0, sizeof(err));
	strcat(path, extension);
	fd = mkstemps(path, (int)strlen(extension));
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, n), (ssize_t)n);
	close(fd);
	enum status status = class_file_read(set, &colours, "classes", path, &err);

	class_set_finish(set);
	unlink(path);
	return status;
}

/* "0-2,7=a|b|c|h; ignored 255" */
static const char *summary(void)
{
	static char out[512];
	struct strbuf text = STRBUF_INIT;
	const struct id_ranges *r = &set->classes;

	id_ranges_format(r, &text);
	strbuf_addch(&text, '=');
	for (size_t i = 0; i < r->count; i++)
		for (int64_t id = r->v[i].first; id <= r->v[i].last && text.len < 400; id++) {
			const char *name = class_set_get_name(set, id);

			strbuf_addf(&text, "%s%s", i || id > r->v[i].first ? "|" : "", name ? name : "?");
		}
	if (set->ignored.count) {
		strbuf_adds(&text, "; ignored ");
		id_ranges_format(&set->ignored, &text);
	}
	snprintf(out, sizeof(out), "%s", text.s);
	strbuf_release(&text);
	return out;
}

static void accept_as(const char *extension, const char *text, const char *expected)
{
	enum status status = read_bytes(extension, text, strlen(text));

	ck_assert_msg(status == STATUS_OK, "%s: %s", text, err.text);
	ck_assert_str_eq(summary(), expected);
}

static void accept_text(const char *text, const char *expected)
{
	accept_as("", text, expected);
}

static void refuse_as(const char *extension, const char *text, const char *words)
{
	ck_assert_msg(read_bytes(extension, text, strlen(text)) == STATUS_FAILED, "%s: accepted", text);
	ck_assert_msg(strstr(err.text, words) != NULL, "'%s' does not say '%s'", err.text, words);
	ck_assert_msg(!strncmp(err.text, "--classes /tmp/labelaudit-classes-", 34), "%s", err.text);
}

static void refuse_text(const char *text, const char *words)
{
	refuse_as("", text, words);
}

static void setup(void)
{
	set = xcalloc(1, sizeof(*set));
}

static void teardown(void)
{
	colour_table_release(&colours);
	class_set_release(set);
	free(set);
}

/* Returns "0=#000000,2=#ff0000" of the text. */
static const char *colours_of(const char *text)
{
	static char out[256];
	struct strbuf b = STRBUF_INIT;

	ck_assert_msg(read_bytes("", text, strlen(text)) == STATUS_OK, "%s", err.text);
	colour_table_format(&colours, &b);
	snprintf(out, sizeof(out), "%s", b.s);
	strbuf_release(&b);
	return out;
}

TEST(colours_of_classes)
{
	ck_assert_str_eq(colours_of("# label:color_rgb:parts:actions\na:0,0,0::\nb:::\nc:255,0,1::\n"),
			 "0=#000000,2=#ff0001");
	ck_assert_str_eq(colours_of("name,r,g,b\na,0,0,0\nb, 1, 2, 3\n"), "0=#000000,1=#010203");
	ck_assert_str_eq(colours_of("id,Name,Red,Green,Blue\n7,a,9,8,7\n"), "7=#090807");
	ck_assert_str_eq(colours_of("b,name,g,r\n3,a,2,1\n"), "0=#010203");
	ck_assert_str_eq(colours_of("id,name\n0,a\n"), "");
	refuse_text("name,r,g,b\na,0,0,256\n", "line 2: '256' is no part of a colour (0 to 255)");
	refuse_text("name,r,g,b\na,0,0,\n", "line 2: '' is no part of a colour");
	refuse_text("a:1,2,3::\nb:1,2,4::\nc:1,2,3::\n", "line 3: 'c' has the colour #010203, which 'a' has already");
	refuse_text("a:1,2,255::\nb:1,2,256::\n", "line 2: expected name:r,g,b");
	refuse_text("id,name,r,g,b\n40000,a,0,0,0\n", "has an id of at most 32767");
}

TEST(names)
{
	accept_text("\xef\xbb\xbf"
		    "background\r\n traffic light \nbus\n\n\n",
		    "0-2=background|traffic light|bus");
	accept_text("a\nb", "0-1=a|b"); /* no newline at the end */
	accept_text("a:b\nc:d:e\n# f\n", "0-2=a:b|c:d:e|# f");
	accept_text("#a\nb\n", "0-1=#a|b");
	refuse_text("# classes\na\nb\n", "line 1: a comment, which trainers read as class 0");
	accept_text("12\n13\n", "0-1=12|13");
	accept_text("__ignore__\n_background_\ncat\n", "0-1=_background_|cat; ignored -1,255");
	accept_text("cat\n__ignore__\n", "0-1=cat|__ignore__");
	accept_text(" names: of things\n", "0=names: of things");
	refuse_text("a\n\nb\n", "line 2 is empty, but names follow");
	refuse_text("", "it has no class");
	refuse_text("\n \n", "it has no class");
	refuse_text("__ignore__\n", "it has no class");
	refuse_text("<annotation>\n", "this is XML or HTML");
	ck_assert_int_eq(read_bytes("", "a\0b", 3), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "this is not text"));
	ck_assert_int_eq(read_bytes("",
				    "\xff\xfe"
				    "a\0",
				    4),
			 STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "UTF-16"));
	char longest[1025];

	memset(longest, 'x', sizeof(longest));
	ck_assert_int_eq(read_bytes("", longest, 1024), STATUS_OK);
	ck_assert_int_eq(read_bytes("", longest, 1025), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "line 1 is longer than 1024 bytes"));
}

TEST(sizes)
{
	size_t n = (16 << 20) + 1;
	char *big = xmalloc(n);

	for (size_t i = 0; i < n; i++)
		big[i] = i % 2 ? '\n' : 'x';
	ck_assert_int_eq(read_bytes("", big, 65536 * 2), STATUS_OK);
	ck_assert_uint_eq(id_ranges_size(&set->classes), 65536);
	ck_assert_int_eq(read_bytes("", big, 65537 * 2), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "more than 65536 classes"));
	ck_assert_int_eq(read_bytes("", big, n), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "larger than 16 MiB"));
	memset(big, '[', n); /* nested as deep as it is long: no stack may overflow */
	ck_assert_int_eq(read_bytes("", big, n - 1), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "JSON nested deeper than 1024 levels"));
	memcpy(big, "names: ", 7);
	ck_assert_int_eq(read_bytes("", big, 1 << 20), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "line 1"));
	free(big);
}

TEST(yolo)
{
	accept_text("train: images/train\nnc: 2\nnames: ['cat', \"a dog\"]\n", "0-1=cat|a dog");
	accept_text("path: ../coco8 # root\nnames:\n  0: person\n  1: bicycle\n  2: car\n\n"
		    "download: |\n  names: x\n  nc: 7\n",
		    "0-2=person|bicycle|car");
	accept_text("names:\n- a\n- b\nroboflow:\n  license: CC\n  nc: 9\n", "0-1=a|b");
	accept_text("names: {1: b, 0: a}\n", "0-1=a|b");
	accept_text("nc: 3\n", "0-2=?|?|?");
	accept_as(".yaml", "# coco\nval: x\n\nnames: [a]\n", "0=a");
	accept_as(".yaml", "? [odd, key]\n: 1\nx: &a [1, 2]\ny: *a\nnames: [a]\n", "0=a");
	refuse_as(".yaml", "train: x\n", "neither names, nc nor classes");
	refuse_as(".yml", "- a\n- b\n", "line 1, column 1: expected keys, with names among them");
	refuse_as(".yaml", "", "expected keys");
	refuse_text("names: [a, b]\nnc: 3\n", "nc is 3, but there are 2 names");
	refuse_text("names:\n  0: a\n  2: c\n", "their ids must be 0-1; 1 is missing");
	refuse_text("names:\n  1: a\n  2: c\n", "their ids must be 0-1; 0 is missing");
	refuse_text("names:\n  0: a\n  0: b\n", "line 3, column 6: the id 0 occurs twice");
	refuse_text("names:\n  a: 0\n", "line 2, column 6: 'a' is not a class id");
	refuse_text("names:\n  -1: a\n", "line 2, column 7: '-1' is not a class id");
	refuse_text("names:\n- a\n- [b]\n", "line 3, column 3: expected the name of a class");

	refuse_text("names: [a]\nnames: [b]\n", "line 2, column 8: 'names' stands twice");
	refuse_text("names: ~\n", "line 1, column 8: expected a list of names");
	refuse_text("nc: many\n", "line 1, column 5: 'many' is not a class id");
	refuse_text("nc: 0\n", "it has no class");
	refuse_text("names: [a\nnc: 3\n", "this is not YAML: did not find expected ',' or ']'");
	refuse_text("names: [a, '']\n", "class 1 has no name");
	refuse_text("names: [\"a\\0b\"]\n", "a value without a NUL");
	/* the classes are those of the files: an id that is not mapped is trained as it is */
	accept_text("label_mapping: {0: ignore_label, 7: 0, 8: 1, -1: 255}\nnames: [road, car]\n",
		    "0-1,7-8=road|car|road|car; ignored -1-0");
	accept_text("names: [a, b]\nlabel_mapping: {0: 1, 1: 0}\n", "0-1=b|a");
	accept_text("nc: 2\nlabel_mapping: {5: 1}\n", "0-1,5=?|?|?");
	accept_text("names: [a]\nlabel_mapping: ~\n", "0=a");
	accept_text("names: {1: b, 0: a}\nlabel_mapping: {0: 1, 1: 0, 2: 1}\n", "0-2=b|a|b");
	refuse_text("names: [a]\nlabel_mapping: {7: 1}\n", "line 2, column 20: label_mapping: there is no class 1");
	refuse_text("names: [a]\nlabel_mapping: {-7: 0}\n",
		    "line 2, column 21: label_mapping: no file has the class id -7");
	refuse_text("names: [a]\nlabel_mapping: {a: 0}\n", "line 2, column 20: expected label_mapping with ids");
	refuse_text("names: [a]\nlabel_mapping: {1: [0]}\n", "line 2, column 20: expected a class id, or ignore_label");
	refuse_text("names: [a]\nlabel_mapping: {1: 0}\nlabel_mapping: {1: 0}\n",
		    "line 3, column 16: 'label_mapping' stands twice");
	/* Hugging Face's dataset_info.json */
	accept_text(
		"{\"features\": {\"image\": {\"_type\": \"Image\"}, \"label\": {\"names\": [\"a\", \"b\"], \"_type\": "
		"\"ClassLabel\"}}}",
		"0-1=a|b");
	accept_text(
		"{\"features\": {\"tags\": {\"feature\": {\"names\": [\"a\"], \"_type\": \"ClassLabel\"}, \"_type\": "
		"\"Sequence\"}}}",
		"0=a");
	refuse_text("{\"features\": {\"x\": {\"_type\": \"Value\"}}}",
		    "expected one ClassLabel with its names, but there are 0");
	refuse_text("{\"features\": {\"x\": {\"_type\": \"ClassLabel\", \"names\": [\"a\"]}, \"y\": {\"_type\": "
		    "\"ClassLabel\", \"names\": [\"b\"]}}}",
		    "but there are 2");
#define NNUNET(labels, more) "{\"file_ending\": \".png\", \"labels\": {" labels "}" more "}"
	refuse_text(NNUNET("\"background\": 0, \"a\": 2", ""),
		    "nnU-Net wants ids from 0 on without a gap; 1 is missing");
	refuse_text(NNUNET("\"a\": 1, \"b\": 2", ""), "without a gap; 0 is missing");
	refuse_text(NNUNET("\"a\": 0, \"b\": 1", ""), "nnU-Net wants the label 'background', with id 0");
	refuse_text(NNUNET("\"background\": 1, \"b\": 0", ""), "wants the label 'background', with id 0");
	refuse_text(NNUNET("\"background\": 0, \"ignore\": 1, \"b\": 2", ""),
		    "wants the next id after the last class, 3");
	refuse_text(NNUNET("\"background\": 0, \"b\": 1, \"ignore\": 255", ""), "next id after the last class, 2");
	refuse_text(NNUNET("\"background\": 0, \"w\": [1, 2]", ""), "wants regions_class_order");
	refuse_text(NNUNET("\"0\": \"background\", \"1\": \"a\"", ""), "nnU-Net 2 wants {name: id}");
	accept_text(NNUNET("\"background\": 0, \"w\": [1, 2]", ", \"regions_class_order\": [1]"), "0-2=background|w|w");
	accept_text("{\"modality\": {}, \"labels\": {\"0\": \"background\", \"1\": \"a\"}}", "0-1=background|a");
	refuse_text("{\"modality\": {}, \"labels\": {\"0\": \"background\", \"2\": \"a\"}}", "1 is missing");
	accept_text("{\"labels\": {\"a\": 1, \"b\": 3}}", "1,3=a|b"); /* not nnU-Net's */
#define MODEL(ids, names) "{\"id2label\": {" ids "}, \"label2id\": {" names "}}"
	accept_text(MODEL("\"0\": \"a\", \"1\": \"b\"", "\"b\": 1, \"a\": 0"), "0-1=a|b");
	accept_text(MODEL("\"0\": \"N/A\", \"1\": \"N/A\"", "\"N/A\": 1"), "0-1=N/A|N/A");
	refuse_text(MODEL("\"0\": \"a\", \"1\": \"b\"", "\"b\": 0, \"a\": 1"),
		    "label2id: 'b' is not the class that id2label gives this id: a");
	refuse_text(MODEL("\"0\": \"a\", \"1\": \"b\"", "\"a\": 0"), "label2id: it lacks 'b', class 1 of id2label");
	refuse_text(MODEL("\"0\": \"a\"", "\"a\": \"0\""), "label2id: 'a' is not the class");
	refuse_text("{\"id2label\": {\"0\": \"a\", \"2\": \"c\"}}", "so the ids must be 0-1; 1 is missing");
	refuse_text("{\"id2label\": {\"1\": \"a\", \"2\": \"c\"}}", "so the ids must be 0-1; 0 is missing");
	refuse_text("nc: [1]\nnames: [a]\n", "line 1, column 5: expected the number of classes");
	refuse_text("nc: 1\nnc: 1\nnames: [a]\n", "line 2, column 5: 'nc' stands twice");
	refuse_as(".yaml", "names:\n  [x, y]: a\n", "line 2, column 11: '' is not a class id");
	refuse_as(".yaml", "names: {\"\": a}\n", "'' is not a class id");
	refuse_as(".yaml", "names: {1234567890123456789: a}\n", "the id 1234567890123456789 is larger than 1048575");
	accept_as(".yaml", "a key of more than sixteen letters: 1\nnames: [a]\n", "0=a");
}

/* Nothing that is no YAML is taken for the end, wherever it is; nor is a file without its end. */
TEST(broken_yaml)
{
	static const char good[] = "train: [a, {b: [c, d]}]\n? [odd]\n: {e: f}\nnames: {0: cat, 1: 'a dog'}\nnc: 2\n";
	char bad[sizeof(good) + 1];

	accept_as(".yaml", good, "0-1=cat|a dog");
	for (size_t at = 0; at < sizeof(good); at++) {
		snprintf(bad, sizeof(bad), "%.*s\x01%s", (int)at, good, good + at);
		refuse_as(".yaml", bad, "this is not YAML");
	}
	for (size_t n = 0; n + 2 < sizeof(good); n++) {
		memcpy(bad, good, n);
		bad[n] = '\0';
		if (read_bytes(".yaml", bad, n) == STATUS_OK) /* the names are there */
			ck_assert_msg(n + sizeof("\nnc: 2\n") >= sizeof(good), "%s", bad);
		else
			ck_assert_str_ne(err.text, "");
	}
}

TEST(deep_yaml)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_adds(&text, "x: ");
	for (int i = 0; i < 80; i++)
		strbuf_adds(&text, "[");
	for (int i = 0; i < 80; i++)
		strbuf_adds(&text, "]");
	strbuf_adds(&text, "\nnames: [a]\n");
	refuse_as(".yaml", text.s, "nested more than 64 deep");
	strbuf_clear(&text);
	strbuf_adds(&text, "x: [");
	for (int i = 0; i < 1 << 18; i++)
		strbuf_adds(&text, "a,");
	strbuf_adds(&text, "]\nnames: [a]\n");
	refuse_as(".yaml", text.s, "more than 262144 values");
	strbuf_release(&text);
}

/* An alias is a copy, which counts: neither a billion of them nor one in itself is ever made. */
TEST(aliases)
{
	struct strbuf text = STRBUF_INIT;

	accept_as(".yaml", "base: &n [a, b]\nx: &t {k: *n}\ny: *t\nnames: *n\n", "0-1=a|b");
	accept_as(".yaml", "n: &a x\nm: &a z\nnames: [*a, y]\n", "0-1=z|y");
	accept_as(".yaml", "? [&a q]\n: 1\nnames: {0: &a b}\n", "0=b");
	refuse_as(".yaml", "names: *n\n", "line 1, column 8: the alias *n stands for nothing");
	refuse_as(".yaml", "x: &a [*a]\nnames: [b]\n", "the alias *a stands for nothing");
	refuse_as(".yaml", "? [&a q]\n: 1\nnames: [*a]\n", "the alias *a stands for nothing");
	strbuf_adds(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 9; i++)
		strbuf_addf(&text, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1,
			    i - 1, i - 1, i - 1, i - 1);
	strbuf_adds(&text, "names: [a]\n");
	refuse_as(".yaml", text.s, "more than 262144 values");
	strbuf_clear(&text);
	strbuf_adds(&text, "a0: &a0 [x]\n");
	for (int i = 1; i < 80; i++)
		strbuf_addf(&text, "a%d: &a%d [*a%d]\n", i, i, i - 1);
	strbuf_adds(&text, "names: [a]\n");
	refuse_as(".yaml", text.s, "nested more than 64 deep");
	strbuf_release(&text);
}

TEST(cvat)
{
	accept_text("# label:color_rgb:parts:actions\nbackground:0,0,0::\nroad:128,64,128::\nego: vehicle:1,2,3::\n",
		    "0-2=background|road|ego: vehicle");
	accept_text("person:::\ncar:::\n", "0-1=person|car");
	accept_text("person::head,foot:jump\n", "0=person");
	refuse_text("# label:color_rgb:parts:actions\nroad:128,64::\n",
		    "line 2: expected name:r,g,b:parts:actions, as CVAT writes it");
	refuse_text("# label:color_rgb:parts:actions\nroad:,64,1::\n", "line 2: expected name:r,g,b");
	refuse_text("# label:color_rgb:parts:actions\nroad:1,64,1024::\n", "line 2: expected name:r,g,b");
	refuse_text("# label:color_rgb:parts:actions\nroad:a,b,c::\n", "line 2: expected name:r,g,b");
	refuse_text("# label:color_rgb:parts:actions\nroad:1,2,3,4::\n", "line 2: expected name:r,g,b");
	accept_text("\n# of CVAT\n\na:1,2,3::\n\n# more\nb:::\n", "0-1=a|b");
	refuse_text("a:::\nb\n", "line 2: expected name:r,g,b");
	refuse_text("a:::\n:::\n", "line 2: class 1 has no name");
	refuse_text("# label:color_rgb:parts:actions\n", "it has no class");
}

TEST(roboflow)
{
	accept_text("Pixel Value, Class\n0, background\n1, stomata\n", "0-1=background|stomata");
	accept_text("id,name\r\n3,\"a, b\"\r\n1,c\r\n", "1,3=c|a, b");
	refuse_text("Pixel Value, Class\n0, a\n0, b\n", "line 3: the id 0 occurs twice");
	refuse_text("Pixel Value, Class\n0; a\n", "line 2: expected 2 columns, as in the first line");
	refuse_text("Pixel Value, Class\n0x, a\n", "line 2: '0x' is not a class id");
	refuse_text("Pixel Value, Class\n0,a,b\n", "line 2: expected 2 columns");
	refuse_text("Pixel Value, Class\n0,\"a\"\"\n", "line 2: expected 2 columns");
	refuse_text("Pixel Value, Class\n0,\n", "line 2: class 0 has no name");
	refuse_text("Pixel Value, Class\n1048576,a\n", "line 2: the id 1048576 is larger than 1048575");
	refuse_text("Pixel Value, Class\n99999999999999999999,a\n", "is not a class id");
	accept_text("Pixel Value, Class\n\n0, a\n\n1, b\n\n", "0-1=a|b");
	refuse_text("Pixel Value, Class\n0, \"\n", "line 2: expected 2 columns");
	refuse_text("Pixel Value, Class\n-1, a\n", "is not a class id");
	refuse_text("Pixel Value, Class\n", "it has no class");
	refuse_as(".csv", "filename,cat,dog\nx.png,0,1\n", "line 1: this is CSV; expected the header");
}

TEST(tables)
{
	accept_text("name,r,g,b\nanimal,64,128,64\nArchway,192,0,128\n", "0-1=animal|Archway");
	accept_text("class_names, r, g, b\nroad,1,2,3\n", "0=road");
	accept_text("\"name\",\"r\",\"g\",\"b\"\n\"a, b\",0,0,0\n", "0=a, b");
	accept_text("name,id\ncat,1\ndog,0\n", "0-1=dog|cat");
	/* words with numbers in them are names, and so are names with commas */
	accept_text("lane 1\nlane 2\n", "0-1=lane 1|lane 2");
	accept_text("0\n1\n", "0-1=0|1");
	accept_text("1 cat\n", "0=1 cat");
	accept_text("a: b\nc: d\n", "0-1=a: b|c: d");
	accept_text("tray, table\ncat, dog\n", "0-1=tray, table|cat, dog");
	refuse_text("name,r,g,b\nanimal,64,128\n", "line 2: expected 4 columns, as in the first line");
	refuse_text("name,id\ncat,1\ndog,1\n", "line 3: the id 1 occurs twice");
	refuse_text("name,id\ncat,-1\n", "is not a class id");
}

/* Forms of other programs that are not read, each with what to write instead. */
TEST(other_forms)
{
	static const char *const numbered[] = {
		"cat,1\ndog,0\n",
		"1,cat\n0,dog\n",
		"0;cat\n1;dog\n",
		"id;name\n0;cat\n2;big dog\n",
		"name;r;g;b\nroad;1;2;3\n",
		"0\tcat\n1\tbig dog\n",
		"1: cat\n2: big dog\n",
		"cat:1\ndog:0\n",
		"0 cat\n1 big dog\n2\towl\n",
		"64 128 64\tAnimal\n0 0 0\t\tVoid thing\r\n\n", /* CamVid's label_colors.txt */
		"1 2 3 a\n4 5 6 b\n",
		"0 to 5\n10 to 20\n",              /* which may be names: it asks */
		"0 void 0 0 0\n3 grass 0 102 0\n", /* RUGD's */
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbered); i++)
		refuse_text(numbered[i], "say in the first line what they are: id,name or name,r,g,b");
	refuse_text("cat,dog, big owl\n\n", "write each in a line of its own");
	refuse_as(".csv", "name,color\na,#010203\nb,#010204\n", "expected the header id,name or name,r,g,b");
	refuse_text("item {\n  id: 1\n  name: 'cat'\n}\n", "label_map.pbtxt is not read; write a labelaudit.yaml");
	refuse_text("item: { id: 1; name: 'a' }", "label_map.pbtxt is not read");
	accept_text("item\nitems {\n", "0-1=item|items {");
	refuse_as(".yaml", "labels:\n  0 : \"unlabeled\"\n  10: car\n", "neither names, nc nor classes; write a");
	refuse_text("{\"names\": [\"a\", \"b\"]}", "neither id2label, labels nor categories; write a labelaudit.yaml");
	refuse_text("{\"road\": [128, 64, 128], \"car\": [0, 0, 1]}", "neither id2label");
	refuse_text("{\"#ff0000\": \"Car 1\"}", "neither id2label");
	refuse_text("{\"0\": [\"n01440764\", \"tench\"]}", "neither id2label");
	refuse_text("{\"labels\": [\"a\", \"b\"], \"label_groups\": []}",
		    "labels: expected an object; else write a labelaudit.yaml");
	refuse_text("[\"a\", \"b\"]",
		    "categories[0]: expected an \"id\" that is a class id; else write a labelaudit.yaml");
}

TEST(own_settings)
{
	accept_as(".yaml", "classes:\n  0: sky\n  7: car\nignore: [255, -1]\n", "0,7=sky|car; ignored -1,255");
	accept_as(".yaml", "ignore: 255\nclasses: 0-2,5\nfail-on: never\n", "0-2,5=?|?|?|?; ignored 255");
	accept_as(".yaml", "classes: 3\n", "0-2=?|?|?");
	accept_as(".yaml", "names: [a]\nclasses: {1: b}\n", "0=a");
	accept_as(".yaml", "classes: {1: b}\nnames: [a]\n", "0=a");
	refuse_as(".yaml", "classes: names.txt\n",
		  "line 1, column 10: expected a list of names, a map from ids to names, a count, or a list of ids");
	refuse_as(".yaml", "classes: {0: a}\nignore: {1: 2}\n", "line 2, column 9: expected ids that are ignored");
	refuse_as(".yaml", "classes: {0: a}\ncolors: {0: \"#000000\"}\n", "pass --config /tmp/");
}

TEST(nnunet)
{
	accept_text("{\"channel_names\": {\"0\": \"T2\"}, \"labels\": {\"background\": 0, \"PZ\": 1, \"TZ\": 2},\n"
		    "\"numTraining\": 32, \"file_ending\": \".nii.gz\"}",
		    "0-2=background|PZ|TZ");
	accept_text("{\"labels\": {\"background\": 0, \"tumour\": 1, \"ignore\": 2}}",
		    "0-1=background|tumour; ignored 2");
	accept_text("{\"labels\": {\"background\": 0, \"whole\": [1, 2, 3], \"core\": [2, 3]}}",
		    "0-3=background|whole|core|core");
	accept_text("{\"labels\": {\"background\": 0, \"whole\": [1, 2, 3], \"core\": [2, 3], \"enhancing\": 3}}",
		    "0-3=background|whole|core|enhancing");
	accept_text("{\"labels\": {\"background\": 0, \"whole\": [1, 2], \"core\": [2], \"ignore\": 3}}",
		    "0-2=background|whole|core; ignored 3");
	accept_text("{\"labels\": {\"0\": \"background\", \"1\": \"left atrium\"}}", "0-1=background|left atrium");
	refuse_text("{\"labels\": {\"a\": 0, \"b\": 0}}", "labels: the id 0 occurs twice");
	refuse_text("{\"labels\": {\"a\": 0.5}}", "a: expected a class id");
	refuse_text("{\"labels\": {\"a\": -1}}", "a: expected a class id");
	refuse_text("{\"labels\": {\"a\": [1, \"x\"]}}", "a: expected a list of class ids");
	refuse_text("{\"labels\": 7}", "labels: expected an object");
}

TEST(hugging_face)
{
	accept_text(
		"{\"model_type\": \"segformer\", \"id2label\": {\"0\": \"wall\", \"2\": \"sky\", \"1\": \"floor\"},\n"
		"\"label2id\": {\"wall\": 0, \"floor\": 1, \"sky\": 2}}",
		"0-2=wall|floor|sky");
	accept_text("{\"0\": \"wall\", \"1\": \"floor\"}", "0-1=wall|floor"); /* id2label.json */
	accept_text("{\"wall\": 0, \"floor\": 1}", "0-1=wall|floor");
	refuse_text("{\"id2label\": {\"0\": \"a\", \"0\": \"b\"}}", "id2label: the id 0 occurs twice");
	refuse_text("{\"id2label\": {\"0\": \"a\", \"one\": \"b\"}}", "id2label: 'one' is not a class id");
	refuse_text("{\"id2label\": {\"0\": \"a\", \"1\": 7}}", "id2label: expected the name of a class");
	refuse_text("{\"id2label\": {\"0\": \"\"}}", "class 0 has no name");
	refuse_text("{\"id2label\": {}}", "it has no class");
	refuse_text("{}", "it has no class");
	refuse_text("[]", "it has no class");
	refuse_text("{\"a\": \"b\"}", "neither id2label");
	refuse_text("{\"id2label\": {\"0\": \"a\"},\n \"b\": }", "line 2, column 7: not JSON: expected a value");
	refuse_text("{\"0\": \"a\"} x", "line 1, column 12: not JSON: expected the end of the text");
	refuse_as(".json", "7", "expected an object");
}

TEST(coco)
{
	accept_text(
		"{\"images\": [], \"annotations\": [{\"category_id\": 1}], \"categories\": [\n"
		"{\"supercategory\": \"x\", \"id\": 90, \"name\": \"toothbrush\"}, {\"id\": 1, \"name\": \"person\"}]}",
		"1,90=person|toothbrush");
	accept_text("[{\"id\": 0, \"name\": \"a\", \"isthing\": 1}]", "0=a");
	refuse_text("{\"categories\": [{\"id\": 1, \"name\": \"a\"}, {\"id\": 1, \"name\": \"b\"}]}",
		    "categories[1]: the id 1 occurs twice");
	refuse_text("{\"categories\": [{\"name\": \"a\"}]}", "categories[0]: expected an \"id\"");
	refuse_text("{\"categories\": [{\"id\": 1}]}", "categories[0]: expected the name of a class");
	refuse_text("{\"categories\": [7]}", "categories[0]: expected an \"id\"");
	refuse_text("{\"categories\": {\"a\": 1}}", "categories: expected a list");
	refuse_text("{\"categories\": [{\"id\": 1e9, \"name\": \"a\"}]}", "expected an \"id\"");
}

/* The tokenizer is stricter than cJSON, and knows where an error is; also in values that are not needed. */
TEST(json_strict)
{
	accept_text("{\"labels\": {\"a\": 0}, \"no\": [[{\"labels\": [1]}]]}", "0=a");
	refuse_text("{\"labels\": {\"a\": 0}, \"no\": 1, \"labels\": {\"b\": 0}}", "'labels' stands twice");
	accept_text("{\"lab\\u0065ls\": {\"\\u00e9\\n\": 0}}", "0=\xc3\xa9\n");
	accept_text("{\"0\": \"\\ud83d\\ude00\"}", "0=\xf0\x9f\x98\x80");
	refuse_text("{\"0\": \"\\ud83d!\"}", "half of a surrogate pair");
	accept_text("{\"labels\": {\"a\": 1.0, \"b\": 2e0}}", "1-2=a|b");
	refuse_text("{\"names\": [\"a\"], \"b\":\n [1, }", "line 2, column 6: not JSON: expected a value");
	refuse_text("{\"names\":\n [\"a\", }", "line 2, column 8: not JSON: expected a value");
	refuse_text("{\"names\": {\"a\": 01}}", "line 1, column 18: not JSON: expected no digit after a leading 0");
	refuse_text("{\"names\": {\"a\": 1.}}", "a digit after the decimal point");
	refuse_text("[\"a\tb\"]", "line 1, column 4: not JSON: expected a string without control bytes");
	refuse_text("[\"a\",]", "line 1, column 6: not JSON: expected a value");
	refuse_text("[\"a\"", "line 1, column 5: the JSON text ends");
	refuse_as(".json", "", "line 1, column 1: the JSON text ends");
	refuse_text("[\"a\\x\"]", "one of \"\\/bfnrtu after a backslash");
	refuse_text("[NaN]", "expected a value");
}

/* The memory and the stack that a tree may take; parts that are not needed do not count. */
TEST(json_limits)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_adds(&text, "{\"categories\": [{\"id\": 7, \"name\": \"a\"}], \"annotations\": [0");
	while (text.len < 12 << 20)
		strbuf_adds(&text, ",{},[1]");
	strbuf_adds(&text, "]}");
	ck_assert_int_eq(read_bytes("", text.s, text.len), STATUS_OK);
	ck_assert_str_eq(summary(), "7=a");
	memcpy(text.s, "{\"annotation", 12); /* the key of the list is `labels` then */
	memcpy(strstr(text.s, "\"annotations\""), "\"labels\"     ", 13);
	ck_assert_int_eq(read_bytes("", text.s, text.len), STATUS_FAILED);
	ck_assert_msg(strstr(err.text, "its values take more than 128 MiB") != NULL, "%s", err.text);
	strbuf_clear(&text);
	strbuf_adds(&text, "{\"labels\": ");
	for (int i = 0; i < 1010; i++)
		strbuf_addch(&text, '[');
	for (int i = 0; i < 1010; i++)
		strbuf_addch(&text, ']');
	strbuf_addch(&text, '}');
	refuse_text(text.s, "nested deeper than 1000 levels");
	strbuf_release(&text);
}

TIMEOUT(60)
FIXTURE(setup, teardown)
