/*
 * A group for each rule that fired; in it a list of findings for each remedy, which is named once before them. The
 * first of a list are open, and the others are folded below.
 */
#include "report/html_findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/html_page.h"
#include "report/html_pictures.h"
#include "report/selection.h"

/*
 * FINDINGS_BYTES holds some 10,000 findings, the default of --max-findings. Each rule gets an equal share of half of
 * it, at most a page; what is left goes to the rules in order. The first finding of each rule and those with a picture
 * are listed even past it, each in at most 14 KB (the cuts in html_page.h, each byte of which may become 6).
 */
enum {
	FINDINGS_BYTES = 1500 << 10,
	PAGE_ROWS = 50, /* open */
	OPEN_ROWS = 2 * PAGE_ROWS,
	REMEDIES_A_RULE = 8, /* lists of their own; findings with further remedies each name their own */
};

/* Findings of one rule with one remedy. */
struct remedy_list {
	const char *advice; /* "": none; borrowed */
	struct strbuf rows;
	size_t count;
	size_t fold; /* offset in rows, after PAGE_ROWS of them */
};

struct group {
	struct remedy_list lists[REMEDIES_A_RULE + 1]; /* the last: further remedies */
	size_t lists_count;
	size_t listed;
	size_t bytes;
};

struct page {
	const struct report *report;
	struct selection selection;
	bool *is_listed;      /* of each finding of the selection */
	struct group *groups; /* indexed as rule_table */
	size_t bytes, listed;
	struct strbuf scratch;
};

/* ---- a finding -------------------------------------------------------------------------------------------------- */

static void add_row(const struct kept_finding *f, enum level usual, bool own_advice, size_t picture, struct strbuf *out)
{
	strbuf_adds(out, "<li");
	if (picture != HTML_NO_PICTURE)
		html_addf(out, " id=\"finding-%u\"", (unsigned)picture);
	if (f->level != usual)
		html_addf(out, " data-level=\"%s\"", level_name(f->level));
	strbuf_adds(out, "><div>");
	if (f->path)
		html_place(f->path, f->member, out);
	else
		strbuf_adds(out, "<i>the dataset</i>");
	if (picture != HTML_NO_PICTURE)
		html_addf(out, " <a href=\"#picture-%u\">picture</a>", (unsigned)picture);
	if (f->level != usual)
		html_addf(out, " " HTML_LEVEL, LEVEL_TWICE(f->level));
	html_addf(out, "</div><p>" HTML_MESSAGE, f->message);
	if (own_advice)
		html_addf(out, "<br><b>What to do:</b> " HTML_MESSAGE, f->advice);
	strbuf_adds(out, "</p></li>\n");
}

static const char *advice_of(const struct kept_finding *f)
{
	return f->advice ? f->advice : "";
}

/* Returns the list of the findings with this remedy. */
static struct remedy_list *find_list(struct group *g, const char *advice)
{
	for (size_t i = 0; i < g->lists_count; i++)
		if (i == REMEDIES_A_RULE || !strcmp(g->lists[i].advice, advice))
			return &g->lists[i];
	struct remedy_list *list = &g->lists[g->lists_count];

	list->advice = g->lists_count++ == REMEDIES_A_RULE ? "" : advice;
	strbuf_init(&list->rows);
	return list;
}

/* ---- which are listed ------------------------------------------------------------------------------------------- */

static void add_finding(struct page *p, const struct kept_finding *f, struct strbuf *out)
{
	const size_t rule = rule_index(f->rule);
	struct group *g = &p->groups[rule];
	bool own_advice = find_list(g, advice_of(f)) == &g->lists[REMEDIES_A_RULE] && *advice_of(f);

	add_row(f, p->report->findings->rule_worst[rule], own_advice, html_picture_of(p->report->pictures, f), out);
}

/* Chooses a finding for the page, and counts its bytes. */
static void choose(struct page *p, size_t i)
{
	const struct kept_finding *f = p->selection.v[i].finding;
	struct group *g = &p->groups[rule_index(f->rule)];

	strbuf_clear(&p->scratch);
	add_finding(p, f, &p->scratch);
	g->bytes += p->scratch.len;
	g->listed++;
	p->bytes += p->scratch.len;
	p->listed++;
	p->is_listed[i] = true;
}

/* Chooses those that are never left out, then up to a page of each rule, then more in order, up to FINDINGS_BYTES. */
static void choose_all(struct page *p, size_t rules)
{
	const struct selection *l = &p->selection;
	const size_t share = FINDINGS_BYTES / 2 / MAX(rules, (size_t)1);

	for (size_t i = 0; i < l->count; i++) {
		const struct kept_finding *f = l->v[i].finding;
		const struct group *g = &p->groups[rule_index(f->rule)];

		if (l->v[i].first || (g->listed < PAGE_ROWS && g->bytes < share) ||
		    html_picture_of(p->report->pictures, f) != HTML_NO_PICTURE)
			choose(p, i);
	}
	for (size_t i = 0; i < l->count && p->bytes < FINDINGS_BYTES; i++)
		if (!p->is_listed[i])
			choose(p, i);
}

/* Writes the rows of the chosen findings into their lists, in order. */
static void fill_lists(struct page *p)
{
	for (size_t i = 0; i < p->selection.count; i++) {
		const struct kept_finding *f = p->selection.v[i].finding;
		struct remedy_list *list;

		if (!p->is_listed[i])
			continue;
		list = find_list(&p->groups[rule_index(f->rule)], advice_of(f));
		if (list->count++ == PAGE_ROWS)
			list->fold = list->rows.len;
		add_finding(p, f, &list->rows);
	}
}

/* ---- what is written -------------------------------------------------------------------------------------------- */

/* Appends the filter above the groups; the script shows it. */
static void add_filter(const struct report *r, struct strbuf *out)
{
	static const enum level levels[] = { LEVEL_ERROR, LEVEL_WARNING, LEVEL_INFO };

	uint64_t total = 0;

	for (size_t i = 0; i < rule_count; i++)
		total += r->findings->by_rule[i];
	strbuf_addf(out, "<form id=\"filter\" class=\"filter\" data-s=\"%" PRIu64 "\" hidden>\n", total);
	strbuf_adds(out,
		    "<input id=\"filter-words\" type=\"search\" "
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
	strbuf_adds(out, "<button type=\"reset\">clear</button>\n"
			 "<span id=\"filter-shown\" class=\"faint\" role=\"status\"></span>\n</form>\n"
			 "<p id=\"filter-none\" class=\"look\" hidden>No finding fits this filter: use fewer words, or "
			 "clear it.</p>\n");
}

static void write_list(const struct remedy_list *list, struct strbuf *out)
{
	size_t fold = list->count > PAGE_ROWS ? list->fold : list->rows.len;

	if (*list->advice)
		html_addf(out, "<p class=\"remedy\"><b>What to do:</b> " HTML_MESSAGE "</p>\n", list->advice);
	strbuf_adds(out, "<div class=\"list\">\n<ol>\n");
	strbuf_add(out, list->rows.s, fold);
	strbuf_adds(out, "</ol>\n");
	if (list->count > PAGE_ROWS) {
		html_addf(out, "<details class=\"more\"><summary>%" PRIu64 " more</summary>\n<ol>\n",
			  (uint64_t)list->count - PAGE_ROWS);
		strbuf_add(out, list->rows.s + fold, list->rows.len - fold);
		strbuf_adds(out, "</ol>\n</details>\n");
	}
	strbuf_adds(out, "</div>\n");
}

/* Returns the findings of the group that can be seen at once. */
static size_t count_open(const struct group *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->lists_count; i++)
		n += MIN(g->lists[i].count, (size_t)PAGE_ROWS);
	return n;
}

static void write_group(const struct page *p, size_t index, bool open, struct strbuf *out)
{
	const struct finding_list *l = p->report->findings;
	const struct rule *rule = rule_table[index];
	const struct group *g = &p->groups[index];

	html_addf(out, "<details class=\"group\" id=\"findings-%s\" data-rule=\"%s\" data-level=\"%s\"",
		  NAME_TWICE(rule), level_name(l->rule_worst[index]));
	html_addf(out,
		  open ? " open>\n<summary><h3>" HTML_LEVEL " <code>%s</code> <span class=\"faint\">"
		       : ">\n<summary><h3>" HTML_LEVEL " <code>%s</code> <span class=\"faint\">",
		  LEVEL_TWICE(l->rule_worst[index]), rule->name);
	html_count(l->by_rule[index], "finding", out);
	html_addf(out, "</span></h3></summary>\n<p class=\"faint\">%s. <a href=\"#rule-%s\">Why it matters</a></p>\n",
		  rule->summary, rule->name);
	for (size_t i = 0; i < g->lists_count; i++)
		write_list(&g->lists[i], out);
	if (l->by_rule[index] > g->listed) {
		strbuf_adds(out, "<p class=\"faint\">... and ");
		html_count(l->by_rule[index] - g->listed, "more finding", out);
		strbuf_adds(out, " of this rule</p>\n");
	}
	strbuf_adds(out, "</details>\n");
}

static void release(struct page *p)
{
	for (size_t rule = 0; rule < rule_count; rule++)
		for (size_t i = 0; i < p->groups[rule].lists_count; i++)
			strbuf_release(&p->groups[rule].lists[i].rows);
	free(p->groups);
	free(p->is_listed);
	strbuf_release(&p->scratch);
	selection_release(&p->selection);
}

static void add_groups(const struct report *r, struct strbuf *out)
{
	size_t rules, *order = selection_rules(r->findings, &rules), open = 0;
	struct page p = { .report = r };

	selection_init(&p.selection, r->findings, 0, 0, 0);
	p.is_listed = xcalloc(p.selection.count + 1, sizeof(*p.is_listed));
	p.groups = xcalloc(rule_count + 1, sizeof(*p.groups));
	strbuf_init(&p.scratch);
	choose_all(&p, rules);
	fill_lists(&p);
	for (size_t i = 0; i < rules; i++) {
		size_t rows = count_open(&p.groups[order[i]]);

		write_group(&p, order[i], !open || open + rows <= OPEN_ROWS, out);
		open += rows;
	}
	if (p.selection.total > p.listed) {
		html_addf(out, "<p id=\"left-out\">%" PRIu64 " of ", (uint64_t)p.listed);
		html_count(p.selection.total, "finding", out);
		strbuf_addf(out,
			    " %s listed: the worst, and at least one of each rule. "
			    "<code>--max-findings 0 -o report.json</code> lists all.</p>\n",
			    p.listed == 1 ? "is" : "are");
	}
	release(&p);
	free(order);
}

void html_add_findings(const struct report *r, struct strbuf *out)
{
	html_section("findings", "Findings", out);
	add_filter(r, out);
	add_groups(r, out);
	strbuf_adds(out, "</section>\n");
}
