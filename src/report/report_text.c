/*
 * The report for people: `path: level rule: message` one line a finding, at most LISTED_A_RULE of a rule; a table of
 * the classes; one verdict line. Everything that came from outside goes through escape_terminal, whether or not a
 * terminal reads it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/mem.h"
#include "report/summary.h"
#include "report/tables.h"

enum {
	LISTED_A_RULE = 20,
	CLASSES_LISTED = 256, /* more rows are no table any more; then only classes that occur */
	OUT_OF_RANGE_LISTED = 12,
	NAME_COLUMNS = 24,
	BAR_COLUMNS = 20,
};

/* ECMA-48 select graphic rendition */
#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define CYAN   "\033[36m"
#define BOLD   "\033[1m"
#define PLAIN  "\033[0m"

static void paint(const struct report *r, struct strbuf *out, const char *colour, const char *text)
{
	if (r->colour)
		strbuf_adds(out, colour);
	strbuf_adds(out, text);
	if (r->colour)
		strbuf_adds(out, PLAIN);
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
	strbuf_addch(out, ' ');
	strbuf_adds(out, f->rule->name);
	strbuf_adds(out, ": ");
	add_text(out, f->message);
	strbuf_addch(out, '\n');
	if (f->advice && f->advice[0]) {
		strbuf_adds(out, "    ");
		add_text(out, f->advice);
		strbuf_addch(out, '\n');
	}
}

static void add_findings(const struct report *r, struct strbuf *out)
{
	const struct finding_list *l = r->findings;
	uint64_t *shown = xcalloc(rule_count + 1, sizeof(*shown));

	for (size_t i = 0; i < l->count; i++) {
		size_t rule = rule_index(l->v[i].rule);

		if (shown[rule] == LISTED_A_RULE)
			continue;
		shown[rule]++;
		add_finding(r, &l->v[i], out);
	}
	for (size_t i = 0; i < rule_count; i++) {
		if (l->by_rule[i] <= shown[i])
			continue;
		strbuf_adds(out, "... and ");
		strbuf_add_u64(out, l->by_rule[i] - shown[i]);
		strbuf_addf(out, " more of rule %s\n", rule_table[i]->name);
	}
	free(shown);
}

/* ---- the table of classes --------------------------------------------------------------------------------------- */

enum { COLUMNS = 5 };

struct table_row {
	struct strbuf cells[COLUMNS]; /* id, name, labels, share, files */
	size_t bar;
};

struct table {
	struct table_row *rows;
	size_t count, cap;
};

/* One column a character: near enough for a table, and independent of the locale. */
static size_t text_columns(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void cut_columns(struct strbuf *text, size_t columns)
{
	if (text_columns(text->s) <= columns)
		return;
	size_t at = 0;

	for (size_t n = 0; text->s[at]; at++) {
		n += ((unsigned char)text->s[at] & 0xc0) != 0x80;
		if (n > columns - 3)
			break;
	}
	text->len = at;
	text->s[at] = '\0';
	strbuf_adds(text, "...");
}

/* whole 0: no share. */
static void table_add(struct table *t, int64_t id, const char *name, uint64_t labels, uint64_t files, uint64_t whole)
{
	GROW(t->rows, t->cap, t->count + 1);
	struct table_row *row = &t->rows[t->count++];

	for (size_t i = 0; i < COLUMNS; i++)
		strbuf_init(&row->cells[i]);
	strbuf_addf(&row->cells[0], "%lld", (long long)id);
	add_text(&row->cells[1], name);
	cut_columns(&row->cells[1], NAME_COLUMNS);
	strbuf_add_u64(&row->cells[2], labels);
	row->bar = 0;
	if (whole) {
		struct strbuf *share = &row->cells[3];
		decimal_wide hundred = (decimal_wide)labels * 100;

		if (labels && hundred * 100 < whole) {
			strbuf_adds(share, "< 0.01 %");
		} else {
			/* in hundredths of a percent */
			uint64_t parts = (uint64_t)((hundred * 100 + whole / 2) / whole);

			decimal_ratio(share, parts, 100, 2);
			strbuf_adds(share, " %");
		}
		row->bar = (size_t)((decimal_wide)labels * BAR_COLUMNS / whole);
	}
	strbuf_add_u64(&row->cells[4], files);
}

static void table_write(const struct table *t, struct strbuf *out)
{
	static const char *const heads[COLUMNS] = { "id", "class", "labels", "share", "files" };
	size_t width[COLUMNS];

	for (size_t c = 0; c < COLUMNS; c++) {
		width[c] = strlen(heads[c]);
		for (size_t i = 0; i < t->count; i++)
			width[c] = MAX(width[c], text_columns(t->rows[i].cells[c].s));
	}
	for (size_t i = 0; i <= t->count; i++) { /* row 0 is the heads */
		for (size_t c = 0; c < COLUMNS; c++) {
			const char *cell = i ? t->rows[i - 1].cells[c].s : heads[c];
			size_t pad = width[c] - text_columns(cell);

			strbuf_adds(out, "  ");
			if (c == 1)
				strbuf_adds(out, cell);
			for (; pad; pad--)
				strbuf_addch(out, ' ');
			if (c != 1)
				strbuf_adds(out, cell);
		}
		if (i && t->rows[i - 1].bar) {
			strbuf_adds(out, "  ");
			for (size_t n = t->rows[i - 1].bar; n; n--)
				strbuf_addch(out, '#');
		}
		strbuf_addch(out, '\n');
	}
}

static void table_release(struct table *t)
{
	for (size_t i = 0; i < t->count; i++)
		for (size_t c = 0; c < COLUMNS; c++)
			strbuf_release(&t->rows[i].cells[c]);
	free(t->rows);
}

static void add_more(struct strbuf *out, uint64_t n, const char *what)
{
	if (!n)
		return;
	strbuf_adds(out, "  ... and ");
	strbuf_add_u64(out, n);
	strbuf_addf(out, " more %s\n", what);
}

static void add_classes(const struct report *r, struct strbuf *out)
{
	const struct dataset_stats *d = r->dataset;
	struct report_tables tables;
	struct table t = { 0 };

	tables_init(&tables, r->settings, d);
	uint64_t whole = d->labels - tables.ignored_labels;
	bool all = tables.classes_count <= CLASSES_LISTED;
	uint64_t never_occur = 0, more = 0;

	for (size_t i = 0; i < tables.classes_count; i++) {
		const struct class_row *row = &tables.classes[i];

		if ((all || row->labels) && t.count < CLASSES_LISTED)
			table_add(&t, row->id, row->name ? row->name : "", row->labels, row->files, whole);
		else if (row->labels)
			more++;
		else
			never_occur++;
	}
	if (tables.classes_declared > tables.classes_count)
		never_occur += tables.classes_declared - tables.classes_count;
	for (size_t i = 0; i < MIN(tables.ignored_count, (size_t)OUT_OF_RANGE_LISTED); i++)
		table_add(&t, tables.ignored[i].id, "(ignored)", tables.ignored[i].labels, tables.ignored[i].files, 0);
	for (size_t i = 0; i < MIN(tables.out_of_range_count, (size_t)OUT_OF_RANGE_LISTED); i++) {
		const struct id_total *total = tables.out_of_range[i];

		table_add(&t, total->id, "(out of range)", total->labels, total->files, whole);
	}
	if (t.count) {
		strbuf_addch(out, '\n');
		table_write(&t, out);
	}
	add_more(out, more, "classes that occur (--format json has all)");
	add_more(out, never_occur, "classes that never occur");
	add_more(out, tables.ignored_count - MIN(tables.ignored_count, (size_t)OUT_OF_RANGE_LISTED), "ignored ids");
	add_more(out, tables.out_of_range_total - MIN(tables.out_of_range_total, (uint64_t)OUT_OF_RANGE_LISTED),
		 "ids out of range");
	strbuf_addch(out, '\n');
	table_release(&t);
	tables_release(&tables);
}

static void end(const struct report *r, struct strbuf *out)
{
	struct strbuf counts = STRBUF_INIT;
	bool pass = report_passes(r);

	add_findings(r, out);
	if (r->verbosity >= 0)
		add_classes(r, out);
	paint(r, out, !r->complete ? YELLOW : pass ? GREEN : RED, summary_verdict(r));
	strbuf_adds(out, ": ");
	summary_counts(r, &counts);
	strbuf_add(out, counts.s, counts.len);
	strbuf_addch(out, '\n');
	strbuf_release(&counts);
}

const struct reporter reporter_text = { .name = "text", .extension = "txt", .end = end };
