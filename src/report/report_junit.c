/*
 * The JUnit report: XML as Jenkins, GitLab and GitHub's test reporters read it, one suite with a test case for each
 * rule that was applied.
 *
 * A case fails if its rule has findings at or above --fail-on; findings below that are its output. It is skipped if the
 * rule is about a kind of files that the set does not have. So the report of a
 * million masks is no larger than that of ten. One more case, an error, reports that the audit is not complete.
 */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "report/selection.h"
#include "report/summary.h"
#include "report/tables.h"

/* Findings that are listed in one case. */
enum { LISTED_A_CASE = 100 };

static void add_text(struct strbuf *out, const char *s)
{
	escape_xml(out, s, strlen(s));
}

/* A rule that fired was applied, though its level is unknown in a report that is read back. */
static bool is_applied(const struct report *r, size_t rule)
{
	return r->findings->by_rule[rule] || r->settings->rules.levels[rule] != LEVEL_OFF;
}

/* Returns whether the rule is about files of which the set has none. */
static bool is_skipped(const struct report *r, const struct report_tables *t, size_t rule)
{
	bool fits = r->findings->by_rule[rule] || rule_fits_format(rule_table[rule], "");

	for (size_t i = 0; i < t->formats_count && !fits; i++)
		fits = rule_fits_format(rule_table[rule], t->formats[i].name);
	return !fits;
}

static bool fails(const struct report *r, size_t rule)
{
	return r->settings->fail_on != LEVEL_OFF && r->findings->by_rule[rule] &&
	       r->findings->rule_worst[rule] >= r->settings->fail_on;
}

static void add_finding(struct strbuf *out, const struct report *r, const struct kept_finding *f)
{
	struct report plain = *r;
	RELEASED struct strbuf line = STRBUF_INIT;

	plain.colour = false;
	text_finding(&plain, f, 0, &line);
	escape_xml(out, line.s, line.len - 1);
	strbuf_addch(out, '\n');
	if (f->explained_by)
		strbuf_addf(out, "    explained by %s\n", f->explained_by->name);
	if (f->advice) {
		strbuf_adds(out, "    ");
		add_text(out, f->advice);
		strbuf_addch(out, '\n');
	}
}

static void add_findings(struct strbuf *out, const struct report *r, const struct selection *l, size_t rule)
{
	for (size_t i = 0; i < l->count; i++)
		if (rule_index(l->v[i].finding->rule) == rule)
			add_finding(out, r, l->v[i].finding);
	if (l->more[rule]) {
		selection_add_more(l, rule, out);
		strbuf_addch(out, '\n');
	}
}

static void add_case(struct strbuf *out, const struct report *r, const struct selection *l, size_t rule, bool skipped)
{
	const struct rule *about = rule_table[rule];
	uint64_t count = r->findings->by_rule[rule];

	strbuf_addf(out, "    <testcase classname=\"labelaudit.%s\" name=\"%s\"", about->category, about->name);
	if (!count) {
		strbuf_adds(out, skipped ? "><skipped message=\"the set has no such files\"/></testcase>\n" : "/>\n");
		return;
	}
	strbuf_adds(out, ">\n");
	if (fails(r, rule)) {
		strbuf_adds(out, "      <failure message=\"");
		strbuf_add_count(out, count, "finding");
		strbuf_adds(out, ": ");
		add_text(out, about->summary);
		strbuf_addf(out, "\" type=\"%s\">", level_name(r->findings->rule_worst[rule]));
		add_findings(out, r, l, rule);
		strbuf_adds(out, "</failure>\n");
	} else {
		strbuf_adds(out, "      <system-out>");
		add_findings(out, r, l, rule);
		strbuf_adds(out, "</system-out>\n");
	}
	strbuf_adds(out, "    </testcase>\n");
}

static void add_totals(struct strbuf *out, uint64_t cases, uint64_t failures, bool complete)
{
	strbuf_addf(out, " name=\"labelaudit\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" errors=\"%d\"", cases,
		    failures, !complete);
}

static void add_remark(const struct report *r, const char *text, struct strbuf *out)
{
	(void)r;
	add_text(out, text);
	strbuf_addch(out, '\n');
}

static void end(const struct report *r, struct strbuf *out)
{
	uint64_t cases = !r->complete, failures = 0, skipped = 0;
	struct report_tables tables;
	RELEASED struct strbuf counts = STRBUF_INIT;
	struct selection chosen;

	tables_init(&tables, r->settings, r->dataset);
	for (size_t i = 0; i < rule_count; i++) {
		cases += is_applied(r, i);
		skipped += is_applied(r, i) && is_skipped(r, &tables, i);
		failures += fails(r, i);
	}
	selection_init(&chosen, r->findings, 0, 0, LISTED_A_CASE);
	strbuf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	add_totals(out, cases, failures, r->complete);
	strbuf_adds(out, ">\n  <testsuite");
	add_totals(out, cases, failures, r->complete);
	strbuf_addf(out, " skipped=\"%" PRIu64 "\">\n", skipped);
	for (size_t i = 0; i < rule_count; i++)
		if (is_applied(r, i))
			add_case(out, r, &chosen, i, is_skipped(r, &tables, i));
	if (!r->complete) {
		strbuf_adds(out, "    <testcase classname=\"labelaudit\" name=\"complete\">\n"
				 "      <error message=\"not everything was audited\" type=\"incomplete\">");
		summary_why_incomplete(r, out);
		strbuf_adds(out, "</error>\n    </testcase>\n");
	}
	strbuf_addf(out, "    <system-out>%s: ", summary_verdict(r));
	summary_counts(r, &counts);
	add_text(out, counts.s);
	strbuf_addch(out, '\n');
	summary_remarks(r, add_remark, out);
	strbuf_adds(out, "</system-out>\n  </testsuite>\n</testsuites>\n");
	tables_release(&tables);
	selection_release(&chosen);
}

const struct reporter reporter_junit = { .name = "junit", .extension = "xml", .end = end };
