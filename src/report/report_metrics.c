/*
 * Numbers for machines that draw them over time: one flat JSON object, for experiment trackers (`dvc metrics`, W&B,
 * MLflow). It has every rule, also those that found nothing, so that a series does not end when a fault is mended.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/json_writer.h"
#include "report/tables.h"

/* A series for each of more classes is too many for a tracker. */
enum { CLASSES_MAX = 1000 };

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
	/* errors that --fail-on never lets pass are no success */
	json_key_u64(&w, "pass", r->complete && report_passes(r) && !report_has_ignored_errors(r));
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
