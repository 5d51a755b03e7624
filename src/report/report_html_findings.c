/* What was found: the table of findings, and the pictures of the worst masks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "report/listing.h"
#include "report/report_html_parts.h"
#include "report/thumbnail.h"

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* Above the table; the script shows it. */
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
	strbuf_addf(out, "<tr data-level=\"%s\" data-rule=\"%s\"><td data-s=\"%d\">", level_name(f->level),
		    f->rule->name, (int)f->level);
	html_level(f->level, out);
	strbuf_adds(out, "</td><td>");
	html_rule(f->rule, out);
	strbuf_adds(out, "</td><td class=\"where\">");
	if (f->path)
		html_place(f->path, f->member, out);
	else
		strbuf_adds(out, "<i>the dataset</i>");
	strbuf_adds(out, "</td><td class=\"what\">");
	html_cut(f->message, HTML_MESSAGE_CUT, out);
	if (f->advice) {
		strbuf_adds(out, "<br><span class=\"faint\">");
		html_cut(f->advice, HTML_MESSAGE_CUT, out);
		strbuf_adds(out, "</span>");
	}
	strbuf_adds(out, "</td></tr>\n");
}

/* Those that stand for their rule whatever the room, the others while there is room. Returns how many. */
static uint64_t add_rows(const struct listing *l, struct strbuf *out)
{
	size_t written = 0;
	uint64_t rows = 0;

	for (size_t i = 0; i < l->count; i++) {
		size_t before = out->len;

		if (!l->v[i].first && written > HTML_FINDINGS_BYTES)
			continue;
		add_row(l->v[i].finding, out);
		written += l->v[i].first ? 0 : out->len - before;
		rows++;
	}
	return rows;
}

void html_findings(const struct report *r, struct strbuf *out)
{
	struct listing l;
	uint64_t rows = 0, all = 0;

	/* one entry a rule that has more is counted against the limit, too */
	listing_init(&l, r->findings, HTML_FINDINGS_MAX, 0, 0);
	for (size_t i = 0; i < rule_count; i++)
		all += l.more[i];
	all += l.count;
	html_section("findings", "Findings", out);
	if (!all) {
		strbuf_adds(out, "<p>None.</p>\n");
	} else {
		add_filter(r, out);
		strbuf_adds(out, "<div class=\"scroll\">\n<table id=\"finding-table\" class=\"sorted\">\n"
				 "<thead><tr><th>level</th><th>rule</th><th>where</th><th>what, and what to do</th>"
				 "</tr></thead>\n<tbody>\n");
		rows = add_rows(&l, out);
		strbuf_adds(out, "</tbody>\n</table>\n</div>\n");
	}
	if (all > rows) {
		strbuf_adds(out, "<p id=\"left-out\">The worst are listed, and at least one of each rule; ");
		html_count(all - rows, "more finding", out);
		strbuf_addf(out, " %s not. The JSON report has more (<code>--max-findings</code>).</p>\n",
			    all - rows == 1 ? "is" : "are");
	}
	strbuf_adds(out, "</section>\n");
	listing_release(&l);
}

/* ---- the pictures ----------------------------------------------------------------------------------------------- */

/* Small masks are shown larger, by a whole factor. */
static uint32_t enlarge(const struct thumbnail *t)
{
	uint32_t edge = MAX(t->width, t->height);

	return edge ? MAX(1U, THUMBNAIL_EDGE / edge) : 1;
}

static void add_ids(const struct finding_details *d, struct strbuf *out)
{
	size_t shown = MIN(d->ids_count, (size_t)6);

	for (size_t i = 0; i < shown; i++) {
		strbuf_addf(out, "%s<span class=\"id\">%" PRId64 "</span> (", i ? ", " : "id ", d->ids[i].id);
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

	strbuf_addf(out, "<figure><img width=\"%" PRIu32 "\" height=\"%" PRIu32 "\" alt=\"%s: ", t->width * factor,
		    t->height * factor, f->rule->name);
	html_cut(f->path, HTML_PATH_CUT, out);
	strbuf_adds(out, "\" src=\"data:image/png;base64,");
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

void html_pictures(const struct report *r, struct strbuf *out)
{
	const struct thumbnails *p = r->pictures;
	size_t written = 0;

	html_section("pictures", "The worst masks", out);
	if (!p) {
		strbuf_adds(out, "<p class=\"faint\">Pictures are made while the data are audited "
				 "(<code>labelaudit ... -o report.html</code>); this page was made from reports "
				 "alone.</p>\n</section>\n");
		return;
	}
	if (!p->count)
		strbuf_adds(out, "<p class=\"faint\">No finding is about a mask that could be shown: a PNG of one "
				 "channel, not in an archive, of at most 16 megapixels.</p>\n");
	else
		strbuf_adds(
			out,
			"<p class=\"small faint\">The worst of each rule, in the colours of PASCAL VOC by id, "
			"ignored ids light grey. The pixels that a finding is about are magenta, where they can be "
			"told apart, and a yellow box is around them, or around the first of them. A picture that is "
			"smaller than its mask still shows every such pixel.</p>\n");
	strbuf_adds(out, "<div class=\"gallery\">\n");
	for (size_t i = 0; i < p->count && written < HTML_PICTURES_BYTES; i++) {
		const struct rule *rule = p->v[i].finding->rule;
		size_t before = out->len;

		if (!i || p->v[i - 1].finding->rule != rule) {
			strbuf_adds(out, i ? "</div></div>\n<div><h3>" : "<div><h3>");
			html_rule(rule, out);
			strbuf_adds(out, "</h3>\n<div class=\"gallery\">\n");
		}
		add_figure(&p->v[i], out);
		written += out->len - before;
	}
	strbuf_adds(out, p->count ? "</div></div>\n" : "");
	strbuf_adds(out, "</div>\n</section>\n");
}
