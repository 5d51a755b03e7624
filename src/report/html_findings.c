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
	FINDINGS_BYTES = 1500 << 10,
	ROWS_A_RULE = 50,
	OPEN_ROWS = 2 * ROWS_A_RULE, /* of all groups that are open at first */
	PICTURES_BYTES = 600 << 10,  /* of their PNG files; in base64 a third more */
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

/* Appends the pictures of a rule, of those that fit in PICTURES_BYTES. */
static void add_pictures(const struct thumbnails *pictures, const struct rule *rule, struct strbuf *out)
{
	size_t bytes = 0, shown = 0;

	for (size_t i = 0; pictures && i < pictures->count; i++) {
		bytes += pictures->v[i].png_bytes;
		if (bytes > PICTURES_BYTES || pictures->v[i].finding->rule != rule)
			continue;
		strbuf_adds(out, shown++ ? "" : "<div class=\"gallery\">\n");
		add_figure(&pictures->v[i], out);
	}
	strbuf_adds(out, shown ? "</div>\n" : "");
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

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

/* Appends a list of a rule's findings, which begins anew where the remedy changes. Returns how many. */
static size_t add_list(const struct selection *l, size_t rule, enum level usual, size_t bytes_max, struct strbuf *out)
{
	const char *remedy = NULL;
	const size_t begin = out->len;
	size_t listed = 0;

	for (size_t i = 0; i < l->count && (!listed || out->len - begin < bytes_max); i++) {
		const struct kept_finding *f = l->v[i].finding;
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
		add_finding(f, usual, out);
		listed++;
	}
	strbuf_adds(out, "</ol>\n");
	return listed;
}

/* Appends the rule's documentation, folded. */
static void add_docs(size_t rule, struct strbuf *out)
{
	const char *docs = rule_docs[rule], *line, *close = "";
	struct strbuf text = STRBUF_INIT;
	bool heading;
	size_t n;

	strbuf_adds(out, "<details><summary>Why it matters</summary>\n");
	while ((line = rule_docs_line(&docs, &n, &heading))) {
		strbuf_set(&text, line, n);
		if (heading) {
			bool example = !strcmp(text.s, "Example");

			strbuf_adds(out, close);
			html_addf(out, example ? "<h4>%s</h4>\n<pre>" : "<h4>%s</h4>\n<p>", text.s);
			close = example ? "</pre>\n" : "</p>\n";
		} else if (n) {
			html_addf(out, "%s\n", text.s);
		}
	}
	strbuf_adds(out, close);
	strbuf_adds(out, "</details>\n");
	strbuf_release(&text);
}

/* Returns how many findings it lists. */
static size_t add_group(const struct report *r, const struct selection *l, size_t rule, bool open, size_t bytes_max,
			struct strbuf *out)
{
	const uint64_t found = r->findings->by_rule[rule];
	const enum level usual = r->findings->rule_worst[rule];

	html_addf(out,
		  "<details class=\"group\" id=\"findings-%s\"%s>\n<summary><h3>" HTML_LEVEL
		  " <code>%s</code> <span class=\"faint\">",
		  rule_table[rule]->name, open ? " open" : "", LEVEL_TWICE(usual), rule_table[rule]->name);
	strbuf_add_count(out, found, "finding");
	html_addf(out, "</span></h3></summary>\n<p class=\"faint\">%s.</p>\n", rule_table[rule]->summary);
	add_pictures(r->pictures, rule_table[rule], out);
	size_t listed = add_list(l, rule, usual, bytes_max, out);

	if (found > listed)
		html_addf(out,
			  "<p class=\"faint\">... and %" PRIu64 " more; <code>-o report.json</code> lists them</p>\n",
			  found - listed);
	add_docs(rule, out);
	strbuf_adds(out, "</details>\n");
	return listed;
}

void html_add_findings(const struct report *r, struct strbuf *out)
{
	size_t rules, *order = selection_rules(r->findings, &rules), open = 0;
	struct selection l;

	selection_init(&l, r->findings, 0, 0, ROWS_A_RULE);
	html_section("findings", "Findings", out);
	if (r->pictures && r->pictures->count)
		strbuf_adds(
			out,
			"<p class=\"small faint\">Masks are in the colours of PASCAL VOC by id, ignored ids light "
			"grey, and ids that are no class magenta, also where a thumbnail is smaller than its mask. A "
			"yellow box is around the pixels that the finding is about, or around the first of "
			"them.</p>\n");
	for (size_t i = 0; i < rules; i++) {
		const size_t rows = MIN(r->findings->by_rule[order[i]], (uint64_t)ROWS_A_RULE);

		open += add_group(r, &l, order[i], !open || open + rows <= OPEN_ROWS, FINDINGS_BYTES / rules, out);
	}
	strbuf_adds(out, "</section>\n");
	selection_release(&l);
	free(order);
}
