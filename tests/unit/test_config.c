/* labelaudit.yaml: every option is a key or for the command line only, bounds, and which files --per-path names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "check_main.h"
#include "cli/config.h"
#include "cli/options.h"
#include "cli/options_table.h"
#include "judge/path_rules.h"
#include "judge/rule.h"

static char file[] = "/tmp/labelaudit-config-XXXXXX";
static struct options o;
static struct error err;

static void setup(void)
{
	int fd = mkstemp(file);

	ck_assert_int_ge(fd, 0);
	close(fd);
	options_init(&o);
}

static void teardown(void)
{
	options_release(&o);
	unlink(file);
	memcpy(file + sizeof(file) - 7, "XXXXXX", 6);
}

/* Parses `--config FILE` and the words, with text in the file. */
static enum status parse(const char *text, char *word, char *value)
{
	char program[] = "labelaudit", option[] = "--config", path[] = "m";
	char *argv[] = { program, option, file, path, word, value };
	FILE *out = fopen(file, "w");

	fputs(text, out);
	fclose(out);
	options_release(&o);
	options_init(&o);
	memset(&err, 0, sizeof(err));
	return options_parse(&o, word ? value ? 6 : 5 : 4, argv, &err);
}

TEST(keys_are_options)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_spec *spec = &option_table[i];
		char text[128];

		snprintf(text, sizeof(text), "%s: %s\n", spec->name, spec->value ? "{a: {b: c}}" : "maybe");
		ck_assert_int_eq(parse(text, NULL, NULL), STATUS_FAILED);
		ck_assert_msg(!strstr(err.text, "no setting"), "%s", err.text);
		ck_assert_msg(!strstr(err.text, "can only be given on the command line") == !spec->command_line_only,
			      "%s", err.text);
	}
}

TEST(classes_as_a_list)
{
	const struct class_set *set = &o.settings.classes;
	static const char *const texts[] = { "classes: [road, 'traffic sign', car]\n",
					     "classes:\n  - road\n  - \"traffic sign\"\n  - car\n" };
	static const struct {
		const char *text, *words;
	} refused[] = {
		{ "classes: []\n", "line 1: classes has no value" },
		{ "classes:\n  - road\n  - 7\n", "line 3, column 5: expected the name of a class: ids are a text" },
		{ "classes: [0-18, 33]\n", "line 1, column 11: expected the name of a class: ids are a text" },
		{ "classes: [road, [car]]\n", "line 1, column 17: expected the name of a class" },
		{ "classes: [road, ~]\n", "line 1, column 17: expected the name of a class" },
		{ "classes: [road, '']\n", "line 1, column 17: expected the name of a class" },
		{ "classes: [road, *a]\n", "the alias *a stands for nothing" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		ck_assert_msg(parse(texts[i], NULL, NULL) == STATUS_OK, "%s", err.text);
		ck_assert_str_eq(o.classes.classes, "3");
		ck_assert_str_eq(class_set_get_name(set, 1), "traffic sign");
		ck_assert_str_eq(class_set_get_name(set, 2), "car");
	}
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		ck_assert_int_eq(parse(refused[i].text, NULL, NULL), STATUS_FAILED);
		ck_assert_msg(strstr(err.text, refused[i].words) != NULL, "%s: %s", refused[i].text, err.text);
	}
}

TEST(classes_as_a_map)
{
	static char classes[] = "--classes", two[] = "2";
	const struct class_set *set = &o.settings.classes;

	ck_assert_msg(parse("classes: {2: sky, 0: road, 7: car}\n", NULL, NULL) == STATUS_OK, "%s", err.text);
	ck_assert_str_eq(o.classes.classes, "0,2,7");
	ck_assert_int_eq(class_set_role(set, 1), ID_INVALID);
	ck_assert_int_eq(class_set_role(set, 7), ID_CLASS);
	ck_assert_str_eq(class_set_get_name(set, 2), "sky");
	ck_assert_int_eq(parse("classes:\n  0: road\n  1: car\n", NULL, NULL), STATUS_OK);
	ck_assert_str_eq(o.classes.classes, "2");
	ck_assert_int_eq(parse("classes: {5: road}\n", NULL, NULL), STATUS_OK);
	ck_assert_str_eq(o.classes.classes, "5-5");
	ck_assert_int_eq(class_set_role(set, 4), ID_INVALID);
	ck_assert_int_eq(parse("classes: {0: road, 1: car}\n", classes, two), STATUS_OK);
	ck_assert_ptr_null(class_set_get_name(set, 0)); /* what was typed takes precedence, names and all */
	static const struct {
		const char *text, *words;
	} refused[] = {
		{ "classes: {}\n", "line 1: classes has no value" },
		{ "classes: {0: a,\n1: b, 0: c}\n", "line 2, column 10: the id 0 occurs twice" },
		{ "classes: {-1: a}\n", "line 1, column 15: '-1' is not a class id" },
		{ "classes: {1048576: a}\n", "line 1, column 20: the id 1048576 is larger than 1048575" },
		{ "classes: {road: 0}\n", "line 1, column 17: 'road' is not a class id" },
		{ "classes: {[0]: a}\n", "line 1, column 16: '' is not a class id" },
		{ "classes: {0: [a]}\n", "line 1, column 14: expected the name of a class" },
		{ "ignore: {0: a}\n", "line 1: expected a value, or a list of values" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		ck_assert_int_eq(parse(refused[i].text, NULL, NULL), STATUS_FAILED);
		ck_assert_msg(strstr(err.text, refused[i].words) != NULL, "%s: %s", refused[i].text, err.text);
	}
}

TEST(colours_as_a_map)
{
	static char colors[] = "--colors", none[] = "none";
	static const struct {
		const char *text, *words;
	} refused[] = {
		{ "colors: {}\n", "line 1: colors has no value" },
		{ "colors:\n  0: #000000\n", "line 2: expected a colour, \"#rrggbb\" (in quotes" },
		{ "colors: {0: [1, 2]}\n", "line 1: a colour is [r, g, b], three numbers" },
		{ "colors: {0: [1, 2, 256]}\n", "numbers from 0 to 255" },
		{ "colors: {a: '#000000'}\n", "line 1: expected a map from ids" },
		{ "colors: {0: {r: 1}}\n", "line 1: expected a colour" },
		{ "classes: 2\ncolors: {0: '#000000',\n1: '#000000'}\n",
		  "line 2: --colors: ids 0 and 1 have the same colour" },
		{ "classes: 2\ncolors: {2: '#000000'}\n", "the id 2, which is neither a class nor ignored" },
	};

	ck_assert_msg(parse("classes: 2\ncolors: {0: '#00000a', 1: [128, 0, 0]}\n", NULL, NULL) == STATUS_OK, "%s",
		      err.text);
	ck_assert_uint_eq(o.settings.colours.count, 2);
	ck_assert_int_eq(colour_table_find(&o.settings.colours, 0x800000), 1);
	ck_assert(!o.settings.colours.presumed);
	/* ids are those after the zero label is reduced; 255 is the zero label */
	ck_assert_int_eq(
		parse("classes: 2\nreduce-zero-label: true\ncolors: {0: '#00000a', 255: '#000000'}\n", NULL, NULL),
		STATUS_OK);
	ck_assert_int_eq(colour_table_find(&o.settings.colours, 0x00000a), 1);
	ck_assert_int_eq(colour_table_find(&o.settings.colours, 0), 0);
	/* an ignored colour has no class */
	ck_assert_int_eq(parse("classes: 2\nignore: '#00000a'\ncolors: {0: '#00000a', 1: '#000000'}\n", NULL, NULL),
			 STATUS_OK);
	ck_assert_uint_eq(o.settings.colours.count, 1);
	ck_assert_int_eq(parse("classes: 2\ncolors: {0: '#00000a'}\n", colors, none), STATUS_OK);
	ck_assert_uint_eq(o.settings.colours.count, 0);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		ck_assert_int_eq(parse(refused[i].text, NULL, NULL), STATUS_FAILED);
		ck_assert_msg(strstr(err.text, refused[i].words) != NULL, "%s: %s", refused[i].text, err.text);
	}
}

TEST(typed_before_file)
{
	static char view[] = "--view", cv2[] = "cv2", preset[] = "--preset", voc[] = "voc", verbose[] = "-v";
	const char *text = "classes: 3\nignore: [7, 8]\nview: raw\nquiet: true\n";

	ck_assert_msg(parse(text, NULL, NULL) == STATUS_OK, "%s", err.text);
	ck_assert_int_eq(o.settings.view, VIEW_RAW);
	ck_assert_int_eq(o.output.verbosity, -1);
	ck_assert_int_eq(class_set_role(&o.settings.classes, 8), ID_IGNORED);
	ck_assert_int_eq(class_set_role(&o.settings.classes, 3), ID_INVALID);
	ck_assert_int_eq(parse(text, view, cv2), STATUS_OK);
	ck_assert_int_eq(o.settings.view, VIEW_CV2);
	ck_assert_int_eq(class_set_role(&o.settings.classes, 7), ID_IGNORED);
	ck_assert_int_eq(parse(text, preset, voc), STATUS_OK);
	ck_assert_int_eq(class_set_role(&o.settings.classes, 20), ID_CLASS);
	ck_assert_int_eq(class_set_role(&o.settings.classes, 8), ID_CLASS);
	ck_assert_int_eq(parse(text, verbose, NULL), STATUS_OK);
	ck_assert_int_eq(o.output.verbosity, 1);
}

TEST(bounded)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_adds(&text, "skip: [");
	for (int i = 0; i <= CONFIG_VALUES_MAX; i++)
		strbuf_adds(&text, "all,");
	strbuf_adds(&text, "]\n");
	ck_assert_int_eq(parse(text.s, NULL, NULL), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "more than 65536 values"));
	strbuf_clear(&text);
	strbuf_adds(&text, "skip: ");
	for (int i = 0; i < 100000; i++)
		strbuf_addch(&text, '[');
	ck_assert_int_eq(parse(text.s, NULL, NULL), STATUS_FAILED);
	strbuf_release(&text);
}

/* Text with a character that YAML does not allow, at any place, and every piece of it. */
TEST(broken)
{
	static const char good[] =
		"classes: 3\nignore: [7, 8]\nquiet: true\nper-path: {a/*: [file, encoding], b: file}\n";
	char bad[sizeof(good) + 1];

	ck_assert_int_eq(parse(good, NULL, NULL), STATUS_OK);
	for (size_t at = 0; at < sizeof(good); at++) {
		snprintf(bad, sizeof(bad), "%.*s\x01%s", (int)at, good, good + at);
		ck_assert_msg(parse(bad, NULL, NULL) == STATUS_FAILED, "%zu", at);
		ck_assert_msg(strstr(err.text, file) && !strchr(err.text, '\x01'), "%s", err.text);
	}
	for (size_t n = 0; n < sizeof(good); n++) {
		memcpy(bad, good, n);
		bad[n] = '\0';
		ck_assert(parse(bad, NULL, NULL) == STATUS_OK || err.text[0]);
	}
}

TEST(refusals)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "- classes\n", "line 1: expected settings, such as classes: 21" },
		{ "classes: 3\n---\nclasses: 4\n", "a second document" },
		{ "classes: 3\nclasses: 4\n", "line 2: classes is given twice" },
		{ "clases: 3\n", "did you mean classes?" },
		{ "zzzzzzzzzz: 3\n", "--show-settings lists them" },
		{ "[a]: 3\n", "expected the name of a setting" },
		{ "classes: {a: 1}\n", "line 1, column 14: 'a' is not a class id" },
		{ "classes: ''\n", "line 1: classes has no value" },
		{ "quiet: 7\n", "quiet must be true or false, not '7'" },
		{ "quiet: [true]\n", "expected true or false" },
		{ "ignore: [7, [8]]\n", "expected a value" },
		{ "per-path: 7\n", "expected globs with rules" },
		{ "per-path: {[a]: file}\n", "expected a glob" },
		{ "per-path: {a: {b: c}}\n", "expected rules" },
		{ "per-path: {a: [[file]]}\n", "expected the name of a rule or a category" },
		{ "classes: &c 3\nignore: *d\n", "the alias *d stands for nothing" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_msg(parse(cases[i].text, NULL, NULL) == STATUS_FAILED, "%s", cases[i].text);
		ck_assert_msg(strstr(err.text, cases[i].words) != NULL, "%s: %s", cases[i].text, err.text);
	}
	ck_assert_int_eq(parse("", NULL, NULL), STATUS_OK); /* nothing is set, so there are no classes */
	ck_assert(o.classes.missing);
	ck_assert_int_eq(parse("---\n", NULL, NULL), STATUS_OK);
	ck_assert(o.classes.missing);
}

TEST(paths_and_globs)
{
	const struct {
		const char *glob, *root, *path;
		bool hit;
	} cases[] = {
		{ "a.png", NULL, "x/y/a.png", true },
		{ "a.png", NULL, "x/a.png/b", false },
		{ "x/*.png", NULL, "x/a.png", true },
		{ "x/*.png", NULL, "./x//a.png", true },
		{ "x/*.png", NULL, "y/../x/a.png", true },
		{ "x/*.png", NULL, "y/x/a.png", false },
		{ "x/", NULL, "x/y/z.png", true },
		{ "x/", NULL, "xx/y.png", false },
		{ "m/*", "/data", "/data/m/a", true },
		{ "m/*", "/data", "/data2/m/a", false },
		{ "m/*", "/data", "m/a", false },
		{ "m/*", "/data", "/data2m/a", false },
		{ "m/*", "/", "/m/a", true },
		{ "m/*", "/", "/../../m/a", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct per_path p = { .glob = xstrdup(cases[i].glob), .root = cases[i].root };
		struct settings settings = { .rules.per_paths = &p, .rules.per_paths_count = 1 };
		struct path_rules m;

		p.off = xcalloc(rule_count, sizeof(*p.off));
		p.off[1] = true;
		path_rules_init(&m, &settings);
		const bool *off = path_rules_off(&m, cases[i].path);

		ck_assert_msg((off != NULL) == cases[i].hit, "%s and %s", cases[i].glob, cases[i].path);
		ck_assert(!off || (off[1] && !off[0]));
		path_rules_release(&m);
		free(p.glob);
		free(p.off);
	}
}

FIXTURE(setup, teardown)
