#include "report/html_findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "report/html_page.h"
#include "report/selection.h"
#include "report/thumbnail.h"

/*
 * Each rule gets an equal share of FINDINGS_BYTES for at most ROWS_A_RULE findings. Its first one is listed even past
 * it, in at most 14 KB (the cuts in html_page.h, each byte of which may become 6).
 */
enum {
	FINDINGS_BYTES = 160 << 10,
	ROWS_A_RULE = 50,
	OPEN_ROWS = 2 * ROWS_A_RULE, /* of all groups that are open at first */
	PICTURES_BYTES = 96 << 10,   /* of their PNG files; in base64 a third more */
	PICTURE_IDS = 6,
};

/* ---- pictures --------------------------------------------------------------------------------------------------- */

/* Returns the factor, an integer, by which a small mask is enlarged. */
static uint32_t enlarge(const struct thumbnail *t)
{
	uint32_t edge = MAX(t->width, t->height);

	return edge ? MAX(1U, THUMBNAIL_EDGE / edge) : 1;
}

static void add_ids(const struct finding_details *d, struct strbuf *out)
{
	size_t shown = MIN(d->ids_count, (size_t)PICTURE_IDS);

	for (size_t i = 0; i < shown; i++) {
		strbuf_adds(out, i ? ", " : id_is_colour(d->ids[i].id) ? "colour " : "id ");
		id_format(d->ids[i].id, out);
		strbuf_adds(out, " (");
		strbuf_add_count(out, d->ids[i].labels, "pixel");
		strbuf_addch(out, ')');
	}
	if (d->ids_total > shown)
		strbuf_addf(out, ", %" PRIu64 " more ids", d->ids_total - shown);
}

static void add_figure(const struct thumbnail *t, struct strbuf *out)
{
	const struct finding_details *d = t->finding->details;
	uint32_t factor = enlarge(t);

	html_addf(out, "<figure><img width=\"%u\" height=\"%u\" alt=\"%s: %.300s\" src=\"data:image/png;base64,",
		  t->width * factor, t->height * factor, t->finding->rule->name, t->finding->path);
	escape_base64(out, (const char *)t->png, t->png_bytes);
	strbuf_adds(out, "\">\n<figcaption>");
	html_place(t->finding->path, NULL, out);
	strbuf_addf(out, "<br>%" PRIu32 " x %" PRIu32, t->mask_width, t->mask_height);
	if (t->marked) {
		strbuf_adds(out, ", no class: ");
		strbuf_add_count(out, t->marked, "pixel");
	}
	if (d && d->ids_count) {
		strbuf_adds(out, "<br>");
		add_ids(d, out);
	}
	if (d && d->has_first && d->first_kind == FIRST_XY)
		strbuf_addf(out, "<br>first at x %" PRIu64 ", y %" PRIu64, d->first_x, d->first_y);
	strbuf_adds(out, "</figcaption></figure>\n");
}

/* Appends the pictures of a cause, of those that fit in PICTURES_BYTES. */
static void add_pictures(const struct thumbnails *pictures, const struct rule *cause, struct strbuf *out)
{
	size_t bytes = 0, shown = 0;

	for (size_t i = 0; pictures && i < pictures->count; i++) {
		bytes += pictures->v[i].png_bytes;
		if (bytes > PICTURES_BYTES || finding_cause(pictures->v[i].finding) != cause)
			continue;
		strbuf_adds(out, shown++ ? "" : "<div class=\"gallery\">\n");
		add_figure(&pictures->v[i], out);
	}
	strbuf_adds(out, shown ? "</div>\n" : "");
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

/* All that groups are made of. */
struct groups {
	const struct report *report;
	struct selection listed;
	const struct rule **causes; /* of each rule that fired; indexed as rule_table */
	size_t bytes;               /* of a rule's list, about */
};

static void add_finding(const struct kept_finding *f, enum level usual, struct strbuf *out)
{
	strbuf_adds(out, "<li><div>");
	if (f->path)
		html_place(f->path, f->member, out);
	else
		strbuf_adds(out, "<i>the dataset</i>");
	if (f->level != usual)
		html_addf(out, " " HTML_LEVEL, LEVEL_TWICE(f->level));
	html_addf(out, "</div><p>" HTML_MESSAGE "</p></li>\n", f->message);
}

/* Appends the findings of a rule; the list begins anew where the remedy changes. */
static void add_list(const struct groups *g, size_t rule, struct strbuf *out)
{
	const struct finding_list *findings = g->report->findings;
	const char *remedy = NULL;
	const size_t begin = out->len;
	size_t listed = 0;

	for (size_t i = 0; i < g->listed.count && (!listed || out->len - begin < g->bytes); i++) {
		const struct kept_finding *f = g->listed.v[i].finding;
		const char *advice = f->advice ? f->advice : "";

		if (rule_index(f->rule) != rule)
			continue;
		if (!remedy || strcmp(remedy, advice) != 0) {
			strbuf_adds(out, remedy ? "</ol>\n" : "");
			if (*advice)
				html_addf(out, "<p class=\"remedy\"><b>What to do:</b> " HTML_MESSAGE "</p>\n", advice);
			strbuf_adds(out, "<ol>\n");
			remedy = advice;
		}
		add_finding(f, findings->rule_worst[rule], out);
		listed++;
	}
	strbuf_adds(out, remedy ? "</ol>\n" : "");
	if (findings->by_rule[rule] > listed)
		html_addf(out,
			  "<p class=\"faint\">... and %" PRIu64 " more; <code>-o report.json</code> lists them</p>\n",
			  findings->by_rule[rule] - listed);
}

/* Appends what a cause did: its own findings, and folded those of the rules that it explains. */
static void add_group(const struct groups *g, const struct rule *cause, enum level level, bool open, struct strbuf *out)
{
	const uint64_t *by_rule = g->report->findings->by_rule, own = by_rule[rule_index(cause)];
	uint64_t all = 0;

	for (size_t i = 0; i < rule_count; i++)
		all += g->causes[i] == cause ? by_rule[i] : 0;
	html_addf(out,
		  "<details class=\"group\" id=\"findings-%s\"%s>\n<summary><h3>" HTML_LEVEL
		  " <code>%s</code> <span class=\"faint\">",
		  cause->name, open ? " open" : "", LEVEL_TWICE(level), cause->name);
	strbuf_add_count(out, own ? own : all, "finding");
	html_addf(out, "%s</span></h3></summary>\n<p class=\"faint\">%s.</p>\n", own ? "" : " of other rules",
		  cause->summary);
	add_pictures(g->report->pictures, cause, out);
	if (own)
		add_list(g, rule_index(cause), out);
	for (size_t i = 0; i < rule_count; i++) {
		if (g->causes[i] != cause || rule_table[i] == cause)
			continue;
		strbuf_adds(out, "<details><summary>It explains ");
		strbuf_add_count(out, by_rule[i], "finding");
		html_addf(out, " of <code>%s</code></summary>\n", rule_table[i]->name);
		add_list(g, i, out);
		strbuf_adds(out, "</details>\n");
	}
	strbuf_adds(out, "<details><summary>Why it matters</summary>\n<pre>");
	for (const char *line = rule_docs[rule_index(cause)]; *line; line += strspn(line, "\n")) {
		const size_t n = strcspn(line, "\n");

		escape_xml(out, line, n);
		line += n;
		strbuf_adds(out, strncmp(line, "\n\n", 2) != 0 ? "\n" : "\n\n");
	}
	strbuf_adds(out, "</pre>\n</details>\n</details>\n");
}

void html_add_findings(const struct report *r, struct strbuf *out)
{
	const struct diagnosis *d = report_diagnosis(r);
	size_t rules, *order = selection_rules(r->findings, &rules), rows = 0;
	struct groups g = { .report = r,
			    .causes = xcalloc(rule_count, sizeof(*g.causes)),
			    .bytes = FINDINGS_BYTES / rules };

	selection_init(&g.listed, r->findings, 0, 0, ROWS_A_RULE);
	for (size_t i = 0; i < rules; i++)
		g.causes[order[i]] = rule_table[order[i]];
	for (size_t i = 0; i < g.listed.count; i++)
		g.causes[rule_index(g.listed.v[i].finding->rule)] = finding_cause(g.listed.v[i].finding);
	html_section("findings", "Findings", out);
	if (r->pictures && r->pictures->count)
		strbuf_adds(
			out,
			"<p class=\"small faint\">Masks are in the colours of PASCAL VOC by id, ignored ids light "
			"grey, and ids that are no class magenta, also where a thumbnail is smaller than its mask. A "
			"yellow box is around the pixels that the finding is about, or around the first of "
			"them.</p>\n");
	/* a report of a shard has no diagnosis: there each rule is its own cause */
	for (size_t i = 0; i < (d->count ? d->count : rules); i++) {
		const size_t rule = d->count ? rule_index(d->v[i].rule) : order[i];
		const enum level level = d->count ? d->v[i].level : r->findings->rule_worst[rule];
		const bool open = !rows || rows + MIN(r->findings->by_rule[rule], (uint64_t)ROWS_A_RULE) <= OPEN_ROWS;

		rows += open ? MIN(r->findings->by_rule[rule], (uint64_t)ROWS_A_RULE) : 0;
		add_group(&g, rule_table[rule], level, open, out);
	}
	strbuf_adds(out, "</section>\n");
	selection_release(&g.listed);
	free(g.causes);
	free(order);
}
