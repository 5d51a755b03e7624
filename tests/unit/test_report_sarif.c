/* SARIF: the cap that no rule falls victim to, and fingerprints. Its shape: tests/cli/format-sarif.case,
 * tests/property/formats.py. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

/* The reporter once more, as a build with HOMEPAGE has it. */
#define LABELAUDIT_HOMEPAGE "https://example.org/labelaudit"
#define reporter_sarif      reporter_sarif_with_homepage
#include "report/report_sarif.c"
#undef reporter_sarif
extern const struct reporter reporter_sarif;

#include "check_main.h"
#include "report_fixture.h"

static cJSON *root;

static const cJSON *get(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	ck_assert_msg(item != NULL, "no %s", key);
	return item;
}

static const char *text(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(get(object, key));
}

/* Writes it, parses it, and returns its one run. */
static const cJSON *write_run(void)
{
	finding_list_finish(&fixture.findings);
	strbuf_clear(&fixture.out);
	reporter_sarif.end(&fixture.report, &fixture.out);
	cJSON_Delete(root);
	root = parse_json(fixture.out.s);
	ck_assert_str_eq(text(root, "version"), "2.1.0");
	ck_assert_int_eq(cJSON_GetArraySize(get(root, "runs")), 1);
	return cJSON_GetArrayItem(get(root, "runs"), 0);
}

static const cJSON *result(const cJSON *run, int i)
{
	const cJSON *item = cJSON_GetArrayItem(get(run, "results"), i);

	ck_assert_ptr_nonnull(item);
	return item;
}

static const cJSON *location(const cJSON *result_object)
{
	return cJSON_GetArrayItem(get(result_object, "locations"), 0);
}

static const char *uri(const cJSON *result_object)
{
	return text(get(get(location(result_object), "physicalLocation"), "artifactLocation"), "uri");
}

static const char *fingerprint(const cJSON *result_object)
{
	return text(get(result_object, "partialFingerprints"), "labelaudit/v1");
}

/* 30,000 findings that are no matter must not hide the three that are. */
TEST(a_flood)
{
	int firsts = 0, more = 0;
	const char *before = "error";

	finding_list_release(&fixture.findings);
	finding_list_init(&fixture.findings, 0);
	for (int i = 0; i < 30000; i++) {
		char path[32];

		snprintf(path, sizeof(path), "m/%05d.png", i);
		report_add(i % 2 ? "single-id" : "mostly-ignored", path, NULL, "trifle", "");
	}
	report_add("out-of-range-id", "z/1.png", NULL, "bad", "");
	report_add("out-of-range-id", "z/2.png", NULL, "bad", "");
	report_add("missing-class", NULL, NULL, "bad", "");
	const cJSON *run = write_run();
	const cJSON *results = get(run, "results");

	ck_assert_int_eq(cJSON_GetArraySize(results), 5000 - 2); /* two rules have all they have to say */
	ck_assert(cJSON_IsTrue(get(get(run, "properties"), "truncated")));
	ck_assert_str_eq(uri(result(run, 0)), "z/1.png");
	ck_assert_str_eq(uri(result(run, 1)), "z/2.png");
	ck_assert_str_eq(text(result(run, 2), "ruleId"), "missing-class");
	const cJSON *r;

	cJSON_ArrayForEach(r, results)
	{
		const char *level = text(r, "level");

		/* "error" < "note" < "warning": not the order that is wanted, which only ever goes down */
		ck_assert(strcmp(before, level) == 0 || (strcmp(level, "error") != 0 && strcmp(before, "note") != 0));
		before = level;
		firsts += !strcmp(uri(r), "m/00000.png") || !strcmp(uri(r), "m/00001.png");
		more += strstr(text(get(r, "message"), "text"), " more findings of this rule are not listed") != NULL;
	}
	ck_assert_int_eq(firsts, 2);
	ck_assert_int_eq(more, 2);
}

/* A rule leads to its page, where the project's address is known. */
TEST(help_uris)
{
	report_add("single-id", "m/1.png", NULL, "trifle", "");
	for (int known = 0; known < 2; known++) {
		finding_list_finish(&fixture.findings);
		strbuf_clear(&fixture.out);
		(known ? &reporter_sarif_with_homepage : &reporter_sarif)->end(&fixture.report, &fixture.out);
		ck_assert(known == (strstr(fixture.out.s,
					   "\"helpUri\": \"https://example.org/labelaudit/blob/v" LABELAUDIT_VERSION
					   "/docs/rules.md#single-id\"") != NULL));
		ck_assert(known == (strstr(fixture.out.s, "helpUri") != NULL));
	}
}

TEST(fingerprints_outlive_counts)
{
	char before[2][64];

	report_add("out-of-range-id", "./m/a.png", NULL, "3 pixels have id 21", "");
	report_add("out-of-range-id", "./m/a.png", NULL, "3 pixels have id 21", "");
	const cJSON *run = write_run();

	for (int i = 0; i < 2; i++)
		snprintf(before[i], sizeof(before[i]), "%s", fingerprint(result(run, i)));
	ck_assert_str_ne(before[0], before[1]);

	finding_list_release(&fixture.findings);
	finding_list_init(&fixture.findings, 10000);
	report_add("empty-file", "m/0.png", NULL, "one more", "");
	report_add("out-of-range-id", "m/a.png", NULL, "4 pixels have id 22", "another advice");
	run = write_run();
	ck_assert_str_eq(fingerprint(result(run, 1)), before[0]);
}

static void release(void)
{
	cJSON_Delete(root);
	root = NULL;
	report_free();
}

TIMEOUT(60)
FIXTURE(report_make, release)
