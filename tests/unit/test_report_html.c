/*
 * The HTML report on reports made by hand: its bounds, what is marked, what stands in for what is missing. Its
 * validity, hostile names, and what a browser makes of it: tests/property/formats.py and browser.py.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "check_main.h"
#include "report/html_page.h"
#include "report/thumbnail.h"
#include "report_fixture.h"

/* The promises of the page. */
enum { PAGE_MAX = 5000000, PAGE_USUAL_MAX = 400000 };

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

TEST(bars_of_extremes)
{
	const uint64_t most[] = { UINT64_MAX - 1, 1 }, none[] = { 0 };

	report_set_labels(0, most, 2);
	write_page();
	expect_part("18,446,744,073,709,551,614</td>");
	expect_part("<rect width=\"1\" height=\"10\"/>");
	report_set_labels(0, none, 0);
	write_page();
	ck_assert_uint_eq(count_parts("<i>never occurs</i>"), 3);
}

TEST(formatted)
{
	struct strbuf out = STRBUF_INIT;

	html_addf(&out, "%d%% of %s, %" PRIu64 " %% %.3s", 5, "<b>", UINT64_C(1234567), "abc");
	ck_assert_str_eq(out.s, "5% of &lt;b&gt;, 1,234,567 % abc");
	strbuf_release(&out);
}

TEST(classes_without_end)
{
	struct class_set *classes = &fixture.settings.classes;
	struct error err = ERROR_INIT;

	ck_assert_int_eq(class_set_parse_classes(classes, "100000", &err), STATUS_OK);
	class_set_finish(classes);
	write_page();
	expect_part(" more classes that never occur");

	class_set_release(classes);
	class_set_init(classes);
	ck_assert_int_eq(class_set_parse_ignore(classes, "0-2,21,255", &err), STATUS_OK);
	class_set_finish(classes);
	fixture.dataset.ids_count = 0;
	fixture.dataset.labels = 0;
	write_page();
	expect_part("<p>No class is declared, and no id was read.</p>");
}

/* Whatever is cut is cut between characters. */
TEST(long_texts)
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

/* Every byte of every name and message becomes as long as it can; there are more findings than are listed. */
TEST(page_is_bounded)
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
	expect_part(" more; <code>-o report.json</code> lists them</p>");
	for (size_t i = 0; i < rule_count; i++) {
		char group[128];

		snprintf(group, sizeof(group), "<details class=\"group\" id=\"findings-%s\"", rule_table[i]->name);
		ck_assert_msg(!fixture.findings.by_rule[i] || strstr(fixture.out.s, group), "no %s",
			      rule_table[i]->name);
	}
	free(quotes);
	free(path);
}

/* Findings that are not listed are counted, and none of them is a rule's only one. */
TEST(hundred_thousand_findings)
{
	char path[64];

	fixture.settings.max_findings = 0;
	fixture.findings.max = 0;
	for (unsigned i = 0; i < 100000; i++) {
		snprintf(path, sizeof(path), "dataset/train/masks/%06u.png", i);
		report_add(i == 99999 ? "only-background" : "out-of-range-id", path, NULL,
			   "5120 pixels (2.7 %) have id 21; valid ids are 0-20, ignored 255", "correct the labels");
	}
	write_page();
	ck_assert_uint_lt(fixture.out.len, PAGE_USUAL_MAX);
	ck_assert_uint_eq(count_parts("\n<li><div>"), 51);
	expect_part("... and 99,949 more; ");
	expect_part("<span class=\"faint\">99,999 findings</span>");
	expect_part("dataset/train/masks/099999.png");
}

TEST(figures)
{
	static uint8_t png[] = { 1, 2, 3 };
	struct thumbnail v[1];
	struct thumbnails pictures = { NULL, 0 };

	report_add("out-of-range-id", "m\"/1.png", NULL, "message", "");
	report_add("truncated-file", "m\"/1.png", NULL, "message", "");
	finding_list_finish(&fixture.findings);
	fixture.report.pictures = &pictures;
	write_page();
	expect_no_part("<figure>");
	v[0] = (struct thumbnail){ &fixture.findings.v[0], 720, 540, 100, 75, 1234, 0.5, png, sizeof(png) };
	pictures = (struct thumbnails){ v, 1 };
	write_page();
	ck_assert_uint_eq(count_parts("<figure>"), 1);
	expect_part("<figure><img width=\"200\" height=\"150\" alt=\"out-of-range-id: m&quot;/1.png\" "
		    "src=\"data:image/png;base64,AQID\">");
	expect_part("720 x 540, no class: 1,234 pixels");
}

/* A picture far down the list is shown, one that is too large is not. */
TEST(figures_are_bounded)
{
	struct thumbnail v[2];
	struct thumbnails pictures = { v, 2 };
	char path[64], *bytes = filled('x', 600 << 10);

	fixture.findings.max = 0;
	for (unsigned i = 0; i < 40000; i++) {
		snprintf(path, sizeof(path), "%05u.png", i);
		report_add("out-of-range-id", path, NULL, "message", "remedy");
	}
	finding_list_finish(&fixture.findings);
	for (size_t i = 0; i < 2; i++)
		v[i] = (struct thumbnail){
			&fixture.findings.v[39990 + i], 1, 1, 1, 1, 0, 0, (uint8_t *)bytes, i ? 600 << 10 : 3
		};
	fixture.report.pictures = &pictures;
	write_page();
	expect_part("<code>39990.png</code>");
	expect_no_part("39991.png");
	free(bytes);
}

TIMEOUT(60)
FIXTURE(report_make, report_free)
