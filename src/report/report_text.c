/*
 * The text report, for people: the causes, each with what, where and what to do; `path: level rule: message` for some
 * findings of each rule; a table of the classes; the verdict. All of it fits on a screen, however large the set.
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

/* A report is at most LINES_MAX long, causes CAUSE_LINES, so that it can be seen as a whole; --all: as it comes. */
enum { LINES_MAX = 60, CAUSE_LINES = 28, CLASSES_MIN = 8, CAUSE_INDENT = 4 };

static size_t lines_of(const struct strbuf *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->len; i++)
		n += text->s[i] == '\n';
	return n;
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

/* Returns whether the only finding of a rule is the example of a cause that is listed. */
static bool is_shown(const struct report *r, size_t rule, size_t causes)
{
	const struct diagnosis *d = report_diagnosis(r);

	for (size_t i = 0; i < causes && r->findings->by_rule[rule] == 1; i++)
		if (d->v[i].rule == rule_table[rule] && d->v[i].message)
			return true;
	return false;
}

/* Appends at most max findings of a rule, and counts the others, and all that another cause explains. */
static void add_rule(const struct report *r, size_t rule, uint64_t max, struct strbuf *out)
{
	const struct finding_list *l = r->findings;
	const struct rule *cause = NULL;
	uint64_t shown = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (l->v[i].rule != rule_table[rule] || l->v[i].baselined)
			continue;
		cause = l->v[i].explained_by;
		if (shown == (cause && !r->all ? 0 : max))
			break;
		text_finding(r, &l->v[i], r->columns, out);
		shown++;
	}
	if (l->by_rule[rule] <= shown)
		return;
	struct strbuf line = STRBUF_INIT;

	strbuf_adds(&line, "... and ");
	strbuf_add_grouped(&line, l->by_rule[rule] - shown);
	strbuf_addf(&line, " %sof rule %s", shown ? "more " : "", rule_table[rule]->name);
	if (cause)
		strbuf_addf(&line, ", explained by %s", cause->name);
	else
		strbuf_adds(&line, r->all ? " (--max-findings)" : " (--all)");
	wrap_text(out, line.s, 0, CAUSE_INDENT, r->columns);
	strbuf_addch(out, '\n');
	strbuf_release(&line);
}

/* Appends the findings by rule, with as many examples as fit. */
static void add_findings(const struct report *r, size_t causes, size_t lines, struct strbuf *out)
{
	size_t count, *order = selection_rules(r->findings, &count);
	uint64_t examples = r->all ? UINT64_MAX : EXAMPLES_LISTED;

	do {
		size_t left_out = 0;

		strbuf_clear(out);
		for (size_t i = 0; i < count; i++) {
			if (is_shown(r, order[i], causes))
				continue;
			if (!examples && lines_of(out) + 1 >= lines)
				left_out++;
			else
				add_rule(r, order[i], examples, out);
		}
		if (left_out)
			strbuf_addf(out, "... and %zu more rules (--all)\n", left_out);
	} while (!r->all && lines_of(out) > lines && examples--);
	free(order);
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

/* Appends the rows; where they are more than max, classes are left out: the last ones. */
static void write_table(const struct report *r, const struct class_table *t, size_t max, struct strbuf *out)
{
	struct text_row *rows = xcalloc(t->count + 1, sizeof(*rows));
	size_t width[COLUMNS] = { 0 }, others = 0, count = 1, classes = 0;

	for (size_t i = 0; i < t->count; i++)
		others += t->rows[i].role != ID_CLASS;
	rows[0] = (struct text_row){ { "id", "class", "labels", "share", "files" }, BOLD, 0 };
	for (size_t i = 0; i < t->count; i++)
		if (t->rows[i].role != ID_CLASS || classes++ + others < MAX(max, others + 1))
			fill_row(&rows[count++], t, &t->rows[i]);
	for (size_t i = 0; i < count; i++)
		for (size_t c = 0; c < COLUMNS; c++)
			width[c] = MAX(width[c], text_columns(rows[i].cells[c]));
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < count; i++)
		add_row(r, &rows[i], width, out);
	if (count <= t->count)
		strbuf_addf(out, "  ... and %zu more classes (--all)\n", t->count + 1 - count);
	free(rows);
}

static void add_classes(const struct report *r, size_t max, struct strbuf *out)
{
	struct class_table t;

	class_table_init(&t, r);
	if (t.count)
		write_table(r, &t, r->all ? SIZE_MAX : max, out);
	for (size_t i = 0; i < UNLISTED_KINDS; i++)
		if (t.unlisted[i])
			strbuf_addf(out, "  ... and %" PRIu64 " more %s\n", t.unlisted[i], class_table_unlisted[i]);
	strbuf_addch(out, '\n');
	class_table_release(&t);
}

/* ---- the diagnosis ---------------------------------------------------------------------------------------------- */

/* Appends a line of a cause, which holds text from outside. */
static void add_part(const struct report *r, const char *begin, const char *text, struct strbuf *out)
{
	struct strbuf inert = STRBUF_INIT, words = STRBUF_INIT;

	add_text(&inert, text);
	/* a command has a line of its own, so that it can be pasted */
	const char *command = r->columns ? strstr(inert.s, " python3 -c ") : NULL;

	strbuf_addf(out, "  %s", begin);
	strbuf_set(&words, inert.s, command ? (size_t)(command - inert.s) : inert.len);
	wrap_text(out, words.s, 2 + text_columns(begin), CAUSE_INDENT, r->columns);
	strbuf_addf(out, "%s%s\n", command ? "\n" : "", command ? command + 1 : "");
	strbuf_release(&words);
	strbuf_release(&inert);
}

/* Appends what it is, where, and what to do. */
static void add_cause(const struct report *r, const struct cause *c, struct strbuf *out)
{
	struct strbuf where = STRBUF_INIT, what = STRBUF_INIT;

	text_paint_level(r, out, c->level);
	strbuf_addch(out, ' ');
	text_paint(r, out, BOLD, c->rule->name);
	summary_cause(c, &what);
	wrap_text(out, what.s, strlen(level_name(c->level)) + 1 + strlen(c->rule->name), CAUSE_INDENT, r->columns);
	strbuf_addch(out, '\n');
	if (c->example) {
		add_place(&where, c->example, c->member);
		strbuf_adds(&where, ": ");
	}
	if (c->message)
		add_part(r, where.s, c->message, out);
	if (c->remedy)
		add_part(r, "What to do: ", c->remedy, out);
	strbuf_release(&where);
	strbuf_release(&what);
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

/* Appends the causes, as many as fit, then what to type. Returns how many. */
static size_t add_diagnosis(const struct report *r, struct strbuf *out)
{
	const struct diagnosis *d = report_diagnosis(r);
	size_t listed = 0;

	while (listed < d->count && (r->all || !listed || (listed < CAUSES_LISTED && lines_of(out) < CAUSE_LINES)))
		add_cause(r, &d->v[listed++], out);
	if (listed < d->count)
		strbuf_addf(out, "... and %zu more cause%s (--all)\n", d->count - listed,
			    d->count - listed > 1 ? "s" : "");
	if (r->hint) {
		add_text(out, r->hint);
		strbuf_addch(out, '\n');
	}
	if (!d->count || r->verbosity < 0)
		return listed;
	text_paint(r, out, BOLD, "Next");
	strbuf_addf(out, ": %s%s\n", r->next ? r->next : "labelaudit rule ", r->next ? "" : d->v[0].rule->name);
	return listed;
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
	struct strbuf parts[3] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT }; /* diagnosis, findings, verdict */
	enum { TABLE_FRAME = 5, FIX_LINES = 2 };                            /* of the table those that are no rows */

	const size_t causes = add_diagnosis(r, &parts[0]);

	add_layout(r, &parts[2]);
	text_verdict(r, &parts[2]);
	size_t room =
		LINES_MAX - MIN(lines_of(&parts[0]) + lines_of(&parts[2]) + TABLE_FRAME + FIX_LINES, (size_t)LINES_MAX);

	add_findings(r, causes, room - MIN(room, (size_t)CLASSES_MIN), &parts[1]);
	strbuf_add(out, parts[0].s, parts[0].len);
	if (r->fix && r->verbosity >= 0) {
		text_paint(r, out, BOLD, "Fix");
		add_command(r, r->fix, out);
	}
	if (parts[0].len && parts[1].len)
		strbuf_addch(out, '\n');
	strbuf_add(out, parts[1].s, parts[1].len);
	if (r->verbosity >= 0)
		add_classes(r, room - MIN(room, lines_of(&parts[1])), out);
	strbuf_add(out, parts[2].s, parts[2].len);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		strbuf_release(&parts[i]);
}

const struct reporter reporter_text = { .name = "text", .extension = "txt", .end = end };
