/*
 * What there is: how often each class occurs, as a chart and as numbers; weights for a loss; formats and sizes.
 *
 * The chart has both scales in it; two radio buttons before it choose one by style alone. Its units are those of its
 * viewBox, whole numbers, so that no locale can put a comma into one.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "report/class_table.h"
#include "report/class_weights.h"
#include "report/report_html_parts.h"

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
	NAME_CUT = 28,       /* bytes left of the bars; the whole name stands in the table */
	WEIGHTS_MAX = 1024,  /* more are no line of a training script */
	WEIGHTS_A_LINE = 10, /* of a tensor */
	SIZES_SHOWN = 20,
	FORMATS_SHOWN = 40,
};

/* ---- the chart -------------------------------------------------------------------------------------------------- */

static unsigned linear_at(uint64_t labels, uint64_t most)
{
	return most ? (unsigned)((decimal_wide)labels * BAR_WIDTH / most) : 0;
}

/* log(1 + n), so that one label has a bar, too. */
static unsigned logarithm_at(uint64_t labels, uint64_t most)
{
	return most ? (unsigned)(log1p((double)labels) / log1p((double)most) * BAR_WIDTH) : 0;
}

/* "100k": n is 1, 2 or 5 times a power of ten. */
static void add_compact(uint64_t n, struct strbuf *out)
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };
	size_t unit = 0;

	while (n >= 1000 && unit + 1 < ARRAY_SIZE(units)) {
		n /= 1000;
		unit++;
	}
	strbuf_addf(out, "%" PRIu64 "%s", n, units[unit]);
}

static void add_tick(uint64_t n, unsigned at, unsigned bottom, struct strbuf *out)
{
	strbuf_addf(out,
		    "<path class=\"grid\" d=\"M%u %u V%u\"/><text class=\"tick\" x=\"%u\" y=\"%u\" "
		    "text-anchor=\"middle\">",
		    BAR_LEFT + at, CHART_TOP, bottom, BAR_LEFT + at, bottom + 16);
	add_compact(n, out);
	strbuf_adds(out, "</text>\n");
}

static void add_linear_grid(uint64_t most, unsigned bottom, struct strbuf *out)
{
	static const unsigned steps[] = { 1, 2, 5 };
	uint64_t power = 1, step = 1;

	/* the smallest of 1, 2, 5, 10 ... that cuts the axis into five or fewer */
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

/* What a row is called if it is not a class with a name. */
static const char *row_remark(const struct class_table_row *row)
{
	if (row->role == ID_IGNORED)
		return "ignored";
	return row->role == ID_INVALID ? "out of range" : "";
}

static void add_cell(unsigned x, unsigned y, const char *what, struct strbuf *out)
{
	strbuf_addf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\"%s>", x, y, what);
}

static void add_bar_row(const struct class_table *t, const struct class_table_row *row, uint64_t most, unsigned y,
			struct strbuf *out)
{
	const unsigned base = y + BAR_HEIGHT - 2;
	const char *name = row->name ? row->name : row_remark(row);

	strbuf_adds(out, "<g>");
	add_cell(BAR_LEFT - 10, base,
		 row->role == ID_INVALID ? " class=\"invalid\""
		 : row->labels           ? ""
					 : " class=\"never\"",
		 out);
	html_cut(name, NAME_CUT, out);
	strbuf_addf(out, " <tspan class=\"id\">%" PRId64 "</tspan></text>", row->id);
	if (row->labels) {
		strbuf_addf(out, "<rect class=\"%s linear\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>",
			    row_style(row), BAR_LEFT, y, MAX(1U, linear_at(row->labels, most)), BAR_HEIGHT);
		strbuf_addf(out, "<rect class=\"%s logarithm\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>",
			    row_style(row), BAR_LEFT, y, MAX(1U, logarithm_at(row->labels, most)), BAR_HEIGHT);
	} else {
		strbuf_addf(out, "<rect class=\"never\" x=\"%u\" y=\"%u\" width=\"88\" height=\"%u\"/>", BAR_LEFT, y,
			    BAR_HEIGHT);
		strbuf_addf(out, "<text class=\"never small\" x=\"%u\" y=\"%u\">never occurs</text>", BAR_LEFT + 6,
			    base);
	}
	add_cell(LABELS_RIGHT, base, "", out);
	html_number(row->labels, out);
	strbuf_adds(out, "</text>");
	add_cell(SHARE_RIGHT, base, "", out);
	size_t before = out->len;
	struct strbuf share = STRBUF_INIT;

	class_table_share(t, row, &share);
	html_text(share.s, out);
	if (out->len == before)
		strbuf_addch(out, '-');
	strbuf_release(&share);
	strbuf_adds(out, "</text>");
	add_cell(FILES_RIGHT, base, "", out);
	html_number(row->files, out);
	strbuf_adds(out, "</text></g>\n");
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
	add_cell(BAR_LEFT - 10, CHART_TOP - 12, " class=\"head\"", out);
	strbuf_adds(out, "class, id</text>");
	add_cell(LABELS_RIGHT, CHART_TOP - 12, " class=\"head\"", out);
	strbuf_adds(out, "labels</text>");
	add_cell(SHARE_RIGHT, CHART_TOP - 12, " class=\"head\"", out);
	strbuf_adds(out, "share</text>");
	add_cell(FILES_RIGHT, CHART_TOP - 12, " class=\"head\"", out);
	strbuf_adds(out, "files</text>\n<g class=\"linear\">\n");
	add_linear_grid(most, bottom, out);
	strbuf_adds(out, "</g>\n<g class=\"logarithm\">\n");
	add_logarithm_grid(most, bottom, out);
	strbuf_adds(out, "</g>\n");
	for (size_t i = 0; i < t->count; i++)
		add_bar_row(t, &t->rows[i], most, CHART_TOP + (unsigned)i * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) / 2,
			    out);
	strbuf_adds(out, "</svg>\n</div>\n</div>\n");
}

static void add_class_table(const struct class_table *t, struct strbuf *out)
{
	struct strbuf share = STRBUF_INIT;

	strbuf_adds(out,
		    "<details><summary>The numbers as a table</summary>\n<div class=\"scroll\">\n"
		    "<table class=\"sorted\">\n<thead><tr><th class=\"n\">id</th><th>class</th>"
		    "<th class=\"n\">labels</th><th class=\"n\">share</th><th class=\"n\">files</th></tr></thead>\n"
		    "<tbody>\n");
	for (size_t i = 0; i < t->count; i++) {
		const struct class_table_row *row = &t->rows[i];

		strbuf_addf(out, "<tr><td class=\"n\" data-s=\"%" PRId64 "\">%" PRId64 "</td><td>", row->id, row->id);
		if (row->name)
			html_cut(row->name, HTML_NAME_CUT, out);
		else
			strbuf_addf(out, "<i>%s</i>", row_remark(row));
		strbuf_adds(out, "</td>");
		html_number_cell(row->labels, out);
		strbuf_clear(&share);
		class_table_share(t, row, &share);
		strbuf_addf(out, "<td class=\"n\" data-s=\"%" PRIu64 "\">", row->role == ID_IGNORED ? 0 : row->labels);
		html_text(share.s, out);
		strbuf_adds(out, "</td>");
		html_number_cell(row->files, out);
		strbuf_adds(out, "</tr>\n");
	}
	strbuf_adds(out, "</tbody>\n</table>\n</div>\n</details>\n");
	strbuf_release(&share);
}

void html_classes(const struct report *r, struct strbuf *out)
{
	struct class_table t;
	const char *what;
	uint64_t n = 0;

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
	for (unsigned i = 0; (what = class_table_rest(&t, i, &n)); i++) {
		strbuf_adds(out, "<p class=\"faint\">... and ");
		html_number(n, out);
		strbuf_addf(out, " more %s</p>\n", what);
	}
	strbuf_adds(out, "</section>\n");
	class_table_release(&t);
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

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

void html_weights(const struct report *r, struct strbuf *out)
{
	const struct id_ranges *ranges = &r->settings->classes.classes;
	int64_t last = ranges->count ? ranges->v[ranges->count - 1].last : -1;
	struct report_tables t;

	tables_init(&t, r->settings, r->dataset);
	html_section("weights", "Class weights", out);
	if (!t.classes_present) {
		strbuf_adds(out, "<p class=\"faint\">No class occurs, so there is nothing to weigh.</p>\n");
	} else if (last < 0 || last >= WEIGHTS_MAX || t.classes[0].id < 0) {
		strbuf_adds(out, "<p class=\"faint\">The JSON and CSV reports have them: the ids of the classes are no "
				 "indices of a short list.</p>\n");
	} else {
		strbuf_adds(
			out,
			"<p class=\"small faint\">For <code>torch.nn.CrossEntropyLoss(weight=weight)</code>, by the id "
			"that is trained. A class that never occurs, and an id that is none, has 0.0, which no label "
			"ever meets. labelaudit(1) has the formulas.</p>\n<div class=\"weights\">\n");
		for (int weight = 0; weight < CLASS_WEIGHTS; weight++)
			add_tensor(&t, (enum class_weight)weight, last + 1, out);
		strbuf_adds(out, "</div>\n");
	}
	strbuf_adds(out, "</section>\n");
	tables_release(&t);
}

/* ---- sizes and formats ------------------------------------------------------------------------------------------ */

static void add_more(uint64_t n, const char *noun, struct strbuf *out)
{
	if (!n)
		return;
	strbuf_adds(out, "<p class=\"faint\">... and ");
	html_count(n, noun, out);
	strbuf_adds(out, "</p>\n");
}

void html_sizes(const struct report *r, struct strbuf *out)
{
	struct report_tables t;

	tables_init(&t, r->settings, r->dataset);
	html_section("sizes", "Formats and sizes", out);
	if (!t.formats_count && !t.sizes_count)
		strbuf_adds(out, "<p>No file was read whole.</p>\n");
	strbuf_adds(out, "<div class=\"columns\">\n");
	if (t.formats_count) {
		strbuf_adds(
			out,
			"<div>\n<table class=\"narrow sorted\">\n<thead><tr><th>format</th><th class=\"n\">files</th>"
			"</tr></thead>\n<tbody>\n");
		for (size_t i = 0; i < MIN(t.formats_count, (size_t)FORMATS_SHOWN); i++) {
			strbuf_adds(out, "<tr><td>");
			html_text(t.formats[i].name, out);
			strbuf_adds(out, "</td>");
			html_number_cell(t.formats[i].files, out);
			strbuf_adds(out, "</tr>\n");
		}
		strbuf_adds(out, "</tbody>\n</table>\n");
		add_more(t.formats_count - MIN(t.formats_count, (size_t)FORMATS_SHOWN), "more format", out);
		strbuf_adds(out, "</div>\n");
	}
	if (t.sizes_count) {
		size_t shown = MIN(t.sizes_count, (size_t)SIZES_SHOWN);

		strbuf_adds(out, "<div>\n<table class=\"narrow sorted\">\n<thead><tr><th class=\"n\">width</th>"
				 "<th class=\"n\">height</th><th class=\"n\">files</th></tr></thead>\n<tbody>\n");
		for (size_t i = 0; i < shown; i++) {
			strbuf_adds(out, "<tr>");
			html_number_cell(t.sizes[i].width, out);
			html_number_cell(t.sizes[i].height, out);
			html_number_cell(t.sizes[i].files, out);
			strbuf_adds(out, "</tr>\n");
		}
		strbuf_adds(out, "</tbody>\n</table>\n");
		add_more(t.sizes_count - shown + t.sizes_unlisted, "more size", out);
		strbuf_adds(out, "</div>\n");
	}
	strbuf_adds(out, "</div>\n</section>\n");
	tables_release(&t);
}
