/*
 * The text report, for people: the causes, each with what, where and what to do; `path: level rule: message` for some
 * findings of each rule; a table of the classes; the verdict. All of it fits on a screen, however large the set.
 *
 * And the concise report: that line for each finding, as compilers, grep and ruff have it; then the verdict. Its lines
 * are never wrapped, so that an editor or a script can take them apart.
 *
 * All text from outside passes escape_terminal, whether or not the output is a terminal.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/wrap.h"
#include "report/layout.h"
#include "report/summary.h"
#include "report/tables.h"

enum {
	NAME_COLUMNS = 24,
	BAR_COLUMNS = 20,
	BAR_PARTS = 8, /* of a column, with the block elements of Unicode */
};

static void add_text(struct strbuf *out, const char *s)
{
	escape_terminal(out, s, strlen(s));
}

enum { INDENT = 4 }; /* of lines that continue one */

/* Appends text in a colour if r->colour; "": in none. */
static void paint(const struct report *r, struct strbuf *out, const char *colour, const char *text)
{
	bool painted = r->colour && *colour;

	strbuf_addf(out, "%s%s%s", painted ? colour : "", text, painted ? PLAIN : "");
}

static void paint_level(const struct report *r, struct strbuf *out, enum level level)
{
	paint(r, out, level == LEVEL_ERROR ? RED : level == LEVEL_WARNING ? YELLOW : CYAN, level_name(level));
}

static void add_line(const struct report *r, const char *text, struct strbuf *out)
{
	RELEASED struct strbuf inert = STRBUF_INIT;

	add_text(&inert, text);
	wrap_text(out, inert.s, 0, INDENT, r->columns);
	strbuf_addch(out, '\n');
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

void text_finding(const struct report *r, const struct kept_finding *f, size_t columns, struct strbuf *out)
{
	RELEASED struct strbuf where = STRBUF_INIT, message = STRBUF_INIT;
	size_t at;

	if (f->path)
		add_place(&where, f->path, f->member);
	else
		strbuf_adds(&where, "(dataset)");
	at = text_columns(where.s) + 2 + strlen(level_name(f->level)) + 1 + strlen(f->rule->name) + 2;
	paint(r, out, BOLD, where.s);
	strbuf_adds(out, ": ");
	paint_level(r, out, f->level);
	strbuf_addf(out, " %s: ", f->rule->name);
	add_text(&message, f->message);
	wrap_text(out, message.s, at, INDENT, columns);
	strbuf_addch(out, '\n');
}

static void add_finding(const struct report *r, const struct kept_finding *f, struct strbuf *out)
{
	text_finding(r, f, r->columns, out);
}

/* ---- the table of classes --------------------------------------------------------------------------------------- */

enum { COLUMNS = 5 };

struct text_row {
	struct strbuf cells[COLUMNS]; /* id, name, labels, share, files */
	const char *colour;           /* "" if none */
	size_t bar;                   /* in BAR_PARTS of a column */
};

/* Writes a name, cut to a number of columns. */
static void fill_name(struct strbuf *cell, const char *name, size_t columns)
{
	size_t cut = 0;

	add_text(cell, name);
	if (text_columns(cell->s) <= columns)
		return;
	for (size_t n = 0; n <= columns - 3; cut++)
		n += ((unsigned char)cell->s[cut] & 0xc0) != 0x80;
	strbuf_cut(cell, cut - 1);
	strbuf_adds(cell, "...");
}

static void fill_row(struct text_row *text, const struct class_table *t, const struct class_table_row *row,
		     size_t name_columns)
{
	id_format(row->id, &text->cells[0]);
	fill_name(&text->cells[1],
		  row->role == ID_IGNORED   ? "(ignored)"
		  : row->role == ID_INVALID ? "(out of range)"
		  : row->name               ? row->name
					    : "",
		  name_columns);
	strbuf_add_grouped(&text->cells[2], row->labels);
	strbuf_adds(&text->cells[3], row->share);
	strbuf_add_grouped(&text->cells[4], row->files);
	text->colour = row->role == ID_INVALID ? RED : row->role == ID_IGNORED ? FAINT : row->labels ? "" : YELLOW;
	if (row->role != ID_IGNORED && row->labels)
		text->bar =
			MAX((size_t)((decimal_wide)row->labels * (BAR_COLUMNS * BAR_PARTS) / t->largest), (size_t)1);
}

/* columns: of the largest bar; 0: there is no room for bars. */
static void add_bar(const struct report *r, const struct text_row *row, size_t columns, struct strbuf *out)
{
	/* U+2588 full block, and U+258F to U+2589 for one to seven eighths */
	static const char blocks[BAR_PARTS][4] = { "\xe2\x96\x88", "\xe2\x96\x8f", "\xe2\x96\x8e", "\xe2\x96\x8d",
						   "\xe2\x96\x8c", "\xe2\x96\x8b", "\xe2\x96\x8a", "\xe2\x96\x89" };
	const size_t parts = row->bar ? MAX(row->bar * columns / BAR_COLUMNS, (size_t)1) : 0;
	RELEASED struct strbuf bar = STRBUF_INIT;

	for (size_t n = parts / BAR_PARTS; n; n--)
		strbuf_adds(&bar, r->unicode ? blocks[0] : "#");
	if (r->unicode && parts % BAR_PARTS)
		strbuf_adds(&bar, blocks[parts % BAR_PARTS]);
	if (bar.len) {
		strbuf_adds(out, "  ");
		paint(r, out, row->colour[0] ? row->colour : CYAN, bar.s);
	}
}

static void add_row(const struct report *r, const struct text_row *row, const size_t width[COLUMNS], size_t bar,
		    struct strbuf *out)
{
	RELEASED struct strbuf line = STRBUF_INIT;

	for (size_t c = 0; c < COLUMNS; c++) {
		int pad = (int)(width[c] - text_columns(row->cells[c].s));

		strbuf_addf(&line, "  %*s%s%*s", c == 1 ? 0 : pad, "", row->cells[c].s, c == 1 ? pad : 0, "");
	}
	paint(r, out, row->colour, line.s);
	add_bar(r, row, bar, out);
	strbuf_addch(out, '\n');
}

static void clear_rows(const struct class_table *t, struct text_row *rows)
{
	for (size_t i = 0; i <= t->count; i++)
		for (size_t c = 0; c < COLUMNS; c++)
			strbuf_release(&rows[i].cells[c]);
}

/* Fills the cells and their widths, with names of a number of columns. Returns the columns of all. */
static size_t fill_rows(const struct class_table *t, size_t name_columns, struct text_row *rows, size_t width[COLUMNS])
{
	static const char *const heads[COLUMNS] = { "id", "class", "labels", "share", "files" };
	size_t columns = 0;

	clear_rows(t, rows);
	rows[0].colour = BOLD;
	for (size_t i = 0; i < t->count; i++)
		fill_row(&rows[i + 1], t, &t->rows[i], name_columns);
	for (size_t c = 0; c < COLUMNS; c++) {
		strbuf_adds(&rows[0].cells[c], heads[c]);
		width[c] = 0;
		for (size_t i = 0; i <= t->count; i++)
			width[c] = MAX(width[c], text_columns(rows[i].cells[c].s));
		columns += 2 + width[c];
	}
	return columns;
}

static void write_table(const struct report *r, const struct class_table *t, struct strbuf *out)
{
	enum { NAME_MIN = 8, BAR_MIN = 4 };
	FREED struct text_row *rows = xcalloc(t->count + 1, sizeof(*rows));
	size_t width[COLUMNS], columns = fill_rows(t, NAME_COLUMNS, rows, width), bar = BAR_COLUMNS;

	if (r->columns && columns > r->columns)
		columns = fill_rows(t, MAX(width[1] - MIN(width[1], columns - r->columns), (size_t)NAME_MIN), rows,
				    width);
	if (r->columns)
		bar = MIN(bar, r->columns - MIN(r->columns, columns + 2));
	strbuf_addch(out, '\n');
	for (size_t i = 0; i <= t->count; i++) {
		if (i && i - 1 == t->gap && t->gap)
			class_table_add_rest(t, UNLISTED_OCCUR, "  ", " (--all)\n", out);
		add_row(r, &rows[i], width, bar < BAR_MIN ? 0 : bar, out);
	}
	clear_rows(t, rows);
}

static void add_classes(const struct report *r, size_t max, struct strbuf *out)
{
	struct class_table t;

	if (!r->dataset->labels) /* nothing was read */ {
		strbuf_adds(out, out->len ? "\n" : "");
		return;
	}
	class_table_init(&t, r, r->all ? SIZE_MAX : max);
	if (t.count)
		write_table(r, &t, out);
	for (size_t i = UNLISTED_OCCUR + 1; i < UNLISTED_KINDS; i++)
		class_table_add_rest(&t, i, "  ", "\n", out);
	strbuf_addch(out, '\n');
	class_table_release(&t);
}

/* ---- the diagnosis ---------------------------------------------------------------------------------------------- */

/* Appends a line of a cause, which holds text from outside. */
static void add_part(const struct report *r, const char *begin, const char *text, struct strbuf *out)
{
	RELEASED struct strbuf inert = STRBUF_INIT, words = STRBUF_INIT;

	add_text(&inert, text);
	/* a command has a line of its own, so that it can be pasted */
	const char *command = r->columns ? strstr(inert.s, " python3 -c ") : NULL;

	strbuf_addf(out, "  %s", begin);
	strbuf_set(&words, inert.s, command ? (size_t)(command - inert.s) : inert.len);
	wrap_text(out, words.s, 2 + text_columns(begin), INDENT, r->columns);
	strbuf_addf(out, "%s%s\n", command ? "\n" : "", command ? command + 1 : "");
}

/* Appends a command, on several lines that can be pasted if it is too long for one. */
static void add_command(const struct report *r, const char *command, struct strbuf *out)
{
	enum { AT = 4, NEXT = 6, CONTINUES = 2 }; /* columns: of its words, of further lines' words, and of " \\" */
	const bool fits = !r->columns || AT + text_columns(command) <= r->columns;
	RELEASED struct strbuf lines = STRBUF_INIT;

	/* a quoted word is not taken apart */
	if (fits || strchr(command, '\''))
		strbuf_adds(&lines, command);
	else
		wrap_text(&lines, command, AT, NEXT, r->columns - MIN(r->columns, (size_t)CONTINUES));
	strbuf_addf(out, "%*s", AT, "");
	for (const char *p = lines.s; *p; p++) {
		if (*p == '\n')
			strbuf_adds(out, " \\");
		strbuf_addch(out, *p);
	}
	strbuf_addch(out, '\n');
}

static void add_cause(const struct report *r, const struct cause_text *text, struct strbuf *out)
{
	const struct cause *c = text->cause;
	RELEASED struct strbuf where = STRBUF_INIT;

	paint_level(r, out, c->level);
	strbuf_addch(out, ' ');
	paint(r, out, BOLD, c->rule->name);
	wrap_text(out, text->what, strlen(level_name(c->level)) + 1 + strlen(c->rule->name), INDENT, r->columns);
	strbuf_addch(out, '\n');
	if (text->place) {
		add_place(&where, c->example, c->member);
		strbuf_adds(&where, text->place);
	}
	if (c->message)
		add_part(r, where.s, c->message, out);
	if (*text->remedy)
		add_part(r, "What to do: ", text->remedy, out);
	if (text->command)
		add_command(r, text->command, out);
}

/* Appends the causes, then what to type. Returns how many are listed. */
static size_t add_diagnosis(const struct people *form, struct strbuf *out)
{
	const struct report *r = form->r;
	const struct diagnosis *d = report_diagnosis(r);
	const size_t listed = people_causes(form, CAUSE_LINES, out);

	if (r->hint) {
		add_text(out, r->hint);
		strbuf_addch(out, '\n');
	}
	if (!d->count || r->verbosity < 0)
		return listed;
	paint(r, out, BOLD, r->next ? "Next" : "More");
	strbuf_addf(out, ": %s%s\n", r->next ? r->next : "labelaudit rule ", r->next ? "" : d->v[0].rule->name);
	return listed;
}

/* Appends one line: what was audited, and what not; if there is such, or with -v. */
static void add_layout(const struct report *r, struct strbuf *out)
{
	RELEASED struct strbuf line = STRBUF_INIT;

	if (layout_line(&r->dataset->coverage, &line) || (line.len && r->verbosity >= 1)) {
		add_text(out, line.s);
		strbuf_addch(out, '\n');
	}
}

/* Appends one line: of what types the labels are, where they could be of several. */
static void add_objects(const struct report *r, struct strbuf *out)
{
	static const char *const names[BOX_TYPES][2] = { [BOX_RECTANGLE] = { "box", "boxes" },
							 [BOX_POLYGON] = { "polygon", "polygons" },
							 [BOX_ORIENTED] = { "oriented box", "oriented boxes" },
							 [BOX_POSE] = { "pose", "poses" } };
	const uint64_t *n = r->dataset->objects;
	bool any = false;

	for (unsigned type = BOX_RECTANGLE; type < BOX_TYPES; type++) {
		if (!n[type])
			continue;
		strbuf_adds(out, any ? ", " : "types of labels: ");
		strbuf_add_grouped(out, n[type]);
		strbuf_addf(out, " %s", names[type][n[type] != 1]);
		any = true;
	}
	strbuf_adds(out, any ? "\n" : "");
}

/* Appends what narrowed the audit, why it is incomplete, and the verdict with the counts: a line each. */
static void add_verdict(const struct report *r, struct strbuf *out)
{
	RELEASED struct strbuf counts = STRBUF_INIT;

	summary_remarks(r, add_line, out);
	summary_paint_verdict(r, out);
	strbuf_adds(out, ": ");
	summary_counts(r, &counts);
	wrap_text(out, counts.s, strlen(summary_verdict(r)) + 2, INDENT, r->columns);
	strbuf_addch(out, '\n');
}

static void end(const struct report *r, struct strbuf *out)
{
	const struct people form = { r, add_cause, add_finding, add_line };
	struct strbuf parts[3] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT }; /* diagnosis, findings, verdict */
	enum { TABLE_FRAME = 6 };                                           /* its lines that are no rows */

	const size_t causes = add_diagnosis(&form, &parts[0]);

	add_layout(r, &parts[2]);
	add_objects(r, &parts[2]);
	add_verdict(r, &parts[2]);
	const size_t frame = text_lines(&parts[0]) + text_lines(&parts[2]) + TABLE_FRAME;
	const size_t room = LINES_MAX - MIN(frame, (size_t)LINES_MAX);

	people_findings(&form, causes, room - MIN(room, (size_t)CLASSES_MIN), &parts[1]);
	strbuf_add(out, parts[0].s, parts[0].len);
	if (parts[0].len && parts[1].len)
		strbuf_addch(out, '\n');
	strbuf_add(out, parts[1].s, parts[1].len);
	if (r->verbosity >= 0)
		add_classes(r, MAX(room - MIN(room, text_lines(&parts[1])), (size_t)CLASSES_MIN), out);
	strbuf_add(out, parts[2].s, parts[2].len);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		strbuf_release(&parts[i]);
}

const struct reporter reporter_text = { .name = "text", .extension = "txt", .end = end };

/* ---- the concise report -------------------------------------------------------------------------------------- */

/* Findings between two writes. */
enum { FLUSH_FINDINGS = 1024 };

static void end_concise(const struct report *r, struct strbuf *out)
{
	const struct finding_list *l = r->findings;
	uint64_t listed = 0, found = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (!l->v[i].baselined) {
			text_finding(r, &l->v[i], 0, out);
			listed++;
		}
		if (i % FLUSH_FINDINGS == FLUSH_FINDINGS - 1)
			report_flush(r, out);
	}
	for (int level = LEVEL_INFO; level <= LEVEL_ERROR; level++)
		found += l->by_level[level];
	if (found > listed) {
		strbuf_adds(out, "... and ");
		strbuf_add_count(out, found - listed, "finding");
		strbuf_adds(out, " more (--max-findings)\n");
	}
	add_verdict(r, out);
}

const struct reporter reporter_concise = { .name = "concise", .end = end_concise };
