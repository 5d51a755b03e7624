/*
 * The HTML report: one page for people, with everything in it that it needs (report_html_parts.h). Here are its frame,
 * the verdict, what it was asked to do, and the rules explained.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "base/version.h"
#include "report/listing.h"
#include "report/report_html_parts.h"
#include "report/report_json.h"
#include "report/summary.h"
#include "report/tables.h"

/* ---- the verdict ------------------------------------------------------------------------------------------------ */

static void add_banner(const struct report *r, struct strbuf *out)
{
	struct strbuf counts = STRBUF_INIT;

	summary_counts(r, &counts);
	strbuf_addf(out, "<header class=\"banner %s\">\n<h1>labelaudit: <b>%s</b></h1>\n<p>",
		    !r->complete       ? "incomplete"
		    : report_passes(r) ? "pass"
				       : "fail",
		    summary_verdict(r));
	html_text(counts.s, out);
	strbuf_adds(out, "</p>\n");
	if (r->root && *r->root && strcmp(r->root, ".") != 0) {
		strbuf_adds(out, "<p class=\"faint small\">");
		html_place(r->root, NULL, out);
		strbuf_adds(out, "</p>\n");
	}
	if (!r->complete)
		strbuf_adds(out, "<p>Not everything was audited: " WHY_INCOMPLETE ".</p>\n");
	if (r->settings->shards)
		strbuf_addf(out, "<p>This is shard %" PRIu32 " of %" PRIu32 ": a part of the set.</p>\n",
			    r->settings->shard, r->settings->shards);
	strbuf_adds(out, "</header>\n"
			 "<nav><a href=\"#rules\">Rules</a><a href=\"#pictures\">Worst masks</a><a href=\"#classes\">"
			 "Classes</a><a href=\"#findings\">Findings</a><a href=\"#sizes\">Formats and sizes</a>"
			 "<a href=\"#weights\">Class weights</a><a href=\"#run\">Settings and run</a></nav>\n");
	strbuf_release(&counts);
}

static void add_diagnosis(const struct report *r, struct strbuf *out)
{
	const struct kept_finding *why = report_diagnosis(r->findings);

	if (!why)
		return;
	strbuf_adds(out, "<div class=\"look\">\n<p><b>Look first at</b> ");
	html_level(why->level, out);
	strbuf_addch(out, ' ');
	html_rule(why->rule, out);
	if (why->path) {
		strbuf_adds(out, " in ");
		html_place(why->path, why->member, out);
	}
	strbuf_adds(out, "</p>\n<p>");
	html_cut(why->message, HTML_MESSAGE_CUT, out);
	strbuf_adds(out, "</p>\n<p><b>What to do:</b> ");
	html_cut(why->advice, HTML_MESSAGE_CUT, out);
	strbuf_adds(out, "</p>\n</div>\n");
}

static void add_tile(uint64_t n, const char *what, const char *style, struct strbuf *out)
{
	strbuf_addf(out, "<li><b%s%s%s>", style ? " class=\"" : "", style ? style : "", style ? "\"" : "");
	html_number(n, out);
	strbuf_addf(out, "</b><span>%s</span></li>\n", what);
}

static void add_tiles(const struct report *r, struct strbuf *out)
{
	const struct dataset_stats *d = r->dataset;
	const uint64_t *by_level = r->findings->by_level;
	struct report_tables t;

	tables_init(&t, r->settings, d);
	strbuf_adds(out, "<ul class=\"tiles\">\n");
	add_tile(by_level[LEVEL_ERROR], "errors", by_level[LEVEL_ERROR] ? "error" : NULL, out);
	add_tile(by_level[LEVEL_WARNING], "warnings", by_level[LEVEL_WARNING] ? "warning" : NULL, out);
	add_tile(by_level[LEVEL_INFO], "infos", NULL, out);
	if (r->findings->baselined)
		add_tile(r->findings->baselined, "known from the baseline", NULL, out);
	add_tile(d->files_read, "files read", NULL, out);
	add_tile(d->files_failed, "could not be read whole", d->files_failed ? "error" : NULL, out);
	if (d->files_skipped)
		add_tile(d->files_skipped, "skipped: no label files", NULL, out);
	add_tile(d->labels, "labels", NULL, out);
	strbuf_adds(out, "<li><b>");
	html_number(t.classes_present, out);
	strbuf_adds(out, " of ");
	html_number(t.classes_declared, out);
	strbuf_adds(out, "</b><span>classes occur</span></li>\n");
	add_tile(t.out_of_range_total, "ids out of range", t.out_of_range_total ? "error" : NULL, out);
	strbuf_adds(out, "</ul>\n");
	tables_release(&t);
}

static void add_rules(const struct report *r, struct strbuf *out)
{
	size_t *order = xcalloc(rule_count + 1, sizeof(*order));
	size_t count = listing_rules(r->findings, order);

	html_section("rules", "What the rules found", out);
	if (!count)
		strbuf_adds(out, "<p>Nothing.</p>\n");
	else
		strbuf_adds(out,
			    "<div class=\"scroll\">\n<table class=\"sorted\">\n<thead><tr><th class=\"n\">findings</th>"
			    "<th>level</th><th>rule</th><th>what it says</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < count; i++) {
		const struct rule *rule = rule_table[order[i]];
		enum level level = r->findings->rule_worst[order[i]];

		strbuf_adds(out, "<tr>");
		html_number_cell(r->findings->by_rule[order[i]], out);
		strbuf_addf(out, "<td data-s=\"%d\">", (int)level);
		html_level(level, out);
		strbuf_adds(out, "</td><td>");
		html_rule(rule, out);
		strbuf_adds(out, "</td><td>");
		html_text(rule->summary, out);
		strbuf_adds(out, "</td></tr>\n");
	}
	strbuf_adds(out, count ? "</tbody>\n</table>\n</div>\n</section>\n" : "</section>\n");
	free(order);
}

/* ---- settings and run ------------------------------------------------------------------------------------------- */

static void begin_fact(const char *name, struct strbuf *out)
{
	strbuf_addf(out, "<dt>%s</dt><dd>", name);
}

static void add_fact(const char *name, const char *value, struct strbuf *out)
{
	begin_fact(name, out);
	html_cut(value, HTML_MESSAGE_CUT, out);
	strbuf_adds(out, "</dd>\n");
}

static void add_ranges(const char *name, const struct id_ranges *ranges, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;

	id_ranges_format(ranges, &text);
	add_fact(name, text.len ? text.s : "none", out);
	strbuf_release(&text);
}

/* Rules whose level is not their own. */
static void add_levels(const struct settings *s, struct strbuf *out)
{
	bool any = false;

	for (size_t i = 0; i < rule_count; i++) {
		if (s->rule_levels[i] == rule_table[i]->level)
			continue;
		if (!any)
			begin_fact("rules with another level", out);
		strbuf_addf(out, "%s<code>%s=%s</code>", any ? ", " : "", rule_table[i]->name,
			    level_name(s->rule_levels[i]));
		any = true;
	}
	if (any)
		strbuf_adds(out, "</dd>\n");
}

static void add_ratio(const char *name, uint64_t num, decimal_wide den, unsigned decimals, const char *unit,
		      struct strbuf *out)
{
	begin_fact(name, out);
	decimal_ratio(out, num, den, decimals);
	strbuf_addf(out, " %s</dd>\n", unit);
}

static void add_run(const struct report *r, struct strbuf *out)
{
	const struct run_facts *run = &r->run;
	uint64_t ms = run->seconds > 0 ? (uint64_t)(run->seconds * 1000 + 0.5) : 0;

	add_fact("started", run->started, out);
	add_ratio("took", ms, 1000, 1, "seconds", out);
	add_fact("measured by", run->device, out);
	begin_fact("worker threads", out);
	html_number(run->jobs, out);
	strbuf_adds(out, "</dd>\n");
	if (ms)
		add_ratio("files a second", MIN(r->dataset->files, UINT64_MAX / 1000) * 1000, ms, 1, "", out);
	add_ratio("bytes of the files read", r->dataset->bytes, (decimal_wide)1 << 20, 1, "MiB", out);
	if (run->peak_memory)
		add_ratio("peak memory", run->peak_memory, (decimal_wide)1 << 20, 1, "MiB", out);
	if (run->note[0])
		add_fact("note", run->note, out);
	if (run->baseline_note[0])
		add_fact("baseline", run->baseline_note, out);
	add_fact("version", "labelaudit " LABELAUDIT_VERSION, out);
}

static void add_settings(const struct report *r, struct strbuf *out)
{
	const struct settings *s = r->settings;
	struct strbuf digest = STRBUF_INIT;

	report_settings_digest(s, &digest);
	html_section("run", "Settings and run", out);
	strbuf_adds(out, "<dl>\n");
	add_ranges("classes", &s->classes.classes, out);
	add_ranges("ignored ids", &s->classes.ignored, out);
	add_fact("ids as read by", view_name(s->view), out);
	add_fact("zero label reduced", s->reduce_zero_label ? "yes" : "no", out);
	add_fact("fails on", s->fail_on == LEVEL_OFF ? "never" : level_name(s->fail_on), out);
	add_levels(s, out);
	add_fact("digest of the settings", digest.s, out);
	add_run(r, out);
	strbuf_adds(out, "</dl>\n</section>\n");
	strbuf_release(&digest);
}

/* ---- the rules explained ---------------------------------------------------------------------------------------- */

/*
 * A rule's documentation is headings that begin in the first column, and text two columns further right
 * (scripts/generate-rule-table).
 */
static void add_help(const struct rule *rule, struct strbuf *out)
{
	struct strbuf part = STRBUF_INIT;
	bool example = false;
	const char *close = "";

	for (const char *line = rule_docs[rule_index(rule)]; *line;) {
		size_t n = strcspn(line, "\n");

		strbuf_clear(&part);
		if (n && line[0] != ' ') {
			strbuf_add(&part, line, n);
			example = !strcmp(part.s, "Example");
			strbuf_adds(out, close);
			strbuf_adds(out, "<h3>");
			html_text(part.s, out);
			strbuf_adds(out, example ? "</h3>\n<pre>" : "</h3>\n<p>");
			close = example ? "</pre>\n" : "</p>\n";
		} else if (n > 2) {
			strbuf_add(&part, line + 2, n - 2);
			html_text(part.s, out);
			strbuf_addch(out, '\n');
		}
		line += n + (line[n] == '\n');
	}
	strbuf_adds(out, close);
	strbuf_release(&part);
}

static void add_explanations(const struct report *r, struct strbuf *out)
{
	size_t *order = xcalloc(rule_count + 1, sizeof(*order));
	size_t count = listing_rules(r->findings, order);

	if (count)
		html_section("explained", "The rules explained", out);
	for (size_t i = 0; i < count; i++) {
		const struct rule *rule = rule_table[order[i]];

		strbuf_addf(out, "<details id=\"rule-%s\"><summary><code>%s</code> ", rule->name, rule->name);
		html_text(rule->summary, out);
		strbuf_adds(out, "</summary>\n");
		add_help(rule, out);
		strbuf_adds(out, "</details>\n");
	}
	if (count)
		strbuf_adds(out, "</section>\n");
	free(order);
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

static void end(const struct report *r, struct strbuf *out)
{
	struct strbuf title = STRBUF_INIT;

	strbuf_addf(&title, "labelaudit: %s", summary_verdict(r));
	html_begin(title.s, out);
	add_banner(r, out);
	strbuf_adds(out, "<main>\n");
	add_diagnosis(r, out);
	add_tiles(r, out);
	add_rules(r, out);
	html_pictures(r, out);
	html_classes(r, out);
	html_findings(r, out);
	html_sizes(r, out);
	html_weights(r, out);
	add_settings(r, out);
	add_explanations(r, out);
	strbuf_adds(out,
		    "</main>\n<footer>The counts are exact. <code>labelaudit render report.json</code> makes this page "
		    "and other forms of a JSON report.</footer>\n");
	html_end(out);
	strbuf_release(&title);
}

const struct reporter reporter_html = { .name = "html", .extension = "html,htm", .end = end };
