/* Counting ids of any value, against a plain list; and IDX files, the plainest of the formats that it serves. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"
#include "measure/id_counter.h"
#include "measure/label_measurer.h"

static struct class_set classes;
static struct id_counter counter;
static struct batch batch;
static struct label_stats stats;

static void set_up(void)
{
	struct error err = ERROR_INIT;

	class_set_init(&classes);
	ck_assert_int_eq(class_set_parse_classes(&classes, "10", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(&classes, "-1", &err), STATUS_OK);
	class_set_finish(&classes);
	id_counter_init(&counter, &classes);
	batch_init(&batch);
	memset(&stats, 0, sizeof(stats));
}

static void tear_down(void)
{
	batch_release(&batch);
	id_counter_release(&counter);
	class_set_release(&classes);
}

TEST(rows_are_sorted_and_exact)
{
	static const int64_t ids[] = { 3, INT64_MIN, 9, -1, 3, INT64_MAX, 65535, 65536, 10, -1, 3, 65536, 0 };
	static const struct {
		int64_t id;
		uint64_t labels, first;
	} expected[] = {
		{ INT64_MIN, 1, 1 }, { -1, 2, NO_INDEX }, { 0, 1, NO_INDEX }, { 3, 3, NO_INDEX },  { 9, 1, NO_INDEX },
		{ 10, 1, 8 },        { 65535, 1, 6 },     { 65536, 2, 7 },    { INT64_MAX, 1, 5 },
	};

	for (int round = 0; round < 2; round++) { /* nothing is left over for the next file */
		batch_clear(&batch);
		for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
			id_counter_add(&counter, ids[i], i);
		ck_assert(id_counter_end(&counter, &stats, &batch));
		ck_assert_uint_eq(stats.labels, ARRAY_SIZE(ids));
		ck_assert_uint_eq(stats.ids_count, ARRAY_SIZE(expected));
		ck_assert_int_eq(stats.min, INT64_MIN);
		ck_assert_int_eq(stats.max, INT64_MAX);
		for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
			ck_assert_int_eq(batch.ids[i].id, expected[i].id);
			ck_assert_uint_eq(batch.ids[i].labels, expected[i].labels);
			ck_assert_uint_eq(batch.ids[i].first_index, expected[i].first);
		}
	}
}

/* Runs come in any order: the least place of an offender counts; 0 of one tell just its place. */
TEST(runs)
{
	static const int64_t offenders[] = { 10, 65535, 65536, -2, INT64_MIN };

	for (size_t i = 0; i < ARRAY_SIZE(offenders); i++) {
		ck_assert_uint_eq(id_counter_first(&counter, offenders[i]), NO_INDEX);
		id_counter_add_run(&counter, offenders[i], 5, NO_INDEX);
		ck_assert_uint_eq(id_counter_first(&counter, offenders[i]), NO_INDEX);
		id_counter_add_run(&counter, offenders[i], 3, 100);
		id_counter_add_run(&counter, offenders[i], (uint64_t)1 << 40, 70);
		id_counter_add_run(&counter, offenders[i], 1, 90);
		ck_assert_uint_eq(id_counter_first(&counter, offenders[i]), 70);
		id_counter_add_run(&counter, offenders[i], 0, 7);
		ck_assert_uint_eq(id_counter_first(&counter, offenders[i]), 7);
	}
	id_counter_add_run(&counter, 3, 2, 1);
	id_counter_add_run(&counter, -1, 2, 1);
	ck_assert(id_counter_end(&counter, &stats, &batch));
	ck_assert_uint_eq(stats.ids_count, ARRAY_SIZE(offenders) + 2);
	for (size_t i = 0; i < stats.ids_count; i++) {
		bool valid = batch.ids[i].id == 3 || batch.ids[i].id == -1;

		ck_assert_uint_eq(batch.ids[i].first_index, valid ? NO_INDEX : 7);
		ck_assert_uint_eq(batch.ids[i].labels, valid ? 2 : 9 + ((uint64_t)1 << 40));
	}
}

TEST(many_ids)
{
	for (int64_t id = -ID_COUNTER_SPARSE; id < ID_COUNTER_DENSE; id++)
		for (int64_t n = 0; n <= (id & 3); n++)
			id_counter_add(&counter, id, 0);
	ck_assert(id_counter_end(&counter, &stats, &batch));
	ck_assert_uint_eq(stats.ids_count, ID_COUNTER_SPARSE + ID_COUNTER_DENSE);
	for (size_t i = 0; i < stats.ids_count; i++) {
		ck_assert_int_eq(batch.ids[i].id, (int64_t)i - ID_COUNTER_SPARSE);
		ck_assert_uint_eq(batch.ids[i].labels, 1 + (i & 3));
	}
	for (int64_t id = 0; id <= ID_COUNTER_SPARSE; id++)
		id_counter_add(&counter, -1 - id, 0);
	ck_assert(!id_counter_end(&counter, &stats, &batch));
	id_counter_add(&counter, 5, 0);
	ck_assert(id_counter_end(&counter, &stats, &batch));
	ck_assert_uint_eq(stats.ids_count, 1);
}

static struct batch_item *measure_idx_bytes(const void *bytes, size_t n)
{
	static struct settings settings;
	struct label_measurer measurer;
	struct batch_item *item;

	batch_clear(&batch);
	settings.classes = classes;
	label_measurer_init(&measurer, &settings);
	item = batch_add(&batch);
	fault_clear(&item->sample.fault);
	fault_clear(&item->sample.warning);
	item->sample.path = "labels";
	item->sample.format = FORMAT_IDX;
	input_from_memory(&item->input, bytes, n);
	label_measurer_measure(&measurer, &batch);
	label_measurer_release(&measurer);
	return item;
}

TEST(idx_of_each_type)
{
	static const uint8_t bytes[] = { 0, 0, 8, 1, 0, 0, 0, 3, 7, 200, 7 };
	static const uint8_t shorts[] = { 0, 0, 11, 1, 0, 0, 0, 2, 0xff, 0xff, 1, 0 };
	struct batch_item *item = measure_idx_bytes(bytes, sizeof(bytes));

	ck_assert_int_eq(item->sample.status, SAMPLE_READ);
	ck_assert_int_eq(item->sample.warning.kind, FAULT_NONE);
	ck_assert_uint_eq(item->stats.labels, 3);
	ck_assert_int_eq(item->stats.max, 200);
	ck_assert_uint_eq(batch.ids[1].first_index, 1);
	item = measure_idx_bytes(shorts, sizeof(shorts));
	ck_assert_int_eq(item->stats.min, -1);
	ck_assert_int_eq(item->stats.max, 256);
}

TEST(idx_that_lies)
{
	static const uint8_t bytes[] = { 0, 0, 8, 1, 0, 0, 0, 3, 7, 200, 7, 9 };
	static const uint8_t wraps[] = { 0, 0, 12, 2, 0x80, 0, 0, 0, 0x80, 0, 0, 0, 1, 2, 3, 4 };

	for (size_t n = 0; n < sizeof(bytes) - 1; n++) {
		struct batch_item *item = measure_idx_bytes(bytes, n);

		ck_assert_int_eq(item->sample.status, SAMPLE_FAILED);
		ck_assert_int_eq(item->sample.fault.kind, FAULT_TRUNCATED);
		ck_assert_uint_eq(batch.ids_count, 0);
	}
	ck_assert_int_eq(measure_idx_bytes(bytes, sizeof(bytes))->sample.warning.kind, FAULT_MALFORMED);
	ck_assert_int_eq(measure_idx_bytes(wraps, sizeof(wraps))->sample.fault.kind, FAULT_TRUNCATED);
}

FIXTURE(set_up, tear_down)
