/* Prints a comparison of two reports as text and as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/mem.h"
#include "command/diff.h"
#include "report/json_writer.h"
#include "report/report_json.h"
#include "report/selection.h"
#include "report/summary.h"

enum { CLASSES_LISTED = 40 };

static uint64_t counted_labels(const struct diff *d, int side)
{
	return d->reports[side]->dataset.labels;
}

static bool settings_differ(const struct diff *d)
{
	return strcmp(d->reports[DIFF_OLD]->settings.digest, d->reports[DIFF_NEW]->settings.digest) != 0;
}

static bool class_appeared(const struct diff_class *c)
{
	return !c->labels[DIFF_OLD] && c->labels[DIFF_NEW];
}

static bool class_vanished(const struct diff_class *c)
{
	return c->labels[DIFF_OLD] && !c->labels[DIFF_NEW];
}

/* Appends new - old, with its sign. */
static void add_drift(struct strbuf *out, const struct diff_class *c, uint64_t unit, unsigned decimals)
{
	uint64_t old = c->fraction[DIFF_OLD], new = c->fraction[DIFF_NEW];

	strbuf_adds(out, new < old ? "-" : "");
	decimal_ratio(out, new < old ? old - new : new - old, unit, decimals);
}

/* ---- json ------------------------------------------------------------------------------------------------------- */

static void write_side(struct json_writer *w, const struct diff *d, int side)
{
	const struct report_file *r = d->reports[side];

	json_key_object(w, side == DIFF_OLD ? "old" : "new", JSON_INLINE);
	report_json_name(w, "report", d->paths[side]);
	json_key_text(w, "digest", r->settings.digest);
	json_key_text(w, "status", report_passes(&r->report) ? "pass" : "fail");
	json_key_u64(w, "files", r->dataset.files);
	json_key_u64(w, "labels", counted_labels(d, side));
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
			decimal_ratio(json_value(w), c->fraction[side], 1000000, 6);
		}
		json_key(w, "drift");
		add_drift(json_value(w), c, 1000000, 6);
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

static void write_findings(struct json_writer *w, const char *key, const struct kept_finding *const *v, size_t n)
{
	json_key_array(w, key, JSON_BLOCK);
	for (size_t i = 0; i < n; i++)
		report_json_finding(w, v[i]);
	json_end(w);
}

void diff_json(const struct diff *d, struct strbuf *out)
{
	struct json_writer w;

	json_init(&w, out, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_text(&w, "type", "diff");
	report_json_tool(&w);
	write_side(&w, d, DIFF_OLD);
	write_side(&w, d, DIFF_NEW);
	json_key_bool(&w, "settings_differ", settings_differ(d));
	json_key_text(&w, "status", d->worse ? "fail" : "pass");
	json_key_bool(&w, "lists_cut", d->cut);
	report_json_name(&w, "compared_up_to", d->horizon ? d->horizon->path : NULL);
	write_ids_of(&w, d, "classes_appeared", class_appeared);
	write_ids_of(&w, d, "classes_vanished", class_vanished);
	write_classes(&w, d);
	write_rules(&w, d);
	write_findings(&w, "new_findings", d->appeared, d->appeared_count);
	write_findings(&w, "fixed_findings", d->fixed, d->fixed_count);
	json_end(&w);
	strbuf_addch(out, '\n');
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void add_finding(struct strbuf *out, const char *change, const struct kept_finding *f)
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

static void add_findings(struct strbuf *out, const char *change, const struct kept_finding *const *v, size_t n)
{
	uint64_t *shown = xcalloc(rule_count + 1, sizeof(*shown));

	for (size_t i = 0; i < n; i++)
		if (shown[rule_index(v[i]->rule)]++ < LISTED_A_RULE)
			add_finding(out, change, v[i]);
	for (size_t i = 0; i < rule_count; i++)
		if (shown[i] > LISTED_A_RULE)
			strbuf_addf(out, "... and %" PRIu64 " more %s of rule %s\n", shown[i] - LISTED_A_RULE, change,
				    rule_table[i]->name);
	free(shown);
}

/* Largest drift first, then by id. */
static int compare_drift(const void *pa, const void *pb)
{
	const struct diff_class *const *a = pa, *const *b = pb;
	uint64_t drift[2];
	const struct diff_class *both[2] = { *a, *b };

	for (int i = 0; i < 2; i++) {
		const uint64_t *f = both[i]->fraction;

		drift[i] = f[DIFF_NEW] > f[DIFF_OLD] ? f[DIFF_NEW] - f[DIFF_OLD] : f[DIFF_OLD] - f[DIFF_NEW];
	}
	if (drift[0] != drift[1])
		return drift[0] > drift[1] ? -1 : 1;
	return both[0]->id < both[1]->id ? -1 : both[0]->id > both[1]->id;
}

static void add_class(struct strbuf *out, const struct diff_class *c)
{
	strbuf_addf(out, "class %" PRId64, c->id);
	if (c->name) {
		strbuf_adds(out, " (");
		escape_terminal(out, c->name, strlen(c->name));
		strbuf_addch(out, ')');
	}
	strbuf_adds(out, ": ");
	decimal_ratio(out, c->fraction[DIFF_OLD], 10000, 2);
	strbuf_adds(out, " % -> ");
	decimal_ratio(out, c->fraction[DIFF_NEW], 10000, 2);
	strbuf_adds(out, " % of the labels (");
	strbuf_adds(out, c->fraction[DIFF_NEW] > c->fraction[DIFF_OLD] ? "+" : "");
	add_drift(out, c, 10000, 2);
	strbuf_addf(out, " points)%s\n", class_appeared(c) ? ", appeared" : class_vanished(c) ? ", vanished" : "");
}

static void add_classes(struct strbuf *out, const struct diff *d)
{
	const struct diff_class **changed = xcalloc(d->classes_count + 1, sizeof(*changed));
	size_t n = 0;

	for (size_t i = 0; i < d->classes_count; i++)
		if (d->classes[i].labels[DIFF_OLD] != d->classes[i].labels[DIFF_NEW])
			changed[n++] = &d->classes[i];
	if (n)
		qsort(changed, n, sizeof(*changed), compare_drift);
	for (size_t i = 0; i < MIN(n, (size_t)CLASSES_LISTED); i++)
		add_class(out, changed[i]);
	if (n > CLASSES_LISTED)
		strbuf_addf(out, "... and %zu more classes that changed\n", n - CLASSES_LISTED);
	free(changed);
}

static void add_counts(struct strbuf *out, const struct diff *d)
{
	static const char *const nouns[] = { "files", "labels", "findings" };
	const struct report_file *old = d->reports[DIFF_OLD], *new = d->reports[DIFF_NEW];
	const uint64_t counts[][2] = {
		{ old->dataset.files, new->dataset.files },
		{ counted_labels(d, DIFF_OLD), counted_labels(d, DIFF_NEW) },
		{ old->findings.total, new->findings.total },
	};

	for (size_t i = 0; i < ARRAY_SIZE(nouns); i++)
		strbuf_addf(out, "%s: %" PRIu64 " -> %" PRIu64 "\n", nouns[i], counts[i][0], counts[i][1]);
}

void diff_text(const struct diff *d, bool colour, int verbosity, struct strbuf *out)
{
	add_findings(out, "new", d->appeared, d->appeared_count);
	add_findings(out, "fixed", d->fixed, d->fixed_count);
	if (verbosity >= 0) {
		add_classes(out, d);
		add_counts(out, d);
	}
	if (settings_differ(d))
		strbuf_adds(out, "note: the reports were made with different settings\n");
	if (d->horizon) {
		strbuf_adds(out, "note: a list of findings is cut; they were compared up to ");
		add_place(out, d->horizon->path, d->horizon->member);
		strbuf_adds(out, ", beyond it the counts of each rule\n");
	} else if (d->cut) {
		strbuf_adds(out, "note: a list of findings is cut before the first of a file; the counts of each rule "
				 "were compared\n");
	}
	if (colour)
		strbuf_adds(out, d->worse ? "\033[31m" : "\033[32m");
	strbuf_adds(out, d->worse ? "FAIL" : "PASS");
	if (colour)
		strbuf_adds(out, "\033[0m");
	strbuf_addf(out, ": %zu new and %zu fixed finding%s\n", d->appeared_count, d->fixed_count,
		    d->fixed_count == 1 ? "" : "s");
}
