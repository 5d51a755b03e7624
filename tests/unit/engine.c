#include "engine.h"

#include <check.h>
#include <string.h>

#include "base/cpu.h"

void engine_init(struct engine *e, const char *classes, const char *ignore)
{
	struct error err = ERROR_INIT;

	memset(e, 0, sizeof(*e));
	ck_assert_int_eq(cpu_init(&err), STATUS_OK);
	class_set_init(&e->settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&e->settings.classes, classes, &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(&e->settings.classes, ignore, &err), STATUS_OK);
	class_set_finish(&e->settings.classes);
	measure_png_init(&e->reference, &e->settings);
	for (size_t i = 0; i < strip_codes_count; i++) {
		if (!strip_codes[i]->usable())
			continue;
		ck_assert_uint_lt(e->count, ENGINE_CODES_MAX);
		e->codes[e->count] = strip_codes[i];
		e->fast[e->count++] = measure_simd_new(&e->settings, strip_codes[i]);
	}
}

void engine_release(struct engine *e)
{
	for (size_t i = 0; i < e->count; i++)
		measure_simd_free(e->fast[i]);
	measure_png_release(&e->reference);
	class_set_release(&e->settings.classes);
}

static void fill_item(struct batch_item *item, const struct bytes *png)
{
	memset(item, 0, sizeof(*item));
	input_init(&item->input);
	input_from_memory(&item->input, png->p, png->n, &item->sample.fault);
	item->sample.format = FORMAT_PNG;
	item->sample.status = SAMPLE_READ;
}

static void measure_reference(struct engine *e, struct batch *batch, struct batch_item *item)
{
	struct view_map map;
	struct png_decoder *d = measure_png_open(&e->reference, item, &map);

	if (d)
		measure_png_rest(&e->reference, d, &map, item, batch);
}

/* All that is compared is made of 64-bit integers, or padded to them; its struct tells which field a word is. */
static void expect_same(const void *got, const void *expected, size_t n, const char *what, const char *code,
			uint64_t seed)
{
	for (size_t at = 0; at + 8 <= n; at += 8) {
		const uint8_t *a = (const uint8_t *)got + at, *b = (const uint8_t *)expected + at;

		ck_assert_msg(!memcmp(a, b, 8), "seed %llu %s: %s: byte %zu: %llu, but the reference has %llu",
			      (unsigned long long)seed, code, what, at, (unsigned long long)le64(a),
			      (unsigned long long)le64(b));
	}
}

static bool compare_one(struct engine *e, size_t which, const struct bytes *png, const struct batch_item *expected,
			const struct batch *expected_ids, uint64_t seed)
{
	const char *code = e->codes[which]->name;
	struct batch ids;
	struct batch_item item;

	batch_init(&ids);
	fill_item(&item, png);
	bool taken = measure_simd_take(e->fast[which], &item, &ids);

	if (taken) {
		ck_assert_msg(expected->sample.status == SAMPLE_READ && expected->sample.remark.kind == FAULT_NONE,
			      "seed %llu %s: taken, but: %s%s", (unsigned long long)seed, code,
			      expected->sample.fault.text, expected->sample.remark.text);
		ck_assert_mem_eq(&item.sample.png, &expected->sample.png, sizeof(item.sample.png));
		ck_assert_uint_eq(ids.ids_count, expected_ids->ids_count);
		for (size_t i = 0; i < ids.ids_count; i++)
			expect_same(&ids.ids[i], &expected_ids->ids[i], sizeof(ids.ids[i]), "id_stats", code, seed);
		expect_same(&item.stats, &expected->stats, sizeof(item.stats), "label_stats", code, seed);
	} else {
		ck_assert_uint_eq(ids.ids_count, 0);
	}
	batch_release(&ids);
	return taken;
}

static void expect_same_fault(const struct fault *got, const struct fault *expected, uint64_t seed)
{
	ck_assert_msg(got->kind == expected->kind && !strcmp(got->text, expected->text) &&
			      (!got->kind || got->offset == expected->offset),
		      "seed %llu: judged \"%s\" (byte %lld), but the reference has \"%s\" (byte %lld)",
		      (unsigned long long)seed, got->text, (long long)got->offset, expected->text,
		      (long long)expected->offset);
}

/* Judged without libpng's rows: the same verdict in the same words, and the same measurements. */
static void compare_judged(struct engine *e, const struct bytes *png, const struct batch_item *expected,
			   const struct batch *expected_ids, bool verdict_first, uint64_t seed)
{
	const char *code = verdict_first ? "judged first" : "judged";
	struct batch ids;
	struct batch_item item;

	batch_init(&ids);
	fill_item(&item, png);
	measure_simd_judged(e->fast[0], &item, &ids, verdict_first);
	expect_same_fault(&item.sample.fault, &expected->sample.fault, seed);
	expect_same_fault(&item.sample.remark, &expected->sample.remark, seed);
	ck_assert_int_eq(item.sample.status, expected->sample.status);
	ck_assert_mem_eq(&item.sample.png, &expected->sample.png, sizeof(item.sample.png));
	ck_assert_uint_eq(ids.ids_count, expected_ids->ids_count);
	for (size_t i = 0; i < ids.ids_count; i++)
		expect_same(&ids.ids[i], &expected_ids->ids[i], sizeof(ids.ids[i]), "id_stats", code, seed);
	expect_same(&item.stats, &expected->stats, sizeof(item.stats), "label_stats", code, seed);
	batch_release(&ids);
}

size_t engine_compare(struct engine *e, const struct bytes *png, uint64_t seed)
{
	struct batch ids;
	struct batch_item item;
	size_t taken = 0;

	batch_init(&ids);
	fill_item(&item, png);
	measure_reference(e, &ids, &item);
	for (size_t i = 0; i < e->count; i++)
		taken += compare_one(e, i, png, &item, &ids, seed);
	compare_judged(e, png, &item, &ids, seed % 2, seed);
	batch_release(&ids);
	return taken;
}
