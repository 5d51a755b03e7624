/* The report for people: its bars, the causes and their order, its length; and the summary. */
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "report/summary.h"
#include "report_fixture.h"

static void write_text(void)
{
	report_finish();
	strbuf_clear(&fixture.out);
	reporter_text.end(&fixture.report, &fixture.out);
}

/* Returns the causes in their order. */
static const char *causes(void)
{
	static char names[512];

	report_finish();
	names[0] = '\0';
	for (size_t i = 0; i < fixture.diagnosis.count; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? " " : "",
			 fixture.diagnosis.v[i].rule->name);
	return names;
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

/* Worse ones first, then what stops a training earlier, then what was found more often. */
TEST(order_of_causes)
{
	ck_assert_str_eq(causes(), "");
	report_add("single-id", "0.png", NULL, "message", "");
	report_add("all-ignored", "a.png", NULL, "message", "advice");
	ck_assert_str_eq(causes(), "all-ignored single-id");
	report_add("color-mask", "b.png", NULL, "message", "advice");
	report_add("color-mask", "c.png", NULL, "message", "advice");
	report_add("truncated-file", "b.png", NULL, "message", "advice");
	report_add("replicated-channels", "d.png", NULL, "message", "advice");
	ck_assert_str_eq(causes(), "truncated-file color-mask replicated-channels all-ignored single-id");
	write_text();
	ck_assert_ptr_eq(strstr(fixture.out.s, "error truncated-file in 1 file: a file whose data end early\n"
					       "  b.png: message\n  What to do: advice\n"
					       "error color-mask in 2 files: "),
			 fixture.out.s);
	expect_part("\nMore: labelaudit rule truncated-file\n\n");
	expect_part("\nb.png: error color-mask: message\nc.png: error color-mask: message\n");
	ck_assert_uint_eq(count_parts("replicated-channels"), 1); /* its only finding is there */
}

/* One about files explains what it is found with in nearly all files; one about the set, everywhere. */
TEST(causes_explain)
{
	char path[16];

	for (int i = 0; i < 10; i++) {
		snprintf(path, sizeof(path), "%d.png", i);
		report_add("out-of-range-id", path, NULL, "message", "advice");
		if (i < 8)
			report_add("scaled-ids", path, NULL, "message", "divide");
	}
	ck_assert_str_eq(causes(), "out-of-range-id scaled-ids");
	write_text();
	expect_part("\nFAIL: 2 causes (18 errors) in 6 files");
	report_add("scaled-ids", "8.png", NULL, "message", "divide");
	ck_assert_str_eq(causes(), "scaled-ids");
	ck_assert_uint_eq(fixture.diagnosis.v[0].files, 10);
	ck_assert_uint_eq(fixture.diagnosis.v[0].findings, 19);
	ck_assert_uint_eq(fixture.diagnosis.v[0].labels, 100);
	ck_assert_str_eq(fixture.diagnosis.v[0].example, "0.png");
	ck_assert_str_eq(fixture.diagnosis.v[0].remedy, "divide");
	write_text();
	expect_part("\n... and 10 of rule out-of-range-id, explained by scaled-ids\n");
	expect_part("\nFAIL: 1 cause (19 errors) in 6 files");
	report_add("one-based-ids", NULL, NULL, "ids run from 1", "subtract 1");
	ck_assert_str_eq(causes(), "one-based-ids"); /* never two that contradict each other */
}

TEST(causes_of_worse_effects)
{
	report_add("out-of-range-id", "a.png", NULL, "message", "advice");
	report_add("edge-halo", "a.png", NULL, "message", "advice");
	ck_assert_str_eq(causes(), "edge-halo");
	ck_assert_int_eq(fixture.diagnosis.v[0].level, LEVEL_ERROR);
	ck_assert_ptr_eq(fixture.findings.v[1].explained_by, fixture.findings.v[0].rule);
}

/* One map for all ids explains whatever the rules of ids say; and no rule that is off is named. */
TEST(a_map_explains_the_range)
{
	report_add("out-of-range-id", "a.png", NULL, "message", "advice");
	report_add("instance-ids", "b.png", NULL, "message", "advice");
	report_add("missing-class", NULL, NULL, "message", "advice");
	report_finish();
	for (int on = 1; on >= 0; on--) {
		diagnosis_release(&fixture.diagnosis);
		fixture.settings.rules.levels[rule_index(rule_find("scaled-ids"))] = on ? LEVEL_ERROR : LEVEL_OFF;
		diagnose(&fixture.diagnosis, &fixture.dataset, &fixture.settings, "scaled-ids", NULL,
			 &fixture.findings);
		ck_assert_uint_eq(fixture.diagnosis.count, on ? 1 : 3);
		ck_assert_str_eq(fixture.diagnosis.v[0].rule->name, on ? "scaled-ids" : "instance-ids");
		ck_assert_str_eq(fixture.diagnosis.v[0].message, "message");
	}
}

/* Multiples that chance explains as well are no cause beside the ids that they are found in; they are one by
 * themselves. */
TEST(chance_multiples_are_no_cause)
{
	const size_t scaled = rule_index(rule_find("scaled-ids"));

	report_add("out-of-range-id", "a.png", NULL, "message", "advice");
	report_add("scaled-ids", "a.png", NULL, "message", "advice");
	report_finish();
	for (int lowered = 0; lowered < 2; lowered++) {
		fixture.findings.rule_worst[scaled] = lowered ? LEVEL_INFO : LEVEL_ERROR;
		diagnosis_release(&fixture.diagnosis);
		diagnose(&fixture.diagnosis, &fixture.dataset, &fixture.settings, NULL, NULL, &fixture.findings);
		ck_assert_uint_eq(fixture.diagnosis.count, 1);
		ck_assert_str_eq(fixture.diagnosis.v[0].rule->name, lowered ? "out-of-range-id" : "scaled-ids");
	}
	diagnosis_release(&fixture.diagnosis);
	fixture.findings.by_rule[rule_index(rule_find("out-of-range-id"))] = 0;
	diagnose(&fixture.diagnosis, &fixture.dataset, &fixture.settings, NULL, NULL, &fixture.findings);
	ck_assert_str_eq(fixture.diagnosis.v[0].rule->name, "scaled-ids");
}

/* A stream that is read as another type, and boxes that are read as another form, explain what that looks like. */
TEST(misread_numbers_explain)
{
	static const char *const pairs[][2] = {
		{ "dtype-misread", "out-of-range-id" },
		{ "box-numbers", "unusual-box-size" },
		{ "box-numbers", "contradicting-annotation" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		report_add(pairs[i][1], "a", NULL, "message", "advice");
		report_add(pairs[i][0], "a", NULL, "message", "advice");
	}
	report_finish();
	diagnosis_release(&fixture.diagnosis);
	diagnose(&fixture.diagnosis, &fixture.dataset, &fixture.settings, NULL, NULL, &fixture.findings);
	ck_assert_uint_eq(fixture.diagnosis.count, 2);
	for (size_t i = 0; i < fixture.findings.count; i++) {
		const struct kept_finding *f = &fixture.findings.v[i];

		for (size_t k = 0; k < ARRAY_SIZE(pairs); k++)
			if (!strcmp(f->rule->name, pairs[k][1]))
				ck_assert_str_eq(finding_cause(f)->name, pairs[k][0]);
	}
}

/* Nothing that a set may hold makes the report longer than a screen, unless all of it is wanted. */
TEST(fits_on_a_screen)
{
	char path[32];

	report_add("missing-class", NULL, NULL, "classes have no label", "declare fewer");
	for (int i = 0; i < 400; i++) {
		snprintf(path, sizeof(path), "%03d.png", i / 20);
		report_add(rule_table[7 * (i % 12)]->name, path, NULL, "message", "do this");
	}
	write_text();
	ck_assert_uint_le(count_parts("\n"), 60);
	fixture.report.all = true;
	write_text();
	ck_assert_uint_gt(count_parts("\n"), 400);
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
	fixture.report.verbosity = -1;
	write_text();
	expect_part(
		"m/04.png: error out-of-range-id: bad\\x0aid\n... and 20 more of rule out-of-range-id (--all)\nFAIL: ");
	expect_no_part("m/05.png");
	ck_assert_ptr_null(strchr(fixture.out.s, '\033'));
	expect_part("\n  ./::error file=x::y: cut\n");
	strbuf_clear(&fixture.out);
	add_place(&fixture.out, "\xe3\x80\x80 ::stop-commands::x", "##[error]");
	ck_assert_str_eq(fixture.out.s, "./\xe3\x80\x80 ::stop-commands::x#\\x23#[error]");

	strbuf_clear(&fixture.out);
	fixture.report.colour = true;
	reporter_text.end(&fixture.report, &fixture.out);
	expect_part("\033[1mm/00.png\033[0m: \033[31merror\033[0m out-of-range-id: bad\\x0aid\n");
	expect_part("\033[31mFAIL\033[0m: ");
}

TEST(wraps_at_the_terminals_width)
{
	report_add("out-of-range-id", "a  b.png", NULL, "3 pixels have id 21, \xc3\xa9\xc3\xa9 and more",
		   "correct the labels");
	fixture.report.columns = 40;
	fixture.report.colour = true; /* escape sequences take no columns */
	write_text();
	expect_part("\033[31merror\033[0m \033[1mout-of-range-id\033[0m in 1 file (10.00 %\n    of the labels): an id "
		    "that is\n");
	expect_part("\n  a  b.png: 3 pixels have id 21, \xc3\xa9\xc3\xa9 and\n    more\n");
	report_add("unread-format", NULL, NULL, "message",
		   "write them as PNG: python3 -c \"import a; a.b(c) and this is long\"");
	write_text();
	expect_part(
		"  What to do: write them as PNG:\npython3 -c \"import a; a.b(c) and this is long\"\n"); /* to be pasted
													  */
	expect_part("  What to do: correct the labels\n");
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
	report_finish();
	fixture.report.complete = false;
	fixture.report.interrupted = true;
	fixture.report.files_expected = 50000;
	report_summary(&fixture.report, &fixture.out);
	expect_part("labelaudit: INCOMPLETE: 2 errors and 1 warning in 6 files");
	expect_part("labelaudit: Not everything was audited: interrupted after 6 of 50,000 files\n");
	expect_part("labelaudit: next: m/\\xff\\x0a.png: out-of-range-id: correct the mask\n");

	/* One about the set names the cause. */
	strbuf_clear(&fixture.out);
	report_add("one-based-ids", NULL, NULL, "ids run 1..21", "subtract 1");
	report_finish();
	report_summary(&fixture.report, &fixture.out);
	expect_part("labelaudit: next: one-based-ids: subtract 1\n");
}
