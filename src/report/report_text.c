/*
 * The text report, for people: `path: level rule: message` one line per finding, at most LISTED_A_RULE of a rule; a
 * table of the classes; what to look at first; one line with the verdict. All text from outside passes escape_terminal,
 * whether or not the output is a terminal.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/mem.h"
#include "report/narrowed.h"
#include "report/selection.h"
#include "report/summary.h"
#include "report/tables.h"

enum {
	NAME_COLUMNS = 24,
	BAR_COLUMNS = 20,
	BAR_PARTS = 8, /* of a column, with the block elements of Unicode */
};

/* ECMA-48 select graphic rendition */
#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define CYAN   "\033[36m"
#define BOLD   "\033[1m"
#define FAINT  "\033[2m"
#define PLAIN  "\033[0m"

static void paint(const struct report *r, struct strbuf *out, const char *colour, const char *text)
{
	bool painted = r->colour && *colour;

	strbuf_addf(out, "%s%s%s", painted ? colour : "", text, painted ? PLAIN : "");
}

static void add_text(struct strbuf *out, const char *s)
{
	escape_terminal(out, s, strlen(s));
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

static const char *level_colour(enum level level)
{
	return level == LEVEL_ERROR ? RED : level == LEVEL_WARNING ? YELLOW : CYAN;
}

/* Appends what to do, fainter than what is wrong. */
static void add_advice(const struct report *r, const char *advice, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;

	add_text(&text, advice);
	paint(r, out, FAINT, text.s);
	strbuf_addch(out, '\n');
	strbuf_release(&text);
}

static void add_finding(const struct report *r, const struct kept_finding *f, struct strbuf *out)
{
	struct strbuf where = STRBUF_INIT;

	if (f->path)
		add_place(&where, f->path, f->member);
	else
		strbuf_adds(&where, "(dataset)");
	paint(r, out, BOLD, where.s);
	strbuf_release(&where);
	strbuf_adds(out, ": ");
	paint(r, out, level_colour(f->level), level_name(f->level));
	strbuf_addf(out, " %s: ", f->rule->name);
	add_text(out, f->message);
	strbuf_addch(out, '\n');
	if (f->advice) {
		strbuf_adds(out, "    ");
		add_advice(r, f->advice, out);
	}
}

static void add_findings(const struct report *r, struct strbuf *out)
{
	const struct finding_list *l = r->findings;
	uint64_t *shown = xcalloc(rule_count + 1, sizeof(*shown));

	for (size_t i = 0; i < l->count; i++) {
		size_t rule = rule_index(l->v[i].rule);

		if (shown[rule] == LISTED_A_RULE || l->v[i].baselined)
			continue;
		shown[rule]++;
		add_finding(r, &l->v[i], out);
	}
	for (size_t i = 0; i < rule_count; i++) {
		if (l->by_rule[i] <= shown[i])
			continue;
		strbuf_addf(out, "... and %" PRIu64 " more of rule %s\n", l->by_rule[i] - shown[i],
			    rule_table[i]->name);
	}
	free(shown);
}

/* For --statistics: the number of findings of each rule instead of the findings. */
static void add_statistics(const struct report *r, struct strbuf *out)
{
	size_t count, *order = selection_rules(r->findings, &count);
	int digits = 1, name = 0;

	for (size_t i = 0; i < count; i++) {
		char number[24];

		digits = MAX(digits, snprintf(number, sizeof(number), "%llu",
					      (unsigned long long)r->findings->by_rule[order[i]]));
		name = MAX(name, (int)strlen(rule_table[order[i]]->name));
	}
	for (size_t i = 0; i < count; i++) {
		const struct rule *rule = rule_table[order[i]];
		enum level level = r->findings->rule_worst[order[i]];

		strbuf_addf(out, "  %*llu  ", digits, (unsigned long long)r->findings->by_rule[order[i]]);
		paint(r, out, level_colour(level), level_name(level));
		strbuf_addf(out, "%*s  %-*s  %s\n", (int)(sizeof("warning") - 1 - strlen(level_name(level))), "", name,
			    rule->name, rule->summary);
	}
	free(order);
}

/* ---- the table of classes --------------------------------------------------------------------------------------- */

enum { COLUMNS = 5 };

struct text_row {
	char cells[COLUMNS][128]; /* id, name, labels, share, files; the name is the longest: 24 characters in UTF-8 */
	const char *colour;       /* "" if none */
	size_t bar;               /* in BAR_PARTS of a column */
};

/* Counts one column per character: near enough for a table, and independent of the locale. */
static size_t text_columns(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

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

static void fill_row(struct text_row *text, const struct class_table *t, const struct class_table_row *row)
{
	const size_t size = sizeof(text->cells[0]);

	snprintf(text->cells[0], size, "%" PRId64, row->id);
	fill_name(text->cells[1], size,
		  row->role == ID_IGNORED   ? "(ignored)"
		  : row->role == ID_INVALID ? "(out of range)"
		  : row->name               ? row->name
					    : "");
	snprintf(text->cells[2], size, "%" PRIu64, row->labels);
	snprintf(text->cells[3], size, "%s", row->share);
	snprintf(text->cells[4], size, "%" PRIu64, row->files);
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
		paint(r, out, row->colour[0] ? row->colour : CYAN, bar.s);
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
	paint(r, out, row->colour, line.s);
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
	for (size_t i = 0; i < RESTS; i++)
		if (t.rest[i])
			strbuf_addf(out, "  ... and %" PRIu64 " more %s\n", t.rest[i], class_table_rests[i]);
	strbuf_addch(out, '\n');
	class_table_release(&t);
}

/* ---- the verdict ------------------------------------------------------------------------------------------------ */

/* Appends the finding to begin with, and the command that explains its rule. */
static void add_diagnosis(const struct report *r, struct strbuf *out)
{
	const struct kept_finding *f = report_diagnosis(r->findings);

	if (!f)
		return;
	paint(r, out, BOLD, "Look first at");
	strbuf_addf(out, " %s", f->rule->name);
	if (f->path) {
		strbuf_adds(out, " in ");
		add_place(out, f->path, f->member);
	}
	strbuf_adds(out, ": ");
	add_text(out, f->message);
	strbuf_adds(out, "\n    ");
	add_advice(r, f->advice, out);
	paint(r, out, BOLD, "Next");
	strbuf_addf(out, ": labelaudit rule %s\n\n", f->rule->name);
}

static void end(const struct report *r, struct strbuf *out)
{
	struct strbuf narrowed = STRBUF_INIT;
	bool pass = report_passes(r);

	if (r->statistics)
		add_statistics(r, out);
	else
		add_findings(r, out);
	if (r->verbosity >= 0) {
		add_classes(r, out);
		add_diagnosis(r, out);
	}
	narrowed_line(r->settings, &narrowed);
	if (narrowed.len) {
		add_text(out, narrowed.s);
		strbuf_addch(out, '\n');
	}
	strbuf_release(&narrowed);
	paint(r, out, !r->complete ? YELLOW : pass ? GREEN : RED, summary_verdict(r));
	strbuf_adds(out, ": ");
	summary_counts(r, out);
	strbuf_addch(out, '\n');
}

const struct reporter reporter_text = { .name = "text", .extension = "txt", .end = end };
