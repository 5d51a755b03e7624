/*
 * The JSON report on one made by hand: keys and their order, exact numbers, what its digest follows, and the report
 * against the schema (python3 with jsonschema, where they are there).
 */
#include <cjson/cJSON.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/version.h"
#include "check_main.h"
#include "report/report.h"
#include "report_fixture.h"

TIMEOUT(60)
FIXTURE(report_make_large, report_free)

TEST(the_whole_json_report)
{
	report_add_various();
	report_finish();
	reporter_json.end(&fixture.report, &fixture.out);
	const char *digest = strstr(fixture.out.s, "\"digest\": \"");
	struct strbuf want = STRBUF_INIT;

	ck_assert_ptr_nonnull(digest);
	strbuf_adds(&want, "{\n"
			   "  \"schema_version\": \"1.2\",\n"
			   "  \"tool\": {\"name\": \"labelaudit\", \"version\": \"" LABELAUDIT_VERSION "\"},\n"
			   "  \"complete\": true,\n"
			   "  \"settings\": {\"classes\": \"0-2\", \"ignore\": [-1, 255], \"view\": \"pil\", "
			   "\"reduce_zero_label\": false, "
			   "\"strict\": false, \"fail_on\": \"error\", \"shard\": null, ");
	strbuf_add(&want, digest, 11 + 16);
	strbuf_adds(
		&want,
		"\", \"options\": {}, \"narrowed\": []},\n"
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
		"  \"diagnosis\": [\n"
		"    {\"cause\": \"truncated-file\", \"level\": \"error\", \"files\": 1, \"findings\": 1, \"labels\": "
		"null, \"share\": null, \"example\": \"a.zip\", \"member\": \"b\\u001b.png\", "
		"\"place\": \"line 4, column 5\", \"message\": \"the data end early\", "
		"\"remedy\": null, \"command\": null},\n"
		"    {\"cause\": \"out-of-range-id\", \"level\": \"error\", \"files\": 1, \"findings\": 1, \"labels\": "
		"3, \"share\": 0.000000, \"example\": \"m/\xef\xbf\xbd\\n.png\", \"example_b64\": \"bS//Ci5wbmc=\", "
		"\"member\": null, \"place\": \"x 132, y 77\", "
		"\"message\": \"3 pixels have id 21\", \"remedy\": \"correct the mask\", \"command\": null},\n"
		"    {\"cause\": \"missing-class\", \"level\": \"warning\", \"files\": null, \"findings\": 1, "
		"\"labels\": null, \"share\": null, \"example\": null, \"member\": null, \"place\": null, \"message\": "
		"\"class 2 never occurs\", "
		"\"remedy\": null, \"command\": null}\n"
		"  ],\n"
		"  \"coverage\": {\n"
		"    \"audited\": 4,\n"
		"    \"failed\": 1,\n"
		"    \"left_out\": [\n"
		"      {\"reason\": \"no-labels\", \"files\": 1, \"labels\": false, \"label_files\": 0, "
		"\"example\": \"notes.md\"}\n"
		"    ],\n"
		"    \"unread\": [],\n"
		"    \"paths\": []\n"
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
		"\"bbox\": [120, 70, 64, 80], \"pixels\": 3, \"map\": \"21 -> 20\", \"mapping\": [[21, 20]]}},\n"
		"    {\"rule\": \"missing-class\", \"level\": \"warning\", \"path\": null, \"member\": null, "
		"\"message\": \"class 2 never occurs\", \"advice\": null, \"details\": {\"ids\": [");
	for (int i = 0; i < FINDING_IDS_MAX; i++)
		strbuf_addf(&want, "%s[%d, 1]", i ? ", " : "", i);
	strbuf_adds(&want, "], \"ids_total\": 258}}\n"
			   "  ],\n"
			   "  \"findings_total\": 3,\n"
			   "  \"findings_listed\": 3,\n"
			   "  \"layout\": [],\n"
			   "  \"run\": {\"started\": \"2024-01-02T03:04:05Z\", \"seconds\": 4.250, \"device\": "
			   "\"cpu\", \"jobs\": 16, "
			   "\"files_per_second\": 1.4, \"thread_seconds\": {\"walk\": 0.000001, \"wait\": 0.000005, "
			   "\"read\": 2.000000, "
			   "\"measure\": 0.000000, \"judge\": 0.000001}, \"peak_memory\": 4096, \"notes\": []}\n"
			   "}\n");
	ck_assert_str_eq(fixture.out.s, want.s);
	cJSON_Delete(parse_json(fixture.out.s));
	strbuf_release(&want);
}

TEST(weights)
{
	fixture.ids[0].labels = 600;
	fixture.ids[1].labels = 300;
	fixture.ids[2] = (struct id_total){ .id = 2, .labels = 100, .files = 1 };
	fixture.dataset.labels = 1100;
	reporter_json.end(&fixture.report, &fixture.out);
	/*
	 * freq .6 .3 .1, median .3; total 1000 / (3 * labels); beta .999: beta^600 = .548647, beta^300 = .740707,
	 * beta^100 = .904792, so 1 / E is .001 times 2.21556, 3.85664, 10.5032, whose mean is 5.52513
	 */
	expect_part("\"median_frequency\": [0.5, 1.0, 3.0]");
	expect_part("\"inverse_frequency\": [0.555556, 1.11111, 3.33333]");
	expect_part("\"effective_number\": [0.400993, 0.698012, 1.90099]");
	expect_part("\"labels\": 600, \"files\": 2, \"fraction\": 0.600000}"); /* ignored ones do not count */
}

TEST(more_classes_than_are_listed)
{
	struct error err = ERROR_INIT;

	ck_assert_int_eq(class_set_parse_ignore(&fixture.settings.classes, "100000-101000", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_classes(&fixture.settings.classes, "65537", &err), STATUS_OK);
	class_set_finish(&fixture.settings.classes);
	reporter_json.end(&fixture.report, &fixture.out);
	expect_part("\"ignore\": [\"-1\", \"255\", \"100000-101000\"]");
	expect_part("\"classes_declared\": 65537,");
	expect_part("{\"id\": 21, \"name\": null, \"labels\": 3, ");
	expect_no_part("{\"id\": 2, ");
}

static void read_digest(char out[17])
{
	strbuf_clear(&fixture.out);
	reporter_json.end(&fixture.report, &fixture.out);
	memcpy(out, strstr(fixture.out.s, "\"digest\": \"") + 11, 16);
	out[16] = '\0';
}

TEST(digest_follows_what_decides)
{
	char first[17], other[17];

	read_digest(first);
	fixture.settings.max_findings++;
	fixture.report.run.jobs++;
	read_digest(other);
	ck_assert_str_eq(first, other);
#define EXPECT_DIFFERENT(change, back)          \
	do {                                    \
		change;                         \
		read_digest(other);             \
		ck_assert_str_ne(first, other); \
		back;                           \
	} while (0)
	EXPECT_DIFFERENT(fixture.settings.view = VIEW_CV2, fixture.settings.view = VIEW_PIL);
	EXPECT_DIFFERENT(fixture.settings.fail_on = LEVEL_OFF, fixture.settings.fail_on = LEVEL_ERROR);
	EXPECT_DIFFERENT(fixture.settings.limits.max_pixels++, fixture.settings.limits.max_pixels--);
	EXPECT_DIFFERENT(fixture.settings.limits.pixel_budget++, fixture.settings.limits.pixel_budget--);
	EXPECT_DIFFERENT(fixture.settings.limits.max_inflated++, fixture.settings.limits.max_inflated--);
	EXPECT_DIFFERENT(fixture.settings.reduce_zero_label = true, fixture.settings.reduce_zero_label = false);
	enum level was = fixture.settings.rules.levels[0];

	EXPECT_DIFFERENT(fixture.settings.rules.levels[0] = LEVEL_OFF, fixture.settings.rules.levels[0] = was);
	read_digest(other);
	ck_assert_str_eq(first, other);
	EXPECT_DIFFERENT(id_ranges_add(&fixture.settings.classes.ignored, 254, 254), (void)0);
	read_digest(first);
	EXPECT_DIFFERENT(class_set_name(&fixture.settings.classes, 2, "dog"), (void)0);
}

TEST(no_locale_shows)
{
	struct strbuf plain = STRBUF_INIT;

	reporter_json.end(&fixture.report, &plain);
	/* Where none of these is installed, the test says less, but it does not lie. */
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
		printf("no_locale_shows: skipped (no locale with a decimal comma)\n");
	reporter_json.end(&fixture.report, &fixture.out);
	setlocale(LC_ALL, "C");
	ck_assert_str_eq(plain.s, fixture.out.s);
	strbuf_release(&plain);
}

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
	"for key in schema['required']: must_fail(lambda r: r.pop(key))\n"
	"must_fail(lambda r: r['coverage']['left_out'][0].update(reason='whatever'))\n"
	"must_fail(lambda r: r['coverage'].update(unread=[{'kind': 'psd', 'files': 1, 'example': 'a'}]))\n"
	"must_fail(lambda r: r['summary'].update(files=-1))\n"
	"must_fail(lambda r: r['summary'].update(bytes=2**64))\n"
	"must_fail(lambda r: r['histogram'].append([1]))\n"
	"must_fail(lambda r: r['findings'][0].update(level='fatal'))\n"
	"must_fail(lambda r: r['findings'][0].pop('member'))\n"
	"first = {k: f['details']['first'] for f in report['findings'] for k in f['details'].get('first', {})}\n"
	"assert set(first) == {'id', 'x', 'y', 'index', 'line', 'column'}, first\n"
	"must_fail(lambda r: [f['details']['first'].pop(k, 0) for f in r['findings'] if 'first' in f['details'] for k "
	"in 'xy'])\n"
	"assert report['summary']['bytes'] == 2**64 - 1\n"
	"assert report['classes'][0]['labels'] == 2**53 + 1\n"
	"text = open(sys.argv[2], 'rb').read()\n"
	"assert all(c >= 32 or c == 10 for c in text)\n";

/* An offender of each kind of place. */
static void add_finding_at(const char *path, enum first_kind kind)
{
	static struct finding f;

	finding_init(&f, rule_find("out-of-range-id"));
	text_addf(&f.message, "1 label has id 21");
	f.details.has_first = true;
	f.details.first_id = 21;
	f.details.first_kind = (uint8_t)kind;
	f.details.first_rank = 2;
	f.details.first_x = f.details.first_y = 1;
	finding_list_add(&fixture.findings, &f, path, NULL);
}

TEST(the_report_fits_its_schema)
{
	char directory[] = "/tmp/test_report.XXXXXX", schema[64], report[64];

	add_finding_at("labels.npy", FIRST_INDEX);
	add_finding_at("labels.csv", FIRST_LINE);
	report_add_various();
	reporter_json.end(&fixture.report, &fixture.out);
	struct strbuf described = STRBUF_INIT;

	report_schema(&described);
	cJSON_Delete(parse_json(described.s));
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(schema, sizeof(schema), "%s/schema.json", directory);
	snprintf(report, sizeof(report), "%s/report.json", directory);
	write_text(schema, described.s);
	strbuf_release(&described);
	write_text(report, fixture.out.s);
	int rc = run_python(schema_script, schema, report);

	unlink(schema);
	unlink(report);
	rmdir(directory);
	if (rc == 127 || rc == 77)
		printf("the_report_fits_its_schema: skipped (needs python3 with jsonschema)\n");
	else
		ck_assert_int_eq(rc, 0);
}

/* ---- verdict and names ------------------------------------------------------------------------------------------ */

TEST(books_that_do_not_balance)
{
	int status;
	const pid_t child = fork();

	if (!child) {
		fixture.dataset.files_read++;
		reporter_json.end(&fixture.report, &fixture.out);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
