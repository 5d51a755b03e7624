/*
 * The Markdown report, for a pull request, a step summary or a data card: the verdict, the rules that fired, the
 * findings, the classes. Text from outside is in code spans, or escaped in prose (base/escape.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "report/narrowed.h"
#include "report/selection.h"
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

/* Appends the first causes: what, where, and what to do. */
static void add_diagnosis(struct strbuf *out, const struct report *r)
{
	const struct diagnosis *d = report_diagnosis(r);

	for (size_t i = 0; i < MIN(d->count, (size_t)CAUSES_LISTED); i++) {
		const struct cause *c = &d->v[i];

		strbuf_addf(out, "%s%zu. **%s** `%s`", i ? "" : "\n", i + 1, level_name(c->level), c->rule->name);
		summary_cause(c, out);
		strbuf_adds(out, "  \n   ");
		if (c->example) {
			add_code(out, c->example, c->member);
			strbuf_adds(out, ": ");
		}
		add_text(out, c->message ? c->message : "");
		if (c->remedy) {
			strbuf_adds(out, "  \n   **What to do:** ");
			add_text(out, c->remedy);
		}
		strbuf_addch(out, '\n');
	}
	if (d->count > CAUSES_LISTED)
		strbuf_addf(out, "\n... and %zu more causes\n", d->count - CAUSES_LISTED);
}

static void add_head(struct strbuf *out, const struct report *r)
{
	struct strbuf counts = STRBUF_INIT;

	strbuf_addf(out, "## labelaudit: %s\n\n", summary_verdict(r));
	summary_counts(r, &counts);
	add_text(out, counts.s);
	strbuf_addch(out, '\n');
	strbuf_clear(&counts);
	narrowed_line(r->settings, &counts);
	if (counts.len) {
		strbuf_addch(out, '\n');
		add_text(out, counts.s);
		strbuf_addch(out, '\n');
	}
	strbuf_release(&counts);
	if (!r->complete) {
		strbuf_adds(out, "\nNot everything was audited: ");
		summary_why_incomplete(r, out);
		strbuf_adds(out, ".\n");
	}
	add_diagnosis(out, r);
}

static void add_rules(struct strbuf *out, const struct report *r)
{
	size_t count, *order = selection_rules(r->findings, &count);

	if (count)
		strbuf_adds(out, "\n| findings | level | rule | what it says |\n| ---: | --- | --- | --- |\n");
	for (size_t i = 0; i < count; i++) {
		const struct rule *rule = rule_table[order[i]];

		strbuf_addf(out, "| %" PRIu64 " | %s | `%s` | ", r->findings->by_rule[order[i]],
			    level_name(r->findings->rule_worst[order[i]]), rule->name);
		add_text(out, rule->summary);
		strbuf_adds(out, " |\n");
	}
	free(order);
}

static void add_finding(struct strbuf *out, const struct kept_finding *f)
{
	strbuf_addf(out, "- **%s** `%s`", level_name(f->level), f->rule->name);
	if (f->path) {
		strbuf_addch(out, ' ');
		add_code(out, f->path, f->member);
	}
	strbuf_adds(out, ": ");
	add_text(out, f->message);
	strbuf_addch(out, '\n');
}

/* Appends at most max bytes of findings. */
static void add_findings(struct strbuf *out, const struct report *r, size_t max)
{
	/* longer than the last line with the largest number */
	static const size_t last_line = 80;
	struct strbuf entry = STRBUF_INIT;
	uint64_t listed = 0;
	struct selection l;

	selection_init(&l, r->findings, 0, 0, EXAMPLES_LISTED);
	if (l.total)
		strbuf_adds(&entry, "\n### Findings\n\n");
	for (size_t i = 0; i < l.count; i++) {
		if (l.v[i].finding->explained_by)
			continue;
		add_finding(&entry, l.v[i].finding);
		if (entry.len + (listed + 1 < l.total ? last_line : 0) > max)
			break;
		strbuf_add(out, entry.s, entry.len);
		max -= entry.len;
		strbuf_clear(&entry);
		listed++;
	}
	if (l.total > listed && listed)
		strbuf_addf(out, "- ... and %" PRIu64 " more; the JSON report has more\n", l.total - listed);
	selection_release(&l);
	strbuf_release(&entry);
}

/* Appends a name, cut to NAME_BYTES. */
static void add_name(struct strbuf *out, const char *name)
{
	size_t n = strlen(name), cut = utf8_cut(name, n, NAME_BYTES);

	escape_markdown(out, name, cut);
	if (cut < n)
		strbuf_adds(out, "...");
}

static void add_classes(struct strbuf *out, const struct report *r)
{
	struct class_table t;

	class_table_init(&t, r);
	if (t.count)
		strbuf_adds(out, "\n### Classes\n\n| id | class | labels | share | files |\n"
				 "| ---: | --- | ---: | ---: | ---: |\n");
	for (size_t i = 0; i < t.count; i++) {
		const struct class_table_row *row = &t.rows[i];

		strbuf_adds(out, "| ");
		id_format(row->id, out);
		strbuf_adds(out, " | ");
		if (row->role == ID_CLASS)
			add_name(out, row->name ? row->name : "");
		else
			strbuf_adds(out, row->role == ID_IGNORED ? "*ignored*" : "**out of range**");
		strbuf_addf(out, " | %" PRIu64 " | %s | %" PRIu64 " |\n", row->labels, row->share, row->files);
	}
	for (size_t i = 0; i < UNLISTED_KINDS; i++)
		if (t.unlisted[i])
			strbuf_addf(out, "\n... and %" PRIu64 " more %s\n", t.unlisted[i], class_table_unlisted[i]);
	class_table_release(&t);
}

void report_markdown(const struct report *r, size_t max, struct strbuf *out)
{
	static void (*const parts[3])(struct strbuf *, const struct report *) = { add_head, add_rules, add_classes };
	struct strbuf texts[3] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };
	size_t left = max;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		parts[i](&texts[i], r);
		if (texts[i].len > left)
			strbuf_clear(&texts[i]);
		left -= texts[i].len;
	}
	strbuf_add(out, texts[0].s, texts[0].len);
	strbuf_add(out, texts[1].s, texts[1].len);
	add_findings(out, r, left);
	strbuf_add(out, texts[2].s, texts[2].len);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		strbuf_release(&texts[i]);
}

static void end(const struct report *r, struct strbuf *out)
{
	report_markdown(r, SIZE_MAX, out);
}

const struct reporter reporter_markdown = { .name = "markdown", .extension = "md,markdown", .end = end };
