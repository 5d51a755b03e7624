/*
 * The metrics report: flat numbers for experiment trackers (`dvc metrics`, W&B, MLflow), as one JSON object without
 * lists and texts. They are few, since a tracker shows every one; the counts of rules are of those that fired.
 */
#include "report/json_writer.h"
#include "report/tables.h"

static void write_classes(struct json_writer *w, const struct report *r, const struct report_tables *t)
{
	uint64_t smallest = UINT64_MAX, largest = 0;

	for (size_t i = 0; i < t->classes_count; i++) {
		uint64_t labels = t->classes[i].labels;

		if (labels && labels < smallest)
			smallest = labels;
		if (labels > largest)
			largest = labels;
	}
	json_key_u64(w, "classes", t->classes_declared);
	json_key_u64(w, "classes_present", t->classes_present);
	if (largest)
		json_key_ratio(w, "class_imbalance", largest, smallest, 6);
	json_key_ratio(w, "ignored_fraction", t->ignored_labels, r->dataset->labels, 6);
	json_key_ratio(w, "out_of_range_fraction", t->out_of_range_labels, r->dataset->labels, 6);
	json_key_u64(w, "out_of_range_labels", t->out_of_range_labels);
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
	json_key_u64(&w, "pass", r->complete && report_passes(r));
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
	for (size_t i = 0; i < rule_count; i++)
		if (l->by_rule[i])
			json_key_u64(&w, rule_table[i]->name, l->by_rule[i]);
	json_end(&w);
	strbuf_addch(out, '\n');
	tables_release(&t);
}

const struct reporter reporter_metrics = { .name = "metrics", .end = end };
