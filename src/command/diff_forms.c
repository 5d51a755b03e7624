/*
 * Writes a comparison: as JSON for programs; for people the same lines as text for a terminal and as Markdown for a
 * pull request or a step's summary. Text from outside is escaped for each (base/escape.h).
 */
#include "command/diff.h"

#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/mem.h"
#include "report/json_writer.h"
#include "report/report_json.h"
#include "report/selection.h"
#include "report/settings_difference.h"
#include "report/summary.h"

/* More classes, and more findings of a rule, are counted instead of listed, for people. */
enum { CLASSES_LISTED = 40, LISTED_A_RULE = 20 };

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

static const char *verdict(const struct diff *d)
{
	return diff_fails(d) ? "FAIL" : "PASS";
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

/* ---- for people ------------------------------------------------------------------------------------------------- */

/* How the lines are written. */
struct manner {
	bool markdown;
	struct strbuf *out;
};

static void add_text(const struct manner *m, const char *s)
{
	(m->markdown ? escape_markdown : escape_terminal)(m->out, s, strlen(s));
}

static void begin_line(const struct manner *m, const char *word)
{
	strbuf_addf(m->out, m->markdown ? "- %s" : "%s", m->markdown && !strcmp(word, "note: ") ? "Note: " : word);
}

static void add_heading(const struct manner *m, const char *heading, size_t lines)
{
	if (m->markdown && lines)
		strbuf_addf(m->out, "\n### %s\n\n", heading);
}

static void add_finding(const struct manner *m, const char *change, const struct kept_finding *f)
{
	const char *quote = m->markdown ? "`" : "", *strong = m->markdown ? "**" : "";

	begin_line(m, m->markdown ? "" : change);
	if (!m->markdown)
		strbuf_adds(m->out, ": ");
	if (f->path) {
		strbuf_adds(m->out, quote);
		add_place_escaped(m->out, f->path, f->member, m->markdown ? escape_markdown_code : escape_terminal);
		strbuf_adds(m->out, quote);
	} else {
		strbuf_adds(m->out, "(dataset)");
	}
	strbuf_addf(m->out, ": %s%s%s %s%s%s: ", strong, level_name(f->level), strong, quote, f->rule->name, quote);
	add_text(m, f->message);
	strbuf_addch(m->out, '\n');
}

/* Lists at most LISTED_A_RULE findings of each rule, and counts the others. */
static void add_findings(const struct manner *m, const char *change, const char *heading, const struct diff_findings *l)
{
	FREED uint64_t *seen = xcalloc(rule_count + 1, sizeof(*seen));

	add_heading(m, heading, l->count);
	for (size_t i = 0; i < l->count; i++)
		if (seen[rule_index(l->v[i]->rule)]++ < LISTED_A_RULE)
			add_finding(m, change, l->v[i]);
	for (size_t i = 0; i < rule_count; i++) {
		if (seen[i] <= LISTED_A_RULE)
			continue;
		begin_line(m, "");
		strbuf_addf(m->out, "... and %" PRIu64 " more %s of rule %s\n", seen[i] - LISTED_A_RULE, change,
			    rule_table[i]->name);
	}
}

static void add_class(const struct manner *m, const struct diff *d, const struct diff_class *c)
{
	struct strbuf *out = m->out;

	begin_line(m, "class ");
	strbuf_addf(out, "%" PRId64, c->id);
	if (c->name) {
		strbuf_adds(out, " (");
		add_text(m, c->name);
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

static void add_classes(const struct manner *m, const struct diff *d)
{
	size_t n;
	FREED const struct diff_class **changed = diff_changed_classes(d, &n);

	add_heading(m, "Classes", n);
	for (size_t i = 0; i < MIN(n, (size_t)CLASSES_LISTED); i++)
		add_class(m, d, changed[i]);
	if (n > CLASSES_LISTED) {
		begin_line(m, "");
		strbuf_addf(m->out, "... and %zu more classes that changed\n", n - CLASSES_LISTED);
	}
}

/* Appends "files: 3 -> 4" and the like. */
static void add_sums(const struct manner *m, const struct diff *d)
{
	const struct report_file *old = d->reports[DIFF_OLD], *new = d->reports[DIFF_NEW];
	const struct {
		const char *noun;
		uint64_t old, new;
	} sums[] = {
		{ "files: ", old->dataset.files, new->dataset.files },
		{ "labels: ", old->dataset.labels, new->dataset.labels },
		{ "findings: ", old->findings.total, new->findings.total },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		begin_line(m, sums[i].noun);
		strbuf_add_grouped(m->out, sums[i].old);
		strbuf_adds(m->out, " -> ");
		strbuf_add_grouped(m->out, sums[i].new);
		strbuf_addch(m->out, '\n');
	}
}

/* Appends the notes about settings and cut lists. */
static void add_notes(const struct manner *m, const struct diff *d)
{
	RELEASED struct strbuf difference = STRBUF_INIT;

	if (settings_difference(d->reports[DIFF_OLD], d->reports[DIFF_NEW], &difference)) {
		begin_line(m, "note: ");
		strbuf_adds(m->out, "the reports were made with different settings: ");
		add_text(m, difference.s);
		strbuf_addch(m->out, '\n');
	}
	if (!d->horizon && !d->cut)
		return;
	begin_line(m, "note: ");
	if (d->horizon) {
		strbuf_adds(m->out, "a list of findings is cut off; findings were compared up to ");
		add_place_escaped(m->out, d->horizon->path, d->horizon->member,
				  m->markdown ? escape_markdown : escape_terminal);
		strbuf_adds(m->out, ", and after it by the counts of each rule\n");
	} else {
		strbuf_adds(m->out, "a list of findings is cut off before its first file; only the counts of each rule "
				    "were compared\n");
	}
}

static void write_text(const struct diff *d, const struct output_options *style, struct strbuf *out)
{
	const struct manner m = { false, out };

	add_findings(&m, "new", "", &d->appeared);
	add_findings(&m, "fixed", "", &d->fixed);
	if (style->verbosity >= 0) {
		add_classes(&m, d);
		add_sums(&m, d);
	}
	add_notes(&m, d);
	if (style->stdout_colour)
		strbuf_addf(out, "%s%s" PLAIN ": ", diff_fails(d) ? RED : GREEN, verdict(d));
	else
		strbuf_addf(out, "%s: ", verdict(d));
	add_counts(out, d);
	strbuf_addch(out, '\n');
}

/* The verdict comes first: a comment shows its beginning. */
static void write_markdown(const struct diff *d, const struct output_options *style, struct strbuf *out)
{
	const struct manner m = { true, out };

	(void)style;
	strbuf_addf(out, "## labelaudit diff: %s\n\n", verdict(d));
	add_counts(out, d);
	strbuf_adds(out, "\n\n");
	add_sums(&m, d);
	add_notes(&m, d);
	add_findings(&m, "new", "New findings", &d->appeared);
	add_findings(&m, "fixed", "Fixed findings", &d->fixed);
	add_classes(&m, d);
}

const struct diff_form diff_forms[DIFF_FORMS] = { { "text", write_text },
						  { "json", write_json },
						  { "markdown", write_markdown } };
