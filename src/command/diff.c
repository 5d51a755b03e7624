/*
 * `labelaudit diff`: compares two JSON reports, and prints what changed as text or JSON.
 *
 * A finding is the same if rule, path and member are; one whose level rose counts as new. Where a report's list is cut
 * (--max-findings), the findings of files after its last one are unknown and left out; the counts of each rule are
 * exact all the same.
 */
#include "command/commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/write_all.h"
#include "report/json_writer.h"
#include "report/output_file.h"
#include "report/report_file.h"
#include "report/report_json.h"
#include "report/selection.h"
#include "report/settings_difference.h"
#include "report/summary.h"
#include "report/tables.h"

enum { CLASSES_LISTED = 40 };

/* Fractions of the labels that are not ignored, in millionths. */
struct diff_class {
	int64_t id;
	const char *name; /* NULL if unknown */
	uint64_t labels[2], fraction[2];
};

enum {
	RELAXED = 4096,          /* findings that are compared before memory is given back */
	FLUSHED_BYTES = 1 << 20, /* of what is written, at once */
};

/* Where a comparison is written, a piece at a time. */
struct sink {
	struct output_file *file; /* NULL: standard output */
	int *signal_number;
	struct error *err;
	enum status status; /* of the pieces so far */
};

enum { DIFF_OLD, DIFF_NEW };

struct diff {
	const char *paths[2];
	const struct report_file *reports[2]; /* by DIFF_OLD, DIFF_NEW; borrowed */
	enum level fail_on;
	struct diff_class *classes; /* of either report, sorted by id; owned */
	size_t classes_count, classes_cap;
	const struct kept_finding **appeared, **fixed; /* in the order of reports; arrays owned */
	size_t appeared_count, appeared_cap, fixed_count, fixed_cap;
	struct sink *sink; /* what is written to */
	bool cut;          /* a list of findings is cut */
	/* if cut: the last finding about a file that both lists reach; NULL if one lists none */
	const struct kept_finding *horizon;
	bool worse; /* something at or above fail_on is new */
};

/* ---- classes ---------------------------------------------------------------------------------------------------- */

static void add_class(struct diff *d, const struct class_row *row, int side, uint64_t whole)
{
	size_t at = 0;

	while (at < d->classes_count && d->classes[at].id < row->id)
		at++;
	if (at == d->classes_count || d->classes[at].id != row->id) {
		GROW(d->classes, d->classes_cap, d->classes_count + 1);
		memmove(d->classes + at + 1, d->classes + at, (d->classes_count - at) * sizeof(*d->classes));
		d->classes_count++;
		d->classes[at] = (struct diff_class){ .id = row->id };
	}
	struct diff_class *c = &d->classes[at];

	c->name = row->name ? row->name : c->name;
	c->labels[side] = row->labels;
	c->fraction[side] = whole ? (uint64_t)(((decimal_wide)row->labels * 1000000 + whole / 2) / whole) : 0;
}

/* Rows come sorted by id, so the search for a row's place starts at the last one. */
static void add_classes(struct diff *d, int side)
{
	const struct report_file *r = d->reports[side];
	struct report_tables tables;

	tables_init(&tables, &r->settings, &r->dataset);
	for (size_t i = 0; i < tables.classes_count; i++)
		add_class(d, &tables.classes[i], side, r->dataset.labels - tables.ignored_labels);
	tables_release(&tables);
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

/* Lowers the horizon to the last finding about a file in a list that is cut. */
static void look_ahead(struct diff *d, const struct finding_list *l)
{
	const struct kept_finding *last = NULL;

	if (l->count == l->total)
		return;
	for (size_t i = 0; i < l->count; i++)
		if (l->v[i].path)
			last = &l->v[i];
	if (!d->cut || (d->horizon && (!last || kept_finding_compare(last, d->horizon) < 0)))
		d->horizon = last;
	d->cut = true;
}

static bool beyond(const struct diff *d, const struct kept_finding *f)
{
	return d->cut && f->path && (!d->horizon || kept_finding_compare(f, d->horizon) > 0);
}

static void compare_findings(struct diff *d)
{
	const struct finding_list *old = &d->reports[DIFF_OLD]->findings, *new = &d->reports[DIFF_NEW]->findings;
	size_t i = 0, j = 0;

	look_ahead(d, old);
	look_ahead(d, new);
	while (i < old->count || j < new->count) {
		if ((i + j) % RELAXED == 0) {
			finding_list_relax(old);
			finding_list_relax(new);
		}
		int order = i == old->count ? 1 : j == new->count ? -1 : kept_finding_compare(&old->v[i], &new->v[j]);

		if (order < 0) {
			if (!beyond(d, &old->v[i])) {
				GROW(d->fixed, d->fixed_cap, d->fixed_count + 1);
				d->fixed[d->fixed_count++] = &old->v[i];
			}
			i++;
			continue;
		}
		const struct kept_finding *f = &new->v[j++];
		bool appeared = order > 0 || f->level > old->v[i].level;

		i += order == 0;
		if (!appeared || beyond(d, f))
			continue;
		GROW(d->appeared, d->appeared_cap, d->appeared_count + 1);
		d->appeared[d->appeared_count++] = f;
		d->worse = d->worse || (d->fail_on != LEVEL_OFF && f->level >= d->fail_on);
	}
	for (size_t rule = 0; rule < rule_count && d->cut && d->fail_on != LEVEL_OFF; rule++)
		if (new->by_rule[rule] > old->by_rule[rule] && new->rule_worst[rule] >= d->fail_on)
			d->worse = true;
}

/* ---- what both forms use ---------------------------------------------------------------------------------------- */

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

static uint64_t drift(const struct diff_class *c)
{
	uint64_t old = c->fraction[DIFF_OLD], new = c->fraction[DIFF_NEW];

	return MAX(old, new) - MIN(old, new);
}

/* Appends new - old, with its sign. */
static void add_drift(struct strbuf *out, const struct diff_class *c, uint64_t unit, unsigned decimals)
{
	strbuf_adds(out, c->fraction[DIFF_NEW] < c->fraction[DIFF_OLD] ? "-" : "");
	decimal_ratio(out, drift(c), unit, decimals);
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

static void flush_sink(struct sink *sink, struct strbuf *out)
{
	if (sink->status == STATUS_OK && out->len)
		sink->status = sink->file ? output_file_write(sink->file, out->s, out->len, sink->err)
					  : write_stdout(out, sink->signal_number, sink->err);
	strbuf_clear(out);
}

static void write_findings(const struct diff *d, struct json_writer *w, const char *key,
			   const struct kept_finding *const *v, size_t n)
{
	json_key_array(w, key, JSON_BLOCK);
	for (size_t i = 0; i < n; i++) {
		report_json_finding(w, v[i]);
		if (w->out->len < FLUSHED_BYTES)
			continue;
		finding_list_relax(&d->reports[DIFF_OLD]->findings);
		finding_list_relax(&d->reports[DIFF_NEW]->findings);
		flush_sink(d->sink, w->out);
	}
	json_end(w);
}

static void write_json(const struct diff *d, struct strbuf *out)
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
	write_findings(d, &w, "new_findings", d->appeared, d->appeared_count);
	write_findings(d, &w, "fixed_findings", d->fixed, d->fixed_count);
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

/* Largest drift first, then by id. */
static int compare_drift(const void *pa, const void *pb)
{
	const struct diff_class *a = *(const struct diff_class *const *)pa, *b = *(const struct diff_class *const *)pb;

	if (drift(a) != drift(b))
		return drift(a) > drift(b) ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void text_class(struct strbuf *out, const struct diff_class *c)
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

static void text_classes(struct strbuf *out, const struct diff *d)
{
	const struct diff_class **changed = xcalloc(d->classes_count + 1, sizeof(*changed));
	size_t n = 0;

	for (size_t i = 0; i < d->classes_count; i++)
		if (d->classes[i].labels[DIFF_OLD] != d->classes[i].labels[DIFF_NEW])
			changed[n++] = &d->classes[i];
	if (n)
		qsort(changed, n, sizeof(*changed), compare_drift);
	for (size_t i = 0; i < MIN(n, (size_t)CLASSES_LISTED); i++)
		text_class(out, changed[i]);
	if (n > CLASSES_LISTED)
		strbuf_addf(out, "... and %zu more classes that changed\n", n - CLASSES_LISTED);
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

	for (size_t i = 0; i < ARRAY_SIZE(nouns); i++)
		strbuf_addf(out, "%s: %" PRIu64 " -> %" PRIu64 "\n", nouns[i], counts[i][0], counts[i][1]);
}

static void write_text(const struct diff *d, bool colour, int verbosity, struct strbuf *out)
{
	struct strbuf difference = STRBUF_INIT;

	text_findings(out, "new", d->appeared, d->appeared_count);
	text_findings(out, "fixed", d->fixed, d->fixed_count);
	if (verbosity >= 0) {
		text_classes(out, d);
		text_counts(out, d);
	}
	if (settings_difference(d->reports[DIFF_OLD], d->reports[DIFF_NEW], &difference)) {
		strbuf_adds(out, "note: the reports were made with different settings: ");
		escape_terminal(out, difference.s, difference.len);
		strbuf_addch(out, '\n');
	}
	strbuf_release(&difference);
	if (d->horizon) {
		strbuf_adds(out, "note: a list of findings is cut off; findings were compared up to ");
		add_place(out, d->horizon->path, d->horizon->member);
		strbuf_adds(out, ", and after it by the counts of each rule\n");
	} else if (d->cut) {
		strbuf_adds(out, "note: a list of findings is cut off before its first file; only the counts of each "
				 "rule were compared\n");
	}
	if (colour)
		strbuf_adds(out, d->worse ? "\033[31m" : "\033[32m");
	strbuf_adds(out, d->worse ? "FAIL" : "PASS");
	if (colour)
		strbuf_adds(out, "\033[0m");
	strbuf_addf(out, ": %zu new and ", d->appeared_count);
	strbuf_add_count(out, d->fixed_count, "fixed finding");
	strbuf_addch(out, '\n');
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static enum status check_form(const char *form, struct error *err)
{
	if (!strcmp(form, "text") || !strcmp(form, "json") || !strcmp(form, "none"))
		return STATUS_OK;
	return error_set(err, "a comparison can be written as text or json, not as %s", form);
}

static enum status check_comparable(const struct diff *d, bool force, struct error *err)
{
	struct strbuf difference = STRBUF_INIT;
	enum status status = STATUS_OK;

	for (int side = DIFF_OLD; side <= DIFF_NEW; side++)
		if (!d->reports[side]->report.complete)
			return error_set(err, "%s: the report of an incomplete audit cannot be compared",
					 d->paths[side]);
	const struct settings *old = &d->reports[DIFF_OLD]->settings, *new = &d->reports[DIFF_NEW]->settings;

	if (old->shard != new->shard || old->shards != new->shards)
		return error_set(err, "the reports are of different shards: merge them first");
	if (!force && settings_difference(d->reports[DIFF_OLD], d->reports[DIFF_NEW], &difference))
		status = error_set(err, "the reports were made with other settings: %s (--force compares them)",
				   difference.s);
	strbuf_release(&difference);
	return status;
}

static void write_form(const struct diff *d, const char *form, bool colour, int verbosity, struct strbuf *out)
{
	strbuf_clear(out);
	if (!strcmp(form, "text"))
		write_text(d, colour, verbosity, out);
	else if (!strcmp(form, "json"))
		write_json(d, out);
}

static enum status write_file(const struct diff *d, const struct output *output, struct error *err)
{
	struct output_file file;
	struct strbuf text = STRBUF_INIT;
	enum status status = output_file_open(&file, output->path, err);

	if (status != STATUS_OK)
		return status;
	struct sink sink = { &file, NULL, err, STATUS_OK };
	struct diff with = *d;

	with.sink = &sink;
	write_form(&with, output->format, false, 0, &text);
	flush_sink(&sink, &text);
	status = sink.status;
	if (status == STATUS_OK)
		status = output_file_commit(&file, err);
	else
		output_file_abort(&file);
	strbuf_release(&text);
	return status;
}

enum status diff_run(const struct options *options, int *signal_number, struct error *err)
{
	struct report_file *reports[2] = { NULL, NULL };
	struct diff d = { .fail_on = options->settings.fail_on };
	struct strbuf text = STRBUF_INIT;
	struct sink standard_output = { NULL, signal_number, err, STATUS_OK };
	enum status status = check_form(options->format, err);

	*signal_number = 0;
	for (size_t i = 0; i < options->outputs_count && status == STATUS_OK; i++)
		status = check_form(options->outputs[i].format, err);
	for (int side = DIFF_OLD; side <= DIFF_NEW && status == STATUS_OK; side++) {
		d.paths[side] = options->words.v[side];
		status = report_file_read(&reports[side], d.paths[side], UINT64_MAX, err);
		d.reports[side] = reports[side];
	}
	if (status == STATUS_OK)
		status = check_comparable(&d, options->force, err);
	if (status != STATUS_OK)
		goto out;
	add_classes(&d, DIFF_OLD);
	add_classes(&d, DIFF_NEW);
	compare_findings(&d);
	stop_install(output_file_remove_temporary); /* from here on a temporary file may have to be removed */
	for (size_t i = 0; i < options->outputs_count && status == STATUS_OK; i++)
		status = write_file(&d, &options->outputs[i], err);
	if (status == STATUS_OK) {
		d.sink = &standard_output;
		write_form(&d, options->format, options->stdout_colour, options->verbosity, &text);
		flush_sink(d.sink, &text);
		status = standard_output.status;
	}
	if (status == STATUS_OK && d.worse)
		status = STATUS_FINDINGS;
out:
	free(d.classes);
	free(d.appeared);
	free(d.fixed);
	strbuf_release(&text);
	report_file_free(reports[DIFF_OLD]);
	report_file_free(reports[DIFF_NEW]);
	return status;
}
