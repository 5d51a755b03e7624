#include "report/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/mem.h"
#include "report/narrowed.h"
#include "report/selection.h"

/*
 * Returns "./" if a CI service would take a line that begins with path for a command, else "". GitHub obeys lines that
 * begin with :: after any blanks of Unicode; all other characters beyond ASCII are treated the same, which does no
 * harm.
 */
static const char *place_prefix(const char *path)
{
	while (*path == ' ' || (unsigned char)*path >= 0x80)
		path++;
	return path[0] == ':' && path[1] == ':' ? "./" : "";
}

void add_place_escaped(struct strbuf *out, const char *path, const char *member,
		       void (*escape)(struct strbuf *out, const char *s, size_t n))
{
	strbuf_adds(out, place_prefix(path)); /* the same file */
	escape(out, path, strlen(path));
	if (member) {
		strbuf_addch(out, '#');
		escape(out, member, strlen(member));
	}
}

void add_place(struct strbuf *out, const char *path, const char *member)
{
	add_place_escaped(out, path, member, escape_terminal);
}

const char *summary_verdict(const struct report *r)
{
	if (!r->complete)
		return "INCOMPLETE";
	if (report_has_ignored_errors(r))
		return "FINDINGS";
	return report_passes(r) ? "PASS" : "FAIL";
}

void summary_paint_verdict(const struct report *r, struct strbuf *out)
{
	const char *colour = !r->complete || report_has_ignored_errors(r) ? YELLOW : report_passes(r) ? GREEN : RED;

	strbuf_addf(out, "%s%s%s", r->colour ? colour : "", summary_verdict(r), r->colour ? PLAIN : "");
}

static bool has_empty_path(const struct coverage *c)
{
	for (size_t i = 0; i < c->paths_count; i++)
		if (!c->paths[i].audited && !c->paths[i].failed)
			return true;
	return false;
}

void summary_why_incomplete(const struct report *r, struct strbuf *out)
{
	const uint64_t unreadable = r->findings->by_rule[rule_index(rule_find("unreadable-file"))];
	const uint64_t ambiguous = r->findings->by_rule[rule_index(rule_find("ambiguous-columns"))];

	if (r->interrupted) {
		strbuf_adds(out, "interrupted after ");
		if (r->files_expected) {
			strbuf_add_grouped(out, r->dataset->files);
			strbuf_adds(out, " of ");
		}
		strbuf_add_count(out, r->files_expected ? r->files_expected : r->dataset->files, "file");
	} else if (unreadable) {
		strbuf_add_grouped(out, unreadable);
		strbuf_addf(out, " %s could not be read", unreadable == 1 ? "file or folder" : "files or folders");
	} else if (ambiguous) {
		strbuf_adds(out, "it is not clear what the labels are in ");
		strbuf_add_count(out, ambiguous, "table");
	} else if (has_empty_path(&r->dataset->coverage)) {
		strbuf_adds(out, "a PATH holds no label file");
	} else if (r->findings->by_rule[rule_index(rule_find("broken-image"))]) {
		strbuf_adds(out, "an image could not be read");
	} else {
		strbuf_adds(out, "it was interrupted, or a part is missing");
	}
}

void summary_counts(const struct report *r, struct strbuf *out)
{
	static const char *const nouns[] = { "", "info", "warning", "error" };
	const struct dataset_stats *d = r->dataset;
	const uint64_t *by_level = r->findings->by_level;
	unsigned kinds = 0, written = 0;

	for (int level = LEVEL_INFO; level <= LEVEL_ERROR; level++)
		kinds += by_level[level] != 0;
	if (!kinds)
		strbuf_adds(out, r->findings->baselined ? "no new findings" : "no findings");
	const size_t count = report_diagnosis(r)->count;
	const bool causes = count && count < by_level[LEVEL_INFO] + by_level[LEVEL_WARNING] + by_level[LEVEL_ERROR];

	if (causes) {
		strbuf_add_count(out, count, "cause");
		strbuf_adds(out, " (");
	}
	for (int level = LEVEL_ERROR; level >= LEVEL_INFO; level--) {
		if (!by_level[level])
			continue;
		if (written)
			strbuf_adds(out, written + 1 == kinds ? " and " : ", ");
		strbuf_add_count(out, by_level[level], nouns[level]);
		written++;
	}
	strbuf_adds(out, causes ? ")" : "");
	if (report_has_ignored_errors(r))
		strbuf_adds(out, " (not failing: --fail-on never)");
	strbuf_adds(out, " in ");
	strbuf_add_count(out, d->files, "file");
	if (d->files_failed || d->files_skipped) {
		strbuf_adds(out, " (");
		RELEASED struct strbuf reasons = STRBUF_INIT; /* none in a report of schema 1.0 that was read back */

		coverage_list(&d->coverage, &reasons);
		if (d->files_failed) {
			strbuf_add_grouped(out, d->files_failed);
			strbuf_adds(out, " could not be read completely");
		}
		if (d->files_skipped) {
			strbuf_adds(out, d->files_failed ? ", " : "");
			strbuf_add_grouped(out, d->files_skipped);
			strbuf_addf(out, " left out%s%s", reasons.len ? ": " : "", reasons.s);
		}
		strbuf_addch(out, ')');
	}
	strbuf_adds(out, ", ");
	strbuf_add_count(out, d->labels, "label");
	if (r->findings->baselined) {
		strbuf_adds(out, "; ");
		strbuf_add_grouped(out, r->findings->baselined);
		strbuf_adds(out, " known to the baseline");
	}
}

void summary_remarks(const struct report *r, void (*add)(const struct report *r, const char *text, struct strbuf *out),
		     struct strbuf *out)
{
	const char *taken = setting_values_find(&r->settings->options, TAKEN_FROM);
	struct strbuf lines[3] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };

	if (taken)
		strbuf_addf(&lines[0], "taken from %s", taken);
	narrowed_line(r->settings, true, &lines[1]);
	if (!r->complete) {
		strbuf_adds(&lines[2], "Not everything was audited: ");
		summary_why_incomplete(r, &lines[2]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (lines[i].len)
			add(r, lines[i].s, out);
		strbuf_release(&lines[i]);
	}
}

/* Appends the files of a cause, its share of the labels, and what it is. */
static void add_what(const struct cause *c, struct strbuf *out)
{
	if (c->files != DIAGNOSIS_UNCOUNTED) {
		strbuf_adds(out, " in ");
		strbuf_add_count(out, c->files, "file");
	}
	if (c->share != DIAGNOSIS_UNCOUNTED && c->labels) {
		strbuf_adds(out, c->share < 100 ? " (under 0.01" : " (");
		if (c->share >= 100)
			decimal_ratio(out, (c->share + 50) / 100, 100, 2);
		strbuf_adds(out, " % of the labels)");
	}
	strbuf_addf(out, ": %s", c->rule->summary);
}

/* Appends what to do, before the command of the cause, if it has one. Returns that, or NULL after a cause that has it,
 * too. */
static const char *add_remedy(const struct report *r, const struct cause *c, struct strbuf *out)
{
	const char *command = r->hint ? NULL : c->command;
	bool first = command;

	for (const struct cause *above = report_diagnosis(r)->v; above < c && first; above++)
		first = !above->command || strcmp(above->command, command) != 0;
	if (c->remedy)
		strbuf_adds(out, c->remedy);
	if (command)
		strbuf_addf(out, "%s%s", c->remedy ? "; " : "", first ? "this corrects " : "the command above does it");
	if (first) {
		strbuf_add_count(out, c->changes, "file");
		strbuf_adds(out, c->changes_at_least ? " or more, in a copy:" : " in a copy:");
	}
	return first ? command : NULL;
}

static void add_cause(const struct people *p, size_t i, struct strbuf *out)
{
	const struct cause *c = &report_diagnosis(p->r)->v[i];
	RELEASED struct strbuf what = STRBUF_INIT, place = STRBUF_INIT, remedy = STRBUF_INIT;
	struct cause_text text = { .cause = c, .number = i + 1, .command = add_remedy(p->r, c, &remedy) };

	add_what(c, &what);
	if (c->place && (!c->message || !strstr(c->message, c->place)))
		strbuf_addf(&place, " (%s)", c->place);
	strbuf_adds(&place, ": ");
	text.what = what.s;
	text.place = c->example && !cause_names_example(c) ? place.s : NULL;
	text.remedy = remedy.s;
	p->cause(p->r, &text, out);
}

size_t people_causes(const struct people *p, size_t lines, struct strbuf *out)
{
	const size_t count = report_diagnosis(p->r)->count;
	RELEASED struct strbuf more = STRBUF_INIT;
	size_t listed = 0;

	while (listed < count && (p->r->all || !listed || (listed < CAUSES_LISTED && text_lines(out) < lines)))
		add_cause(p, listed++, out);
	strbuf_addf(&more, "... and %zu more cause%s (--all)", count - listed, count - listed > 1 ? "s" : "");
	if (listed < count)
		p->note(p->r, more.s, out);
	return listed;
}

size_t text_lines(const struct strbuf *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->len; i++)
		n += text->s[i] == '\n';
	return n;
}

/* Returns whether the only finding of a rule is the example of a cause that is listed. */
static bool is_shown(const struct report *r, size_t rule, size_t causes)
{
	const struct diagnosis *d = report_diagnosis(r);

	for (size_t i = 0; i < causes && r->findings->by_rule[rule] == 1; i++)
		if (d->v[i].rule == rule_table[rule] && d->v[i].message)
			return true;
	return false;
}

/* Returns the rule that explains a rule's findings, as far as they are listed; or NULL. */
static const struct rule *cause_of(const struct finding_list *l, size_t rule)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->v[i].rule == rule_table[rule] && l->v[i].explained_by)
			return l->v[i].explained_by;
	return NULL;
}

/* Appends at most max findings of a rule, and counts the others, and all that another cause explains. */
static void add_rule(const struct people *p, size_t rule, uint64_t max, struct strbuf *out)
{
	const struct finding_list *l = p->r->findings;
	const struct rule *cause = cause_of(l, rule);
	uint64_t shown = 0;

	for (size_t i = 0; i < l->count && shown < (cause && !p->r->all ? 0 : max); i++) {
		if (l->v[i].rule != rule_table[rule] || l->v[i].baselined)
			continue;
		p->finding(p->r, &l->v[i], out);
		shown++;
	}
	if (l->by_rule[rule] <= shown)
		return;
	RELEASED struct strbuf line = STRBUF_INIT;

	strbuf_adds(&line, "... and ");
	strbuf_add_grouped(&line, l->by_rule[rule] - shown);
	strbuf_addf(&line, " %sof rule %s", shown ? "more " : "", rule_table[rule]->name);
	if (cause)
		strbuf_addf(&line, ", explained by %s", cause->name);
	else
		strbuf_adds(&line, p->r->all ? " (--max-findings)" : " (--all)");
	p->note(p->r, line.s, out);
}

void people_findings(const struct people *p, size_t causes, size_t lines, struct strbuf *out)
{
	size_t count, *order = selection_rules(p->r->findings, &count);
	uint64_t examples = p->r->all ? UINT64_MAX : EXAMPLES_LISTED;

	do {
		RELEASED struct strbuf line = STRBUF_INIT;
		size_t left_out = 0;

		strbuf_clear(out);
		/* those that are explained come last */
		for (size_t k = 0; k < 2 * count; k++) {
			const size_t i = k % count;

			if (is_shown(p->r, order[i], causes) || (k < count) == !!cause_of(p->r->findings, order[i]))
				continue;
			if (!examples && text_lines(out) + 1 >= lines)
				left_out++;
			else
				add_rule(p, order[i], examples, out);
		}
		strbuf_addf(&line, "... and %zu more rule%s (--all)", left_out, left_out > 1 ? "s" : "");
		if (left_out)
			p->note(p->r, line.s, out);
	} while (!p->r->all && text_lines(out) > lines && examples--);
	free(order);
}

void report_run_summary(const struct report *r, struct strbuf *out)
{
	strbuf_addf(out, "labelaudit: %s, ", r->run.device);
	strbuf_add_count(out, r->run.jobs, "thread");
	strbuf_adds(out, ": ");
	for (int stage = 0; stage < STAGES; stage++) {
		strbuf_addf(out, "%s ", stage_name((enum stage)stage));
		decimal_ratio(out, r->run.stage_ns[stage] / 1000, 1000000, 3);
		strbuf_adds(out, " s, ");
	}
	if (r->run.read_ahead)
		strbuf_addf(out, "%llu read ahead, up to %llu at a time, ", (unsigned long long)r->run.read_ahead,
			    (unsigned long long)r->run.under_way);
	strbuf_adds(out, "peak memory ");
	decimal_ratio(out, r->run.peak_memory, (decimal_wide)1 << 20, 1);
	strbuf_adds(out, " MiB\n");
}

static void add_remark(const struct report *r, const char *text, struct strbuf *out)
{
	(void)r;
	strbuf_adds(out, "labelaudit: ");
	escape_terminal(out, text, strlen(text));
	strbuf_addch(out, '\n');
}

void report_summary(const struct report *r, struct strbuf *out)
{
	uint64_t ms = report_milliseconds(&r->run);
	const struct diagnosis *d = report_diagnosis(r);
	const struct cause *next = NULL; /* the first that has a remedy */

	for (size_t i = 0; i < d->count && !next; i++)
		next = d->v[i].remedy ? &d->v[i] : NULL;
	strbuf_adds(out, "labelaudit: ");
	if (r->settings->shards)
		strbuf_addf(out, "shard %u/%u: ", r->settings->shard, r->settings->shards);
	summary_paint_verdict(r, out);
	strbuf_adds(out, ": ");
	summary_counts(r, out);
	strbuf_adds(out, " in ");
	decimal_ratio(out, ms, 1000, 1);
	strbuf_adds(out, " s\n");
	summary_remarks(r, add_remark, out);
	if (r->next) {
		strbuf_adds(out, "labelaudit: next: ");
		escape_terminal(out, r->hint, strlen(r->hint));
		strbuf_addf(out, ": %s\n", r->next);
	}
	if (!next || r->next)
		return;
	strbuf_adds(out, "labelaudit: next: ");
	if (report_fix(r, next->rule)) {
		strbuf_addf(out, "%s: %s\n", next->rule->name, report_fix(r, next->rule));
		return;
	}
	if (next->example && !cause_names_example(next)) {
		add_place(out, next->example, next->member);
		strbuf_adds(out, ": ");
	}
	strbuf_addf(out, "%s: ", next->rule->name);
	escape_terminal(out, next->remedy, strlen(next->remedy));
	strbuf_addch(out, '\n');
}
