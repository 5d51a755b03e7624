/*
 * The HTML report: one page under 5 MB for people, made from the finished report. Top to bottom: the verdict, what to
 * look at first, the rules that fired, pictures of the worst masks, the classes as a chart and as numbers, the
 * findings, formats and sizes, class weights, settings and run, and the rules explained.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/version.h"
#include "report/html_page.h"
#include "report/narrowed.h"
#include "report/report_json.h"
#include "report/selection.h"
#include "report/summary.h"
#include "report/tables.h"
#include "report/thumbnail.h"

/*
 * These keep the page below 5 MB, in bytes as written. One finding of each rule that fired is listed even past
 * FINDINGS_BYTES, in at most 8 KB (the cuts in html_page.h, each byte of which may become 6): 80 rules, 0.7 MB.
 */
enum {
	FINDINGS_MAX = 2000,
	FINDINGS_BYTES = 2 << 20,
	PICTURES_BYTES = 1 << 20,
};

#define SORTED_TABLE "<div class=\"scroll\">\n<table class=\"sorted\">"
#define NARROW_TABLE "<div>\n<table class=\"narrow sorted\">"

/* ---- the verdict ------------------------------------------------------------------------------------------------ */

static void add_banner(const struct report *r, struct strbuf *out)
{
	struct strbuf counts = STRBUF_INIT;

	summary_counts(r, &counts);
	html_addf(out, "<header class=\"banner %s\">\n<h1>labelaudit: <b>%s</b></h1>\n<p>%s</p>\n",
		  !r->complete       ? "incomplete"
		  : report_passes(r) ? "pass"
				     : "fail",
		  summary_verdict(r), counts.s);
	if (r->root && *r->root && strcmp(r->root, ".") != 0) {
		strbuf_adds(out, "<p class=\"faint small\">");
		html_place(r->root, NULL, out);
		strbuf_adds(out, "</p>\n");
	}
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
	html_addf(out, "<div class=\"look\">\n<p><b>Look first at</b> " HTML_LEVEL " " HTML_RULE,
		  LEVEL_TWICE(why->level), NAME_TWICE(why->rule));
	if (why->path) {
		strbuf_adds(out, " in ");
		html_place(why->path, why->member, out);
	}
	html_addf(out, "</p>\n<p>" HTML_MESSAGE "</p>\n<p><b>What to do:</b> " HTML_MESSAGE "</p>\n</div>\n",
		  why->message, why->advice);
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
			html_begin_table(SORTED_TABLE, "#files|#look like labels|what they are|the first", out);
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
		strbuf_adds(out, "</tbody>\n</table>\n</div>\n</section>\n");
}

static void add_rules(const struct report *r, struct strbuf *out)
{
	size_t count, *order = selection_rules(r->findings, &count);

	html_section("rules", "What the rules found", out);
	if (!count)
		strbuf_adds(out, "<p>Nothing.</p>\n");
	else
		html_begin_table(SORTED_TABLE, "#findings|level|rule|what it says", out);
	for (size_t i = 0; i < count; i++) {
		const struct rule *rule = rule_table[order[i]];
		enum level level = r->findings->rule_worst[order[i]];

		strbuf_adds(out, "<tr>");
		html_number_cell(r->findings->by_rule[order[i]], out);
		html_addf(out, "<td data-s=\"%d\">" HTML_LEVEL "</td><td>" HTML_RULE "</td><td>%s</td></tr>\n",
			  (int)level, LEVEL_TWICE(level), NAME_TWICE(rule), rule->summary);
	}
	strbuf_adds(out, count ? "</tbody>\n</table>\n</div>\n</section>\n" : "</section>\n");
	free(order);
}

/* ---- the pictures ----------------------------------------------------------------------------------------------- */

/* Returns the factor, an integer, by which a small mask is enlarged. */
static uint32_t enlarge(const struct thumbnail *t)
{
	uint32_t edge = MAX(t->width, t->height);

	return edge ? MAX(1U, THUMBNAIL_EDGE / edge) : 1;
}

static void add_ids(const struct finding_details *d, struct strbuf *out)
{
	size_t shown = MIN(d->ids_count, (size_t)6);

	for (size_t i = 0; i < shown; i++) {
		strbuf_addf(out, "%s<span class=\"id\">", i ? ", " : id_is_colour(d->ids[i].id) ? "colour " : "id ");
		id_format(d->ids[i].id, out);
		strbuf_adds(out, "</span> (");
		html_count(d->ids[i].labels, "pixel", out);
		strbuf_addch(out, ')');
	}
	if (d->ids_total > shown)
		strbuf_addf(out, ", %" PRIu64 " more ids", d->ids_total - shown);
}

static void add_figure(const struct thumbnail *t, struct strbuf *out)
{
	const struct kept_finding *f = t->finding;
	const struct finding_details *d = f->details;
	uint32_t factor = enlarge(t);

	html_addf(out, "<figure><img width=\"%u\" height=\"%u\" alt=\"%s: %.300s\" src=\"data:image/png;base64,",
		  t->width * factor, t->height * factor, f->rule->name, f->path);
	escape_base64(out, (const char *)t->png, t->png_bytes);
	strbuf_adds(out, "\">\n<figcaption>");
	html_place(f->path, NULL, out);
	strbuf_addf(out, "<br>%" PRIu32 " x %" PRIu32, t->mask_width, t->mask_height);
	if (t->marked) {
		strbuf_adds(out, ", marked: ");
		html_count(t->marked, "pixel", out);
	}
	if (d && d->ids_count) {
		strbuf_adds(out, "<br>");
		add_ids(d, out);
	}
	if (d && d->has_first && d->first_kind == FIRST_XY)
		strbuf_addf(out, "<br>first at x %" PRIu64 ", y %" PRIu64, d->first_x, d->first_y);
	strbuf_adds(out, "</figcaption></figure>\n");
}

static void add_pictures(const struct report *r, struct strbuf *out)
{
	const struct thumbnails *p = r->pictures;
	size_t written = 0;

	html_section("pictures", "The worst masks", out);
	if (!p) {
		strbuf_adds(out, "<p class=\"faint\">The images are made during an audit "
				 "(<code>labelaudit ... -o report.html</code>); this page was made from reports "
				 "alone.</p>\n</section>\n");
		return;
	}
	if (!p->count)
		strbuf_adds(out, "<p class=\"faint\">No finding is about a mask that could be shown: a PNG of one "
				 "channel, not in an archive, of at most 16 megapixels.</p>\n");
	else
		strbuf_adds(out, "<p class=\"small faint\">The worst of each rule, in the colours of PASCAL VOC by id, "
				 "ignored ids light grey. The pixels that a finding is about are magenta, if they can "
				 "be distinguished, with a yellow box around them or around the first of them. A "
				 "thumbnail smaller than its mask still shows every such pixel.</p>\n");
	strbuf_adds(out, "<div class=\"gallery\">\n");
	for (size_t i = 0; i < p->count && written < PICTURES_BYTES; i++) {
		const struct rule *rule = p->v[i].finding->rule;
		size_t before = out->len;

		if (!i || p->v[i - 1].finding->rule != rule) {
			strbuf_adds(out, i ? "</div></div>\n" : "");
			html_addf(out, "<div><h3>" HTML_RULE "</h3>\n<div class=\"gallery\">\n", NAME_TWICE(rule));
		}
		add_figure(&p->v[i], out);
		written += out->len - before;
	}
	strbuf_adds(out, p->count ? "</div></div>\n" : "");
	strbuf_adds(out, "</div>\n</section>\n");
}

/* ---- classes -------------------------------------------------------------------------------------------------- */

/*
 * The chart holds both scales; two radio buttons before it choose one by style alone. Its units are those of its
 * viewBox, whole numbers, so that no locale can put a comma into one.
 */
enum {
	CHART_WIDTH = 1000,
	BAR_LEFT = 250,
	BAR_WIDTH = 430,
	LABELS_RIGHT = 840,
	SHARE_RIGHT = 925,
	FILES_RIGHT = 995,
	CHART_TOP = 30,
	ROW_HEIGHT = 22,
	BAR_HEIGHT = 14,
	NAME_CUT = 28, /* bytes left of the bars; the table has the whole name */
};

static unsigned linear_at(uint64_t labels, uint64_t most)
{
	return most ? (unsigned)((decimal_wide)labels * BAR_WIDTH / most) : 0;
}

/* log(1 + n), so that a single label has a bar, too. */
static unsigned logarithm_at(uint64_t labels, uint64_t most)
{
	return most ? (unsigned)(log1p((double)labels) / log1p((double)most) * BAR_WIDTH) : 0;
}

/* Labels it "100k": n is 1, 2 or 5 times a power of ten. */
static void add_tick(uint64_t n, unsigned at, unsigned bottom, struct strbuf *out)
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };
	unsigned unit = 0;

	for (; n >= 1000; n /= 1000)
		unit++;
	html_addf(out,
		  "<path class=\"grid\" d=\"M%u %u V%u\"/><text class=\"tick\" x=\"%u\" y=\"%u\" "
		  "text-anchor=\"middle\">%u%s</text>\n",
		  BAR_LEFT + at, CHART_TOP, bottom, BAR_LEFT + at, bottom + 16, (unsigned)n, units[unit]);
}

static void add_linear_grid(uint64_t most, unsigned bottom, struct strbuf *out)
{
	static const unsigned steps[] = { 1, 2, 5 };
	uint64_t power = 1, step = 1;

	/* the smallest of 1, 2, 5, 10 ... that divides the axis into at most five */
	for (size_t i = 0; most / step >= 5; i = (i + 1) % ARRAY_SIZE(steps)) {
		if (i == 0 && step > 1)
			power *= 10;
		step = power * steps[i];
		if (power > UINT64_MAX / 100)
			break;
	}
	for (uint64_t n = 0; n <= most && n / step <= 5; n += step)
		add_tick(n, linear_at(n, most), bottom, out);
}

static void add_logarithm_grid(uint64_t most, unsigned bottom, struct strbuf *out)
{
	unsigned decades = 0, every;

	for (uint64_t n = most; n >= 10; n /= 10)
		decades++;
	every = decades / 8 + 1;
	add_tick(0, 0, bottom, out);
	uint64_t n = 1;

	for (unsigned i = 0; i <= decades; i++) {
		if (i % every == 0)
			add_tick(n, logarithm_at(n, most), bottom, out);
		n = i < decades ? n * 10 : n;
	}
}

static const char *row_style(const struct class_table_row *row)
{
	if (row->role == ID_CLASS)
		return row->labels ? "class" : "never";
	return row->role == ID_IGNORED ? "ignored" : "invalid";
}

/* Returns what to call a row without a name. */
static const char *row_note(const struct class_table_row *row)
{
	if (row->role == ID_IGNORED)
		return "ignored";
	return row->role == ID_INVALID ? "out of range" : "";
}

static void add_head(unsigned right, const char *text, struct strbuf *out)
{
	html_addf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\" class=\"head\">%s</text>", right, CHART_TOP - 12,
		  text);
}

static void add_bar(const struct class_table_row *row, const char *scale, unsigned y, unsigned width,
		    struct strbuf *out)
{
	html_addf(out, "<rect class=\"%s %s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>", row_style(row), scale,
		  BAR_LEFT, y, MAX(1U, width), BAR_HEIGHT);
}

static void add_bar_row(const struct class_table_row *row, uint64_t most, unsigned y, struct strbuf *out)
{
	const unsigned base = y + BAR_HEIGHT - 2;
	const char *name = row->name ? row->name : row_note(row);

	strbuf_addf(out, "<g><text x=\"%u\" y=\"%u\" text-anchor=\"end\"%s>", BAR_LEFT - 10, base,
		    row->role == ID_INVALID ? " class=\"invalid\""
		    : row->labels           ? ""
					    : " class=\"never\"");
	html_cut(name, NAME_CUT, out);
	strbuf_adds(out, " <tspan class=\"id\">");
	id_format(row->id, out);
	strbuf_adds(out, "</tspan></text>");
	if (row->labels) {
		add_bar(row, "linear", y, linear_at(row->labels, most), out);
		add_bar(row, "logarithm", y, logarithm_at(row->labels, most), out);
	} else {
		html_addf(out,
			  "<rect class=\"never\" x=\"%u\" y=\"%u\" width=\"88\" height=\"%u\"/>"
			  "<text class=\"never small\" x=\"%u\" y=\"%u\">never occurs</text>",
			  BAR_LEFT, y, BAR_HEIGHT, BAR_LEFT + 6, base);
	}
	html_addf(out,
		  "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">%" PRIu64 "</text>"
		  "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">%s</text>"
		  "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">%" PRIu64 "</text></g>\n",
		  LABELS_RIGHT, base, row->labels, SHARE_RIGHT, base, row->share[0] ? row->share : "-", FILES_RIGHT,
		  base, row->files);
}

static void add_chart(const struct class_table *t, struct strbuf *out)
{
	const unsigned bottom = CHART_TOP + (unsigned)t->count * ROW_HEIGHT;
	uint64_t most = 0;

	for (size_t i = 0; i < t->count; i++)
		most = MAX(most, t->rows[i].labels);
	strbuf_adds(out, "<div class=\"chart-and-scale\">\n"
			 "<input type=\"radio\" name=\"scale\" id=\"linear\" autocomplete=\"off\" checked>"
			 "<label for=\"linear\">linear</label>\n"
			 "<input type=\"radio\" name=\"scale\" id=\"log\" autocomplete=\"off\">"
			 "<label for=\"log\">logarithmic</label>\n<div class=\"scroll\">\n");
	strbuf_addf(out,
		    "<svg class=\"chart\" viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"labels of each class; the "
		    "numbers are in the table below\">\n"
		    "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
		    "patternTransform=\"rotate(45)\"><path class=\"hatch\" d=\"M0 0 V6\"/></pattern></defs>\n",
		    CHART_WIDTH, bottom + 24);
	add_head(BAR_LEFT - 10, "class, id", out);
	add_head(LABELS_RIGHT, "labels", out);
	add_head(SHARE_RIGHT, "share", out);
	add_head(FILES_RIGHT, "files", out);
	strbuf_adds(out, "\n<g class=\"linear\">\n");
	add_linear_grid(most, bottom, out);
	strbuf_adds(out, "</g>\n<g class=\"logarithm\">\n");
	add_logarithm_grid(most, bottom, out);
	strbuf_adds(out, "</g>\n");
	for (size_t i = 0; i < t->count; i++)
		add_bar_row(&t->rows[i], most, CHART_TOP + (unsigned)i * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) / 2,
			    out);
	strbuf_adds(out, "</svg>\n</div>\n</div>\n");
}

static void add_class_table(const struct class_table *t, struct strbuf *out)
{
	strbuf_adds(out, "<details><summary>The numbers as a table</summary>\n");
	html_begin_table(SORTED_TABLE, "#id|class|#labels|#share|#files", out);
	for (size_t i = 0; i < t->count; i++) {
		const struct class_table_row *row = &t->rows[i];

		html_addf(out, "<tr><td class=\"n\" data-s=\"%" PRId64 "\">", row->id);
		id_format(row->id, out);
		strbuf_adds(out, "</td><td>");
		html_addf(out, row->name ? HTML_NAME "</td>" : "<i>%s</i></td>", row->name ? row->name : row_note(row));
		html_number_cell(row->labels, out);
		strbuf_addf(out, "<td class=\"n\" data-s=\"%" PRIu64 "\">", row->role == ID_IGNORED ? 0 : row->labels);
		html_addf(out, "%s</td>", row->share);
		html_number_cell(row->files, out);
		strbuf_adds(out, "</tr>\n");
	}
	strbuf_adds(out, "</tbody>\n</table>\n</div>\n</details>\n");
}

static void add_classes(const struct report *r, struct strbuf *out)
{
	struct class_table t;

	class_table_init(&t, r);
	html_section("classes", "Classes", out);
	if (t.count) {
		strbuf_adds(out, "<p class=\"small faint\">Shares are of the labels that are not ignored. Ignored ids "
				 "are hatched, ids out of range red, classes that never occur outlined.</p>\n");
		add_chart(&t, out);
		add_class_table(&t, out);
	} else {
		strbuf_adds(out, "<p>No class is declared, and no id was read.</p>\n");
	}
	for (size_t i = 0; i < RESTS; i++)
		if (t.rest[i])
			html_addf(out, "<p class=\"faint\">... and %" PRIu64 " more %s</p>\n", t.rest[i],
				  class_table_rests[i]);
	strbuf_adds(out, "</section>\n");
	class_table_release(&t);
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

/* Appends the filter above the table; the script shows it. */
static void add_filter(const struct report *r, struct strbuf *out)
{
	static const enum level levels[] = { LEVEL_ERROR, LEVEL_WARNING, LEVEL_INFO };

	strbuf_adds(out,
		    "<form id=\"filter\" class=\"filter\" hidden>\n<input id=\"filter-words\" type=\"search\" "
		    "placeholder=\"words of path, rule or message\" aria-label=\"words of path, rule or message\">\n"
		    "<select id=\"filter-rule\" aria-label=\"rule\"><option value=\"\">every rule</option>");
	for (size_t i = 0; i < rule_count; i++)
		if (r->findings->by_rule[i])
			strbuf_addf(out, "<option>%s</option>", rule_table[i]->name);
	strbuf_adds(out, "</select>\n");
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (r->findings->by_level[levels[i]])
			strbuf_addf(out,
				    "<label><input type=\"checkbox\" value=\"%s\" autocomplete=\"off\" checked> "
				    "%s</label>\n",
				    level_name(levels[i]), level_name(levels[i]));
	strbuf_adds(out, "<span id=\"filter-shown\" class=\"faint\" role=\"status\"></span>\n</form>\n");
}

static void add_row(const struct kept_finding *f, struct strbuf *out)
{
	html_addf(out,
		  "<tr data-level=\"%s\" data-rule=\"%s\"><td data-s=\"%d\">" HTML_LEVEL "</td><td>" HTML_RULE
		  "</td><td class=\"where\">",
		  level_name(f->level), f->rule->name, (int)f->level, LEVEL_TWICE(f->level), NAME_TWICE(f->rule));
	if (f->path)
		html_place(f->path, f->member, out);
	else
		strbuf_adds(out, "<i>the dataset</i>");
	html_addf(out, "</td><td class=\"what\">" HTML_MESSAGE, f->message);
	if (f->advice)
		html_addf(out, "<br><span class=\"faint\">" HTML_MESSAGE "</span>", f->advice);
	strbuf_adds(out, "</td></tr>\n");
}

/* Appends the finding that represents each rule, and others up to FINDINGS_BYTES. Returns the number of rows. */
static uint64_t add_rows(const struct selection *l, struct strbuf *out)
{
	size_t written = 0;
	uint64_t rows = 0;

	for (size_t i = 0; i < l->count; i++) {
		size_t before = out->len;

		if (!l->v[i].first && written > FINDINGS_BYTES)
			continue;
		add_row(l->v[i].finding, out);
		written += l->v[i].first ? 0 : out->len - before;
		rows++;
	}
	return rows;
}

static void add_findings(const struct report *r, struct strbuf *out)
{
	struct selection l;
	uint64_t rows = 0;

	/* an entry for each rule that has more counts against the limit */
	selection_init(&l, r->findings, FINDINGS_MAX, 0, 0);
	html_section("findings", "Findings", out);
	if (!l.total) {
		strbuf_adds(out, "<p>None.</p>\n");
	} else {
		add_filter(r, out);
		html_begin_table("<div class=\"scroll\">\n<table id=\"finding-table\" class=\"sorted\">",
				 "level|rule|where|what, and what to do", out);
		rows = add_rows(&l, out);
		strbuf_adds(out, "</tbody>\n</table>\n</div>\n");
	}
	if (l.total > rows) {
		strbuf_adds(out, "<p id=\"left-out\">The worst are listed, and at least one of each rule; ");
		html_count(l.total - rows, "more finding", out);
		strbuf_addf(out, " %s not. The JSON report has more (<code>--max-findings</code>).</p>\n",
			    l.total - rows == 1 ? "is" : "are");
	}
	strbuf_adds(out, "</section>\n");
	selection_release(&l);
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
		if (s->rule_levels[i] == rule_table[i]->level)
			continue;
		strbuf_addf(out, "%s<code>%s=%s</code>", any ? ", " : "<dt>rules with another level</dt><dd>",
			    rule_table[i]->name, level_name(s->rule_levels[i]));
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

	strbuf_addf(&title, "labelaudit: %s", summary_verdict(r));
	html_begin(title.s, out);
	add_banner(r, out);
	strbuf_adds(out, "<main>\n");
	add_diagnosis(r, out);
	add_tiles(r, out);
	add_coverage(&r->dataset->coverage, out);
	add_rules(r, out);
	add_pictures(r, out);
	add_classes(r, out);
	add_findings(r, out);
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
