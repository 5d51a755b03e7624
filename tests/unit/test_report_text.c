/* The report for people: its bars, which finding it says to look at first; and the summary. */
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "report/summary.h"
#include "report_fixture.h"

static void write_text(void)
{
	finding_list_finish(&fixture.findings);
	strbuf_clear(&fixture.out);
	reporter_text.end(&fixture.report, &fixture.out);
}

static const char *diagnosed_rule(void)
{
	finding_list_finish(&fixture.findings);
	const struct kept_finding *f = report_diagnosis(&fixture.findings);

	return f ? f->rule->name : "none";
}

static void make_larger(void)
{
	report_free();
	report_make_large();
}

FIXTURE(report_make, report_free)

TEST(bars)
{
	/* The largest fills 20 columns; 160 eighths of a column. Whatever occurs shows. */
	report_set_labels(0, (uint64_t[3]){ 800, 401, 1 }, 3);
	write_text();
	expect_part("1  ####################\n");
	expect_part("1  ##########\n");
	expect_part("0.08 %      1\n");
	fixture.report.colour = fixture.report.unicode = true;
	write_text();
	expect_part("\033[36m\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"
		    "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\033[0m\n");
	expect_part("1  \033[36m\xe2\x96\x8f\033[0m\n"); /* an eighth */
	report_set_labels(0, (uint64_t[3]){ 160, 15, 0 }, 2);
	write_text();
	expect_part("1  \033[36m\xe2\x96\x88\xe2\x96\x89\033[0m\n"); /* one and seven eighths */
	expect_part("\033[33m   2  ");                               /* a class that never occurs */
	ck_assert_uint_eq(count_parts("\n\033[33m"), 1);
}

TEST(colours_of_rows)
{
	fixture.report.colour = true;
	write_text();
	expect_part("\033[1m   id  class ");
	expect_part("\033[2m  255  (ignored)");
	expect_part("\033[31m   21  (out of range)");
	expect_part("\033[31m###\033[0m\n"); /* 100 of 600 */
	expect_part("=cmd|' /C calc'!A0\\x0...  ");
}

TEST(what_to_look_at_first)
{
	ck_assert_str_eq(diagnosed_rule(), "none");
	report_add("single-id", "0.png", NULL, "message", "");
	ck_assert_str_eq(diagnosed_rule(), "none"); /* nothing to be done */
	report_add("all-ignored", "a.png", NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "all-ignored");
	report_add("truncated-file", "b.png", NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "truncated-file"); /* worse */
	report_add("out-of-range-id", "c.png", NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "truncated-file"); /* an effect */
	report_add("out-of-range-id", "d.png", NULL, "message", "advice");
	report_add("out-of-range-id", "e.png", NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "out-of-range-id"); /* of more than that can explain */
	report_add("scaled-ids", "c.png", NULL, "message", "advice");
	report_add("scaled-ids", "d.png", NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "scaled-ids");
	report_add("loader-divergence", NULL, NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "scaled-ids"); /* a warning about the dataset is no error */
	report_add("one-based-ids", NULL, NULL, "ids run from 1", "subtract 1");
	ck_assert_str_eq(diagnosed_rule(), "one-based-ids");
	write_text();
	expect_part("\nWhat to do, the likely cause first:\n  one-based-ids: subtract 1\n"
		    "  out-of-range-id (3 files): advice\n");
	expect_part("\nNext: labelaudit rule one-based-ids\n");
}

/* A cause of a lower level than its effect, or of fewer findings. */
TEST(causes_first)
{
	report_add("out-of-range-id", "a.png", NULL, "message", "advice");
	report_add("out-of-range-id", "b.png", NULL, "message", "advice");
	report_add("out-of-range-id", "c.png", NULL, "message", "advice");
	report_add("edge-halo", "a.png", NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "out-of-range-id"); /* it explains one of three */
	report_add("edge-halo", "b.png", NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "edge-halo");
	report_add("interpolated-dataset", NULL, NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "interpolated-dataset"); /* of which it is no cause */
}

TEST(a_folder_explains_its_ids)
{
	report_add("out-of-range-id", "a.png", NULL, "message", "advice");
	report_add("hidden-class-folder", NULL, NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "hidden-class-folder");
}

TEST(double_reduction_explains_its_ids)
{
	report_add("out-of-range-id", "a.png", NULL, "message", "advice");
	report_add("double-reduced-ids", NULL, NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "double-reduced-ids");
}

/* A set that must be made anew is reported before an id that it has too many. */
TEST(damage_before_a_surplus_id)
{
	report_add("background-off-by-one", NULL, NULL, "message", "advice");
	report_add("interpolated-dataset", NULL, NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "interpolated-dataset");
}

TEST(ignored_foreground_explains_background)
{
	report_add("only-background", "a.png", NULL, "message", "");
	report_add("only-background", NULL, NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "only-background");
	report_add("foreground-is-ignored", NULL, NULL, "message", "advice");
	ck_assert_str_eq(diagnosed_rule(), "foreground-is-ignored");
}

TEST(text_cuts_and_colours)
{
	make_larger();
	for (int i = 0; i < 25; i++) {
		char path[32];

		snprintf(path, sizeof(path), "m/%02d.png", i);
		report_add("out-of-range-id", path, NULL, "bad\nid", "");
	}
	report_add("truncated-file", "::error file=x::y", NULL, "cut", "");
	finding_list_finish(&fixture.findings);
	fixture.report.verbosity = -1;
	reporter_text.end(&fixture.report, &fixture.out);
	expect_part("m/19.png: error out-of-range-id: bad\\x0aid\n... and 5 more of rule out-of-range-id\nFAIL: ");
	expect_no_part("m/20.png");
	ck_assert_ptr_null(strchr(fixture.out.s, '\033'));
	ck_assert_int_eq(strncmp(fixture.out.s, "./::error file=x::y: error truncated-file: cut\n", 46), 0);
	strbuf_clear(&fixture.out);
	add_place(&fixture.out, "\xe3\x80\x80 ::stop-commands::x", "##[error]");
	ck_assert_str_eq(fixture.out.s, "./\xe3\x80\x80 ::stop-commands::x#\\x23#[error]");

	strbuf_clear(&fixture.out);
	fixture.report.colour = true;
	reporter_text.end(&fixture.report, &fixture.out);
	expect_part("\033[1mm/00.png\033[0m: \033[31merror\033[0m out-of-range-id: bad\\x0aid\n");
	expect_part("\033[31mFAIL\033[0m: ");
}

TEST(each_remedy_once)
{
	for (int i = 0; i < 6; i++) {
		char path[32], advice[32];

		snprintf(path, sizeof(path), "m/%d.png", i);
		snprintf(advice, sizeof(advice), "divide by %d", i);
		report_add("scaled-ids", path, NULL, "message", i < 2 ? "divide by 255" : advice);
		report_add("interpolated-mask", path, NULL, "message", "resize with nearest");
	}
	write_text();
	expect_part("  interpolated-mask (6 files): resize with nearest\n");
	ck_assert_uint_eq(count_parts("resize with nearest"), 1);
	expect_part("  scaled-ids (2 files): divide by 255\n"
		    "  scaled-ids in m/2.png: divide by 2\n"
		    "  scaled-ids in m/3.png: divide by 3\n"
		    "  scaled-ids: 2 more findings have remedies of their own\n");
}

TEST(wraps_at_the_terminals_width)
{
	report_add("out-of-range-id", "a  b.png", NULL, "3 pixels have id 21, \xc3\xa9\xc3\xa9 and more",
		   "correct the labels");
	fixture.report.columns = 40;
	fixture.report.colour = true; /* escape sequences take no columns */
	write_text();
	expect_part("\033[1ma  b.png\033[0m: \033[31merror\033[0m out-of-range-id: 3\n"
		    "    pixels have id 21, \xc3\xa9\xc3\xa9 and more\n");
	report_add("unread-format", NULL, NULL, "message",
		   "write them as PNG: python3 -c \"import a; a.b(c) and this is long\"");
	write_text();
	expect_part(": write them as PNG:\npython3 -c \"import a; a.b(c) and this is long\"\n"); /* to be pasted */
	expect_part(" in a  b.png: correct\n      the labels\n");
}

TEST(text_of_many_classes)
{
	struct error err = ERROR_INIT;

	make_larger();
	ck_assert_int_eq(class_set_parse_classes(&fixture.settings.classes, "1000", &err), STATUS_OK);
	class_set_name(&fixture.settings.classes, 1, "\xc3\xa9\xc3\xa9\xc3\xa9 a name that is longer than its column");
	class_set_finish(&fixture.settings.classes);
	reporter_text.end(&fixture.report, &fixture.out);
	expect_part("\xc3\xa9\xc3\xa9\xc3\xa9 a name that is lo...  ");
	expect_part("  ... and 996 more classes that never occur\n");
	expect_no_part("\n    2  ");
}

TEST(summary_lines)
{
	make_larger();
	report_summary(&fixture.report, &fixture.out);
	ck_assert_str_eq(fixture.out.s, "labelaudit: PASS: no findings in 6 files (1 could not be read completely, "
					"1 left out: no-labels 1), 9,007,199,254,741,103 labels in 4.3 s\n");
	strbuf_clear(&fixture.out);
	report_add_various();
	fixture.report.complete = false;
	fixture.report.interrupted = true;
	fixture.report.files_expected = 50000;
	report_summary(&fixture.report, &fixture.out);
	expect_part("labelaudit: INCOMPLETE: 2 errors and 1 warning in 6 files");
	expect_part("labelaudit: not everything was audited: interrupted after 6 of 50,000 files\n");
	expect_part("labelaudit: next: m/\\xff\\x0a.png: out-of-range-id: correct the mask\n");

	/* One about the dataset names the cause. */
	strbuf_clear(&fixture.out);
	report_add("one-based-ids", NULL, NULL, "ids run 1..21", "subtract 1");
	finding_list_finish(&fixture.findings);
	report_summary(&fixture.report, &fixture.out);
	expect_part("labelaudit: next: one-based-ids: subtract 1\n");
}
