/* For tests of COCO files: a text in, what rules and reports see out. */
#pragma once

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "judge/rule.h"
#include "measure/label_measurer.h"
#include "read/coco.h"

struct coco_text {
	struct settings settings;
	struct label_measurer measurer;
	struct batch batch;
	struct finding finding;
};

static inline struct coco_text *coco_text_new(const char *classes)
{
	struct coco_text *t = calloc(1, sizeof(*t));
	struct error err = ERROR_INIT;

	class_set_init(&t->settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&t->settings.classes, classes, &err), STATUS_OK);
	class_set_finish(&t->settings.classes);
	label_measurer_init(&t->measurer, &t->settings);
	batch_init(&t->batch);
	return t;
}

static inline void coco_text_free(struct coco_text *t)
{
	label_measurer_release(&t->measurer);
	batch_release(&t->batch);
	class_set_release(&t->settings.classes);
	free(t);
}

static inline struct batch_item *coco_text_item(const struct coco_text *t)
{
	return &t->batch.items[0];
}

/* Measures a text as the only file of the batch, which is said to lie at path; whether it could be read. */
static inline bool coco_text_measure_at(struct coco_text *t, const char *path, const char *json)
{
	batch_clear(&t->batch);
	struct batch_item *item = batch_add(&t->batch);

	fault_clear(&item->sample.fault);
	fault_clear(&item->sample.warning);
	item->sample.path = path;
	item->sample.format = FORMAT_COCO;
	input_from_memory(&item->input, json, strlen(json));
	label_measurer_measure(&t->measurer, &t->batch);
	return item->sample.status == SAMPLE_READ;
}

static inline bool coco_text_measure(struct coco_text *t, const char *json)
{
	return coco_text_measure_at(t, "labels.json", json);
}

static inline bool coco_text_check(struct coco_text *t, const struct rule *rule)
{
	struct batch_item *item = coco_text_item(t);
	const struct rule_input s =
		rule_input_of(&t->settings, &item->sample, &item->stats, t->batch.ids + item->stats.ids_at, NULL);
	unsigned facts_available = rule_input_facts(&s);

	finding_init(&t->finding, rule);
	return rule_applies(rule, facts_available) && rule_check_file(rule, &s, &t->finding);
}

/* "0:3 1:12" */
static inline const char *coco_text_rows(const struct coco_text *t)
{
	static char out[1024];
	const struct label_stats *stats = &coco_text_item(t)->stats;
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < stats->ids_count && n < sizeof(out) - 50; i++) {
		const struct id_stats *row = &t->batch.ids[stats->ids_at + i];

		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%lld:%llu", i ? " " : "", (long long)row->id,
				      (unsigned long long)row->labels);
	}
	return out;
}
