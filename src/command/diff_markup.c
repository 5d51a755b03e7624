/*
 * Writes a comparison for a pull request: as Markdown, as GitHub's annotations, and as a page. Text from outside is
 * escaped for each (base/escape.h, report/html_page.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "command/diff.h"
#include "output/repository.h"
#include "report/html_page.h"
#include "report/selection.h"

enum { NAME_BYTES = 256, ANNOTATIONS_A_LEVEL = 10 /* as many as a step shows */ };

static const char *verdict(const struct diff *d)
{
	return diff_fails(d) ? "FAIL" : "PASS";
}

/* Calls write for at most LISTED_A_RULE findings of each rule; returns the number of the others. */
static size_t each_listed(const struct kept_finding *const *v, size_t n,
			  void (*write)(struct strbuf *out, const struct kept_finding *f), struct strbuf *out)
{
	uint64_t *shown = xcalloc(rule_count + 1, sizeof(*shown));
	size_t more = 0;

	for (size_t i = 0; i < n; i++) {
		if (shown[rule_index(v[i]->rule)]++ < LISTED_A_RULE)
			write(out, v[i]);
		else
			more++;
	}
	free(shown);
	return more;
}

/* ---- markdown --------------------------------------------------------------------------------------------------- */

static void markdown_finding(struct strbuf *out, const struct kept_finding *f)
{
	strbuf_addf(out, "- **%s** `%s`", level_name(f->level), f->rule->name);
	if (f->path) {
		strbuf_adds(out, " `");
		escape_markdown_code(out, f->path, strlen(f->path));
		if (f->member) {
			strbuf_addch(out, '#');
			escape_markdown_code(out, f->member, strlen(f->member));
		}
		strbuf_addch(out, '`');
	}
	strbuf_adds(out, ": ");
	escape_markdown(out, f->message, strlen(f->message));
	strbuf_addch(out, '\n');
}

static void markdown_findings(struct strbuf *out, const char *heading, const struct kept_finding *const *v, size_t n)
{
	if (!n)
		return;
	strbuf_addf(out, "\n### %s\n\n", heading);
	size_t more = each_listed(v, n, markdown_finding, out);

	if (more)
		strbuf_addf(out, "- ... and %zu more\n", more);
}

static void markdown_row(struct strbuf *out, const char *noun, uint64_t old, uint64_t new)
{
	strbuf_addf(out, "| %s | ", noun);
	strbuf_add_grouped(out, old);
	strbuf_adds(out, " | ");
	strbuf_add_grouped(out, new);
	strbuf_adds(out, " |\n");
}

static void markdown_head(struct strbuf *out, const struct diff *d)
{
	const struct report_file *old = d->reports[DIFF_OLD], *new = d->reports[DIFF_NEW];
	struct strbuf notes = STRBUF_INIT;

	strbuf_addf(out, "## labelaudit diff: %s\n\n", verdict(d));
	diff_add_counts(out, d);
	strbuf_adds(out, "\n\n| | old | new |\n| --- | ---: | ---: |\n");
	markdown_row(out, "files", old->dataset.files, new->dataset.files);
	markdown_row(out, "labels", old->dataset.labels, new->dataset.labels);
	markdown_row(out, "findings", old->findings.total, new->findings.total);
	diff_add_notes(&notes, d, "", "\n");
	for (const char *line = notes.s; line && *line; line += strcspn(line, "\n") + 1) {
		strbuf_adds(out, "\nNote: ");
		escape_markdown(out, line, strcspn(line, "\n"));
		strbuf_addch(out, '\n');
	}
	strbuf_release(&notes);
}

static void markdown_classes(struct strbuf *out, const struct diff *d)
{
	size_t n;
	const struct diff_class **changed = diff_changed_classes(d, &n);

	if (n)
		strbuf_adds(out, "\n### Classes\n\n| id | class | old % | new % | points |\n"
				 "| ---: | --- | ---: | ---: | ---: |\n");
	for (size_t i = 0; i < MIN(n, (size_t)DIFF_CLASSES_LISTED); i++) {
		const struct diff_class *c = changed[i];
		const char *name = c->name ? c->name : "";

		strbuf_addf(out, "| %" PRId64 " | ", c->id);
		escape_markdown(out, name, utf8_cut(name, strlen(name), NAME_BYTES));
		strbuf_adds(out, " | ");
		diff_add_share(out, c->share[DIFF_OLD]);
		strbuf_adds(out, " | ");
		diff_add_share(out, c->share[DIFF_NEW]);
		strbuf_adds(out, " | ");
		diff_add_move(out, c);
		diff_add_changes(out, d, c);
		strbuf_adds(out, " |\n");
	}
	if (n > DIFF_CLASSES_LISTED)
		strbuf_addf(out, "\n... and %zu more classes that changed\n", n - DIFF_CLASSES_LISTED);
	free(changed);
}

void diff_markdown(const struct diff *d, size_t max, struct strbuf *out)
{
	struct strbuf parts[4] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };
	/* the order in which they are kept */
	static const size_t worth[] = { 0, 3, 1, 2 };

	markdown_head(&parts[0], d);
	markdown_findings(&parts[1], "New findings", d->appeared, d->appeared_count);
	markdown_findings(&parts[2], "Fixed findings", d->fixed, d->fixed_count);
	markdown_classes(&parts[3], d);
	for (size_t i = 0; i < ARRAY_SIZE(worth); i++) {
		struct strbuf *part = &parts[worth[i]];

		if (part->len > max)
			strbuf_clear(part);
		max -= part->len;
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		strbuf_add(out, parts[i].s, parts[i].len);
		strbuf_release(&parts[i]);
	}
}

void diff_write_markdown(const void *diff, const struct form_style *style, struct strbuf *out)
{
	(void)style;
	diff_markdown(diff, SIZE_MAX, out);
}

/* ---- github ----------------------------------------------------------------------------------------------------- */

void diff_write_github(const void *diff, const struct form_style *style, struct strbuf *out)
{
	const struct diff *d = diff;
	struct report new = d->reports[DIFF_NEW]->report;
	unsigned annotations[LEVEL_ERROR + 1] = { 0 };
	struct form_style plain = { .sink = style->sink };
	struct repository repository;
	size_t n;
	const struct diff_class **changed = diff_changed_classes(d, &n);

	repository_find(&repository, &new);
	for (size_t i = 0; i < n && i < ANNOTATIONS_A_LEVEL && diff_class_drifted(d, changed[i]); i++) {
		const char *name = changed[i]->name ? changed[i]->name : "";

		annotations[LEVEL_ERROR]++;
		strbuf_addf(out, "::error title=labelaudit drift::class %" PRId64 " ", changed[i]->id);
		escape_github_data(out, name, strlen(name));
		strbuf_adds(out, *name ? " moved by " : "moved by ");
		diff_add_move(out, changed[i]);
		strbuf_adds(out, " points");
		diff_add_changes(out, d, changed[i]);
		strbuf_addch(out, '\n');
	}
	for (size_t i = 0; i < d->appeared_count; i++)
		if (annotations[d->appeared[i]->level]++ < ANNOTATIONS_A_LEVEL)
			report_github_annotation(&new, d->appeared[i], out);
	free(changed);
	repository_release(&repository);
	diff_write_text(d, &plain, out);
}

/* ---- html ------------------------------------------------------------------------------------------------------- */

static void html_finding(struct strbuf *out, const struct kept_finding *f)
{
	html_addf(out, "<tr><td>" HTML_LEVEL "</td><td><code>%s</code></td><td>", LEVEL_TWICE(f->level), f->rule->name);
	if (f->path)
		html_place(f->path, f->member, out);
	else
		strbuf_adds(out, "<i>data set</i>");
	html_addf(out, "</td><td>" HTML_MESSAGE "</td></tr>\n", f->message);
}

static void html_findings(struct strbuf *out, const char *id, const char *heading, const struct kept_finding *const *v,
			  size_t n)
{
	if (!n)
		return;
	html_section(id, heading, out);
	html_begin_table("<table class=\"cards\">", "level|rule|file|message", out);
	size_t more = each_listed(v, n, html_finding, out);

	strbuf_adds(out, "</tbody>\n</table>\n");
	if (more)
		strbuf_addf(out, "<p class=\"faint\">... and %zu more</p>\n", more);
	strbuf_adds(out, "</section>\n");
}

static void html_count_row(struct strbuf *out, const char *noun, uint64_t old, uint64_t new)
{
	html_addf(out, "<tr><td>%s</td>", noun);
	html_number_cell(old, out);
	html_number_cell(new, out);
	strbuf_adds(out, "</tr>\n");
}

static void html_head(struct strbuf *out, const struct diff *d)
{
	const struct report_file *old = d->reports[DIFF_OLD], *new = d->reports[DIFF_NEW];
	struct strbuf text = STRBUF_INIT;

	diff_add_counts(&text, d);
	html_addf(out, "<header class=\"banner %s\"><h1><b>%s</b>: %s</h1></header>\n<main>\n",
		  diff_fails(d) ? "fail" : "pass", verdict(d), text.s);
	html_begin_table(HTML_SCROLL("counts") "<table class=\"narrow\">", "what|#old|#new", out);
	html_addf(out, "<tr><td>report</td><td class=\"n\">%.100s</td><td class=\"n\">%.100s</td></tr>\n",
		  d->paths[DIFF_OLD], d->paths[DIFF_NEW]);
	html_count_row(out, "files", old->dataset.files, new->dataset.files);
	html_count_row(out, "labels", old->dataset.labels, new->dataset.labels);
	html_count_row(out, "findings", old->findings.total, new->findings.total);
	strbuf_adds(out, "</tbody>\n</table>\n</div>\n");
	strbuf_clear(&text);
	diff_add_notes(&text, d, "", "\n");
	for (char *line = text.s; line && *line; line += strcspn(line, "\n") + 1) {
		struct strbuf one = STRBUF_INIT;

		strbuf_add(&one, line, strcspn(line, "\n"));
		html_addf(out, "<p>Note: %.2000s</p>\n", one.s);
		strbuf_release(&one);
	}
	strbuf_release(&text);
}

static void html_share_cell(struct strbuf *out, uint64_t share)
{
	strbuf_addf(out, "<td class=\"n\" data-s=\"%" PRIu64 "\">", share);
	diff_add_share(out, share);
	strbuf_adds(out, " %</td>");
}

static void html_classes(struct strbuf *out, const struct diff *d)
{
	size_t n;
	const struct diff_class **changed = diff_changed_classes(d, &n);

	if (n) {
		html_section("classes", "Classes", out);
		html_begin_table(HTML_SCROLL("classes") "<table class=\"sorted\">", "#id|class|#old|#new|#points|note",
				 out);
	}
	for (size_t i = 0; i < MIN(n, (size_t)DIFF_CLASSES_LISTED); i++) {
		const struct diff_class *c = changed[i];
		struct strbuf changes = STRBUF_INIT;

		html_addf(out, "<tr><td class=\"n\" data-s=\"%" PRId64 "\">%" PRId64 "</td><td>" HTML_NAME "</td>",
			  c->id, c->id, c->name ? c->name : "");
		html_share_cell(out, c->share[DIFF_OLD]);
		html_share_cell(out, c->share[DIFF_NEW]);
		strbuf_addf(out, "<td class=\"n\" data-s=\"%" PRIu64 "\">", diff_move(c));
		diff_add_move(out, c);
		diff_add_changes(&changes, d, c);
		strbuf_adds(out, diff_class_drifted(d, c) ? "</td><td class=\"error\">" : "</td><td>");
		html_addf(out, "%s</td></tr>\n", changes.len ? changes.s + strlen(", ") : "");
		strbuf_release(&changes);
	}
	if (n) {
		strbuf_adds(out, "</tbody>\n</table>\n</div>\n");
		if (n > DIFF_CLASSES_LISTED)
			strbuf_addf(out, "<p class=\"faint\">... and %zu more classes that changed</p>\n",
				    n - DIFF_CLASSES_LISTED);
		strbuf_adds(out, "</section>\n");
	}
	free(changed);
}

void diff_write_html(const void *diff, const struct form_style *style, struct strbuf *out)
{
	const struct diff *d = diff;
	struct strbuf title = STRBUF_INIT;

	(void)style;
	strbuf_addf(&title, "%s: labelaudit diff", verdict(d));
	html_begin(title.s, out);
	html_head(out, d);
	html_findings(out, "new", "New findings", d->appeared, d->appeared_count);
	html_findings(out, "fixed", "Fixed findings", d->fixed, d->fixed_count);
	html_classes(out, d);
	strbuf_adds(out, "</main>\n<footer>Two reports, compared by <code>labelaudit diff</code>.</footer>\n");
	html_end(out);
	strbuf_release(&title);
}
