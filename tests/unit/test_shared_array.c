/* A large array that several threads count has the same sums and places as if one had, and as a plain list has. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/write_all.h"
#include "check_main.h"
#include "measure/array/measure_array.h"
#include "random.h"

enum { ELEMENTS = 9 << 20, CLASSES = 1000 };

static struct settings settings;
static int64_t *elements; /* as they are in the file */

static void set_up(void)
{
	struct error err = ERROR_INIT;

	memset(&settings, 0, sizeof(settings));
	class_set_init(&settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&settings.classes, "1000", &err), STATUS_OK);
	class_set_finish(&settings.classes);
	elements = xcalloc(ELEMENTS, sizeof(*elements));
}

static void tear_down(void)
{
	free(elements);
	class_set_release(&settings.classes);
}

struct outcome {
	struct label_stats stats;
	struct batch batch;
	struct fault fault;
	bool ok;
};

/* Measures the first `count` elements of 8 bytes, from a file of `present`, with `others` more threads. */
static void measure(struct outcome *o, enum array_dtype dtype, uint64_t count, uint64_t present, unsigned others)
{
	char path[] = "/tmp/labelaudit-shared-XXXXXX";
	const int fd = mkstemp(path);
	_Atomic unsigned spare = others;
	struct array_measurer *measurer = array_measurer_new(&settings, &spare);
	struct array_header a = { .dtype = (uint8_t)dtype, .rank = 1, .shape = { count }, .elements = count };
	struct id_counter ids;
	struct input in;
	struct fault warning;

	memset(o, 0, sizeof(*o));
	fault_clear(&o->fault);
	fault_clear(&warning);
	batch_init(&o->batch);
	id_counter_init(&ids, &settings.classes);
	input_init(&in);
	ck_assert(fd >= 0 && write_all(fd, elements, present * 8));
	ck_assert(input_open(&in, AT_FDCWD, path, &o->fault));
	in.size = MAX(in.size, count * 8); /* as if the file had become shorter */
	o->ok = array_measurer_measure(measurer, &ids, &in, &a, &o->stats, &o->batch, &warning, &o->fault);
	ck_assert_uint_eq(atomic_load(&spare), others);
	input_release(&in);
	id_counter_release(&ids);
	array_measurer_free(measurer);
	close(fd);
	unlink(path);
}

static void compare(const struct outcome *a, const struct outcome *b)
{
	ck_assert(a->ok && b->ok);
	ck_assert_mem_eq(&a->stats, &b->stats, sizeof(a->stats));
	ck_assert_uint_eq(a->batch.ids_count, b->batch.ids_count);
	ck_assert_mem_eq(a->batch.ids, b->batch.ids, a->batch.ids_count * sizeof(*a->batch.ids));
}

TEST(threads_change_nothing)
{
	uint64_t state = 5;
	struct outcome one, four;

	for (size_t i = 0; i < ELEMENTS; i++)
		elements[i] = (int64_t)(random_next(&state) % CLASSES);
	/* what is no class: met once, last or first in its range, negative, far away, and beyond all ids */
	elements[ELEMENTS - 1] = 70000;
	elements[3 << 20] = elements[5 << 20] = elements[(5 << 20) + 1] = 1234;
	elements[(4 << 20) - 1] = elements[8 << 20] = -7;
	elements[7 << 20] = elements[7] = INT64_MAX - 1;
	for (size_t i = 0; i < 40000; i++)
		elements[i * 200 + 11] = 100000 + (int64_t)(i % 20000);
	measure(&one, DTYPE_INT64, ELEMENTS, ELEMENTS, 0);
	measure(&four, DTYPE_INT64, ELEMENTS, ELEMENTS, 3);
	compare(&one, &four);

	static uint64_t counts[CLASSES];

	for (size_t i = 0; i < ELEMENTS; i++)
		if ((uint64_t)elements[i] < CLASSES)
			counts[elements[i]]++;
	for (size_t i = 0; i < four.batch.ids_count; i++) {
		const struct id_stats *row = &four.batch.ids[i];

		if ((uint64_t)row->id < CLASSES)
			ck_assert_uint_eq(row->labels, counts[row->id]);
		if (row->id == 1234)
			ck_assert_uint_eq(row->first_index, 3 << 20);
		if (row->id == -7)
			ck_assert_uint_eq(row->first_index, (4 << 20) - 1);
	}
	ck_assert_uint_eq(four.stats.array.beyond_first, 7);
	ck_assert_uint_eq(four.stats.array.beyond, 2);
	ck_assert_uint_eq(four.stats.labels, ELEMENTS);
	batch_release(&one.batch);
	batch_release(&four.batch);
}

TEST(faults_end_all)
{
	struct outcome o;

	measure(&o, DTYPE_INT64, ELEMENTS, ELEMENTS / 2, 3);
	ck_assert(!o.ok);
	ck_assert_int_eq(o.fault.kind, FAULT_TRUNCATED);
	ck_assert_uint_eq(o.batch.ids_count, 0);
	batch_release(&o.batch);
	/* each thread has few enough ids, but not all together */
	for (size_t i = 0; i < ELEMENTS; i++)
		elements[i] = i % 128 ? 5 : 100000 + (int64_t)i;
	measure(&o, DTYPE_INT64, ELEMENTS, ELEMENTS, 3);
	ck_assert(!o.ok);
	ck_assert_int_eq(o.fault.kind, FAULT_LABELS);
	batch_release(&o.batch);
}

FIXTURE(set_up, tear_down)
