/*
 * `labelaudit diff --history REPORT...`: how a data set changed from audit to audit, as a table, and as a page with
 * charts. Reports are sorted by the date of their audit and read one after the other: memory is that of the first, of
 * one more, and of the shares of their classes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/mem.h"
#include "command/diff.h"
#include "report/html_page.h"
#include "report/json_writer.h"
#include "report/report_json.h"
#include "report/tables.h"

/* One report. */
struct history_point {
	const char *path; /* as typed */
	char started[32];
	bool passes;
	uint64_t files, labels, by_level[LEVEL_ERROR + 1];
};

/* A class of any report, and its share of the labels in each, in millionths. */
struct history_class {
	int64_t id;
	char *name;       /* "": unknown; owned */
	uint64_t *shares; /* indexed as points; owned */
	uint64_t least, most;
};

struct history {
	struct history_point *points; /* by date; owned */
	size_t count;
	struct history_class *classes; /* by id; once all are read, the one that moved most first; owned */
	size_t classes_count, classes_cap;
	uint64_t drift_max;
	size_t drifted; /* classes that moved by more, from the first report to the last */
};

enum { CLASSES_LISTED_TEXT = 40, CLASSES_LISTED_PAGE = 200 };

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static struct history_class *find_class(struct history *h, int64_t id)
{
	size_t at = 0;

	while (at < h->classes_count && h->classes[at].id < id)
		at++;
	if (at == h->classes_count || h->classes[at].id != id) {
		GROW(h->classes, h->classes_cap, h->classes_count + 1);
		memmove(h->classes + at + 1, h->classes + at, (h->classes_count - at) * sizeof(*h->classes));
		h->classes_count++;
		h->classes[at] = (struct history_class){ .id = id, .name = xstrdup("") };
		h->classes[at].shares = xcalloc(h->count, sizeof(*h->classes[at].shares));
	}
	return &h->classes[at];
}

static void add_report(struct history *h, size_t at, const struct report_file *r)
{
	struct history_point *point = &h->points[at];
	struct report_tables tables;

	memcpy(point->started, r->report.run.started, sizeof(point->started));
	point->passes = report_passes(&r->report) && !report_has_ignored_errors(&r->report);
	point->files = r->dataset.files;
	point->labels = r->dataset.labels;
	memcpy(point->by_level, r->findings.by_level, sizeof(point->by_level));
	tables_init(&tables, &r->settings, &r->dataset);
	uint64_t whole = r->dataset.labels - tables.ignored_labels;

	for (size_t i = 0; i < tables.classes_count; i++) {
		const struct class_row *row = &tables.classes[i];
		struct history_class *c = find_class(h, row->id);

		if (row->name && !*c->name) {
			free(c->name);
			c->name = xstrdup(row->name);
		}
		c->shares[at] = whole ? (uint64_t)(((decimal_wide)row->labels * 1000000 + whole / 2) / whole) : 0;
	}
	tables_release(&tables);
}

/* Reads all reports; all were made with the settings of the first. */
static enum status read_reports(struct history *h, const struct options *options, struct error *err)
{
	struct report_file *first = NULL;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < h->count && status == STATUS_OK; i++) {
		struct report_file *file = NULL;

		h->points[i].path = options->words.v[i];
		status = report_file_read(&file, h->points[i].path, UINT64_MAX, err);
		if (status != STATUS_OK)
			break;
		const struct report_file *const two[2] = { first ? first : file, file };
		const char *const paths[2] = { h->points[0].path, h->points[i].path };

		status = diff_check_comparable(two, paths, options->force, err);
		if (status == STATUS_OK)
			add_report(h, i, file);
		if (first)
			report_file_free(file);
		else
			first = file;
	}
	report_file_free(first);
	return status;
}

/* ---- sorting ---------------------------------------------------------------------------------------------------- */

struct dated {
	const char *started;
	size_t at;
};

static int compare_dates(const void *pa, const void *pb)
{
	const struct dated *a = pa, *b = pb;
	int order = strcmp(a->started, b->started);

	return order ? order : a->at < b->at ? -1 : a->at > b->at;
}

static uint64_t moved(const struct history *h, const struct history_class *c)
{
	uint64_t first = c->shares[0], last = c->shares[h->count - 1];

	return MAX(first, last) - MIN(first, last);
}

/* The widest range first, then by id. */
static int compare_ranges(const void *pa, const void *pb)
{
	const struct history_class *a = pa, *b = pb;
	uint64_t range_a = a->most - a->least, range_b = b->most - b->least;

	if (range_a != range_b)
		return range_a > range_b ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Puts the reports, and with them the shares, into the order of their dates. */
static void sort_points(struct history *h)
{
	struct dated *order = xcalloc(h->count, sizeof(*order));
	struct history_point *points = xcalloc(h->count, sizeof(*points));
	uint64_t *shares = xcalloc(h->count, sizeof(*shares));

	for (size_t i = 0; i < h->count; i++)
		order[i] = (struct dated){ h->points[i].started, i };
	qsort(order, h->count, sizeof(*order), compare_dates);
	for (size_t i = 0; i < h->count; i++)
		points[i] = h->points[order[i].at];
	for (size_t j = 0; j < h->classes_count; j++) {
		for (size_t i = 0; i < h->count; i++)
			shares[i] = h->classes[j].shares[order[i].at];
		memcpy(h->classes[j].shares, shares, h->count * sizeof(*shares));
	}
	free(order); /* it borrows from the points */
	memcpy(h->points, points, h->count * sizeof(*points));
	free(points);
	free(shares);
}

static void sort_history(struct history *h)
{
	sort_points(h);
	for (size_t j = 0; j < h->classes_count; j++) {
		struct history_class *c = &h->classes[j];

		c->least = UINT64_MAX;
		for (size_t i = 0; i < h->count; i++) {
			c->least = MIN(c->least, c->shares[i]);
			c->most = MAX(c->most, c->shares[i]);
		}
		h->drifted += h->drift_max && moved(h, c) > h->drift_max;
	}
	if (h->classes_count)
		qsort(h->classes, h->classes_count, sizeof(*h->classes), compare_ranges);
}

/* ---- phrases ---------------------------------------------------------------------------------------------------- */

static const char *point_verdict(const struct history_point *point)
{
	return point->passes ? "PASS" : "FAIL";
}

/* Appends "3 reports", and with --drift, which asks for a verdict, "PASS: 3 reports, 0 classes moved by ...". */
static void add_verdict(const struct history *h, struct strbuf *out)
{
	strbuf_adds(out, !h->drift_max ? "" : h->drifted ? "FAIL: " : "PASS: ");
	strbuf_add_count(out, h->count, "report");
	if (!h->drift_max)
		return;
	strbuf_addf(out, ", %zu class%s moved by more than ", h->drifted, h->drifted == 1 ? "" : "es");
	diff_add_drift_max(out, h->drift_max);
	strbuf_adds(out, " points (--drift)");
}

/* Appends "+1.58", from the first report to the last. */
static void add_move(const struct history *h, const struct history_class *c, struct strbuf *out)
{
	struct diff_class ends = { .share = { c->shares[0], c->shares[h->count - 1] } };

	diff_add_move(out, &ends);
}

/* ---- text, markdown --------------------------------------------------------------------------------------------- */

static void write_text(const void *result, const struct form_style *style, struct strbuf *out)
{
	const struct history *h = result;

	strbuf_adds(out,
		    "started                    files         labels   errors warnings    infos  verdict  report\n");
	for (size_t i = 0; i < h->count; i++) {
		const struct history_point *p = &h->points[i];

		strbuf_addf(out, "%-20.20s %11" PRIu64 " %14" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "  %-7s  ",
			    p->started, p->files, p->labels, p->by_level[LEVEL_ERROR], p->by_level[LEVEL_WARNING],
			    p->by_level[LEVEL_INFO], point_verdict(p));
		escape_terminal(out, p->path, strlen(p->path));
		strbuf_addch(out, '\n');
	}
	for (size_t j = 0; style->verbosity >= 0 && j < MIN(h->classes_count, (size_t)CLASSES_LISTED_TEXT); j++) {
		const struct history_class *c = &h->classes[j];

		strbuf_addf(out, "class %" PRId64, c->id);
		if (*c->name) {
			strbuf_adds(out, " (");
			escape_terminal(out, c->name, strlen(c->name));
			strbuf_addch(out, ')');
		}
		strbuf_adds(out, ": ");
		diff_add_share(out, c->shares[0]);
		strbuf_adds(out, " % -> ");
		diff_add_share(out, c->shares[h->count - 1]);
		strbuf_adds(out, " % of the labels (");
		add_move(h, c, out);
		strbuf_adds(out, " points), between ");
		diff_add_share(out, c->least);
		strbuf_adds(out, " and ");
		diff_add_share(out, c->most);
		strbuf_adds(out, " %\n");
	}
	if (style->verbosity >= 0 && h->classes_count > CLASSES_LISTED_TEXT)
		strbuf_addf(out, "... and %zu more classes that changed less\n",
			    h->classes_count - CLASSES_LISTED_TEXT);
	add_verdict(h, out);
	strbuf_addch(out, '\n');
}

static void write_markdown(const void *result, const struct form_style *style, struct strbuf *out)
{
	const struct history *h = result;

	(void)style;
	strbuf_adds(out, "## labelaudit history\n\n");
	add_verdict(h, out);
	strbuf_adds(out, "\n\n| started | report | files | labels | errors | warnings | infos | verdict |\n"
			 "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n");
	for (size_t i = 0; i < h->count; i++) {
		const struct history_point *p = &h->points[i];

		strbuf_adds(out, "| ");
		escape_markdown(out, p->started, strlen(p->started));
		strbuf_adds(out, " | `");
		escape_markdown_code(out, p->path, strlen(p->path));
		strbuf_addf(out, "` | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %s |\n",
			    p->files, p->labels, p->by_level[LEVEL_ERROR], p->by_level[LEVEL_WARNING],
			    p->by_level[LEVEL_INFO], point_verdict(p));
	}
	if (h->classes_count)
		strbuf_adds(out, "\n| id | class | first % | last % | points | least % | most % |\n"
				 "| ---: | --- | ---: | ---: | ---: | ---: | ---: |\n");
	for (size_t j = 0; j < MIN(h->classes_count, (size_t)CLASSES_LISTED_TEXT); j++) {
		const struct history_class *c = &h->classes[j];
		const uint64_t shares[] = { c->shares[0], c->shares[h->count - 1], c->least, c->most };

		strbuf_addf(out, "| %" PRId64 " | ", c->id);
		escape_markdown(out, c->name, strlen(c->name));
		for (size_t k = 0; k < ARRAY_SIZE(shares); k++) {
			strbuf_adds(out, " | ");
			if (k == 2) {
				add_move(h, c, out);
				strbuf_adds(out, " | ");
			}
			diff_add_share(out, shares[k]);
		}
		strbuf_adds(out, " |\n");
	}
	if (h->classes_count > CLASSES_LISTED_TEXT)
		strbuf_addf(out, "\n... and %zu more classes that changed less\n",
			    h->classes_count - CLASSES_LISTED_TEXT);
}

/* ---- json ------------------------------------------------------------------------------------------------------- */

static void write_json(const void *result, const struct form_style *style, struct strbuf *out)
{
	const struct history *h = result;
	struct json_writer w;

	(void)style;
	json_init(&w, out, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_text(&w, "type", "history");
	report_json_tool(&w);
	json_key_text(&w, "status", h->drifted ? "fail" : "pass");
	json_key_array(&w, "reports", JSON_BLOCK);
	for (size_t i = 0; i < h->count; i++) {
		const struct history_point *p = &h->points[i];

		json_begin_object(&w, JSON_INLINE);
		report_json_name(&w, "report", p->path);
		json_key_text(&w, "started", p->started);
		json_key_text(&w, "status", p->passes ? "pass" : "fail");
		json_key_u64(&w, "files", p->files);
		json_key_u64(&w, "labels", p->labels);
		json_key_u64(&w, "errors", p->by_level[LEVEL_ERROR]);
		json_key_u64(&w, "warnings", p->by_level[LEVEL_WARNING]);
		json_key_u64(&w, "infos", p->by_level[LEVEL_INFO]);
		json_end(&w);
	}
	json_end(&w);
	json_key_array(&w, "classes", JSON_BLOCK);
	for (size_t j = 0; j < h->classes_count; j++) {
		json_begin_object(&w, JSON_INLINE);
		json_key_i64(&w, "id", h->classes[j].id);
		json_key_text(&w, "name", *h->classes[j].name ? h->classes[j].name : NULL);
		json_key_array(&w, "fractions", JSON_INLINE);
		for (size_t i = 0; i < h->count; i++)
			decimal_ratio(json_value(&w), h->classes[j].shares[i], 1000000, 6);
		json_ends(&w, 2);
	}
	json_ends(&w, 2);
	strbuf_addch(out, '\n');
}

/* ---- html ------------------------------------------------------------------------------------------------------- */

/* The sizes of charts, in the units of their viewBoxes; MARGIN is at all sides, for the width of a line. */
enum { CHART_WIDTH = 800, CHART_HEIGHT = 200, SPARK_WIDTH = 160, SPARK_HEIGHT = 28, MARGIN = 3 };

/* Appends the points of a line from left to right: whole numbers, so that no locale can put a comma into one. */
static void add_points(struct strbuf *out, const uint64_t *v, size_t n, uint64_t least, uint64_t most, uint64_t width,
		       uint64_t height)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = v[i], range = MAX(most - least, (uint64_t)1);
		uint64_t x = MARGIN + (n > 1 ? i * (width - 2 * MARGIN) / (n - 1) : 0);
		uint64_t y =
			height - MARGIN - (uint64_t)((decimal_wide)(value - least) * (height - 2 * MARGIN) / range);

		strbuf_addf(out, "%s%" PRIu64 ",%" PRIu64, i ? " " : "", x, y);
	}
}

static void add_line(struct strbuf *out, const char *colour, const char *dashes)
{
	strbuf_addf(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"", colour);
	if (dashes)
		strbuf_addf(out, " stroke-dasharray=\"%s\"", dashes);
	strbuf_adds(out, "/>\n");
}

/* Findings of each level over the reports; lines differ in dashes, too, not in colour alone. */
static void add_findings_chart(const struct history *h, struct strbuf *out)
{
	static const struct {
		const char *noun, *colour, *dashes;
	} levels[] = {
		[LEVEL_INFO] = { "infos (dotted)", "#3b82a6", "2 4" },
		[LEVEL_WARNING] = { "warnings (dashed)", "#b07d1a", "8 4" },
		[LEVEL_ERROR] = { "errors (solid)", "#d0404e", NULL },
	};
	uint64_t *v = xcalloc(h->count, sizeof(*v)), most = 0;

	for (size_t i = 0; i < h->count; i++)
		for (int level = LEVEL_INFO; level <= LEVEL_ERROR; level++)
			most = MAX(most, h->points[i].by_level[level]);
	strbuf_addf(out,
		    "<svg role=\"img\" aria-label=\"findings of each level in each report\" viewBox=\"0 0 %d %d\" "
		    "width=\"100%%\" height=\"%d\" preserveAspectRatio=\"none\">\n",
		    CHART_WIDTH, CHART_HEIGHT, CHART_HEIGHT);
	for (int level = LEVEL_INFO; level <= LEVEL_ERROR; level++) {
		for (size_t i = 0; i < h->count; i++)
			v[i] = h->points[i].by_level[level];
		strbuf_adds(out, "<polyline vector-effect=\"non-scaling-stroke\" points=\"");
		add_points(out, v, h->count, 0, most, CHART_WIDTH, CHART_HEIGHT);
		add_line(out, levels[level].colour, levels[level].dashes);
	}
	html_addf(out, "</svg>\n<p class=\"small faint\">From 0 to %" PRIu64 " findings: ", most);
	for (int level = LEVEL_ERROR; level >= LEVEL_INFO; level--)
		strbuf_addf(out, "%s%s", levels[level].noun, level > LEVEL_INFO ? ", " : ".</p>\n");
	free(v);
}

static void add_reports_table(const struct history *h, struct strbuf *out)
{
	html_begin_table(HTML_SCROLL("reports") "<table class=\"sorted\">",
			 "started|report|#files|#labels|#errors|#warnings|#infos|verdict", out);
	for (size_t i = 0; i < h->count; i++) {
		const struct history_point *p = &h->points[i];

		html_addf(out, "<tr><td>%s</td><td>", p->started);
		html_place(p->path, NULL, out);
		strbuf_adds(out, "</td>");
		html_number_cell(p->files, out);
		html_number_cell(p->labels, out);
		for (int level = LEVEL_ERROR; level >= LEVEL_INFO; level--)
			html_number_cell(p->by_level[level], out);
		html_addf(out, "<td>%s</td></tr>\n", point_verdict(p));
	}
	strbuf_adds(out, "</tbody>\n</table>\n</div>\n");
}

static void add_share_cell(uint64_t share, struct strbuf *out)
{
	strbuf_addf(out, "<td class=\"n\" data-s=\"%" PRIu64 "\">", share);
	diff_add_share(out, share);
	strbuf_adds(out, " %</td>");
}

static void add_class_row(const struct history *h, const struct history_class *c, struct strbuf *out)
{
	html_addf(out, "<tr><td class=\"n\" data-s=\"%" PRId64 "\">%" PRId64 "</td><td>" HTML_NAME "</td>", c->id,
		  c->id, c->name);
	html_addf(out,
		  "<td><svg aria-hidden=\"true\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\"><polyline points=\"",
		  SPARK_WIDTH, SPARK_HEIGHT, SPARK_WIDTH, SPARK_HEIGHT);
	add_points(out, c->shares, h->count, c->least, c->most, SPARK_WIDTH, SPARK_HEIGHT);
	add_line(out, "#3a78c9", NULL);
	strbuf_adds(out, "</svg></td>");
	add_share_cell(c->shares[0], out);
	add_share_cell(c->shares[h->count - 1], out);
	strbuf_addf(out, "<td class=\"n\" data-s=\"%" PRIu64 "\">", moved(h, c));
	add_move(h, c, out);
	strbuf_adds(out, "</td>");
	add_share_cell(c->least, out);
	add_share_cell(c->most, out);
	strbuf_adds(out, "</tr>\n");
}

static void write_html(const void *result, const struct form_style *style, struct strbuf *out)
{
	const struct history *h = result;
	struct strbuf text = STRBUF_INIT;

	(void)style;
	html_begin("labelaudit history", out);
	add_verdict(h, &text);
	html_addf(out, "<header class=\"banner %s\"><h1>%s</h1></header>\n<main>\n",
		  h->drifted     ? "fail"
		  : h->drift_max ? "pass"
				 : "",
		  text.s);
	html_section("reports", "Reports", out);
	add_findings_chart(h, out);
	add_reports_table(h, out);
	strbuf_adds(out, "</section>\n");
	html_section("classes", "Classes", out);
	strbuf_adds(out,
		    "<p class=\"small faint\">Shares of the labels that are not ignored. Each line has a scale of its "
		    "own, from the least share to the most.</p>\n");
	html_begin_table(HTML_SCROLL("classes") "<table class=\"sorted\">",
			 "#id|class|share|#first|#last|#points|#least|#most", out);
	for (size_t j = 0; j < MIN(h->classes_count, (size_t)CLASSES_LISTED_PAGE); j++)
		add_class_row(h, &h->classes[j], out);
	strbuf_adds(out, "</tbody>\n</table>\n</div>\n");
	if (h->classes_count > CLASSES_LISTED_PAGE)
		strbuf_addf(out, "<p class=\"faint\">... and %zu more classes that changed less</p>\n",
			    h->classes_count - CLASSES_LISTED_PAGE);
	strbuf_adds(
		out,
		"</section>\n</main>\n<footer>Reports, compared by <code>labelaudit diff --history</code>.</footer>\n");
	html_end(out);
	strbuf_release(&text);
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static const struct form history_forms[] = {
	{ "text", write_text }, { "json", write_json }, { "markdown", write_markdown },
	{ "html", write_html }, { NULL, NULL },
};

enum status history_run(const struct options *options, int *signal_number, struct error *err)
{
	struct history h = { .count = options->words.count, .drift_max = options->drift };
	enum status status = forms_check(history_forms, "a history", options, err);

	h.points = xcalloc(h.count, sizeof(*h.points));
	if (status == STATUS_OK)
		status = read_reports(&h, options, err);
	if (status == STATUS_OK) {
		sort_history(&h);
		status = forms_write(history_forms, &h, options, signal_number, err);
	}
	if (status == STATUS_OK && h.drifted)
		status = STATUS_FINDINGS;
	for (size_t j = 0; j < h.classes_count; j++) {
		free(h.classes[j].name);
		free(h.classes[j].shares);
	}
	free(h.classes);
	free(h.points);
	return status;
}
