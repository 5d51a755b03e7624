/*
 * The HTML report on reports made by hand: its bounds, what is marked, what stands in for what is missing. Its
 * validity, hostile names, and what a browser makes of it: tests/property/formats.py and browser.py.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "check_main.h"
#include "report/thumbnail.h"
#include "report_fixture.h"

/* The promises of the page. */
enum { PAGE_MAX = 5000000 };

static void write_page(void)
{
	finding_list_finish(&fixture.findings);
	strbuf_clear(&fixture.out);
	reporter_html.end(&fixture.report, &fixture.out);
}

static char *filled(char c, size_t n)
{
	char *s = xmalloc(n + 1);

	memset(s, c, n);
	s[n] = '\0';
	return s;
}

START_TEST(verdicts)
{
	write_page();
	expect_part("<header class=\"banner pass\">\n<h1>labelaudit: <b>PASS</b></h1>\n<p>no findings in 6 files");
	expect_part("<p>None.</p>");
	expect_no_part("Look first at");
	expect_no_part("id=\"explained\"");

	report_add("truncated-file", "a.zip", "m<b>.png", "cut & run", "mend \"it\"");
	write_page();
	expect_part("<h1>labelaudit: <b>FAIL</b></h1>");
	expect_part("<p><b>Look first at</b> <span class=\"level error\">error</span> <a href=\"#rule-truncated-file\">"
		    "<code>truncated-file</code></a> in <code>a.zip#m&lt;b&gt;.png</code></p>\n<p>cut &amp; run</p>");
	expect_part("<details id=\"rule-truncated-file\">");
	expect_part("<h3>What to do</h3>\n<p>");
	expect_no_part("id=\"left-out\"");

	fixture.report.complete = false;
	fixture.settings.shard = 2;
	fixture.settings.shards = 3;
	write_page();
	expect_part("<header class=\"banner incomplete\">\n<h1>labelaudit: <b>INCOMPLETE</b></h1>");
	expect_part("This is shard 2 of 3");
}
END_TEST

/* 600 + 300 labels of classes, class 2 never, 50 ignored, 100 out of range: bars are parts of the 430 units of the
 * most. */
START_TEST(chart)
{
	write_page();
	expect_part("<rect class=\"class linear\" x=\"250\" y=\"34\" width=\"430\" height=\"14\"/>");
	expect_part("<rect class=\"class linear\" x=\"250\" y=\"56\" width=\"215\" height=\"14\"/>");
	expect_part("<text class=\"never small\" x=\"256\" y=\"90\">never occurs</text>");
	expect_part("<rect class=\"ignored linear\" x=\"250\" y=\"100\" width=\"35\" height=\"14\"/>");
	expect_part("<rect class=\"invalid linear\" x=\"250\" y=\"122\" width=\"71\" height=\"14\"/>");
	/* 430 * log(1 + 300) / log(1 + 600) = 383.5 */
	expect_part("<rect class=\"class logarithm\" x=\"250\" y=\"56\" width=\"383\" height=\"14\"/>");
	/* 0, 200, 400, 600; 0, 1, 10, 100 */
	ck_assert_uint_eq(count_parts("<path class=\"grid\""), 8);
	expect_part(">600</text>");
	expect_part("out of range <tspan class=\"id\">21</tspan>");
	expect_part("ignored <tspan class=\"id\">255</tspan>");
	expect_part("<li><b>2 of 3</b><span>classes occur</span></li>");
}
END_TEST

START_TEST(chart_of_extremes)
{
	const uint64_t most[] = { UINT64_MAX - 1, 1 }, none[] = { 0 };

	report_set_labels(0, most, 2);
	write_page();
	expect_part("18,446,744,073,709,551,614</text>");
	ck_assert_uint_lt(count_parts("<path class=\"grid\""), 18);
	expect_part("<rect class=\"class linear\" x=\"250\" y=\"56\" width=\"1\" height=\"14\"/>");
	report_set_labels(0, none, 0);
	write_page();
	ck_assert_uint_eq(count_parts(">never occurs</text>"), 3);
	expect_part("No class occurs, so there is nothing to weigh.");
}
END_TEST

START_TEST(weights)
{
	write_page();
	/* by hand: the median of 600/900 and 300/900 is 1/2; 900 / (2 * 600) and 900 / (2 * 300) */
	expect_part("<h3>median_frequency</h3>\n<pre>weight = torch.tensor([\n    0.75, 1.5, 0.0,\n])</pre>");
	expect_part("<h3>inverse_frequency</h3>\n<pre>weight = torch.tensor([\n    0.75, 1.5, 0.0,\n])</pre>");
}
END_TEST

/* Every byte of every name and message becomes as long as it can; there are more findings than are listed. */
START_TEST(weights_without_indices)
{
	struct class_set *classes = &fixture.settings.classes;
	struct error err = ERROR_INIT;

	ck_assert_int_eq(class_set_parse_classes(classes, "100000", &err), STATUS_OK);
	class_set_finish(classes);
	write_page();
	expect_part("the class ids cannot be the indices of a short list");
	expect_no_part("torch.tensor");
	/* of 100,000 classes not all are drawn */
	expect_part(" more classes that never occur");

	class_set_release(classes);
	class_set_init(classes);
	ck_assert_int_eq(class_set_parse_ignore(classes, "0-2,21,255", &err), STATUS_OK);
	class_set_finish(classes);
	write_page();
	expect_part("No class occurs, so there is nothing to weigh.");
	fixture.dataset.ids_count = 0;
	fixture.dataset.labels = 0;
	write_page();
	expect_part("<p>No class is declared, and no id was read.</p>");
}
END_TEST

/* Whatever is cut is cut between characters. */
START_TEST(long_texts)
{
	struct strbuf path = STRBUF_INIT;

	for (int i = 0; i < 2000; i++)
		strbuf_adds(&path, "\xe2\x82\xac");
	for (int shift = 0; shift < 3; shift++) {
		report_add("truncated-file", path.s, "member", "message", "");
		write_page();
		expect_part(" [...] ");
		ck_assert(utf8_valid(fixture.out.s, fixture.out.len));
		strbuf_adds(&path, "x");
	}
	strbuf_release(&path);
}
END_TEST

START_TEST(a_note_of_the_run)
{
	fixture.report.run.note[0] = '<';
	write_page();
	expect_part("<dt>note</dt>");
	expect_part("&lt;");
}
END_TEST

START_TEST(page_is_bounded)
{
	char *quotes = filled('"', 1000), *path = filled('"', 4000);

	for (size_t i = 0; i < 10000; i++) {
		snprintf(path, 4000, "%05zu", i);
		path[5] = '"';
		report_add(i % 100 == 7 ? rule_table[i / 100 % rule_count]->name : "truncated-file", path, path, quotes,
			   quotes);
	}
	write_page();
	ck_assert_uint_lt(fixture.out.len, PAGE_MAX);
	ck_assert_uint_lt(count_parts("<tr data-level="), 2001);
	expect_part("id=\"left-out\"");
	for (size_t i = 0; i < rule_count; i++) {
		char row[128];

		snprintf(row, sizeof(row), "\" data-rule=\"%s\">", rule_table[i]->name);
		ck_assert_msg(!fixture.findings.by_rule[i] || strstr(fixture.out.s, row), "no %s", rule_table[i]->name);
	}
	free(quotes);
	free(path);
}
END_TEST

START_TEST(ten_thousand_common_findings)
{
	char path[64];

	for (unsigned i = 0; i < 10000; i++) {
		snprintf(path, sizeof(path), "dataset/train/masks/%06u.png", i);
		report_add(
			"out-of-range-id", path, NULL,
			"5120 pixels (2.7 %) have id 21; valid ids are 0-20, ignored 255",
			"correct the labels, or raise --classes, or pass --ignore for ids that are never trained on");
	}
	write_page();
	ck_assert_uint_lt(fixture.out.len, PAGE_MAX / 2);
	/* one entry is kept for the line that says how many more */
	ck_assert_uint_eq(count_parts("<tr data-level="), 1999);
	expect_part("8,001 more findings are not.");
}
END_TEST

START_TEST(baseline)
{
	fixture.findings.baselined = 7;
	snprintf(fixture.report.run.baseline_note, sizeof(fixture.report.run.baseline_note), "3 did not <occur>");
	write_page();
	expect_part("<li><b>7</b><span>known from the baseline</span></li>");
	expect_part("<dt>baseline</dt><dd>3 did not &lt;occur&gt;</dd>");
}
END_TEST

START_TEST(figures)
{
	static uint8_t png[] = { 1, 2, 3 };
	struct thumbnail v[1];
	struct thumbnails pictures = { NULL, 0 };

	report_add("out-of-range-id", "m\"/1.png", NULL, "message", "");
	finding_list_finish(&fixture.findings);
	write_page();
	expect_part("this page was made from reports alone");
	fixture.report.pictures = &pictures;
	write_page();
	expect_part("No finding is about a mask that could be shown");
	v[0] = (struct thumbnail){ &fixture.findings.v[0], 720, 540, 100, 75, 1234, png, sizeof(png) };
	pictures = (struct thumbnails){ v, 1 };
	write_page();
	expect_part("<img width=\"200\" height=\"150\" alt=\"out-of-range-id: m&quot;/1.png\" "
		    "src=\"data:image/png;base64,AQID\">");
	expect_part("720 x 540, marked: 1,234 pixels");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_html");
	TCase *c = tcase_create("html");

	tcase_add_checked_fixture(c, report_make, report_free);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, verdicts);
	tcase_add_test(c, chart);
	tcase_add_test(c, chart_of_extremes);
	tcase_add_test(c, weights);
	tcase_add_test(c, weights_without_indices);
	tcase_add_test(c, long_texts);
	tcase_add_test(c, a_note_of_the_run);
	tcase_add_test(c, page_is_bounded);
	tcase_add_test(c, ten_thousand_common_findings);
	tcase_add_test(c, baseline);
	tcase_add_test(c, figures);
	suite_add_tcase(s, c);
	return s;
}

CHECK_MAIN(suite)
