/* Writes a comparison as text and as JSON, and the phrases that all forms share. */
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

enum { FLUSHED_BYTES = 1 << 20 }; /* of what is written, at once */

/* ---- phrases ---------------------------------------------------------------------------------------------------- */

void diff_add_share(struct strbuf *out, uint64_t share)
{
	decimal_ratio(out, share, 10000, 2);
}

void diff_add_move(struct strbuf *out, const struct diff_class *c)
{
	if (c->share[DIFF_NEW] != c->share[DIFF_OLD])
		strbuf_addch(out, c->share[DIFF_NEW] > c->share[DIFF_OLD] ? '+' : '-');
	decimal_ratio(out, diff_move(c), 10000, 2);
}

/* Appends "0.5": what --drift was given. */
static void diff_add_drift_max(struct strbuf *out, uint64_t drift_max)
{
	decimal_ratio(out, drift_max, 10000, 4);
	while (out->s[out->len - 1] == '0')
		out->s[--out->len] = '\0';
	if (out->s[out->len - 1] == '.')
		out->s[--out->len] = '\0';
}

void diff_add_changes(struct strbuf *out, const struct diff *d, const struct diff_class *c)
{
	strbuf_adds(out, diff_class_appeared(c) ? ", appeared" : diff_class_vanished(c) ? ", vanished" : "");
	if (!diff_class_drifted(d, c))
		return;
	strbuf_adds(out, ", more than --drift ");
	diff_add_drift_max(out, d->drift_max);
}

void diff_add_counts(struct strbuf *out, const struct diff *d)
{
	strbuf_add_grouped(out, d->appeared_count);
	strbuf_adds(out, " new and ");
	strbuf_add_count(out, d->fixed_count, "fixed finding");
	if (!d->drifted)
		return;
	strbuf_addf(out, ", %zu class%s moved by more than ", d->drifted, d->drifted == 1 ? "" : "es");
	diff_add_drift_max(out, d->drift_max);
	strbuf_adds(out, " points (--drift)");
}

void diff_add_notes(struct strbuf *out, const struct diff *d, const char *prefix, const char *suffix)
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

static void write_findings(const struct form_style *style, struct json_writer *w, const char *key,
			   const struct kept_finding *const *v, size_t n)
{
	json_key_array(w, key, JSON_BLOCK);
	for (size_t i = 0; i < n; i++) {
		report_json_finding(w, v[i]);
		if (w->out->len < FLUSHED_BYTES)
			continue;
		forms_flush(style, w->out);
	}
	json_end(w);
}

static void write_json(const void *diff, const struct form_style *style, struct strbuf *out)
{
	const struct diff *d = diff;
	struct json_writer w;

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
	write_findings(style, &w, "new_findings", d->appeared, d->appeared_count);
	write_findings(style, &w, "fixed_findings", d->fixed, d->fixed_count);
	json_end(&w);
	strbuf_addch(out, '\n');
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void text_finding(struct strbuf *out, const char *change, const struct kept_finding *f)
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

static void text_findings(struct strbuf *out, const char *change, const struct kept_finding *const *v, size_t n)
{
	uint64_t *shown = xcalloc(rule_count + 1, sizeof(*shown));

	for (size_t i = 0; i < n; i++)
		if (shown[rule_index(v[i]->rule)]++ < LISTED_A_RULE)
			text_finding(out, change, v[i]);
	for (size_t i = 0; i < rule_count; i++)
		if (shown[i] > LISTED_A_RULE)
			strbuf_addf(out, "... and %" PRIu64 " more %s of rule %s\n", shown[i] - LISTED_A_RULE, change,
				    rule_table[i]->name);
	free(shown);
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
	diff_add_share(out, c->share[DIFF_OLD]);
	strbuf_adds(out, " % -> ");
	diff_add_share(out, c->share[DIFF_NEW]);
	strbuf_adds(out, " % of the labels (");
	diff_add_move(out, c);
	strbuf_adds(out, " points)");
	diff_add_changes(out, d, c);
	strbuf_addch(out, '\n');
}

static void text_classes(struct strbuf *out, const struct diff *d)
{
	size_t n;
	const struct diff_class **changed = diff_changed_classes(d, &n);

	for (size_t i = 0; i < MIN(n, (size_t)DIFF_CLASSES_LISTED); i++)
		text_class(out, d, changed[i]);
	if (n > DIFF_CLASSES_LISTED)
		strbuf_addf(out, "... and %zu more classes that changed\n", n - DIFF_CLASSES_LISTED);
	free(changed);
}

static void text_counts(struct strbuf *out, const struct diff *d)
{
	static const char *const nouns[] = { "files", "labels", "findings" };
	const struct report_file *old = d->reports[DIFF_OLD], *new = d->reports[DIFF_NEW];
	const uint64_t counts[][2] = {
		{ old->dataset.files, new->dataset.files },
		{ old->dataset.labels, new->dataset.labels },
		{ old->findings.total, new->findings.total },
	};

	for (size_t i = 0; i < ARRAY_SIZE(nouns); i++) {
		strbuf_addf(out, "%s: ", nouns[i]);
		strbuf_add_grouped(out, counts[i][0]);
		strbuf_adds(out, " -> ");
		strbuf_add_grouped(out, counts[i][1]);
		strbuf_addch(out, '\n');
	}
}

void diff_write_text(const void *diff, const struct form_style *style, struct strbuf *out)
{
	const struct diff *d = diff;

	text_findings(out, "new", d->appeared, d->appeared_count);
	text_findings(out, "fixed", d->fixed, d->fixed_count);
	if (style->verbosity >= 0) {
		text_classes(out, d);
		text_counts(out, d);
	}
	diff_add_notes(out, d, "note: ", "\n");
	if (style->colour)
		strbuf_adds(out, diff_fails(d) ? "\033[31m" : "\033[32m");
	strbuf_adds(out, diff_fails(d) ? "FAIL" : "PASS");
	if (style->colour)
		strbuf_adds(out, "\033[0m");
	strbuf_adds(out, ": ");
	diff_add_counts(out, d);
	strbuf_addch(out, '\n');
}

const struct form diff_forms[] = {
	{ "text", diff_write_text },     { "json", write_json },      { "markdown", diff_write_markdown },
	{ "github", diff_write_github }, { "html", diff_write_html }, { NULL, NULL },
};
