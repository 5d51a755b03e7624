/*
 * The reporters on a report made by hand: keys and their order, exact numbers, names of any bytes, tables, the
 * verdict, and the produced JSON against the schema (python3 with jsonschema, where they are there).
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/fault.h"
#include "base/mem.h"
#include "base/version.h"
#include "check_main.h"
#include "report/report.h"
#include "report/summary.h"

enum { IDS_MAX = 128 };

/* A report and all that it points at. */
static struct fixture {
	struct settings settings;
	struct dataset_stats dataset;
	struct finding_list findings;
	struct report report;
	struct id_total ids[IDS_MAX];
	struct format_total formats[3];
	struct size_total sizes[3];
	struct strbuf out;
} fx;

static const struct rule *rule_named(const char *name)
{
	const struct rule *rule = rule_find(name);

	ck_assert_msg(rule != NULL, "no rule %s", name);
	return rule;
}

/* As if classes 21, ignore 255; ids 0, 1, 21, 255 occur. */
static void make_report(void)
{
	struct error err = ERROR_INIT;

	memset(&fx, 0, sizeof(fx));
	strbuf_init(&fx.out);
	class_set_init(&fx.settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&fx.settings.classes, "3", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(&fx.settings.classes, "255,-1", &err), STATUS_OK);
	class_set_name(&fx.settings.classes, 0, "background");
	class_set_name(&fx.settings.classes, 1, "cat\033[31m");
	class_set_finish(&fx.settings.classes);
	fx.settings.fail_on = LEVEL_ERROR;
	fx.settings.limits = (struct limits){ 1 << 30, UINT64_C(1) << 31, 200 };
	fx.settings.rule_levels = xcalloc(rule_count, sizeof(enum level));
	for (size_t i = 0; i < rule_count; i++)
		fx.settings.rule_levels[i] = rule_table[i]->level;

	fx.ids[0] = (struct id_total){ .id = 0, .labels = UINT64_C(9007199254740993), .files = 2 }; /* 2^53 + 1 */
	fx.ids[1] = (struct id_total){ .id = 1, .labels = 7, .files = 1 };
	fx.ids[2] = (struct id_total){ .id = 21, .labels = 3, .files = 1, .example = xstrdup("m/\xff\n.png") };
	fx.ids[3] = (struct id_total){ .id = 255, .labels = 100, .files = 2 };
	fx.formats[0] = (struct format_total){ FORMAT_PNG, PNG_GREY, 8, 0, DTYPE_NONE, { 1, NULL }, NULL };
	fx.formats[1] = (struct format_total){ FORMAT_PNG, PNG_PALETTE, 8, 0, DTYPE_NONE, { 2, NULL }, NULL };
	fx.formats[2] = (struct format_total){ FORMAT_PNG, PNG_GREY, 16, 1, DTYPE_NONE, { 1, NULL }, NULL };
	fx.sizes[0] = (struct size_total){ 10, 20, 1 };
	fx.sizes[1] = (struct size_total){ 10, 30, 2 };
	fx.sizes[2] = (struct size_total){ 375, 5, 1 };
	fx.dataset = (struct dataset_stats){
		.files = 6,
		.files_read = 4,
		.files_failed = 1,
		.files_skipped = 1,
		.labels = UINT64_C(9007199254741103),
		.bytes = UINT64_MAX,
		.ids = fx.ids,
		.ids_count = 4,
		.formats = fx.formats,
		.formats_count = 3,
		.sizes = fx.sizes,
		.sizes_count = 3,
	};
	finding_list_init(&fx.findings, 10000);
	fx.report = (struct report){
		.settings = &fx.settings, .dataset = &fx.dataset, .findings = &fx.findings, .complete = true,
		.run = {
			.started = "2024-01-02T03:04:05Z", .seconds = 4.25, .device = "cpu", .jobs = 16,
			.stage_ns = { 1000, 2000000000, 3, 1500 }, .peak_memory = 4096,
		},
	};
}

static void free_report(void)
{
	for (size_t i = 0; i < fx.dataset.ids_count; i++)
		free(fx.ids[i].example);
	finding_list_release(&fx.findings);
	free(fx.settings.rule_levels);
	class_set_release(&fx.settings.classes);
	strbuf_release(&fx.out);
}

static void add_finding(const char *rule, const char *path, const char *member, const char *message, const char *advice)
{
	static struct finding f;

	finding_init(&f, rule_named(rule));
	text_addf(&f.message, "%s", message);
	text_addf(&f.advice, "%s", advice);
	finding_list_add(&fx.findings, &f, path, member);
}

static void add_findings(void)
{
	static struct finding f;

	finding_init(&f, rule_named("out-of-range-id"));
	finding_add_id(&f, 21, 3);
	text_addf(&f.message, "3 pixels have id 21");
	text_addf(&f.advice, "correct the mask");
	f.details.has_first = true;
	f.details.first_id = 21;
	f.details.first_x = 132;
	f.details.first_y = 77;
	f.details.has_bbox = true;
	memcpy(f.details.bbox, (uint64_t[4]){ 120, 70, 64, 80 }, sizeof(f.details.bbox));
	f.details.pixels = 3;
	text_addf(&f.details.map, "21 -> 20");
	finding_list_add(&fx.findings, &f, "m/\xff\n.png", NULL);

	finding_init(&f, rule_named("truncated-file"));
	text_addf(&f.message, "the data end early");
	f.details.offset = 0;
	f.details.line = 4;
	f.details.column = 5;
	finding_list_add(&fx.findings, &f, "a.zip", "b\033.png");

	finding_init(&f, rule_named("missing-class"));
	f.level = LEVEL_WARNING;
	text_addf(&f.message, "class 2 never occurs");
	for (int64_t id = 0; id < FINDING_IDS_MAX + 2; id++)
		finding_add_id(&f, id, 1);
	finding_list_add(&fx.findings, &f, NULL, NULL);
	finding_list_finish(&fx.findings);
}

static cJSON *parse(const char *text)
{
	const char *end;
	cJSON *root = cJSON_ParseWithOpts(text, &end, false);

	ck_assert_msg(root != NULL, "not JSON: %s", text);
	ck_assert_str_eq(end, "\n");
	return root;
}

static void expect_has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no `%s` in:\n%s", part, text);
}

/* ---- json ------------------------------------------------------------------------------------------------------- */

START_TEST(the_whole_json_report)
{
	add_findings();
	reporter_json.end(&fx.report, &fx.out);
	const char *digest = strstr(fx.out.s, "\"digest\": \"");
	struct strbuf want = STRBUF_INIT;

	ck_assert_ptr_nonnull(digest);
	strbuf_adds(&want, "{\n"
			   "  \"schema_version\": \"1.0\",\n"
			   "  \"tool\": {\"name\": \"labelaudit\", \"version\": \"" LABELAUDIT_VERSION "\"},\n"
			   "  \"complete\": true,\n"
			   "  \"settings\": {\"classes\": \"0-2\", \"ignore\": [-1, 255], \"view\": \"pil\", "
			   "\"reduce_zero_label\": false, "
			   "\"fail_on\": \"error\", \"shard\": null, ");
	strbuf_add(&want, digest, 11 + 16);
	strbuf_adds(
		&want,
		"\"},\n"
		"  \"summary\": {\n"
		"    \"status\": \"fail\",\n"
		"    \"files\": 6,\n"
		"    \"files_read\": 4,\n"
		"    \"files_failed\": 1,\n"
		"    \"files_skipped\": 1,\n"
		"    \"labels\": 9007199254741103,\n"
		"    \"bytes\": 18446744073709551615,\n"
		"    \"errors\": 2,\n"
		"    \"warnings\": 1,\n"
		"    \"infos\": 0,\n"
		"    \"baselined\": 0,\n"
		"    \"rules\": [\n"
		"      {\"rule\": \"missing-class\", \"level\": \"warning\", \"findings\": 1},\n"
		"      {\"rule\": \"out-of-range-id\", \"level\": \"error\", \"findings\": 1},\n"
		"      {\"rule\": \"truncated-file\", \"level\": \"error\", \"findings\": 1}\n"
		"    ]\n"
		"  },\n"
		"  \"classes\": [\n"
		"    {\"id\": 0, \"name\": \"background\", \"labels\": 9007199254740993, \"files\": 2, \"fraction\": "
		"1.000000},\n"
		"    {\"id\": 1, \"name\": \"cat\\u001b[31m\", \"labels\": 7, \"files\": 1, \"fraction\": 0.000000},\n"
		"    {\"id\": 2, \"name\": null, \"labels\": 0, \"files\": 0, \"fraction\": 0.000000}\n"
		"  ],\n"
		"  \"ignored\": [\n"
		"    {\"id\": 255, \"labels\": 100, \"files\": 2}\n"
		"  ],\n"
		"  \"out_of_range\": [\n"
		"    {\"id\": 21, \"labels\": 3, \"files\": 1, \"example\": \"m/\xef\xbf\xbd\\n.png\", "
		"\"example_b64\": \"bS//Ci5wbmc=\"}\n"
		"  ],\n"
		"  \"histogram\": [[0, 9007199254740993], [1, 7], [21, 3], [255, 100]],\n"
		"  \"class_weights\": {\n"
		"    \"median_frequency\": [0.5, 643371000000000.0, null],\n"
		"    \"inverse_frequency\": [0.5, 643371000000000.0, null],\n"
		"    \"effective_number\": [0.00000000000000245889, 2.0, null]\n"
		"  },\n"
		"  \"formats\": [\n"
		"    {\"format\": \"png palette 8\", \"files\": 2},\n"
		"    {\"format\": \"png grey 16 interlaced\", \"files\": 1},\n"
		"    {\"format\": \"png grey 8\", \"files\": 1}\n"
		"  ],\n"
		"  \"sizes\": [\n"
		"    {\"shape\": [10, 30], \"files\": 2},\n"
		"    {\"shape\": [10, 20], \"files\": 1},\n"
		"    {\"shape\": [375, 5], \"files\": 1}\n"
		"  ],\n"
		"  \"findings\": [\n"
		"    {\"rule\": \"truncated-file\", \"level\": \"error\", \"path\": \"a.zip\", \"member\": "
		"\"b\\u001b.png\", "
		"\"message\": \"the data end early\", \"advice\": null, "
		"\"details\": {\"offset\": 0, \"line\": 4, \"column\": 5}},\n"
		"    {\"rule\": \"out-of-range-id\", \"level\": \"error\", \"path\": \"m/\xef\xbf\xbd\\n.png\", "
		"\"path_b64\": \"bS//Ci5wbmc=\", \"member\": null, \"message\": \"3 pixels have id 21\", "
		"\"advice\": \"correct the mask\", \"details\": {\"ids\": [[21, 3]], "
		"\"first\": {\"id\": 21, \"x\": 132, \"y\": 77}, "
		"\"bbox\": [120, 70, 64, 80], \"pixels\": 3, \"map\": \"21 -> 20\"}},\n"
		"    {\"rule\": \"missing-class\", \"level\": \"warning\", \"path\": null, \"member\": null, "
		"\"message\": \"class 2 never occurs\", \"advice\": null, \"details\": {\"ids\": [");
	for (int i = 0; i < FINDING_IDS_MAX; i++)
		strbuf_addf(&want, "%s[%d, 1]", i ? ", " : "", i);
	strbuf_adds(&want, "], \"ids_total\": 258}}\n"
			   "  ],\n"
			   "  \"findings_total\": 3,\n"
			   "  \"findings_listed\": 3,\n"
			   "  \"run\": {\"started\": \"2024-01-02T03:04:05Z\", \"seconds\": 4.250, \"device\": "
			   "\"cpu\", \"jobs\": 16, "
			   "\"files_per_second\": 1.4, \"thread_seconds\": {\"walk\": 0.000001, \"read\": 2.000000, "
			   "\"measure\": 0.000000, \"judge\": 0.000001}, \"peak_memory\": 4096, \"notes\": []}\n"
			   "}\n");
	ck_assert_str_eq(fx.out.s, want.s);
	cJSON_Delete(parse(fx.out.s));
	strbuf_release(&want);
}
END_TEST

START_TEST(an_empty_report)
{
	free_report();
	make_report();
	free(fx.ids[2].example);
	fx.dataset = (struct dataset_stats){ 0 };
	fx.report.run.seconds = 0;
	reporter_json.end(&fx.report, &fx.out);
	expect_has(fx.out.s, "\"status\": \"pass\"");
	expect_has(fx.out.s, "\"median_frequency\": [null, null, null]");
	expect_has(fx.out.s, "\"files_per_second\": 0.0");
	cJSON_Delete(parse(fx.out.s));
}
END_TEST

START_TEST(weights)
{
	free(fx.ids[2].example);
	fx.ids[0].labels = 600;
	fx.ids[1].labels = 300;
	fx.ids[2] = (struct id_total){ .id = 2, .labels = 100, .files = 1 };
	fx.dataset.labels = 1100;
	reporter_json.end(&fx.report, &fx.out);
	/*
	 * freq .6 .3 .1, median .3; total 1000 / (3 * labels); beta .999: beta^600 = .548647, beta^300 = .740707,
	 * beta^100 = .904792, so 1 / E is .001 times 2.21556, 3.85664, 10.5032, whose mean is 5.52513
	 */
	expect_has(fx.out.s, "\"median_frequency\": [0.5, 1.0, 3.0]");
	expect_has(fx.out.s, "\"inverse_frequency\": [0.555556, 1.11111, 3.33333]");
	expect_has(fx.out.s, "\"effective_number\": [0.400993, 0.698012, 1.90099]");
	expect_has(fx.out.s, "\"labels\": 600, \"files\": 2, \"fraction\": 0.600000}"); /* ignored ones do not count */
}
END_TEST

START_TEST(the_zero_label_reduced)
{
	fx.settings.reduce_zero_label = true;
	free(fx.ids[2].example);
	fx.ids[0] = (struct id_total){ .id = 0, .labels = 50, .files = 1 };   /* ignored */
	fx.ids[1] = (struct id_total){ .id = 1, .labels = 30, .files = 1 };   /* class 0 */
	fx.ids[2] = (struct id_total){ .id = 4, .labels = 20, .files = 1 };   /* 3: out of range */
	fx.ids[3] = (struct id_total){ .id = 255, .labels = 10, .files = 1 }; /* ignored */
	fx.dataset.labels = 110;
	reporter_json.end(&fx.report, &fx.out);
	expect_has(fx.out.s,
		   "{\"id\": 0, \"name\": \"background\", \"labels\": 30, \"files\": 1, \"fraction\": 0.600000}");
	expect_has(fx.out.s, "{\"id\": 1, \"name\": \"cat\\u001b[31m\", \"labels\": 0, ");
	expect_has(fx.out.s, "\"ignored\": [\n    {\"id\": 0, \"labels\": 50, \"files\": 1},\n    {\"id\": 255, ");
	expect_has(fx.out.s, "\"out_of_range\": [\n    {\"id\": 4, \"labels\": 20, ");
	expect_has(fx.out.s, "\"histogram\": [[0, 50], [1, 30], [4, 20], [255, 10]]");
	expect_has(fx.out.s, "\"reduce_zero_label\": true");
}
END_TEST

START_TEST(more_classes_than_are_listed)
{
	struct error err = ERROR_INIT;

	ck_assert_int_eq(class_set_parse_ignore(&fx.settings.classes, "100000-101000", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_classes(&fx.settings.classes, "65537", &err), STATUS_OK);
	class_set_finish(&fx.settings.classes);
	reporter_json.end(&fx.report, &fx.out);
	expect_has(fx.out.s, "\"ignore\": [\"-1\", \"255\", \"100000-101000\"]");
	expect_has(fx.out.s, "\"classes_declared\": 65537,");
	expect_has(fx.out.s, "{\"id\": 21, \"name\": null, \"labels\": 3, ");
	ck_assert_ptr_null(strstr(fx.out.s, "{\"id\": 2, "));
}
END_TEST

static void read_digest(char out[17])
{
	strbuf_clear(&fx.out);
	reporter_json.end(&fx.report, &fx.out);
	memcpy(out, strstr(fx.out.s, "\"digest\": \"") + 11, 16);
	out[16] = '\0';
}

START_TEST(digest_follows_what_decides)
{
	char first[17], other[17];

	read_digest(first);
	fx.settings.max_findings++;
	fx.report.run.jobs++;
	read_digest(other);
	ck_assert_str_eq(first, other);
#define EXPECT_DIFFERENT(change, back)          \
	do {                                    \
		change;                         \
		read_digest(other);             \
		ck_assert_str_ne(first, other); \
		back;                           \
	} while (0)
	EXPECT_DIFFERENT(fx.settings.view = VIEW_CV2, fx.settings.view = VIEW_PIL);
	EXPECT_DIFFERENT(fx.settings.fail_on = LEVEL_OFF, fx.settings.fail_on = LEVEL_ERROR);
	EXPECT_DIFFERENT(fx.settings.limits.max_pixels++, fx.settings.limits.max_pixels--);
	EXPECT_DIFFERENT(fx.settings.limits.max_inflated++, fx.settings.limits.max_inflated--);
	EXPECT_DIFFERENT(fx.settings.reduce_zero_label = true, fx.settings.reduce_zero_label = false);
	enum level was = fx.settings.rule_levels[0];

	EXPECT_DIFFERENT(fx.settings.rule_levels[0] = LEVEL_OFF, fx.settings.rule_levels[0] = was);
	read_digest(other);
	ck_assert_str_eq(first, other);
	EXPECT_DIFFERENT(id_ranges_add(&fx.settings.classes.ignored, 254, 254), (void)0);
	read_digest(first);
	EXPECT_DIFFERENT(class_set_name(&fx.settings.classes, 2, "dog"), (void)0);
}
END_TEST

START_TEST(no_locale_shows)
{
	struct strbuf plain = STRBUF_INIT;

	reporter_json.end(&fx.report, &plain);
	/* Where none of these is installed, the test says less, but it does not lie. */
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
		printf("no_locale_shows: skipped (no locale with a decimal comma)\n");
	reporter_json.end(&fx.report, &fx.out);
	setlocale(LC_ALL, "C");
	ck_assert_str_eq(plain.s, fx.out.s);
	strbuf_release(&plain);
}
END_TEST

static int from_base64(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, c);

	return c && at ? (int)(at - digits) : 0;
}

static void decode_base64(const char *text, char *out)
{
	for (; *text; text += 4) {
		int v = from_base64(text[0]) << 18 | from_base64(text[1]) << 12 | from_base64(text[2]) << 6 |
			from_base64(text[3]);

		*out++ = (char)(v >> 16);
		if (text[2] != '=')
			*out++ = (char)(v >> 8 & 255);
		if (text[3] != '=')
			*out++ = (char)(v & 255);
	}
	*out = '\0';
}

/* The path that a reader of the report gets back. */
static void expect_path(const cJSON *object, const char *path)
{
	const cJSON *bytes = cJSON_GetObjectItem(object, "path_b64");
	char got[64];

	if (bytes)
		decode_base64(cJSON_GetStringValue(bytes), got);
	else
		snprintf(got, sizeof(got), "%s", cJSON_GetStringValue(cJSON_GetObjectItem(object, "path")));
	ck_assert_str_eq(got, path);
	ck_assert_int_eq(bytes == NULL, utf8_valid(path, strlen(path)));
}

START_TEST(paths_of_any_bytes_come_back)
{
	static const char nasty[] = "\xc3\xa9\xe2\x80\xae\xf3\xa0\x80\xa1\"\\\n\x1b\x7f:\x01";
	struct sample sample = { .status = SAMPLE_SKIPPED };
	struct label_stats stats = { 0 };
	struct subject subject = { &fx.settings, &sample, &stats, NULL, NULL };
	uint64_t random = 3;

	for (int round = 0; round < 500; round++) {
		char path[17];
		size_t n = 0;

		random = random * 6364136223846793005U + 1442695040888963407U;
		for (size_t want = (size_t)(random >> 60) + 1; n < want; n++) {
			random = random * 6364136223846793005U + 1442695040888963407U;
			path[n] = random >> 62 ? nasty[random >> 58 & 15] : (char)((random >> 40) % 255 + 1);
		}
		path[n] = '\0';
		finding_list_release(&fx.findings);
		finding_list_init(&fx.findings, 1);
		add_finding("out-of-range-id", path, NULL, "message", "");
		strbuf_clear(&fx.out);
		reporter_json.end(&fx.report, &fx.out);
		ck_assert(utf8_valid(fx.out.s, fx.out.len));
		cJSON *root = parse(fx.out.s);

		expect_path(cJSON_GetArrayItem(cJSON_GetObjectItem(root, "findings"), 0), path);
		cJSON_Delete(root);

		strbuf_clear(&fx.out);
		sample.path = path;
		reporter_jsonl.file(&subject, NULL, 0, &fx.out);
		ck_assert_ptr_eq(strchr(fx.out.s, '\n'), fx.out.s + fx.out.len - 1);
		root = parse(fx.out.s);
		expect_path(root, path);
		cJSON_Delete(root);
	}
}
END_TEST

/* ---- the schema ------------------------------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

/* The exit status of python3 running that script with the arguments, or 127. */
static int run_python(const char *script, const char *a, const char *b)
{
	int status;
	pid_t child = fork();

	if (!child) {
		execlp("python3", "python3", "-W", "ignore", "-c", script, a, b, (char *)NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/*
 * Valid against the schema; every key of the report is in the schema; and the schema is no rubber stamp: each of
 * these changes is refused.
 */
static const char schema_script[] =
	"import sys, json, copy\n"
	"try:\n"
	"    import jsonschema\n"
	"except ImportError:\n"
	"    sys.exit(77)\n"
	"schema, report = (json.load(open(p, encoding='utf-8')) for p in sys.argv[1:])\n"
	"jsonschema.Draft202012Validator.check_schema(schema)\n"
	"validator = jsonschema.Draft202012Validator(schema)\n"
	"validator.validate(report)\n"
	"def closed(s):\n"
	"    if isinstance(s, dict):\n"
	"        s = {k: closed(v) for k, v in s.items()}\n"
	"        if s.get('type') == 'object': s.setdefault('additionalProperties', False)\n"
	"    elif isinstance(s, list): s = [closed(v) for v in s]\n"
	"    return s\n"
	"jsonschema.Draft202012Validator(closed(schema)).validate(report)\n"
	"def must_fail(change):\n"
	"    r = copy.deepcopy(report); change(r)\n"
	"    assert not validator.is_valid(r), 'the schema accepts anything'\n"
	"for key in list(report): must_fail(lambda r: r.pop(key))\n"
	"must_fail(lambda r: r['summary'].update(files=-1))\n"
	"must_fail(lambda r: r['summary'].update(bytes=2**64))\n"
	"must_fail(lambda r: r['histogram'].append([1]))\n"
	"must_fail(lambda r: r['findings'][0].update(level='fatal'))\n"
	"must_fail(lambda r: r['findings'][0].pop('member'))\n"
	"assert report['summary']['bytes'] == 2**64 - 1\n"
	"assert report['classes'][0]['labels'] == 2**53 + 1\n"
	"text = open(sys.argv[2], 'rb').read()\n"
	"assert all(c >= 32 or c == 10 for c in text)\n";

START_TEST(the_report_fits_its_schema)
{
	char directory[] = "/tmp/test_report.XXXXXX", schema[64], report[64];

	add_findings();
	reporter_json.end(&fx.report, &fx.out);
	cJSON_Delete(parse(report_schema));
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(schema, sizeof(schema), "%s/schema.json", directory);
	snprintf(report, sizeof(report), "%s/report.json", directory);
	write_text(schema, report_schema);
	write_text(report, fx.out.s);
	int rc = run_python(schema_script, schema, report);

	unlink(schema);
	unlink(report);
	rmdir(directory);
	if (rc == 127 || rc == 77)
		printf("the_report_fits_its_schema: skipped (needs python3 with jsonschema)\n");
	else
		ck_assert_int_eq(rc, 0);
}
END_TEST

/* ---- jsonl ------------------------------------------------------------------------------------------------------ */

START_TEST(jsonl_lines)
{
	static struct finding f;
	struct id_stats ids[2] = { { .id = -3, .labels = UINT64_MAX }, { .id = 300, .labels = 1 } };
	struct label_stats stats = { .labels = 200, .ids_count = 2 };
	struct sample sample = {
		.path = "m/a.png",
		.format = FORMAT_PNG,
		.png = { .width = 20, .height = 10, .bit_depth = 8, .colour_type = PNG_PALETTE, .channels = 1 },
	};
	struct subject subject = { &fx.settings, &sample, &stats, ids, NULL };

	finding_init(&f, rule_named("out-of-range-id"));
	finding_add_id(&f, 300, 1);
	text_addf(&f.message, "bad");

	reporter_jsonl.begin(&fx.settings, "2024-01-02T03:04:05Z", &fx.out);
	expect_has(fx.out.s, "{\"type\":\"run\",\"schema_version\":\"1.0\",\"tool\":{\"name\":\"labelaudit\",");
	expect_has(fx.out.s, ",\"settings\":{\"classes\":\"0-2\",\"ignore\":[-1,255],");
	expect_has(fx.out.s, "\"started\":\"2024-01-02T03:04:05Z\"}\n");
	cJSON_Delete(parse(fx.out.s));

	strbuf_clear(&fx.out);
	reporter_jsonl.file(&subject, &f, 1, &fx.out);
	ck_assert_str_eq(
		fx.out.s,
		"{\"type\":\"file\",\"path\":\"m/a.png\",\"member\":null,\"status\":\"read\","
		"\"format\":\"png palette 8\",\"shape\":[10,20],\"labels\":200,"
		"\"histogram\":[[-3,18446744073709551615],[300,1]],\"findings\":[{\"rule\":\"out-of-range-id\","
		"\"level\":\"error\",\"message\":\"bad\",\"advice\":null,\"details\":{\"ids\":[[300,1]]}}]}\n");

	strbuf_clear(&fx.out);
	stats = (struct label_stats){ .colours = 1, .ids_count = 2 };
	sample.png.colour_type = PNG_RGB;
	sample.member = "x";
	reporter_jsonl.file(&subject, NULL, 0, &fx.out);
	ck_assert_str_eq(
		fx.out.s,
		"{\"type\":\"file\",\"path\":\"m/a.png\",\"member\":\"x\",\"status\":\"read\",\"format\":\"png rgb 8\","
		"\"shape\":[10,20],\"labels\":0,\"findings\":[]}\n");

	strbuf_clear(&fx.out);
	stats = (struct label_stats){ .labels = 5,
				      .ids_count = 2 }; /* a failed file adds nothing, whatever was measured */
	sample = (struct sample){ .path = "x", .format = FORMAT_PNG, .status = SAMPLE_FAILED };
	reporter_jsonl.file(&subject, NULL, 0, &fx.out);
	ck_assert_str_eq(fx.out.s,
			 "{\"type\":\"file\",\"path\":\"x\",\"member\":null,\"status\":\"failed\",\"format\":null,"
			 "\"shape\":null,\"labels\":0,\"findings\":[]}\n");

	strbuf_clear(&fx.out);
	add_findings();
	fx.report.complete = false;
	reporter_jsonl.end(&fx.report, &fx.out);
	ck_assert_ptr_eq(strchr(fx.out.s, '\n'), fx.out.s + fx.out.len - 1);
	cJSON *root = parse(fx.out.s);
	static const char *const keys[] = {
		"type",          "complete", "summary", "classes",  "ignored",        "out_of_range", "histogram",
		"class_weights", "formats",  "sizes",   "findings", "findings_total", "run",
	};
	const cJSON *child = root->child;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++, child = child->next) {
		ck_assert_ptr_nonnull(child);
		ck_assert_str_eq(child->string, keys[i]);
	}
	ck_assert_ptr_null(child);
	ck_assert(cJSON_IsFalse(cJSON_GetObjectItem(root, "complete")));
	ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "findings")), 1); /* the dataset's */
	cJSON_Delete(root);
}
END_TEST

/* ---- text and summary ------------------------------------------------------------------------------------------- */

START_TEST(text_report)
{
	add_findings();
	reporter_text.end(&fx.report, &fx.out);
	ck_assert_str_eq(
		fx.out.s,
		"a.zip#b\\x1b.png: error truncated-file: the data end early\n"
		"m/\\xff\\x0a.png: error out-of-range-id: 3 pixels have id 21\n"
		"    correct the mask\n"
		"(dataset): warning missing-class: class 2 never occurs\n"
		"\n"
		"   id  class                     labels     share  files\n"
		"    0  background      9007199254740993  100.00 %      2  ####################\n"
		"    1  cat\\x1b[31m                    7  < 0.01 %      1\n"
		"    2                                 0    0.00 %      0\n"
		"  255  (ignored)                    100                2\n"
		"   21  (out of range)                 3  < 0.01 %      1\n"
		"\n"
		"Look first at out-of-range-id in m/\\xff\\x0a.png: 3 pixels have id 21\n"
		"    correct the mask\n"
		"Next: labelaudit rule out-of-range-id\n"
		"\n"
		"FAIL: 2 errors and 1 warning in 6 files (1 could not be read whole, 1 skipped: no label files), "
		"9007199254741103 labels\n");
}
END_TEST

START_TEST(text_cuts_and_colours)
{
	for (int i = 0; i < 25; i++) {
		char path[32];

		snprintf(path, sizeof(path), "m/%02d.png", i);
		add_finding("out-of-range-id", path, NULL, "bad\nid", "");
	}
	add_finding("truncated-file", "::error file=x::y", NULL, "cut", "");
	finding_list_finish(&fx.findings);
	fx.report.verbosity = -1;
	reporter_text.end(&fx.report, &fx.out);
	expect_has(fx.out.s,
		   "m/19.png: error out-of-range-id: bad\\x0aid\n... and 5 more of rule out-of-range-id\nFAIL: ");
	ck_assert_ptr_null(strstr(fx.out.s, "m/20.png"));
	ck_assert_ptr_null(strchr(fx.out.s, '\033'));
	ck_assert_int_eq(strncmp(fx.out.s, "./::error file=x::y: error truncated-file: cut\n", 46), 0);
	strbuf_clear(&fx.out);
	add_place(&fx.out, "\xe3\x80\x80 ::stop-commands::x", "##[error]");
	ck_assert_str_eq(fx.out.s, "./\xe3\x80\x80 ::stop-commands::x#\\x23#[error]");

	strbuf_clear(&fx.out);
	fx.report.colour = true;
	reporter_text.end(&fx.report, &fx.out);
	expect_has(fx.out.s, "\033[1mm/00.png\033[0m: \033[31merror\033[0m out-of-range-id: bad\\x0aid\n");
	expect_has(fx.out.s, "\033[31mFAIL\033[0m: ");
}
END_TEST

START_TEST(text_of_many_classes)
{
	struct error err = ERROR_INIT;

	ck_assert_int_eq(class_set_parse_classes(&fx.settings.classes, "1000", &err), STATUS_OK);
	class_set_name(&fx.settings.classes, 1, "\xc3\xa9\xc3\xa9\xc3\xa9 a name that is longer than its column");
	class_set_finish(&fx.settings.classes);
	reporter_text.end(&fx.report, &fx.out);
	expect_has(fx.out.s, "\xc3\xa9\xc3\xa9\xc3\xa9 a name that is lo...  ");
	expect_has(fx.out.s, "  ... and 996 more classes that never occur\n");
	ck_assert_ptr_null(strstr(fx.out.s, "\n    2  "));
}
END_TEST

START_TEST(summary_lines)
{
	report_summary(&fx.report, &fx.out);
	ck_assert_str_eq(fx.out.s, "labelaudit: PASS: no findings in 6 files (1 could not be read whole, "
				   "1 skipped: no label files), 9007199254741103 labels in 4.3 s\n");
	strbuf_clear(&fx.out);
	add_findings();
	fx.report.complete = false;
	report_summary(&fx.report, &fx.out);
	expect_has(fx.out.s, "labelaudit: INCOMPLETE: 2 errors and 1 warning in 6 files");
	expect_has(fx.out.s, "labelaudit: not everything was audited");
	expect_has(fx.out.s, "labelaudit: next: m/\\xff\\x0a.png: out-of-range-id: correct the mask\n");

	/* One about the dataset names the cause. */
	strbuf_clear(&fx.out);
	add_finding("one-based-ids", NULL, NULL, "ids run 1..21", "subtract 1");
	finding_list_finish(&fx.findings);
	report_summary(&fx.report, &fx.out);
	expect_has(fx.out.s, "labelaudit: next: one-based-ids: subtract 1\n");
}
END_TEST

/* ---- verdict ---------------------------------------------------------------------------------------------------- */

START_TEST(verdicts)
{
	static const struct {
		enum level found, fail_on;
		bool complete;
		enum status want;
	} cases[] = {
		{ LEVEL_OFF, LEVEL_ERROR, true, STATUS_OK },
		{ LEVEL_ERROR, LEVEL_ERROR, true, STATUS_FINDINGS },
		{ LEVEL_WARNING, LEVEL_ERROR, true, STATUS_OK },
		{ LEVEL_WARNING, LEVEL_WARNING, true, STATUS_FINDINGS },
		{ LEVEL_ERROR, LEVEL_WARNING, true, STATUS_FINDINGS },
		{ LEVEL_INFO, LEVEL_WARNING, true, STATUS_OK },
		{ LEVEL_INFO, LEVEL_INFO, true, STATUS_FINDINGS },
		{ LEVEL_ERROR, LEVEL_OFF, true, STATUS_OK },
		{ LEVEL_OFF, LEVEL_ERROR, false, STATUS_FAILED },
		{ LEVEL_ERROR, LEVEL_ERROR, false, STATUS_FAILED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(fx.findings.by_level, 0, sizeof(fx.findings.by_level));
		if (cases[i].found != LEVEL_OFF)
			fx.findings.by_level[cases[i].found] = 1;
		fx.settings.fail_on = cases[i].fail_on;
		fx.report.complete = cases[i].complete;
		ck_assert_msg(report_status(&fx.report) == cases[i].want, "case %zu", i);
		ck_assert(!cases[i].complete || report_passes(&fx.report) == (cases[i].want == STATUS_OK));
	}
}
END_TEST

START_TEST(reporters_by_name)
{
	ck_assert_ptr_eq(reporter_by_name("json"), &reporter_json);
	ck_assert_ptr_eq(reporter_by_name("none"), &reporter_none);
	ck_assert_ptr_null(reporter_by_name("xml"));
	ck_assert_ptr_eq(reporter_by_extension("a.json/b.jsonl"), &reporter_jsonl);
	ck_assert_ptr_eq(reporter_by_extension("out.txt"), &reporter_text);
	ck_assert_ptr_null(reporter_by_extension("a.json/b"));
	ck_assert_ptr_null(reporter_by_extension("json"));
}
END_TEST

START_TEST(books_that_do_not_balance)
{
	fx.dataset.files_read++;
	reporter_json.end(&fx.report, &fx.out);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report");
	TCase *c = tcase_create("report");

	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, make_report, free_report);
	tcase_add_test(c, the_whole_json_report);
	tcase_add_test(c, an_empty_report);
	tcase_add_test(c, weights);
	tcase_add_test(c, the_zero_label_reduced);
	tcase_add_test(c, more_classes_than_are_listed);
	tcase_add_test(c, digest_follows_what_decides);
	tcase_add_test(c, no_locale_shows);
	tcase_add_test(c, paths_of_any_bytes_come_back);
	tcase_add_test(c, the_report_fits_its_schema);
	tcase_add_test(c, jsonl_lines);
	tcase_add_test(c, text_report);
	tcase_add_test(c, text_cuts_and_colours);
	tcase_add_test(c, text_of_many_classes);
	tcase_add_test(c, summary_lines);
	tcase_add_test(c, verdicts);
	tcase_add_test(c, reporters_by_name);
	tcase_add_test_raise_signal(c, books_that_do_not_balance, 6); /* SIGABRT */
	suite_add_tcase(s, c);
	return s;
}

CHECK_MAIN(suite)
