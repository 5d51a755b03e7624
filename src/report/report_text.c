/*
 * The text report, for people: `path: level rule: message` for each finding, at most LISTED_A_RULE of a rule; a table
 * of the classes; what to do, each remedy once; the verdict.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/wrap.h"
#include "judge/fix_decision.h"
#include "report/layout.h"
#include "report/selection.h"
#include "report/summary.h"
#include "report/tables.h"
#include "report/text_parts.h"

enum {
	NAME_COLUMNS = 24,
	BAR_COLUMNS = 20,
	BAR_PARTS = 8, /* of a column, with the block elements of Unicode */
};

static void add_text(struct strbuf *out, const char *s)
{
	escape_terminal(out, s, strlen(s));
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

static void add_findings(const struct report *r, struct strbuf *out)
{
	const struct finding_list *l = r->findings;
	uint64_t *shown = xcalloc(rule_count + 1, sizeof(*shown));

	for (size_t i = 0; i < l->count; i++) {
		size_t rule = rule_index(l->v[i].rule);

		if (shown[rule] == LISTED_A_RULE || l->v[i].baselined)
			continue;
		shown[rule]++;
		text_finding(r, &l->v[i], r->columns, out);
	}
	for (size_t i = 0; i < rule_count; i++) {
		if (l->by_rule[i] <= shown[i])
			continue;
		strbuf_adds(out, "... and ");
		strbuf_add_grouped(out, l->by_rule[i] - shown[i]);
		strbuf_addf(out, " more of rule %s\n", rule_table[i]->name);
	}
	free(shown);
}

/* ---- the table of classes --------------------------------------------------------------------------------------- */

enum { COLUMNS = 5 };

struct text_row {
	char cells[COLUMNS][128]; /* id, name, labels, share, files; the name is the longest: 24 characters in UTF-8 */
	const char *colour;       /* "" if none */
	size_t bar;               /* in BAR_PARTS of a column */
};

/* Writes the name into a cell, cut to NAME_COLUMNS. */
static void fill_name(char *cell, size_t size, const char *name)
{
	struct strbuf text = STRBUF_INIT;
	size_t cut = 0;

	add_text(&text, name);
	if (text_columns(text.s) <= NAME_COLUMNS) {
		snprintf(cell, size, "%s", text.s);
	} else {
		for (size_t n = 0; n <= NAME_COLUMNS - 3; cut++)
			n += ((unsigned char)text.s[cut] & 0xc0) != 0x80;
		snprintf(cell, size, "%.*s...", (int)cut - 1, text.s);
	}
	strbuf_release(&text);
}

static void fill_number(char *cell, size_t size, uint64_t n)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_add_grouped(&text, n);
	snprintf(cell, size, "%s", text.s);
	strbuf_release(&text);
}

static void fill_row(struct text_row *text, const struct class_table *t, const struct class_table_row *row)
{
	const size_t size = sizeof(text->cells[0]);

	struct strbuf id = STRBUF_INIT;

	id_format(row->id, &id);
	snprintf(text->cells[0], size, "%s", id.s);
	strbuf_release(&id);
	fill_name(text->cells[1], size,
		  row->role == ID_IGNORED   ? "(ignored)"
		  : row->role == ID_INVALID ? "(out of range)"
		  : row->name               ? row->name
					    : "");
	fill_number(text->cells[2], size, row->labels);
	snprintf(text->cells[3], size, "%s", row->share);
	fill_number(text->cells[4], size, row->files);
	text->colour = row->role == ID_INVALID ? RED : row->role == ID_IGNORED ? FAINT : row->labels ? "" : YELLOW;
	if (row->role != ID_IGNORED && row->labels)
		text->bar =
			MAX((size_t)((decimal_wide)row->labels * (BAR_COLUMNS * BAR_PARTS) / t->largest), (size_t)1);
}

static void add_bar(const struct report *r, const struct text_row *row, struct strbuf *out)
{
	/* U+2588 full block, and U+258F to U+2589 for one to seven eighths */
	static const char blocks[BAR_PARTS][4] = { "\xe2\x96\x88", "\xe2\x96\x8f", "\xe2\x96\x8e", "\xe2\x96\x8d",
						   "\xe2\x96\x8c", "\xe2\x96\x8b", "\xe2\x96\x8a", "\xe2\x96\x89" };
	struct strbuf bar = STRBUF_INIT;

	for (size_t n = row->bar / BAR_PARTS; n; n--)
		strbuf_adds(&bar, r->unicode ? blocks[0] : "#");
	if (r->unicode && row->bar % BAR_PARTS)
		strbuf_adds(&bar, blocks[row->bar % BAR_PARTS]);
	if (bar.len) {
		strbuf_adds(out, "  ");
		text_paint(r, out, row->colour[0] ? row->colour : CYAN, bar.s);
	}
	strbuf_release(&bar);
}

static void add_row(const struct report *r, const struct text_row *row, const size_t width[COLUMNS], struct strbuf *out)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t c = 0; c < COLUMNS; c++) {
		int pad = (int)(width[c] - text_columns(row->cells[c]));

		strbuf_addf(&line, "  %*s%s%*s", c == 1 ? 0 : pad, "", row->cells[c], c == 1 ? pad : 0, "");
	}
	text_paint(r, out, row->colour, line.s);
	add_bar(r, row, out);
	strbuf_addch(out, '\n');
	strbuf_release(&line);
}

static void write_table(const struct report *r, const struct class_table *t, struct strbuf *out)
{
	struct text_row *rows = xcalloc(t->count + 1, sizeof(*rows));
	size_t width[COLUMNS] = { 0 };

	rows[0] = (struct text_row){ { "id", "class", "labels", "share", "files" }, BOLD, 0 };
	for (size_t i = 0; i < t->count; i++)
		fill_row(&rows[i + 1], t, &t->rows[i]);
	for (size_t i = 0; i <= t->count; i++)
		for (size_t c = 0; c < COLUMNS; c++)
			width[c] = MAX(width[c], text_columns(rows[i].cells[c]));
	strbuf_addch(out, '\n');
	for (size_t i = 0; i <= t->count; i++)
		add_row(r, &rows[i], width, out);
	free(rows);
}

static void add_classes(const struct report *r, struct strbuf *out)
{
	struct class_table t;

	class_table_init(&t, r);
	if (t.count)
		write_table(r, &t, out);
	for (size_t i = 0; i < UNLISTED_KINDS; i++)
		if (t.unlisted[i])
			strbuf_addf(out, "  ... and %" PRIu64 " more %s\n", t.unlisted[i], class_table_unlisted[i]);
	strbuf_addch(out, '\n');
	class_table_release(&t);
}

/* ---- what to do ------------------------------------------------------------------------------------------------- */

/* Remedies of a rule that are listed: with more, each file has its own, and other formats list them. */
enum { REMEDIES_A_RULE = 3, REMEDY_INDENT = 6 };

/* A remedy of a rule, and the findings that it is for. */
struct remedy {
	const struct kept_finding *first;
	uint64_t findings;
};

struct remedies {
	struct remedy v[REMEDIES_A_RULE];
	size_t count;
	uint64_t others; /* findings with further remedies */
};

static void add_remedy(struct remedies *of_rule, const struct kept_finding *f)
{
	for (size_t i = 0; i < of_rule->count; i++)
		if (!strcmp(of_rule->v[i].first->advice, f->advice)) {
			of_rule->v[i].findings++;
			return;
		}
	if (of_rule->count == REMEDIES_A_RULE)
		of_rule->others++;
	else
		of_rule->v[of_rule->count++] = (struct remedy){ f, 1 };
}

/* Returns the remedies by rule, as rule_table; the caller frees them. */
static struct remedies *collect_remedies(const struct finding_list *l)
{
	struct remedies *all = xcalloc(rule_count + 1, sizeof(*all));

	for (size_t i = 0; i < l->count; i++) {
		const struct kept_finding *f = &l->v[i];

		if (!f->baselined && f->advice && *f->advice)
			add_remedy(&all[rule_index(f->rule)], f);
	}
	return all;
}

/* Appends "  rule in a.png: remedy", or "  rule (3 files): remedy". */
static void write_remedy(const struct report *r, const struct remedy *remedy, struct strbuf *out)
{
	const struct kept_finding *f = remedy->first;
	struct strbuf where = STRBUF_INIT, text = STRBUF_INIT, words = STRBUF_INIT;

	if (f->path && remedy->findings == 1) {
		strbuf_adds(&where, " in ");
		add_place(&where, f->path, f->member);
	} else if (f->path) {
		strbuf_adds(&where, " (");
		strbuf_add_count(&where, remedy->findings, "file");
		strbuf_addch(&where, ')');
	}
	strbuf_adds(out, "  ");
	text_paint(r, out, BOLD, f->rule->name);
	strbuf_addf(out, "%s: ", where.s);
	add_text(&text, f->advice);
	/* a command has a line of its own, so that it can be pasted */
	const char *command = r->columns ? strstr(text.s, " python3 -c ") : NULL;

	strbuf_set(&words, text.s, command ? (size_t)(command - text.s) : text.len);
	wrap_text(out, words.s, 2 + strlen(f->rule->name) + text_columns(where.s) + 2, REMEDY_INDENT, r->columns);
	strbuf_addf(out, "%s%s\n", command ? "\n" : "", command ? command + 1 : "");
	strbuf_release(&words);
	strbuf_release(&text);
	strbuf_release(&where);
}

static void write_remedies(const struct report *r, const struct remedies *of_rule, struct strbuf *out)
{
	for (size_t i = 0; i < of_rule->count; i++)
		write_remedy(r, &of_rule->v[i], out);
	if (of_rule->others) {
		strbuf_addf(out, "  %s: ", of_rule->v[0].first->rule->name);
		strbuf_add_count(out, of_rule->others, "more finding");
		strbuf_adds(out, of_rule->others == 1 ? " has a remedy of its own\n" : " have remedies of their own\n");
	}
}

/* Appends "(N files): " and a command after "Fix ", on several lines that can be pasted if it is too long for one. */
static void add_command(const struct report *r, const char *command, struct strbuf *out)
{
	enum { NEXT = 5, CONTINUES = 2 }; /* columns: of the further lines' words, and that " \\" takes */
	struct strbuf lines = STRBUF_INIT, files = STRBUF_INIT;

	strbuf_adds(&files, " (");
	strbuf_add_count(&files, r->decision->files, "file");
	strbuf_addf(&files, "%s): ", r->decision->files_exact ? "" : " or more");
	strbuf_adds(out, files.s);
	const size_t at = strlen("Fix") + files.len;
	const bool fits = !r->columns || at + text_columns(command) <= r->columns;

	/* a quoted word is not taken apart */
	if (fits || r->columns <= at + CONTINUES || strchr(command, '\''))
		strbuf_adds(&lines, command);
	else
		wrap_text(&lines, command, at, NEXT, r->columns - CONTINUES);
	for (const char *p = lines.s; *p; p++) {
		if (*p == '\n')
			strbuf_adds(out, " \\");
		strbuf_addch(out, *p);
	}
	strbuf_addch(out, '\n');
	strbuf_release(&files);
	strbuf_release(&lines);
}

/* Appends each remedy once: first that of the finding to begin with, then by level and number of findings. */
static void add_remedies(const struct report *r, struct strbuf *out)
{
	const struct kept_finding *first = report_diagnosis(r->findings);
	struct remedies *all = collect_remedies(r->findings);
	size_t count, *order = selection_rules(r->findings, &count);

	if (first) {
		text_paint(r, out, BOLD, "What to do");
		strbuf_adds(out, count > 1 ? ", the likely cause first:\n" : ":\n");
		if (r->hint) {
			strbuf_adds(out, "  ");
			add_text(out, r->hint);
			strbuf_addch(out, '\n');
		}
		write_remedies(r, &all[rule_index(first->rule)], out);
		for (size_t i = 0; i < count; i++)
			if (order[i] != rule_index(first->rule))
				write_remedies(r, &all[order[i]], out);
		if (r->verbosity >= 0) {
			text_paint(r, out, BOLD, "Next");
			strbuf_addf(out, ": %s%s\n\n", r->next ? r->next : "labelaudit rule ",
				    r->next ? "" : first->rule->name);
			if (r->fix) {
				out->len--; /* the blank line */
				text_paint(r, out, BOLD, "Fix");
				add_command(r, r->fix, out);
				strbuf_addch(out, '\n');
			}
		}
	}
	free(order);
	free(all);
}

/* Appends one line: what was audited, and what not; if there is such, or with -v. */
static void add_layout(const struct report *r, struct strbuf *out)
{
	struct strbuf line = STRBUF_INIT;

	if (layout_line(&r->dataset->coverage, &line) || (line.len && r->verbosity >= 1)) {
		add_text(out, line.s);
		strbuf_addch(out, '\n');
	}
	strbuf_release(&line);
}

static void end(const struct report *r, struct strbuf *out)
{
	add_findings(r, out);
	if (r->verbosity >= 0)
		add_classes(r, out);
	add_remedies(r, out);
	add_layout(r, out);
	text_verdict(r, out);
}

const struct reporter reporter_text = { .name = "text", .extension = "txt", .end = end };
