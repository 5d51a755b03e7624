/*
 * The HTML report: one page under 3 MB for people, made from the finished report. Top to bottom: the verdict, what to
 * look at first, the rules that fired, pictures of masks, the findings, the classes, formats and sizes, class weights,
 * settings and run, and the rules explained.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "base/version.h"
#include "report/html_classes.h"
#include "report/html_findings.h"
#include "report/html_page.h"
#include "report/html_pictures.h"
#include "report/narrowed.h"
#include "report/report_json.h"
#include "report/selection.h"
#include "report/summary.h"
#include "report/tables.h"

/* On a narrow screen each row of CARDS_TABLE becomes a card. */
#define CARDS_TABLE  "<table class=\"sorted cards\">"
#define NARROW_TABLE "<div>\n<table class=\"narrow sorted\">"

/* ---- the verdict ------------------------------------------------------------------------------------------------ */

/* Appends what was audited, how and when: "masks/ classes 0-20, ignored 255, 2026-08-01T12:00:00Z". */
static void add_subject(const struct report *r, struct strbuf *out)
{
	struct strbuf ids = STRBUF_INIT;

	strbuf_adds(out, "<p class=\"faint small\">");
	if (r->root && *r->root && strcmp(r->root, ".") != 0) {
		html_place(r->root, NULL, out);
		strbuf_addch(out, ' ');
	}
	id_ranges_format(&r->settings->classes.classes, &ids);
	html_addf(out, "classes " HTML_MESSAGE, ids.len ? ids.s : "none");
	strbuf_clear(&ids);
	id_ranges_format(&r->settings->classes.ignored, &ids);
	if (ids.len)
		html_addf(out, ", ignored " HTML_MESSAGE, ids.s);
	html_addf(out, r->run.started[0] ? ", %s</p>\n" : "%s</p>\n", r->run.started);
	strbuf_release(&ids);
}

static void add_banner(const struct report *r, struct strbuf *out)
{
	struct strbuf counts = STRBUF_INIT;

	summary_counts(r, &counts);
	html_addf(out, "<header class=\"banner %s\">\n<h1>labelaudit: <b>%s</b></h1>\n<p>%s</p>\n",
		  !r->complete       ? "incomplete"
		  : report_passes(r) ? "pass"
				     : "fail",
		  summary_verdict(r), counts.s);
	add_subject(r, out);
	strbuf_clear(&counts);
	narrowed_line(r->settings, &counts);
	if (counts.len)
		html_addf(out, "<p>%s</p>\n", counts.s);
	if (!r->complete) {
		strbuf_adds(out, "<p>Not everything was audited: ");
		summary_why_incomplete(r, out);
		strbuf_adds(out, ".</p>\n");
	}
	if (r->settings->shards)
		html_addf(out, "<p>This is shard %u of %u: a part of the set.</p>\n", r->settings->shard,
			  r->settings->shards);
	strbuf_adds(out, "</header>\n");
	strbuf_release(&counts);
}

static bool has_findings(const struct report *r)
{
	return r->findings->by_level[LEVEL_ERROR] + r->findings->by_level[LEVEL_WARNING] +
		       r->findings->by_level[LEVEL_INFO] !=
	       0;
}

/* Links the sections; a clean set has none of findings. */
static void add_navigation(const struct report *r, struct strbuf *out)
{
	strbuf_adds(out, "<nav>");
	if (has_findings(r))
		strbuf_adds(out, "<a href=\"#rules\">Rules</a><a href=\"#findings\">Findings</a>"
				 "<a href=\"#pictures\">Masks</a>");
	strbuf_adds(out,
		    "<a href=\"#classes\">Classes</a><a href=\"#sizes\">Formats and "
		    "sizes</a><a href=\"#weights\">Class weights</a><a href=\"#run\">Settings and run</a></nav>\n");
}

static void add_diagnosis(const struct report *r, struct strbuf *out)
{
	const struct kept_finding *why = report_diagnosis(r->findings);

	if (!why)
		return;
	html_addf(out, "<div class=\"look\">\n<p><b>Look first at</b> " HTML_LEVEL " " HTML_RULE,
		  LEVEL_TWICE(why->level), NAME_TWICE(why->rule));
	if (why->path) {
		strbuf_adds(out, " in ");
		html_place(why->path, why->member, out);
	}
	html_addf(out, "</p>\n<p>" HTML_MESSAGE "</p>\n<p><b>What to do:</b> " HTML_MESSAGE "</p>\n", why->message,
		  r->hint ? r->hint : why->advice);
	if (r->next)
		html_addf(out, "<p><code>" HTML_MESSAGE "</code></p>\n", r->next);
	if (r->fix)
		html_addf(out, "<p><b>A corrected copy:</b> <code>" HTML_MESSAGE "</code></p>\n", r->fix);
	strbuf_adds(out, "</div>\n");
}

static void add_tile(uint64_t n, const char *what, const char *style, struct strbuf *out)
{
	strbuf_addf(out, "<li><b%s%s%s>", style ? " class=\"" : "", style ? style : "", style ? "\"" : "");
	strbuf_add_grouped(out, n);
	html_addf(out, "</b><span>%s</span></li>\n", what);
}

static void add_tiles(const struct report *r, struct strbuf *out)
{
	const struct dataset_stats *d = r->dataset;
	const uint64_t *by_level = r->findings->by_level;
	struct report_tables t;

	tables_init(&t, r->settings, d);
	strbuf_adds(out, "<ul class=\"tiles\">\n");
	add_tile(by_level[LEVEL_ERROR], by_level[LEVEL_ERROR] == 1 ? "error" : "errors",
		 by_level[LEVEL_ERROR] ? "error" : NULL, out);
	add_tile(by_level[LEVEL_WARNING], by_level[LEVEL_WARNING] == 1 ? "warning" : "warnings",
		 by_level[LEVEL_WARNING] ? "warning" : NULL, out);
	add_tile(by_level[LEVEL_INFO], by_level[LEVEL_INFO] == 1 ? "info" : "infos", NULL, out);
	if (r->findings->baselined)
		add_tile(r->findings->baselined, "known from the baseline", NULL, out);
	add_tile(d->files_read, d->files_read == 1 ? "file read" : "files read", NULL, out);
	add_tile(d->files_failed, "could not be read completely", d->files_failed ? "error" : NULL, out);
	if (d->files_skipped)
		add_tile(d->files_skipped, "left out", coverage_labels(&d->coverage) ? "warning" : NULL, out);
	add_tile(d->labels, d->labels == 1 ? "label" : "labels", NULL, out);
	html_addf(out, "<li><b>%" PRIu64 " of %" PRIu64 "</b><span>classes occur</span></li>\n",
		  (uint64_t)t.classes_present, t.classes_declared);
	add_tile(t.out_of_range_total, t.out_of_range_total == 1 ? "id out of range" : "ids out of range",
		 t.out_of_range_total ? "error" : NULL, out);
	strbuf_adds(out, "</ul>\n");
	tables_release(&t);
}

/* Lists what was not audited by its reason. */
static void add_coverage(const struct coverage *c, struct strbuf *out)
{
	bool begun = false;

	for (int i = 0; i < SKIP_REASONS; i++) {
		if (!c->left_out[i].files)
			continue;
		if (!begun) {
			html_section("coverage", "Left out", out);
			html_begin_table(CARDS_TABLE, "#files|#look like labels|what they are|the first", out);
		}
		begun = true;
		strbuf_adds(out, "<tr>");
		html_number_cell(c->left_out[i].files, out);
		html_number_cell(c->labels[i].files, out);
		html_addf(out, "<td>%s</td><td>", skip_reason_text((enum skip_reason)i, c->left_out[i].files));
		html_place(coverage_example(c, (enum skip_reason)i), NULL, out);
		strbuf_adds(out, "</td></tr>\n");
	}
	if (begun)
		strbuf_adds(out, "</tbody>\n</table>\n</section>\n");
}

/* Appends a cell with the number of a rule's findings, which leads to them. */
static void add_count_link(uint64_t n, const struct rule *rule, struct strbuf *out)
{
	strbuf_addf(out, "<td class=\"n\" data-s=\"%" PRIu64 "\"><a href=\"#findings-%s\">", n, rule->name);
	strbuf_add_grouped(out, n);
	strbuf_adds(out, "</a></td>");
}

static void add_rules(const struct report *r, struct strbuf *out)
{
	size_t count, *order = selection_rules(r->findings, &count);

	html_section("rules", "What the rules found", out);
	html_begin_table(CARDS_TABLE, "#findings|level|rule|what it says", out);
	for (size_t i = 0; i < count; i++) {
		const struct rule *rule = rule_table[order[i]];
		enum level level = r->findings->rule_worst[order[i]];

		strbuf_adds(out, "<tr>");
		add_count_link(r->findings->by_rule[order[i]], rule, out);
		html_addf(out, "<td data-s=\"%d\">" HTML_LEVEL "</td><td>" HTML_RULE "</td><td>%s</td></tr>\n",
			  (int)level, LEVEL_TWICE(level), NAME_TWICE(rule), rule->summary);
	}
	strbuf_adds(out, "</tbody>\n</table>\n</section>\n");
	free(order);
}

/* ---- sizes and formats ------------------------------------------------------------------------------------------ */

enum { SIZES_SHOWN = 20, FORMATS_SHOWN = 40 };

static void add_more(uint64_t n, const char *noun, struct strbuf *out)
{
	if (n)
		html_addf(out, "<p class=\"faint\">... and %" PRIu64 " more %s%s</p>\n", n, noun, n == 1 ? "" : "s");
}

static void add_sizes(const struct report *r, struct strbuf *out)
{
	struct report_tables t;

	tables_init(&t, r->settings, r->dataset);
	html_section("sizes", "Formats and sizes", out);
	if (!t.formats_count && !t.sizes_count)
		strbuf_adds(out, "<p>No file was read completely.</p>\n");
	strbuf_adds(out, "<div class=\"columns\">\n");
	if (t.formats_count) {
		html_begin_table(NARROW_TABLE, "format|#files", out);
		for (size_t i = 0; i < MIN(t.formats_count, (size_t)FORMATS_SHOWN); i++) {
			html_addf(out, "<tr><td>%s</td>", t.formats[i].name);
			html_number_cell(t.formats[i].files, out);
			strbuf_adds(out, "</tr>\n");
		}
		strbuf_adds(out, "</tbody>\n</table>\n");
		add_more(t.formats_count - MIN(t.formats_count, (size_t)FORMATS_SHOWN), "format", out);
		strbuf_adds(out, "</div>\n");
	}
	if (t.sizes_count) {
		size_t shown = MIN(t.sizes_count, (size_t)SIZES_SHOWN);

		html_begin_table(NARROW_TABLE, "#width|#height|#files", out);
		for (size_t i = 0; i < shown; i++) {
			strbuf_adds(out, "<tr>");
			html_number_cell(t.sizes[i].width, out);
			html_number_cell(t.sizes[i].height, out);
			html_number_cell(t.sizes[i].files, out);
			strbuf_adds(out, "</tr>\n");
		}
		strbuf_adds(out, "</tbody>\n</table>\n");
		add_more(t.sizes_count - shown + t.sizes_unlisted, "size", out);
		strbuf_adds(out, "</div>\n");
	}
	strbuf_adds(out, "</div>\n</section>\n");
	tables_release(&t);
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

enum {
	WEIGHTS_MAX = 1024,  /* more do not fit a line of a training script */
	WEIGHTS_A_LINE = 10, /* of a tensor */
};

static void add_tensor(const struct report_tables *t, enum class_weight weight, int64_t size, struct strbuf *out)
{
	size_t row = 0;

	strbuf_addf(out, "<h3>%s</h3>\n<pre>weight = torch.tensor([", class_weight_name(weight));
	for (int64_t id = 0; id < size; id++) {
		strbuf_adds(out, id % WEIGHTS_A_LINE == 0 ? (id ? ",\n    " : "\n    ") : ", ");
		while (row < t->classes_count && t->classes[row].id < id)
			row++;
		if (row == t->classes_count || t->classes[row].id != id || !class_weight_add(out, t, row, weight))
			strbuf_adds(out, "0.0");
	}
	strbuf_adds(out, ",\n])</pre>\n");
}

static void add_weights(const struct report *r, struct strbuf *out)
{
	const struct id_ranges *ranges = &r->settings->classes.classes;
	int64_t last = ranges->count ? ranges->v[ranges->count - 1].last : -1;
	struct report_tables t;

	tables_init(&t, r->settings, r->dataset);
	html_section("weights", "Class weights", out);
	if (!t.classes_present) {
		strbuf_adds(out, "<p class=\"faint\">No class occurs, so there is nothing to weigh.</p>\n");
	} else if (last < 0 || last >= WEIGHTS_MAX || t.classes[0].id < 0) {
		strbuf_adds(out, "<p class=\"faint\">The JSON and CSV reports have them: the class ids cannot be the "
				 "indices of a short list.</p>\n");
	} else {
		strbuf_adds(
			out,
			"<p class=\"small faint\">For <code>torch.nn.CrossEntropyLoss(weight=weight)</code>, by the id "
			"that is trained. A class that never occurs, and an id that is not a class, has weight 0.0, "
			"which is never used. labelaudit(1) has the formulas.</p>\n<div class=\"weights\">\n");
		for (int weight = 0; weight < CLASS_WEIGHTS; weight++)
			add_tensor(&t, (enum class_weight)weight, last + 1, out);
		strbuf_adds(out, "</div>\n");
	}
	strbuf_adds(out, "</section>\n");
	tables_release(&t);
}

/* ---- settings and run ------------------------------------------------------------------------------------------- */

static void add_fact(const char *name, const char *value, struct strbuf *out)
{
	html_addf(out, "<dt>%s</dt><dd>" HTML_MESSAGE "</dd>\n", name, value);
}

static void add_ranges(const char *name, const struct id_ranges *ranges, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;

	id_ranges_format(ranges, &text);
	add_fact(name, text.len ? text.s : "none", out);
	strbuf_release(&text);
}

/* Lists the rules whose level was changed. */
static void add_levels(const struct settings *s, struct strbuf *out)
{
	bool any = false;

	for (size_t i = 0; i < rule_count; i++) {
		if (s->rules.levels[i] == rule_table[i]->level)
			continue;
		strbuf_addf(out, "%s<code>%s=%s</code>", any ? ", " : "<dt>rules with another level</dt><dd>",
			    rule_table[i]->name, level_name(s->rules.levels[i]));
		any = true;
	}
	if (any)
		strbuf_adds(out, "</dd>\n");
}

static void add_ratio(const char *name, uint64_t num, decimal_wide den, unsigned decimals, const char *unit,
		      struct strbuf *out)
{
	html_addf(out, "<dt>%s</dt><dd>", name);
	decimal_ratio(out, num, den, decimals);
	strbuf_addf(out, " %s</dd>\n", unit);
}

static void add_run(const struct report *r, struct strbuf *out)
{
	const struct run_facts *run = &r->run;
	uint64_t ms = report_milliseconds(run);

	add_fact("started", run->started, out);
	add_ratio("took", ms, 1000, 1, "seconds", out);
	add_fact("measured by", run->device, out);
	html_addf(out, "<dt>worker threads</dt><dd>%" PRIu64 "</dd>\n", (uint64_t)run->jobs);
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

static void add_help(const struct rule *rule, struct strbuf *out)
{
	const char *docs = rule_docs[rule_index(rule)], *line, *close = "";
	struct strbuf text = STRBUF_INIT;
	bool heading;
	size_t n;

	while ((line = rule_docs_line(&docs, &n, &heading))) {
		strbuf_clear(&text);
		strbuf_add(&text, line, n);
		if (heading) {
			bool example = !strcmp(text.s, "Example");

			strbuf_adds(out, close);
			html_addf(out, example ? "<h3>%s</h3>\n<pre>" : "<h3>%s</h3>\n<p>", text.s);
			close = example ? "</pre>\n" : "</p>\n";
		} else if (n) {
			html_addf(out, "%s\n", text.s);
		}
	}
	strbuf_adds(out, close);
	strbuf_release(&text);
}

static void add_explanations(const struct report *r, struct strbuf *out)
{
	size_t count, *order = selection_rules(r->findings, &count);

	if (count)
		html_section("explained", "The rules explained", out);
	for (size_t i = 0; i < count; i++) {
		const struct rule *rule = rule_table[order[i]];

		html_addf(out, "<details id=\"rule-%s\"><summary><code>%s</code> %s</summary>\n", NAME_TWICE(rule),
			  rule->summary);
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

	strbuf_addf(&title, "%s: ", summary_verdict(r));
	strbuf_adds(&title, r->root && *r->root ? r->root : "report");
	strbuf_addf(&title, "%s%.10s - labelaudit", r->run.started[0] ? ", " : "", r->run.started); /* its date */
	html_begin(title.s, out);
	add_banner(r, out);
	add_navigation(r, out);
	strbuf_adds(out, "<main>\n");
	add_diagnosis(r, out);
	add_tiles(r, out);
	add_coverage(&r->dataset->coverage, out);
	if (has_findings(r)) {
		add_rules(r, out);
		html_add_pictures(r, out);
		html_add_findings(r, out);
	}
	html_add_classes(r, out);
	add_sizes(r, out);
	add_weights(r, out);
	add_settings(r, out);
	add_explanations(r, out);
	strbuf_adds(out,
		    "</main>\n<footer>The counts are exact. <code>labelaudit render report.json</code> makes this page "
		    "and other forms of a JSON report.</footer>\n");
	html_end(out);
	strbuf_release(&title);
}

const struct reporter reporter_html = { .name = "html", .extension = "html,htm", .end = end };
