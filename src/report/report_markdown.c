/*
 * The Markdown report, for a pull request, a step summary or a data card: the verdict, the rules that fired, the
 * findings, the classes. Text from outside is in code spans, or escaped in prose (base/escape.h).
 */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "report/summary.h"
#include "report/tables.h"

enum { NAME_BYTES = 256 };

static void add_text(struct strbuf *out, const char *s)
{
	escape_markdown(out, s, strlen(s));
}

static void add_code(struct strbuf *out, const char *s, const char *member)
{
	strbuf_addch(out, '`');
	escape_markdown_code(out, s, strlen(s));
	if (member) {
		strbuf_addch(out, '#');
		escape_markdown_code(out, member, strlen(member));
	}
	strbuf_addch(out, '`');
}

/* ---- sections --------------------------------------------------------------------------------------------------- */

static void add_cause(const struct report *r, const struct cause_text *text, struct strbuf *out)
{
	const struct cause *c = text->cause;

	(void)r;
	strbuf_addf(out, "%s%zu. **%s** `%s`%s  \n   ", text->number > 1 ? "" : "\n", text->number,
		    level_name(c->level), c->rule->name, text->what);
	if (text->place) {
		add_code(out, c->example, c->member);
		strbuf_adds(out, text->place);
	}
	add_text(out, c->message ? c->message : "");
	if (*text->remedy) {
		strbuf_adds(out, "  \n   **What to do:** ");
		add_text(out, text->remedy);
	}
	if (text->command) {
		strbuf_adds(out, "  \n   ");
		add_code(out, text->command, NULL);
	}
	strbuf_addch(out, '\n');
}

static void add_remark(const struct report *r, const char *text, struct strbuf *out)
{
	(void)r;
	strbuf_addch(out, '\n');
	add_text(out, text);
	strbuf_addch(out, '\n');
}

/* Returns the number of causes that it lists. */
static size_t add_head(const struct people *form, struct strbuf *out)
{
	RELEASED struct strbuf counts = STRBUF_INIT;

	strbuf_addf(out, "## labelaudit: %s\n\n", summary_verdict(form->r));
	summary_counts(form->r, &counts);
	add_text(out, counts.s);
	strbuf_addch(out, '\n');
	summary_remarks(form->r, add_remark, out);
	return people_causes(form, CAUSE_LINES, out);
}

static void add_finding(const struct report *r, const struct kept_finding *f, struct strbuf *out)
{
	(void)r;
	strbuf_addf(out, "- **%s** `%s`", level_name(f->level), f->rule->name);
	if (f->path) {
		strbuf_addch(out, ' ');
		add_code(out, f->path, f->member);
	}
	strbuf_adds(out, ": ");
	add_text(out, f->message);
	strbuf_addch(out, '\n');
}

static void add_note(const struct report *r, const char *text, struct strbuf *out)
{
	(void)r;
	strbuf_addf(out, "- %s\n", text);
}

/* Appends a name, cut to NAME_BYTES. */
static void add_name(struct strbuf *out, const char *name)
{
	size_t n = strlen(name), cut = utf8_cut(name, n, NAME_BYTES);

	escape_markdown(out, name, cut);
	if (cut < n)
		strbuf_adds(out, "...");
}

static void add_classes(struct strbuf *out, const struct report *r, size_t max)
{
	struct class_table t;

	if (!r->dataset->labels) /* nothing was read */
		return;
	class_table_init(&t, r, r->all ? SIZE_MAX : max);
	if (t.count)
		strbuf_adds(out, "\n### Classes\n\n| id | class | labels | share | files |\n"
				 "| ---: | --- | ---: | ---: | ---: |\n");
	for (size_t i = 0; i < t.count; i++) {
		const struct class_table_row *row = &t.rows[i];

		if (i == t.gap && t.gap)
			class_table_add_rest(&t, UNLISTED_OCCUR, "| | ", " (--all) | | | |\n", out);
		strbuf_adds(out, "| ");
		id_format(row->id, out);
		strbuf_adds(out, " | ");
		if (row->role == ID_CLASS)
			add_name(out, row->name ? row->name : "");
		else
			strbuf_adds(out, row->role == ID_IGNORED ? "*ignored*" : "**out of range**");
		strbuf_adds(out, " | ");
		strbuf_add_grouped(out, row->labels);
		strbuf_addf(out, " | %s | ", row->share);
		strbuf_add_grouped(out, row->files);
		strbuf_adds(out, " |\n");
	}
	for (size_t i = UNLISTED_OCCUR + 1; i < UNLISTED_KINDS; i++)
		class_table_add_rest(&t, i, "\n", "\n", out);
	class_table_release(&t);
}

void report_markdown(const struct report *r, size_t max, struct strbuf *out)
{
	const struct people form = { r, add_cause, add_finding, add_note };
	struct strbuf texts[3] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT }; /* diagnosis, findings, classes */
	enum { FRAME = 16 };                                                /* headings, and what is left out */
	const size_t causes = add_head(&form, &texts[0]);
	const size_t frame = text_lines(&texts[0]) + FRAME, room = LINES_MAX - MIN(frame, (size_t)LINES_MAX);

	people_findings(&form, causes, room - MIN(room, (size_t)CLASSES_MIN), &texts[1]);
	add_classes(&texts[2], r, MAX(room - MIN(room, text_lines(&texts[1])), (size_t)CLASSES_MIN));
	/* what does not fit is left out whole, the findings last */
	for (size_t i = 0, left = max; i < ARRAY_SIZE(texts); i++) {
		static const char heading[] = "\n### Findings\n\n";
		const size_t size = texts[i].len + (i == 1 ? strlen(heading) : 0);

		if (!texts[i].len || size > left)
			continue;
		strbuf_adds(out, i == 1 ? heading : "");
		strbuf_add(out, texts[i].s, texts[i].len);
		left -= size;
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		strbuf_release(&texts[i]);
}

static void end(const struct report *r, struct strbuf *out)
{
	report_markdown(r, SIZE_MAX, out);
}

const struct reporter reporter_markdown = { .name = "markdown", .extension = "md,markdown", .end = end };
