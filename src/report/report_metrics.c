/*
 * Numbers for machines that draw them over time.
 *
 * metrics: one flat JSON object, for experiment trackers (`dvc metrics`, W&B, MLflow). openmetrics: the text that
 * Prometheus and its node exporter's textfile collector read, all of it gauges, since an audit may find less than the
 * one before. Both have every rule, also those that found nothing, so that a series does not end when a fault is
 * mended.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/version.h"
#include "report/json_writer.h"
#include "report/tables.h"

/* A series for each of more classes is too many for a tracker. */
enum { CLASSES_MAX = 1000 };

/* Returns whether no error was found, or nothing at or above --fail-on, in a complete audit. */
static bool passes(const struct report *r)
{
	return r->complete && report_passes(r) && !report_has_ignored_errors(r);
}

/* Sets the labels of the rarest and of the most frequent class that occurs; *largest is 0 if none does. */
static void find_extremes(const struct report_tables *t, uint64_t *smallest, uint64_t *largest)
{
	*smallest = UINT64_MAX;
	*largest = 0;
	for (size_t i = 0; i < t->classes_count; i++) {
		uint64_t labels = t->classes[i].labels;

		if (labels && labels < *smallest)
			*smallest = labels;
		if (labels > *largest)
			*largest = labels;
	}
}

/* ---- metrics ---------------------------------------------------------------------------------------------------- */

static void write_classes(struct json_writer *w, const struct report *r, const struct report_tables *t)
{
	uint64_t smallest, largest;

	find_extremes(t, &smallest, &largest);
	json_key_u64(w, "classes", t->classes_declared);
	json_key_u64(w, "classes_present", t->classes_present);
	if (largest)
		json_key_ratio(w, "class_imbalance", largest, smallest, 6);
	json_key_ratio(w, "ignored_fraction", t->ignored_labels, r->dataset->labels, 6);
	json_key_ratio(w, "out_of_range_fraction", t->out_of_range_labels, r->dataset->labels, 6);
	json_key_u64(w, "out_of_range_labels", t->out_of_range_labels);
	for (size_t i = 0; i < t->classes_count && t->classes_count <= CLASSES_MAX; i++) {
		char key[48];

		snprintf(key, sizeof(key), "class_%" PRId64 "_fraction", t->classes[i].id);
		json_key_ratio(w, key, t->classes[i].labels, r->dataset->labels - t->ignored_labels, 6);
	}
}

static void write_rules(struct json_writer *w, const struct report *r)
{
	struct strbuf key = STRBUF_INIT;

	for (size_t i = 0; i < rule_count; i++) {
		strbuf_clear(&key);
		strbuf_addf(&key, "rule_%s", rule_table[i]->name);
		for (char *p = key.s; (p = strchr(p, '-')); p++)
			*p = '_';
		json_key_u64(w, key.s, r->findings->by_rule[i]);
	}
	strbuf_release(&key);
}

static void end(const struct report *r, struct strbuf *out)
{
	const struct dataset_stats *d = r->dataset;
	const struct finding_list *l = r->findings;
	struct report_tables t;
	struct json_writer w;

	tables_init(&t, r->settings, d);
	json_init(&w, out, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_u64(&w, "pass", passes(r));
	json_key_u64(&w, "complete", r->complete);
	json_key_u64(&w, "files", d->files);
	json_key_u64(&w, "files_failed", d->files_failed);
	json_key_u64(&w, "files_left_out", d->files_skipped);
	json_key_u64(&w, "unaudited_labels", coverage_labels(&d->coverage));
	json_key_u64(&w, "labels", d->labels);
	json_key_u64(&w, "errors", l->by_level[LEVEL_ERROR]);
	json_key_u64(&w, "warnings", l->by_level[LEVEL_WARNING]);
	json_key_u64(&w, "infos", l->by_level[LEVEL_INFO]);
	json_key_u64(&w, "narrowed", r->settings->narrowed.count);
	write_classes(&w, r, &t);
	write_rules(&w, r);
	json_end(&w);
	strbuf_addch(out, '\n');
	tables_release(&t);
}

const struct reporter reporter_metrics = { .name = "metrics", .end = end };

/* ---- openmetrics ------------------------------------------------------------------------------------------------ */

static void begin_gauge(struct strbuf *out, const char *name, const char *help)
{
	strbuf_addf(out, "# HELP labelaudit_%s %s\n# TYPE labelaudit_%s gauge\n", name, help, name);
}

static void add_gauge(struct strbuf *out, const char *name, const char *help, uint64_t value)
{
	begin_gauge(out, name, help);
	strbuf_addf(out, "labelaudit_%s %" PRIu64 "\n", name, value);
}

static void add_ratio_gauge(struct strbuf *out, const char *name, const char *help, uint64_t num, uint64_t den)
{
	begin_gauge(out, name, help);
	strbuf_addf(out, "labelaudit_%s ", name);
	decimal_ratio(out, num, den, 6);
	strbuf_addch(out, '\n');
}

/* Appends name{label="value"} and its number. value: ours, plain ASCII. */
static void add_sample(struct strbuf *out, const char *name, const char *label, const char *value, uint64_t number)
{
	strbuf_addf(out, "labelaudit_%s{%s=\"%s\"} %" PRIu64 "\n", name, label, value, number);
}

/* Appends name{id="3",name="car"}, without its number. A class's name comes from outside. */
static void begin_class_sample(struct strbuf *out, const char *name, const struct id_row *row)
{
	struct strbuf inert = STRBUF_INIT;

	strbuf_addf(out, "labelaudit_%s{id=\"%" PRId64 "\",name=\"", name, row->id);
	if (row->name)
		escape_terminal(&inert, row->name, strlen(row->name));
	for (size_t i = 0; i < inert.len; i++) {
		if (strchr("\\\"", inert.s[i]))
			strbuf_addch(out, '\\');
		strbuf_addch(out, inert.s[i]);
	}
	strbuf_adds(out, "\"} ");
	strbuf_release(&inert);
}

static void add_classes(struct strbuf *out, const struct report *r, const struct report_tables *t)
{
	if (t->classes_count > CLASSES_MAX)
		return;
	begin_gauge(out, "class_labels", "Labels of each class.");
	for (size_t i = 0; i < t->classes_count; i++) {
		begin_class_sample(out, "class_labels", &t->classes[i]);
		strbuf_addf(out, "%" PRIu64 "\n", t->classes[i].labels);
	}
	begin_gauge(out, "class_files", "Files with each class.");
	for (size_t i = 0; i < t->classes_count; i++) {
		begin_class_sample(out, "class_files", &t->classes[i]);
		strbuf_addf(out, "%" PRIu64 "\n", t->classes[i].files);
	}
	begin_gauge(out, "class_ratio", "Share of each class in the labels that are not ignored.");
	for (size_t i = 0; i < t->classes_count; i++) {
		begin_class_sample(out, "class_ratio", &t->classes[i]);
		decimal_ratio(out, t->classes[i].labels, r->dataset->labels - t->ignored_labels, 6);
		strbuf_addch(out, '\n');
	}
}

static void end_openmetrics(const struct report *r, struct strbuf *out)
{
	const struct dataset_stats *d = r->dataset;
	struct report_tables t;
	uint64_t smallest, largest;

	tables_init(&t, r->settings, d);
	find_extremes(&t, &smallest, &largest);
	begin_gauge(out, "build_info", "The version of labelaudit.");
	add_sample(out, "build_info", "version", LABELAUDIT_VERSION, 1);
	add_gauge(out, "pass", "1 if the audit is complete and nothing reaches --fail-on.", passes(r));
	add_gauge(out, "complete", "1 if everything was audited.", r->complete);
	begin_gauge(out, "files", "Files that were met, by what became of them.");
	add_sample(out, "files", "status", "read", d->files - d->files_failed - d->files_skipped);
	add_sample(out, "files", "status", "failed", d->files_failed);
	add_sample(out, "files", "status", "left_out", d->files_skipped);
	add_gauge(out, "unaudited_label_files", "Files that look like labels and were not audited.",
		  coverage_labels(&d->coverage));
	add_gauge(out, "labels", "Label ids that were read.", d->labels);
	begin_gauge(out, "findings", "Findings of each level.");
	for (int level = LEVEL_ERROR; level >= LEVEL_INFO; level--)
		add_sample(out, "findings", "level", level_name((enum level)level), r->findings->by_level[level]);
	begin_gauge(out, "rule_findings", "Findings of each rule.");
	for (size_t i = 0; i < rule_count; i++)
		add_sample(out, "rule_findings", "rule", rule_table[i]->name, r->findings->by_rule[i]);
	add_gauge(out, "narrowed", "Options that left something out of the audit.", r->settings->narrowed.count);
	add_gauge(out, "classes", "Declared classes.", t.classes_declared);
	add_gauge(out, "classes_present", "Declared classes that occur.", t.classes_present);
	if (largest)
		add_ratio_gauge(out, "class_imbalance_ratio",
				"Labels of the most frequent class over those of the rarest.", largest, smallest);
	add_ratio_gauge(out, "ignored_ratio", "Share of the labels that are ignored.", t.ignored_labels, d->labels);
	add_gauge(out, "out_of_range_labels", "Labels that are neither a class nor ignored.", t.out_of_range_labels);
	add_classes(out, r, &t);
	strbuf_adds(out, "# EOF\n");
	tables_release(&t);
}

const struct reporter reporter_openmetrics = { .name = "openmetrics", .extension = "prom", .end = end_openmetrics };
