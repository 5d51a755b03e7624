/*
 * A batch of random PNGs (mask_pngs.h) for tests that compare backends: settings with classes 0-12, 40-90 and 255
 * ignored.
 */
#pragma once

#include "base/settings.h"
#include "measure/backend.h"
#include "pictures.h"

struct png_set {
	struct bytes *files;
	size_t count;
	struct settings settings;
};

static inline void png_set_init(struct png_set *set, uint64_t seed, size_t count, uint32_t side_max)
{
	struct error err = ERROR_INIT;

	memset(set, 0, sizeof(*set));
	set->count = count;
	set->files = xmalloc(count * sizeof(*set->files));
	for (size_t i = 0; i < count; i++)
		set->files[i] = mask_png_random(seed + i, side_max);
	class_set_init(&set->settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&set->settings.classes, "0-12,40-90", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(&set->settings.classes, "255", &err), STATUS_OK);
	class_set_finish(&set->settings.classes);
}

static inline void png_set_release(struct png_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free(set->files[i].p);
	free(set->files);
	class_set_release(&set->settings.classes);
}

static inline void png_set_fill(const struct png_set *set, struct batch *batch)
{
	batch_clear(batch);
	for (size_t i = 0; i < set->count; i++) {
		struct batch_item *item = batch_add(batch);

		fault_clear(&item->sample.fault);
		fault_clear(&item->sample.warning);
		input_from_memory(&item->input, set->files[i].p, set->files[i].n);
		item->sample.format = i % 17 == 16 ? FORMAT_NONE : FORMAT_PNG;
		item->sample.status = i % 19 == 18 ? SAMPLE_SKIPPED : SAMPLE_READ;
	}
}

/* Same stats, same id rows in the same order, same statuses, faults and warnings. */
static inline void png_set_compare(const struct batch *a, const struct batch *b, const char *what)
{
	ck_assert_uint_eq(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct batch_item *p = &a->items[i], *q = &b->items[i];

		ck_assert_msg(!memcmp(&p->stats, &q->stats, sizeof(p->stats)), "%s: stats of item %zu differ", what, i);
		ck_assert_msg(p->sample.status == q->sample.status, "%s: status of item %zu differs", what, i);
		ck_assert_msg(p->sample.fault.kind == q->sample.fault.kind &&
				      p->sample.fault.offset == q->sample.fault.offset &&
				      !strcmp(p->sample.fault.text, q->sample.fault.text) &&
				      !strcmp(p->sample.warning.text, q->sample.warning.text),
			      "%s: fault of item %zu differs: '%s', '%s'", what, i, p->sample.fault.text,
			      q->sample.fault.text);
	}
	ck_assert_uint_eq(a->ids_count, b->ids_count);
	ck_assert_msg(!memcmp(a->ids, b->ids, a->ids_count * sizeof(*a->ids)), "%s: id rows differ", what);
}
