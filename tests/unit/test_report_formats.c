/*
 * JUnit, GitHub, GitLab and Markdown leave out parts of a long report, and say so. The rest of their output:
 * tests/cli/format-*.case; whether independent parsers read it: tests/property/formats.py.
 */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "report/report.h"
#include "report/summary.h"
#include "report_fixture.h"

static void write_report(const struct reporter *reporter)
{
	finding_list_finish(&fixture.findings);
	strbuf_clear(&fixture.out);
	reporter->end(&fixture.report, &fixture.out);
}

static void add_many(const char *rule, int n)
{
	for (int i = 0; i < n; i++) {
		char path[32];

		snprintf(path, sizeof(path), "m/%05d.png", i);
		report_add(rule, path, NULL, "message", "advice");
	}
}

TEST(junit_of_many_files)
{
	add_many("empty-file", 150);
	write_report(&reporter_junit);
	expect_part("m/00099.png");
	expect_no_part("m/00100.png");
	expect_part("\n50 more findings of this rule are not listed here");
}

/* As many as GitHub shows of a level; the text has all. */
TEST(github_annotations)
{
	add_many("empty-file", 25);
	report_add("all-ignored", "w.png", NULL, "warning", "");
	write_report(&reporter_github);
	ck_assert_uint_eq(count_parts("::error "), 10);
	ck_assert_uint_eq(count_parts("::warning "), 1);
	expect_part("\nFAIL: 25 errors");
}

TEST(gitlab_says_what_is_missing)
{
	fixture.findings.max = 1;
	add_many("empty-file", 3);
	write_report(&reporter_gitlab);
	cJSON_Delete(parse_json(fixture.out.s));
	ck_assert_uint_eq(count_parts("fingerprint"), 2);
	expect_part("\"description\": \"2 more findings of this rule are not listed here");
}

TEST(markdown_within_bounds)
{
	char *name = malloc(100001);
	size_t whole;

	ck_assert_ptr_nonnull(name);
	memset(name, 'n', 100000);
	name[100000] = '\0';
	class_set_name(&fixture.settings.classes, 2, name);
	free(name);
	add_many("empty-file", 20);
	add_many("all-ignored", 20);
	write_report(&reporter_markdown);
	whole = fixture.out.len;
	ck_assert_uint_lt(whole, 10000); /* names are cut */
	for (size_t max = 0; max < whole + 100; max += 37) {
		strbuf_clear(&fixture.out);
		report_markdown(&fixture.report, max, &fixture.out);
		ck_assert_uint_le(fixture.out.len, max);
		ck_assert(!fixture.out.len || fixture.out.s[fixture.out.len - 1] == '\n');
		if (max > 500)
			expect_part("## labelaudit: FAIL\n");
		if (max > 3000)
			expect_part("### Classes");
	}
	ck_assert_uint_eq(fixture.out.len, whole);
}

TIMEOUT(60)
FIXTURE(report_make, report_free)
