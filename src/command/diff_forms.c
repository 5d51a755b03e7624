/*
 * Writes a comparison: as text for a terminal, as JSON for programs, and as Markdown for a pull request or a step's
 * summary. Text from outside is escaped for each (base/escape.h).
 */
#include "command/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/mem.h"
#include "report/json_writer.h"
#include "report/report_json.h"
#include "report/selection.h"
#include "report/settings_difference.h"
#include "report/summary.h"
#include "report/text_parts.h"

/* More classes, and more findings of a rule (LISTED_A_RULE), are counted instead of listed, for people. */
enum { CLASSES_LISTED = 40, NAME_BYTES = 256 };

/* ---- phrases ---------------------------------------------------------------------------------------------------- */

/* Appends "75.71": percent of the labels. */
static void add_share(struct strbuf *out, uint64_t share)
{
	decimal_ratio(out, share, 10000, 2);
}

/* Appends "+1.58" or "-1.58": the points between the shares. */
static void add_move(struct strbuf *out, const struct diff_class *c)
{
	if (c->share[DIFF_NEW] != c->share[DIFF_OLD])
		strbuf_addch(out, c->share[DIFF_NEW] > c->share[DIFF_OLD] ? '+' : '-');
	decimal_ratio(out, diff_move(c), 10000, 2);
}

/* Appends "0.5": what --drift was given. */
static void add_drift_max(struct strbuf *out, uint64_t drift_max)
{
	decimal_ratio(out, drift_max, 10000, 4);
	while (out->s[out->len - 1] == '0')
		out->s[--out->len] = '\0';
	if (out->s[out->len - 1] == '.')
		out->s[--out->len] = '\0';
}

/* Appends ", appeared", ", vanished" and ", more than --drift 0.5", as far as they hold. */
static void add_changes(struct strbuf *out, const struct diff *d, const struct diff_class *c)
{
	strbuf_adds(out, diff_class_appeared(c) ? ", appeared" : diff_class_vanished(c) ? ", vanished" : "");
	if (!diff_class_drifted(d, c))
		return;
	strbuf_adds(out, ", more than --drift ");
	add_drift_max(out, d->drift_max);
}

/* Appends "4 new and 0 fixed findings, 1 class moved by more than 0.5 points (--drift)". */
static void add_counts(struct strbuf *out, const struct diff *d)
{
	strbuf_add_grouped(out, d->appeared.count);
	strbuf_adds(out, " new and ");
	strbuf_add_count(out, d->fixed.count, "fixed finding");
	if (!d->drifted)
		return;
	strbuf_addf(out, ", %zu class%s moved by more than ", d->drifted, d->drifted == 1 ? "" : "es");
	add_drift_max(out, d->drift_max);
	strbuf_adds(out, " points (--drift)");
}

/* Appends the notes about settings and cut lists, each a line: prefix, note, suffix. They hold text from outside. */
static void add_notes(struct strbuf *out, const struct diff *d, const char *prefix, const char *suffix)
{
	struct strbuf difference = STRBUF_INIT;

	if (settings_difference(d->reports[DIFF_OLD], d->reports[DIFF_NEW], &difference)) {
		strbuf_addf(out, "%sthe reports were made with different settings: ", prefix);
		escape_terminal(out, difference.s, difference.len);
		strbuf_adds(out, suffix);
	}
	strbuf_release(&difference);
	if (d->horizon) {
		strbuf_addf(out, "%sa list of findings is cut off; findings were compared up to ", prefix);
		add_place(out, d->horizon->path, d->horizon->member);
		strbuf_addf(out, ", and after it by the counts of each rule%s", suffix);
	} else if (d->cut) {
		strbuf_addf(out,
			    "%sa list of findings is cut off before its first file; only the counts of each rule were "
			    "compared%s",
			    prefix, suffix);
	}
}

static const char *verdict(const struct diff *d)
{
	return diff_fails(d) ? "FAIL" : "PASS";
}

/*
 * Calls write for at most LISTED_A_RULE findings of each rule. Returns how many of each rule there are, as rule_table;
 * the caller frees it.
 */
static uint64_t *each_listed(const struct diff_findings *l, const char *change,
			     void (*write)(struct strbuf *out, const char *change, const struct kept_finding *f),
			     struct strbuf *out)
{
	uint64_t *seen = xcalloc(rule_count + 1, sizeof(*seen));

	for (size_t i = 0; i < l->count; i++)
		if (seen[rule_index(l->v[i]->rule)]++ < LISTED_A_RULE)
			write(out, change, l->v[i]);
	return seen;
}

/* ---- json ------------------------------------------------------------------------------------------------------- */

static bool settings_differ(const struct diff *d)
{
	return strcmp(d->reports[DIFF_OLD]->settings.digest, d->reports[DIFF_NEW]->settings.digest) != 0;
}

static void write_side(struct json_writer *w, const struct diff *d, int side)
{
	const struct report_file *r = d->reports[side];

	json_key_object(w, side == DIFF_OLD ? "old" : "new", JSON_INLINE);
	report_json_name(w, "report", d->paths[side]);
	json_key_text(w, "digest", r->settings.digest);
	json_key_text(w, "status", report_passes(&r->report) ? "pass" : "fail");
	json_key_u64(w, "files", r->dataset.files);
	json_key_u64(w, "labels", r->dataset.labels);
	json_key_u64(w, "findings", r->findings.total);
	json_end(w);
}

static void write_ids_of(struct json_writer *w, const struct diff *d, const char *key,
			 bool (*wanted)(const struct diff_class *c))
{
	json_key_array(w, key, JSON_INLINE);
	for (size_t i = 0; i < d->classes_count; i++)
		if (wanted(&d->classes[i]))
			json_i64(w, d->classes[i].id);
	json_end(w);
}

/* --drift and the classes that moved by more. */
static void write_drift(struct json_writer *w, const struct diff *d)
{
	json_key(w, "drift_max");
	if (d->drift_max)
		decimal_ratio(json_value(w), d->drift_max, 1000000, 6);
	else
		json_null(w);
	json_key_array(w, "classes_drifted", JSON_INLINE);
	for (size_t i = 0; i < d->classes_count; i++)
		if (diff_class_drifted(d, &d->classes[i]))
			json_i64(w, d->classes[i].id);
	json_end(w);
}

static void write_classes(struct json_writer *w, const struct diff *d)
{
	static const char *const labels[] = { "old_labels", "new_labels" };
	static const char *const fractions[] = { "old_fraction", "new_fraction" };

	json_key_array(w, "classes", JSON_BLOCK);
	for (size_t i = 0; i < d->classes_count; i++) {
		const struct diff_class *c = &d->classes[i];

		json_begin_object(w, JSON_INLINE);
		json_key_i64(w, "id", c->id);
		json_key_text(w, "name", c->name);
		for (int side = DIFF_OLD; side <= DIFF_NEW; side++)
			json_key_u64(w, labels[side], c->labels[side]);
		for (int side = DIFF_OLD; side <= DIFF_NEW; side++) {
			json_key(w, fractions[side]);
			decimal_ratio(json_value(w), c->share[side], 1000000, 6);
		}
		json_key(w, "drift");
		strbuf_adds(json_value(w), c->share[DIFF_NEW] < c->share[DIFF_OLD] ? "-" : "");
		decimal_ratio(w->out, diff_move(c), 1000000, 6);
		json_end(w);
	}
	json_end(w);
}

static void write_rules(struct json_writer *w, const struct diff *d)
{
	json_key_array(w, "rules", JSON_BLOCK);
	for (size_t i = 0; i < rule_count; i++) {
		uint64_t old = d->reports[DIFF_OLD]->findings.by_rule[i];
		uint64_t new = d->reports[DIFF_NEW]->findings.by_rule[i];

		if (!old && !new)
			continue;
		json_begin_object(w, JSON_INLINE);
		json_key_text(w, "rule", rule_table[i]->name);
		json_key_u64(w, "old", old);
		json_key_u64(w, "new", new);
		json_end(w);
	}
	json_end(w);
}

static void write_findings(struct json_writer *w, const char *key, const struct diff_findings *l)
{
	json_key_array(w, key, JSON_BLOCK);
	for (size_t i = 0; i < l->count; i++)
		report_json_finding(w, l->v[i]);
	json_end(w);
}

static void write_json(const struct diff *d, const struct output_options *style, struct strbuf *out)
{
	struct json_writer w;

	(void)style;
	json_init(&w, out, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_text(&w, "type", "diff");
	report_json_tool(&w);
	write_side(&w, d, DIFF_OLD);
	write_side(&w, d, DIFF_NEW);
	json_key_bool(&w, "settings_differ", settings_differ(d));
	json_key_text(&w, "status", diff_fails(d) ? "fail" : "pass");
	json_key_bool(&w, "lists_cut", d->cut);
	report_json_name(&w, "compared_up_to", d->horizon ? d->horizon->path : NULL);
	write_ids_of(&w, d, "classes_appeared", diff_class_appeared);
	write_ids_of(&w, d, "classes_vanished", diff_class_vanished);
	json_key_ratio(&w, "distance", d->distance, 1000000, 6);
	write_drift(&w, d);
	write_classes(&w, d);
	write_rules(&w, d);
	write_findings(&w, "new_findings", &d->appeared);
	write_findings(&w, "fixed_findings", &d->fixed);
	json_end(&w);
	strbuf_addch(out, '\n');
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void write_text_finding(struct strbuf *out, const char *change, const struct kept_finding *f)
{
	strbuf_addf(out, "%s: ", change);
	if (f->path)
		add_place(out, f->path, f->member);
	else
		strbuf_adds(out, "(dataset)");
	strbuf_addf(out, ": %s %s: ", level_name(f->level), f->rule->name);
	escape_terminal(out, f->message, strlen(f->message));
	strbuf_addch(out, '\n');
}

static void text_findings(struct strbuf *out, const char *change, const struct diff_findings *l)
{
	uint64_t *seen = each_listed(l, change, write_text_finding, out);

	for (size_t i = 0; i < rule_count; i++)
		if (seen[i] > LISTED_A_RULE)
			strbuf_addf(out, "... and %" PRIu64 " more %s of rule %s\n", seen[i] - LISTED_A_RULE, change,
				    rule_table[i]->name);
	free(seen);
}

static void text_class(struct strbuf *out, const struct diff *d, const struct diff_class *c)
{
	strbuf_addf(out, "class %" PRId64, c->id);
	if (c->name) {
		strbuf_adds(out, " (");
		escape_terminal(out, c->name, strlen(c->name));
		strbuf_addch(out, ')');
	}
	strbuf_adds(out, ": ");
	add_share(out, c->share[DIFF_OLD]);
	strbuf_adds(out, " % -> ");
	add_share(out, c->share[DIFF_NEW]);
	strbuf_adds(out, " % of the labels (");
	add_move(out, c);
	strbuf_adds(out, " points)");
	add_changes(out, d, c);
	strbuf_addch(out, '\n');
}

static void text_classes(struct strbuf *out, const struct diff *d)
{
	size_t n;
	const struct diff_class **changed = diff_changed_classes(d, &n);

	for (size_t i = 0; i < MIN(n, (size_t)CLASSES_LISTED); i++)
		text_class(out, d, changed[i]);
	if (n > CLASSES_LISTED)
		strbuf_addf(out, "... and %zu more classes that changed\n", n - CLASSES_LISTED);
	free(changed);
}

static const char *const count_nouns[] = { "files", "labels", "findings" };

static uint64_t count_of(const struct diff *d, size_t noun, int side)
{
	const struct report_file *r = d->reports[side];

	return noun == 0 ? r->dataset.files : noun == 1 ? r->dataset.labels : r->findings.total;
}

/* Appends a line for each noun: what begins it, the noun, the old count, the new one, what ends it. */
static void add_count_lines(struct strbuf *out, const struct diff *d, const char *begin, const char *after,
			    const char *between, const char *end)
{
	for (size_t i = 0; i < ARRAY_SIZE(count_nouns); i++) {
		strbuf_addf(out, "%s%s%s", begin, count_nouns[i], after);
		strbuf_add_grouped(out, count_of(d, i, DIFF_OLD));
		strbuf_adds(out, between);
		strbuf_add_grouped(out, count_of(d, i, DIFF_NEW));
		strbuf_adds(out, end);
	}
}

static void write_text(const struct diff *d, const struct output_options *style, struct strbuf *out)
{
	text_findings(out, "new", &d->appeared);
	text_findings(out, "fixed", &d->fixed);
	if (style->verbosity >= 0) {
		text_classes(out, d);
		add_count_lines(out, d, "", ": ", " -> ", "\n");
	}
	add_notes(out, d, "note: ", "\n");
	if (style->stdout_colour)
		strbuf_addf(out, "%s%s" PLAIN ": ", diff_fails(d) ? RED : GREEN, verdict(d));
	else
		strbuf_addf(out, "%s: ", verdict(d));
	add_counts(out, d);
	strbuf_addch(out, '\n');
}

/* ---- markdown --------------------------------------------------------------------------------------------------- */

static void markdown_finding(struct strbuf *out, const char *change, const struct kept_finding *f)
{
	(void)change;
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

static void markdown_findings(struct strbuf *out, const char *heading, const struct diff_findings *l)
{
	uint64_t more = 0;

	if (!l->count)
		return;
	strbuf_addf(out, "\n### %s\n\n", heading);
	uint64_t *seen = each_listed(l, heading, markdown_finding, out);

	for (size_t i = 0; i < rule_count; i++)
		more += seen[i] > LISTED_A_RULE ? seen[i] - LISTED_A_RULE : 0;
	if (more)
		strbuf_addf(out, "- ... and %" PRIu64 " more\n", more);
	free(seen);
}

static void markdown_head(struct strbuf *out, const struct diff *d)
{
	struct strbuf notes = STRBUF_INIT;

	strbuf_addf(out, "## labelaudit diff: %s\n\n", verdict(d));
	add_counts(out, d);
	strbuf_adds(out, "\n\n| | old | new |\n| --- | ---: | ---: |\n");
	add_count_lines(out, d, "| ", " | ", " | ", " |\n");
	add_notes(&notes, d, "", "\n");
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
	for (size_t i = 0; i < MIN(n, (size_t)CLASSES_LISTED); i++) {
		const struct diff_class *c = changed[i];
		const char *name = c->name ? c->name : "";

		strbuf_addf(out, "| %" PRId64 " | ", c->id);
		escape_markdown(out, name, utf8_cut(name, strlen(name), NAME_BYTES));
		strbuf_adds(out, " | ");
		add_share(out, c->share[DIFF_OLD]);
		strbuf_adds(out, " | ");
		add_share(out, c->share[DIFF_NEW]);
		strbuf_adds(out, " | ");
		add_move(out, c);
		add_changes(out, d, c);
		strbuf_adds(out, " |\n");
	}
	if (n > CLASSES_LISTED)
		strbuf_addf(out, "\n... and %zu more classes that changed\n", n - CLASSES_LISTED);
	free(changed);
}

static void write_markdown(const struct diff *d, const struct output_options *style, struct strbuf *out)
{
	(void)style;
	markdown_head(out, d);
	markdown_findings(out, "New findings", &d->appeared);
	markdown_findings(out, "Fixed findings", &d->fixed);
	markdown_classes(out, d);
}

const struct diff_form diff_forms[DIFF_FORMS] = { { "text", write_text },
						  { "json", write_json },
						  { "markdown", write_markdown } };
