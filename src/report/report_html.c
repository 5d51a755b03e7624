/*
 * The HTML report: one page for people, some 400 KB at most, made from the finished report. Top to bottom: the verdict,
 * the causes, the classes, the findings by cause with pictures of masks, the folders, settings and run.
 */
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "base/version.h"
#include "report/html_findings.h"
#include "report/html_page.h"
#include "report/report_json.h"
#include "report/summary.h"
#include "report/tables.h"

/* ---- the verdict ------------------------------------------------------------------------------------------------ */

/* Appends what was audited, how and when: "masks/ classes 0-20, ignored 255, 2026-08-01T12:00:00Z". */
static void add_subject(const struct report *r, struct strbuf *out)
{
	RELEASED struct strbuf ids = STRBUF_INIT;

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
}

static void add_remark(const struct report *r, const char *text, struct strbuf *out)
{
	(void)r;
	html_addf(out, "<p>%s</p>\n", text);
}

static void add_banner(const struct report *r, struct strbuf *out)
{
	RELEASED struct strbuf counts = STRBUF_INIT;

	summary_counts(r, &counts);
	html_addf(out, "<header class=\"banner %s\">\n<h1>labelaudit: <b>%s</b></h1>\n<p>%s</p>\n",
		  !r->complete       ? "incomplete"
		  : report_passes(r) ? "pass"
				     : "fail",
		  summary_verdict(r), counts.s);
	add_subject(r, out);
	summary_remarks(r, add_remark, out);
	if (r->settings->shards)
		html_addf(out, "<p>This is shard %u of %u: a part of the set.</p>\n", r->settings->shard,
			  r->settings->shards);
	strbuf_adds(out, "</header>\n");
}

static void add_cause(const struct report *r, const struct cause_text *text, struct strbuf *out)
{
	const struct cause *c = text->cause;

	(void)r;
	html_addf(out, "<li><p>" HTML_LEVEL " <a href=\"#findings-%s\"><code>%s</code></a>%s</p>\n<p>",
		  LEVEL_TWICE(c->level), c->rule->name, c->rule->name, text->what);
	if (text->place) {
		html_place(c->example, c->member, out);
		html_addf(out, "%s", text->place);
	}
	html_addf(out, HTML_MESSAGE "</p>\n", c->message ? c->message : "");
	if (*text->remedy)
		html_addf(out, "<p><b>What to do:</b> " HTML_MESSAGE "</p>\n", text->remedy);
	if (text->command)
		html_addf(out, "<p><code>" HTML_MESSAGE "</code></p>\n", text->command);
	strbuf_adds(out, "</li>\n");
}

static void add_more(const struct report *r, const char *text, struct strbuf *out)
{
	(void)r;
	html_addf(out, "<li class=\"faint\">%s</li>\n", text);
}

static void add_diagnosis(const struct report *r, struct strbuf *out)
{
	const struct people form = { .r = r, .cause = add_cause, .note = add_more };

	if (!report_diagnosis(r)->count)
		return;
	strbuf_adds(out, "<div class=\"look\">\n<ol>\n");
	people_causes(&form, SIZE_MAX, out);
	strbuf_adds(out, "</ol>\n");
	if (r->hint)
		html_addf(out, "<p>" HTML_MESSAGE "</p>\n", r->hint);
	if (r->next)
		html_addf(out, "<p><code>" HTML_MESSAGE "</code></p>\n", r->next);
	strbuf_adds(out, "</div>\n");
}

/* ---- the classes ------------------------------------------------------------------------------------------------ */

/* The units of a bar are those of its viewBox: whole numbers, so that no locale can put a comma into one. */
enum { BAR_WIDTH = 1000, BAR_HEIGHT = 10 };

static const char *row_style(const struct class_table_row *row)
{
	if (row->role == ID_CLASS)
		return row->labels ? "class" : "never";
	return row->role == ID_IGNORED ? "ignored" : "invalid";
}

/* Returns how many rows from this one on are of classes in a row that have no name and never occur; at least 1. */
static size_t row_run(const struct class_table_row *row, size_t left)
{
	size_t n = 0;

	while (n < left && row[n].role == ID_CLASS && !row[n].labels && !row[n].name &&
	       row[n].id == row->id + (int64_t)n)
		n++;
	return MAX(n, (size_t)1);
}

/* run: rows, of which all after the first are said with it. */
static void add_class(const struct class_table_row *row, size_t run, uint64_t most, struct strbuf *out)
{
	const char *note = row->role == ID_IGNORED ? "ignored" : row->role == ID_INVALID ? "out of range" : "";

	html_addf(out, "<tr class=\"%s\"><td class=\"n\">", row_style(row));
	id_format(row->id, out);
	if (run > 1)
		html_addf(out, "-%" PRId64, row[run - 1].id);
	strbuf_adds(out, "</td><td><div class=\"bar-of\"><span>");
	html_addf(out, row->name ? HTML_NAME : "<i>%s</i>", row->name ? row->name : note);
	strbuf_adds(out, "</span>");
	if (row->labels)
		html_addf(out,
			  "<svg class=\"bar %s\" viewBox=\"0 0 %u %u\" preserveAspectRatio=\"none\" "
			  "aria-hidden=\"true\"><rect width=\"%u\" height=\"%u\"/></svg>",
			  row_style(row), BAR_WIDTH, BAR_HEIGHT,
			  MAX(1U, (unsigned)((decimal_wide)row->labels * BAR_WIDTH / most)), BAR_HEIGHT);
	else
		strbuf_adds(out, "<i>never occurs</i>");
	strbuf_adds(out, "</div></td>");
	html_number_cell(row->labels, out);
	html_addf(out, "<td class=\"n\">%s</td>", row->share[0] ? row->share : "-");
	html_number_cell(row->files, out);
	strbuf_adds(out, "</tr>\n");
}

static void add_class_table(const struct class_table *t, struct strbuf *out)
{
	uint64_t most = 0;

	for (size_t i = 0; i < t->count; i++)
		most = MAX(most, t->rows[i].labels);
	strbuf_adds(out, "<p class=\"small faint\">Shares are of the labels that are not ignored. Ignored ids are "
			 "striped, ids out of range red.</p>\n");
	html_begin_table(HTML_SCROLL("classes") "<table class=\"classes\">", "#id|class|#labels|#share|#files", out);
	for (size_t i = 0, run; i < t->count; i += run) {
		if (i == t->gap && t->gap)
			class_table_add_rest(t, UNLISTED_OCCUR, "<tr><td></td><td colspan=\"4\" class=\"faint\">",
					     " (the JSON report has all)</td></tr>\n", out);
		run = row_run(&t->rows[i], t->count - i);
		add_class(&t->rows[i], run, most, out);
	}
	strbuf_adds(out, "</tbody>\n</table>\n</div>\n");
}

static void add_classes(const struct report *r, struct strbuf *out)
{
	struct class_table t;

	class_table_init(&t, r, ROWS_LISTED);
	html_section("classes", "Classes", out);
	if (t.count)
		add_class_table(&t, out);
	else
		strbuf_adds(out, "<p>No class is declared, and no id was read.</p>\n");
	for (size_t i = UNLISTED_OCCUR + 1; i < UNLISTED_KINDS; i++)
		class_table_add_rest(&t, i, "<p class=\"faint\">", "</p>\n", out);
	strbuf_adds(out, "</section>\n");
	class_table_release(&t);
}

/* ---- what was audited, and what was left out --------------------------------------------------------------------- */

enum { FOLDERS_LISTED = 100 };

/* Appends a table of the folders, in which the part of a name that the folder above it has, too, is faint: a tree. */
static void add_folders(const struct coverage *c, struct strbuf *out)
{
	RELEASED struct strbuf above = STRBUF_INIT;

	html_begin_table("<table class=\"cards tree\">", "folder|#files|content|what became of them", out);
	for (size_t i = 0; i < MIN(c->folders_count, (size_t)FOLDERS_LISTED); i++) {
		const struct folder_fact *f = &c->folders[i];
		size_t common = 0;

		for (size_t k = 0; i && f->path[k] && f->path[k] == f[-1].path[k]; k++)
			common = f->path[k] == '/' ? k + 1 : common;
		strbuf_set(&above, f->path, f->path[common] ? common : 0);
		html_addf(out, "<tr><td><code><span class=\"faint\">" HTML_NAME "</span>" HTML_MESSAGE "</code></td>",
			  above.s, f->path + above.len);
		html_number_cell(f->files, out);
		html_addf(out, "<td>%s</td><td>%s%s (%s)</td></tr>\n", f->content, f->audited ? "audited as " : "",
			  *f->role ? f->role : "nothing", f->rule);
	}
	strbuf_adds(out, "</tbody>\n</table>\n");
	if (c->folders_count > FOLDERS_LISTED)
		html_addf(out, "<p class=\"faint\">... and %" PRIu64 " more; <code>--explain</code> lists them</p>\n",
			  (uint64_t)(c->folders_count - FOLDERS_LISTED));
}

/* Lists what was not audited by its reason. */
static void add_coverage(const struct coverage *c, struct strbuf *out)
{
	RELEASED struct strbuf reasons = STRBUF_INIT;

	coverage_list(c, &reasons);
	if (!c->folders_count && !reasons.len)
		return;
	html_section("coverage", "What was audited", out);
	if (c->folders_count)
		add_folders(c, out);
	if (reasons.len)
		html_begin_table("<table class=\"cards\">", "#left out|#look like labels|what they are|the first", out);
	for (int i = 0; i < SKIP_REASONS; i++) {
		if (!c->left_out[i].files)
			continue;
		strbuf_adds(out, "<tr>");
		html_number_cell(c->left_out[i].files, out);
		html_number_cell(c->labels[i].files, out);
		html_addf(out, "<td>%s</td><td>", skip_reason_text((enum skip_reason)i, c->left_out[i].files));
		html_place(coverage_example(c, (enum skip_reason)i), NULL, out);
		strbuf_adds(out, "</td></tr>\n");
	}
	strbuf_adds(out, reasons.len ? "</tbody>\n</table>\n</section>\n" : "</section>\n");
}

/* ---- settings and run ------------------------------------------------------------------------------------------- */

static void add_fact(const char *name, const char *value, struct strbuf *out)
{
	html_addf(out, "<dt>%s</dt><dd>" HTML_MESSAGE "</dd>\n", name, value);
}

static void add_settings(const struct report *r, struct strbuf *out)
{
	const struct settings *s = r->settings;
	const struct run_facts *run = &r->run;
	RELEASED struct strbuf text = STRBUF_INIT;

	html_section("run", "Settings and run", out);
	strbuf_adds(out, "<dl>\n");
	add_fact("ids as read by", view_name(s->view), out);
	add_fact("zero label reduced", s->reduce_zero_label ? "yes" : "no", out);
	add_fact("fails on", s->fail_on == LEVEL_OFF ? "never" : level_name(s->fail_on), out);
	report_settings_digest(s, &text);
	add_fact("digest of the settings", text.s, out);
	strbuf_clear(&text);
	decimal_ratio(&text, report_milliseconds(run), 1000, 1);
	strbuf_addf(&text, " seconds with %u threads", run->jobs);
	add_fact("took", text.s, out);
	add_fact("measured by", run->device, out);
	if (run->note[0])
		add_fact("note", run->note, out);
	if (run->baseline_note[0])
		add_fact("baseline", run->baseline_note, out);
	add_fact("version", "labelaudit " LABELAUDIT_VERSION, out);
	strbuf_adds(out, "</dl>\n</section>\n");
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

static void end(const struct report *r, struct strbuf *out)
{
	RELEASED struct strbuf title = STRBUF_INIT;

	strbuf_addf(&title, "%s: ", summary_verdict(r));
	strbuf_adds(&title, r->root && *r->root ? r->root : "report");
	strbuf_addf(&title, "%s%.10s - labelaudit", r->run.started[0] ? ", " : "", r->run.started); /* its date */
	html_begin(title.s, out);
	add_banner(r, out);
	strbuf_adds(out, "<main>\n");
	add_diagnosis(r, out);
	add_classes(r, out);
	if (r->findings->total > r->findings->baselined)
		html_add_findings(r, out);
	add_coverage(&r->dataset->coverage, out);
	add_settings(r, out);
	strbuf_adds(out,
		    "</main>\n<footer>The counts are exact. <code>labelaudit render report.json</code> makes this page "
		    "and other forms of a JSON report.</footer>\n");
	html_end(out);
}

const struct reporter reporter_html = { .name = "html", .extension = "html,htm", .end = end };
