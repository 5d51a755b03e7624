/*
 * JUnit, GitHub, GitLab, CSV, Markdown and metrics, on a report made by hand: what counts, what is cut, what is inert.
 * Against independent parsers: tests/property/formats.py.
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

/* ---- junit ------------------------------------------------------------------------------------------------------ */

START_TEST(junit_counts)
{
	char head[128];

	fixture.settings.rule_levels[rule_index(rule_find("mixed-sizes"))] = LEVEL_OFF;
	report_add("all-ignored", "a<b>.png", NULL, "a ]]> warning", "do & be");
	report_add("truncated-file", "a.zip", "b\033.png", "cut", "");
	report_add("truncated-file", "c.png", NULL, "cut", "");
	report_add("interpolated-dataset", NULL, NULL, "mixed", "");
	write_report(&reporter_junit);
	snprintf(head, sizeof(head), "<testsuites name=\"labelaudit\" tests=\"%zu\" failures=\"2\" errors=\"0\">\n",
		 rule_count - 1);
	expect_part(head);
	ck_assert_uint_eq(count_parts("<testcase "), rule_count - 1);
	ck_assert_uint_eq(count_parts("<failure "), 2);
	ck_assert_uint_eq(count_parts("<error"), 0);
	expect_no_part("mixed-sizes");
	expect_part("<testcase classname=\"labelaudit.file\" name=\"truncated-file\">\n"
		    "      <failure message=\"2 findings: a file whose data end early\" type=\"error\">"
		    "a.zip#b\\x1b.png: error truncated-file: cut\nc.png: error truncated-file: cut\n</failure>\n");
	expect_part("<failure message=\"1 finding: ");
	expect_part(">(dataset): error interpolated-dataset: mixed\n</failure>");
	expect_part(
		"<system-out>a&lt;b&gt;.png: warning all-ignored: a ]]&gt; warning\n    do &amp; be\n</system-out>");

	fixture.settings.fail_on = LEVEL_WARNING;
	write_report(&reporter_junit);
	expect_part(" failures=\"3\" errors=\"0\">\n");
	fixture.settings.fail_on = LEVEL_OFF;
	fixture.report.complete = false;
	write_report(&reporter_junit);
	expect_part(" failures=\"0\" errors=\"1\">\n");
	ck_assert_uint_eq(count_parts("<testcase "), rule_count);
	ck_assert_uint_eq(count_parts("<error "), 1);
}
END_TEST

START_TEST(junit_of_many_files)
{
	add_many("empty-file", 150);
	write_report(&reporter_junit);
	expect_part("m/00099.png");
	expect_no_part("m/00100.png");
	expect_part("\n50 more findings of this rule are not listed here");
}
END_TEST

/* ---- github ----------------------------------------------------------------------------------------------------- */

START_TEST(github_annotations)
{
	add_many("empty-file", 25);
	report_add("truncated-file", "./a,b:c%\n.zip", "in\033,:side", "50% cut\n::error::x", "fetch: it, again");
	report_add("all-ignored", "w.png", NULL, "warning", "");
	report_add("single-id", "i.png", NULL, "info", "");
	report_add("missing-class", NULL, NULL, "never", "");
	write_report(&reporter_github);
	ck_assert_uint_eq(count_parts("::error "), 10);
	ck_assert_uint_eq(count_parts("::warning "), 2);
	expect_part("::error file=a%2Cb%3Ac%25\\x0a.zip,line=1,title=labelaudit truncated-file::in\\x1b,:side: "
		    "50%25 cut\\x0a::error::x%0Afetch: it, again\n");
	expect_part("\n::warning title=labelaudit missing-class::never\n");
	expect_part("\n::notice file=i.png,line=1,title=labelaudit single-id::info\n");
	expect_part("\nFAIL: 26 errors"); /* and the text */
	/* No line but ours is a command. */
	size_t commands = 0;

	for (const char *line = fixture.out.s; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		commands += !strncmp(line + strspn(line, " "), "::", 2);
	}
	ck_assert_uint_eq(commands, 13);
}
END_TEST

/* ---- gitlab ----------------------------------------------------------------------------------------------------- */

START_TEST(gitlab_entries)
{
	static const char *const severities[] = { "major", "major", "minor", "info" };
	static const char *const paths[] = { "a.png", "a.png", "masks/", "m/i.png" };

	write_report(&reporter_gitlab);
	ck_assert_str_eq(fixture.out.s, "[]\n");
	report_add("missing-class", NULL, NULL, "never", "look");
	report_add("empty-file", "a.png", NULL, "empty", "");
	report_add("empty-file", "a.png", NULL, "empty", "");
	report_add("single-id", ".//m/i.png", NULL, "info", "");
	write_report(&reporter_gitlab);
	cJSON *root = parse_json(fixture.out.s);

	ck_assert_int_eq(cJSON_GetArraySize(root), 4);
	for (int i = 0; i < 4; i++) {
		const cJSON *entry = cJSON_GetArrayItem(root, i), *location = cJSON_GetObjectItem(entry, "location");

		ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(entry, "severity")), severities[i]);
		ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(location, "path")), paths[i]);
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(
				cJSON_GetStringValue(cJSON_GetObjectItem(entry, "fingerprint")),
				cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(root, j), "fingerprint")));
	}
	expect_part("\"description\": \"never. What to do: look\", \"check_name\": \"missing-class\"");
	cJSON_Delete(root);

	fixture.findings.v[1].baselined = true; /* one of a.png */
	fixture.findings.by_rule[rule_index(rule_find("empty-file"))]--;
	write_report(&reporter_gitlab);
	ck_assert_uint_eq(count_parts("fingerprint"), 3);
}
END_TEST

START_TEST(gitlab_says_what_is_missing)
{
	fixture.findings.max = 1;
	add_many("empty-file", 3);
	write_report(&reporter_gitlab);
	cJSON_Delete(parse_json(fixture.out.s));
	ck_assert_uint_eq(count_parts("fingerprint"), 2);
	expect_part("\"description\": \"2 more findings of this rule are not listed here");
}
END_TEST

/* ---- csv -------------------------------------------------------------------------------------------------------- */

START_TEST(csv_rows)
{
	write_report(&reporter_csv);
	/* freq 2/3, 1/3; median 450; beta 899/900: 1 / E is in proportion to 2.05434 and 3.52607, whose mean is 2.79020
	 */
	ck_assert_str_eq(fixture.out.s,
			 "id,name,labels,files,fraction,median_frequency,inverse_frequency,effective_number\n"
			 "0,\"background\",600,2,0.600000,0.75,0.75,0.736269\n"
			 "1,\"'=cmd|' /C calc'!A0\\x0a<script>alert(1)</script>\",300,1,0.300000,1.5,1.5,1.26373\n"
			 "2,,0,0,0.000000,,,\n");
}
END_TEST

/* ---- markdown --------------------------------------------------------------------------------------------------- */

START_TEST(markdown_report)
{
	write_report(&reporter_markdown);
	expect_part("## labelaudit: PASS\n\nno findings in 6 files");
	expect_no_part("### Findings");
	expect_part(
		"| 1 | =cmd&#124;' /C calc'\\!A0\\x0a&lt;script&gt;alert(1)&lt;/script&gt; | 300 | 30.00 % | 1 |\n");
	expect_part("| 255 | *ignored* | 50 |  | 2 |\n| 21 | **out of range** | 100 | 10.00 % | 1 |\n");

	add_many("empty-file", 30);
	report_add("missing-class", NULL, NULL, "class *x* <b>", "look | at [it](http://x)");
	report_add("truncated-file", "`a|b`\n# c", "d`", "cut", "");
	fixture.report.complete = false;
	write_report(&reporter_markdown);
	expect_part("## labelaudit: INCOMPLETE\n");
	expect_part("\nNot everything was audited");
	expect_part("\n**Look first at** `empty-file` in `m/00000.png`: message. **What to do:** advice\n");
	expect_part("\n| 30 | error | `empty-file` | a file of 0 bytes |\n| 1 | error | `truncated-file` |");
	expect_part("\n- **error** `truncated-file` `\\x60a\\x7cb\\x60\\x0a# c#d\\x60`: cut\n");
	expect_part("\n- **warning** `missing-class`: class \\*x\\* &lt;b&gt;  \n"
		    "  look &#124; at \\[it\\](http&#58;//x)\n");
	expect_part("m/00019.png");
	expect_no_part("m/00020.png");
	expect_part("\n- ... and 10 more; the JSON report has more\n");

	fixture.report.statistics = true;
	write_report(&reporter_markdown);
	expect_no_part("### Findings");
}
END_TEST

START_TEST(markdown_within_bounds)
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
END_TEST

/* ---- metrics ---------------------------------------------------------------------------------------------------- */

START_TEST(metrics)
{
	report_add("empty-file", "a.png", NULL, "empty", "");
	report_add("missing-class", NULL, NULL, "never", "");
	write_report(&reporter_metrics);
	expect_part("{\n"
		    "  \"pass\": 0,\n"
		    "  \"complete\": 1,\n"
		    "  \"files\": 6,\n"
		    "  \"files_failed\": 1,\n"
		    "  \"files_left_out\": 1,\n"
		    "  \"unaudited_labels\": 0,\n"
		    "  \"labels\": 1050,\n"
		    "  \"errors\": 1,\n"
		    "  \"warnings\": 1,\n"
		    "  \"infos\": 0,\n"
		    "  \"narrowed\": 0,\n"
		    "  \"classes\": 3,\n"
		    "  \"classes_present\": 2,\n"
		    "  \"class_imbalance\": 2.000000,\n"
		    "  \"ignored_fraction\": 0.047619,\n"
		    "  \"out_of_range_fraction\": 0.095238,\n"
		    "  \"out_of_range_labels\": 100,\n"
		    "  \"class_0_fraction\": 0.600000,\n");
	expect_part("  \"rule_empty_file\": 1,\n");
	expect_part("  \"rule_missing_class\": 1,\n");
	expect_part("  \"rule_scaled_ids\": 0,\n"); /* one that did not fire */
	report_set_labels(0, (uint64_t[1]){ 0 }, 0);
	write_report(&reporter_metrics);
	expect_no_part("class_imbalance"); /* no class occurs */
	expect_part("\"ignored_fraction\": 0.000000");
}
END_TEST

/* Errors that --fail-on never lets pass are no success. */
START_TEST(metrics_of_errors_that_do_not_fail)
{
	report_add("empty-file", "a.png", NULL, "empty", "");
	fixture.settings.fail_on = LEVEL_OFF;
	write_report(&reporter_metrics);
	expect_part("\"pass\": 0,");
	ck_assert_str_eq(summary_verdict(&fixture.report), "FINDINGS");
}
END_TEST

START_TEST(forms_by_name_of_file)
{
	ck_assert_ptr_eq(reporter_by_extension("a/x.sarif"), &reporter_sarif);
	ck_assert_ptr_eq(reporter_by_extension("x.sarif.json"), &reporter_sarif);
	ck_assert_ptr_eq(reporter_by_extension("sarif.json"), &reporter_json);
	ck_assert_ptr_eq(reporter_by_extension("x.xml"), &reporter_junit);
	ck_assert_ptr_eq(reporter_by_extension("x.csv"), &reporter_csv);
	ck_assert_ptr_eq(reporter_by_extension("x.md"), &reporter_markdown);
	ck_assert_ptr_eq(reporter_by_extension("x.markdown"), &reporter_markdown);
	ck_assert_ptr_null(reporter_by_extension("x.sarif.gz"));
	ck_assert_ptr_null(reporter_by_extension("xmd"));
	ck_assert_ptr_eq(reporter_by_name("metrics"), &reporter_metrics);
	ck_assert_ptr_eq(reporter_by_name("github"), &reporter_github);
	ck_assert_ptr_eq(reporter_by_name("gitlab"), &reporter_gitlab);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_formats");
	TCase *c = tcase_create("report_formats");

	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, report_make, report_free);
	tcase_add_test(c, junit_counts);
	tcase_add_test(c, junit_of_many_files);
	tcase_add_test(c, github_annotations);
	tcase_add_test(c, gitlab_entries);
	tcase_add_test(c, gitlab_says_what_is_missing);
	tcase_add_test(c, csv_rows);
	tcase_add_test(c, markdown_report);
	tcase_add_test(c, markdown_within_bounds);
	tcase_add_test(c, metrics);
	tcase_add_test(c, metrics_of_errors_that_do_not_fail);
	tcase_add_test(c, forms_by_name_of_file);
	suite_add_tcase(s, c);
	return s;
}

CHECK_MAIN(suite)
