#include "engine_fixture.h"

#include <string.h>

#include "base/cpu.h"
#include "check_main.h"

void engine_fixture_init(struct engine_fixture *e, const char *classes, const char *ignore)
{
	const struct colour_table none = { 0 };

	engine_fixture_init_colours(e, classes, ignore, &none);
}

void engine_fixture_init_colours(struct engine_fixture *e, const char *classes, const char *ignore,
				 const struct colour_table *colours)
{
	struct error err = ERROR_INIT;

	memset(e, 0, sizeof(*e));
	e->settings.colours = *colours;
	ck_assert_int_eq(cpu_init(&err), STATUS_OK);
	class_set_init(&e->settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&e->settings.classes, classes, &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(&e->settings.classes, ignore, &err), STATUS_OK);
	class_set_finish(&e->settings.classes);
	reference_init(&e->reference, &e->settings);
	for (size_t i = 0; i < isas_count; i++) {
		if (!isas[i]->usable())
			continue;
		ck_assert_uint_lt(e->count, ENGINE_CODES_MAX);
		e->isas[e->count] = isas[i];
		e->fast[e->count++] = engine_new(&e->settings, isas[i]);
	}
}

void engine_fixture_release(struct engine_fixture *e)
{
	for (size_t i = 0; i < e->count; i++)
		engine_free(e->fast[i]);
	reference_release(&e->reference);
	class_set_release(&e->settings.classes);
}

struct batch_item *engine_file(struct batch *batch, const struct bytes *png)
{
	batch_clear(batch);
	struct batch_item *item = batch_add(batch);

	fault_clear(&item->sample.fault);
	fault_clear(&item->sample.warning);
	input_from_memory(&item->input, png->p, png->n);
	item->sample.format = FORMAT_PNG;
	item->sample.status = SAMPLE_READ;
	return item;
}

void engine_measure_reference(struct engine_fixture *e, struct batch *batch, struct batch_item *item)
{
	struct view_map map;
	struct png_decoder *d = reference_open(&e->reference, item, &map);

	if (d)
		reference_measure(&e->reference, d, &map, item, batch);
}

/* All that is compared is made of 64-bit integers, or padded to them; its struct tells which field a word is. */
static void expect_same_words(const void *got, const void *expected, size_t n, const char *what, const char *how,
			      uint64_t seed)
{
	for (size_t at = 0; at + 8 <= n; at += 8) {
		const uint8_t *a = (const uint8_t *)got + at, *b = (const uint8_t *)expected + at;

		/* Check notes every assertion that holds in a file, which is slow for millions */
		if (memcmp(a, b, 8) != 0)
			ck_abort_msg("seed %llu %s: %s: byte %zu: %llu, but the reference has %llu",
				     (unsigned long long)seed, how, what, at, (unsigned long long)le64(a),
				     (unsigned long long)le64(b));
	}
}

static void expect_same_fault(const struct fault *got, const struct fault *expected, const char *how, uint64_t seed)
{
	ck_assert_msg(
		got->kind == expected->kind && !strcmp(got->text, expected->text) && got->offset == expected->offset,
		"seed %llu %s: \"%s\" (byte %lld), but the reference has \"%s\" (byte %lld)", (unsigned long long)seed,
		how, got->text, (long long)got->offset, expected->text, (long long)expected->offset);
}

void engine_expect_same(const struct batch *got, const struct batch *expected, const char *how, uint64_t seed)
{
	const struct batch_item *a = &got->items[0], *b = &expected->items[0];

	ck_assert_uint_eq(got->count, 1);
	ck_assert_uint_eq(expected->count, 1);
	expect_same_fault(&a->sample.fault, &b->sample.fault, how, seed);
	expect_same_fault(&a->sample.warning, &b->sample.warning, how, seed);
	ck_assert_msg(a->sample.status == b->sample.status, "seed %llu %s: status", (unsigned long long)seed, how);
	ck_assert_mem_eq(&a->sample.png, &b->sample.png, sizeof(a->sample.png));
	ck_assert_msg(got->ids_count == expected->ids_count, "seed %llu %s: %zu ids, but the reference has %zu",
		      (unsigned long long)seed, how, got->ids_count, expected->ids_count);
	for (size_t i = 0; i < got->ids_count; i++)
		expect_same_words(&got->ids[i], &expected->ids[i], sizeof(got->ids[i]), "id_stats", how, seed);
	expect_same_words(&a->stats, &b->stats, sizeof(a->stats), "label_stats", how, seed);
}

static bool compare_one(struct engine_fixture *e, size_t which, const struct bytes *png, const struct batch *expected,
			uint64_t seed)
{
	struct batch got;

	batch_init(&got);
	bool taken = engine_measure_fast(e->fast[which], engine_file(&got, png), &got);

	if (taken)
		engine_expect_same(&got, expected, e->isas[which]->name, seed);
	else
		ck_assert_uint_eq(got.ids_count, 0);
	batch_release(&got);
	return taken;
}

/* Judged without libpng's rows: the same verdict in the same words, and the same measurements. */
static void compare_judged(struct engine_fixture *e, const struct bytes *png, const struct batch *expected,
			   bool verdict_first, uint64_t seed)
{
	struct batch got;

	batch_init(&got);
	engine_measure_judged(e->fast[0], engine_file(&got, png), &got, verdict_first);
	engine_expect_same(&got, expected, verdict_first ? "judged first" : "judged", seed);
	batch_release(&got);
}

size_t engine_compare(struct engine_fixture *e, const struct bytes *png, uint64_t seed)
{
	struct batch expected;
	size_t taken = 0;

	batch_init(&expected);
	struct batch_item *item = engine_file(&expected, png);

	engine_measure_reference(e, &expected, item);
	for (size_t i = 0; i < e->count; i++)
		taken += compare_one(e, i, png, &expected, seed);
	ck_assert_msg(!taken || (item->sample.status == SAMPLE_READ && item->sample.warning.kind == FAULT_NONE),
		      "seed %llu: taken, but: %s%s", (unsigned long long)seed, item->sample.fault.text,
		      item->sample.warning.text);
	compare_judged(e, png, &expected, seed % 2, seed);
	batch_release(&expected);
	return taken;
}
