/* Checks and counts the elements of arrays. The good path is one pass; a place is looked for only if that fails. */
#include <labelaudit.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/label_id.h"
#include "base/mem.h"
#include "library/elements.h"
#include "library/handles.h"
#include "measure/array/array_elements.h"
#include "measure/id_counter.h"
#include "read/sample.h"

/* ---- single elements -------------------------------------------------------------------------------------------- */

static unsigned bytes_of(enum element_kind kind)
{
	return kind >= ELEMENT_FLOAT ? (kind == ELEMENT_FLOAT ? 4 : 8) : 1u << kind % ELEMENT_SIGNED;
}

static double value_at(enum element_kind kind, const void *v, size_t i)
{
	if (kind >= ELEMENT_FLOAT)
		return element_double(v, bytes_of(kind), i);
	return kind >= ELEMENT_SIGNED ? (double)element_signed(v, bytes_of(kind), i)
				      : (double)element_bits(v, bytes_of(kind), i);
}

/* Returns what an element is, LABELAUDIT_ID for every integer, and sets *id for that. */
static enum labelaudit_kind element_at(enum element_kind kind, const void *v, size_t i, int64_t *id)
{
	switch (element_value(v, bytes_of(kind), kind >= ELEMENT_SIGNED, kind >= ELEMENT_FLOAT, i, id)) {
	case VALUE_ID:
		return LABELAUDIT_ID;
	case VALUE_BEYOND:
		return LABELAUDIT_BEYOND;
	case VALUE_OTHER:
		break;
	}
	const double x = value_at(kind, v, i);

	return isnan(x) ? LABELAUDIT_NAN : isinf(x) ? LABELAUDIT_INFINITE : LABELAUDIT_FRACTION;
}

/* Returns the kind of an element that no loss takes as a class, else LABELAUDIT_NONE. */
static enum labelaudit_kind fault_at(const struct labelaudit_classes *c, enum element_kind kind, const void *v,
				     size_t i, int64_t *id)
{
	enum labelaudit_kind what = element_at(kind, v, i, id);

	return what == LABELAUDIT_ID && class_set_role(&c->set, *id) != ID_INVALID ? LABELAUDIT_NONE : what;
}

/* ---- checking --------------------------------------------------------------------------------------------------- */

static bool all_valid(const struct labelaudit_classes *c, enum element_kind kind, const void *v, size_t n)
{
	const struct typed_ranges *ranges = &c->typed[kind];
	int64_t id;

	if (ranges->count <= RANGES_MAX)
		return all_in_ranges(ranges, kind, v, n);
	for (size_t i = 0; i < n; i++)
		if (fault_at(c, kind, v, i, &id) != LABELAUDIT_NONE)
			return false;
	return true;
}

static void add_fault(struct labelaudit_verdict *verdict, enum element_kind kind, const void *v, size_t i,
		      uint64_t index, enum labelaudit_kind what, int64_t id)
{
	if (!verdict->bad++) {
		verdict->kind = (uint32_t)what;
		verdict->index = index;
		verdict->id = what == LABELAUDIT_ID ? id : 0;
		verdict->value = value_at(kind, v, i);
	}
	verdict->bad_ids += what == LABELAUDIT_ID;
	verdict->same += what == LABELAUDIT_ID && verdict->kind == LABELAUDIT_ID && id == verdict->id;
	verdict->fractions += what == LABELAUDIT_FRACTION;
	verdict->not_numbers += what == LABELAUDIT_NAN || what == LABELAUDIT_INFINITE;
}

/* Looks at every element of an array in which something is wrong. */
static void find_faults(const struct labelaudit_classes *c, const struct labelaudit_array *array,
			struct labelaudit_verdict *verdict)
{
	struct elements e;
	uint64_t count, at = 0;
	const void *v;
	size_t n;

	elements_begin(&e, array, true, &count);
	for (; (v = elements_next(&e, &n)); at += n) {
		if (all_valid(c, e.kind, v, n))
			continue;
		for (size_t i = 0; i < n; i++) {
			int64_t id = 0;
			enum labelaudit_kind what = fault_at(c, e.kind, v, i, &id);

			if (what != LABELAUDIT_NONE)
				add_fault(verdict, e.kind, v, i, at + i, what, id);
		}
	}
}

int labelaudit_check(const struct labelaudit_classes *classes, const struct labelaudit_array *array,
		     struct labelaudit_verdict *verdict)
{
	struct elements e;
	uint64_t count;
	const void *v;
	size_t n;
	bool right = true;

	if (verdict)
		memset(verdict, 0, sizeof(*verdict));
	if (!classes || !array || !elements_begin(&e, array, false, &count))
		return LABELAUDIT_BAD_CALL;
	if (verdict)
		verdict->labels = count;
	while (count && right && (v = elements_next(&e, &n)))
		right = all_valid(classes, e.kind, v, n);
	if (right)
		return LABELAUDIT_OK;
	if (verdict)
		find_faults(classes, array, verdict);
	return LABELAUDIT_BAD_LABELS;
}

/* ---- counting --------------------------------------------------------------------------------------------------- */

struct labelaudit_counter {
	const struct labelaudit_classes *classes;
	struct id_counter ids;     /* of the array at hand; empty between calls */
	struct id_counter sums;    /* of all arrays */
	struct id_counter arrays;  /* that have an id: as if each were one label */
	struct byte_counts tables; /* empty between calls */
	uint64_t in_tables;        /* elements */
	bool has_negative;         /* some may be in the tables of negative ids */
	struct memory memory;
};

int labelaudit_counter_new(struct labelaudit_counter **out, const struct labelaudit_classes *classes,
			   struct labelaudit_error *error)
{
	struct labelaudit_counter *c;

	if (!out || !classes)
		return library_fail(error, LABELAUDIT_BAD_CALL, "a pointer is NULL");
	*out = NULL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return library_no_memory(error);
	c->classes = classes;
	*out = c;
	return LABELAUDIT_OK;
}

void labelaudit_counter_free(struct labelaudit_counter *counter)
{
	if (!counter)
		return;
	memory_free_all(&counter->memory);
	free(counter);
}

/* Adds the counts of some tables, which fit into 32 bits together, and empties them. */
static void empty_tables_of(struct labelaudit_counter *c, uint32_t tables[ELEMENTS_TABLES][256], bool negative)
{
	uint32_t sums[256] = { 0 };

	for (unsigned t = 0; t < ELEMENTS_TABLES; t++)
		for (unsigned value = 0; value < 256; value++)
			sums[value] += tables[t][value];
	for (unsigned value = 0; value < 256; value++)
		if (sums[value])
			id_counter_add_run(&c->ids, negative ? (int8_t)value : (int64_t)value, sums[value], NO_INDEX);
	memset(tables, 0, sizeof(c->tables.small));
}

static void empty_tables(struct labelaudit_counter *c)
{
	if (c->in_tables)
		empty_tables_of(c, c->tables.small, false);
	if (c->has_negative)
		empty_tables_of(c, c->tables.negative, true);
	c->in_tables = 0;
	c->has_negative = false;
}

/* Counts n elements, without places. Returns false if some are no ids; these are left out. */
static bool count_piece(struct labelaudit_counter *c, enum element_kind kind, const uint8_t *v, size_t n)
{
	const unsigned bytes = bytes_of(kind);
	size_t i = 0;
	bool right = true;

	/* as many as the tables' 32 bits can count */
	if (c->in_tables > UINT32_MAX - n)
		empty_tables(c);
	c->has_negative |= kind >= ELEMENT_SIGNED && kind < ELEMENT_FLOAT;
	while (i < n) {
		size_t blocks = (n - i) / ELEMENTS_BLOCK, end;

		blocks = kind >= ELEMENT_FLOAT ? elements_count_floats(&c->tables, v + i * bytes, bytes, blocks)
					       : elements_count_ints(&c->tables, v + i * bytes, bytes,
								     kind >= ELEMENT_SIGNED, blocks);
		i += blocks * ELEMENTS_BLOCK;
		c->in_tables += blocks * ELEMENTS_BLOCK;
		for (end = MIN(n, i + ELEMENTS_BLOCK); i < end; i++) {
			int64_t id = 0;

			if (element_at(kind, v, i, &id) == LABELAUDIT_ID)
				id_counter_add(&c->ids, id, NO_INDEX);
			else
				right = false;
		}
	}
	return right;
}

/* Counts the elements of an array, with the first place of each id that is none. */
static void count_places(struct labelaudit_counter *c, const struct labelaudit_array *array)
{
	struct elements e;
	uint64_t at = 0, count;
	const void *v;
	size_t n;

	elements_begin(&e, array, true, &count);
	for (; (v = elements_next(&e, &n)); at += n) {
		for (size_t i = 0; i < n; i++) {
			int64_t id;

			if (element_at(e.kind, v, i, &id) == LABELAUDIT_ID)
				id_counter_add(&c->ids, id, at + i);
		}
	}
}

/* Bytes from one index of the first axis to the next. */
static int64_t first_stride(const struct labelaudit_array *array)
{
	int64_t packed = dtype_bytes((enum array_dtype)array->dtype);

	for (unsigned i = 1; i < array->rank; i++)
		packed *= array->shape[i];
	return array->strides ? array->strides[0] : packed;
}

static bool all_legal(const struct labelaudit_counter *c)
{
	struct id_stats row;

	for (size_t at = 0; id_counter_next(&c->ids, &at, &row);)
		if (class_set_role(&c->classes->set, row.id) == ID_INVALID)
			return false;
	return true;
}

/* Adds the counts of the array at hand to the sums. each: its elements are arrays of their own. */
static void add_to_sums(struct labelaudit_counter *c, bool each)
{
	struct id_stats row;

	for (size_t at = 0; id_counter_next(&c->ids, &at, &row);) {
		id_counter_add_run(&c->sums, row.id, row.labels, row.first_index);
		id_counter_add_run(&c->arrays, row.id, each ? row.labels : 1, NO_INDEX);
	}
	id_counter_clear(&c->ids);
}

/* Adds one array, of which something is there. */
static int add_array(struct labelaudit_counter *c, const struct labelaudit_array *array, bool each)
{
	struct elements e;
	uint64_t count;
	const void *v;
	size_t n;
	bool right = true;

	elements_begin(&e, array, true, &count);
	while ((v = elements_next(&e, &n)))
		right &= count_piece(c, e.kind, v, n);
	empty_tables(c);
	if (right && !c->ids.overflow)
		right = all_legal(c);
	if (!right && !c->ids.overflow) {
		id_counter_clear(&c->ids);
		count_places(c, array);
	}
	if (c->ids.overflow || c->sums.slots_count + c->ids.slots_count > ID_COUNTER_SPARSE) {
		id_counter_clear(&c->ids);
		return LABELAUDIT_BAD_DATA;
	}
	add_to_sums(c, each);
	return right ? LABELAUDIT_OK : LABELAUDIT_BAD_LABELS;
}

/* Adds the elements of an array that has some: as one, or each part along the first axis as one. */
static int add_parts(struct labelaudit_counter *c, const struct labelaudit_array *array, bool each, uint64_t *added)
{
	struct labelaudit_array part = *array;
	int64_t parts = each && array->rank > 1 ? array->shape[0] : 1, step = 0;
	int status = LABELAUDIT_OK;

	if (parts > 1)
		step = first_stride(array);
	if (each && array->rank > 1) {
		part.rank--;
		part.shape++;
		part.strides = array->strides ? array->strides + 1 : NULL;
	}
	for (*added = 0; *added < (uint64_t)parts; ++*added) {
		int one = add_array(c, &part, each && array->rank == 1);

		if (one == LABELAUDIT_BAD_DATA)
			return one;
		status = one == LABELAUDIT_OK ? status : one;
		part.data = (const uint8_t *)part.data + (*added + 1 < (uint64_t)parts ? step : 0);
	}
	if (each && array->rank == 1)
		*added = (uint64_t)array->shape[0];
	return status;
}

static int add(struct labelaudit_counter *counter, const struct labelaudit_array *array, bool each, uint64_t *added)
{
	struct elements e;
	uint64_t count;
	int status;

	*added = 0;
	if (!counter || !array || !elements_begin(&e, array, true, &count))
		return LABELAUDIT_BAD_CALL;
	if (!count) {
		*added = each && array->rank ? (uint64_t)array->shape[0] : 1;
		return LABELAUDIT_OK;
	}
	memory_begin(&counter->memory);
	if (setjmp(counter->memory.end)) {
		memset(&counter->ids, 0, sizeof(counter->ids));
		memset(&counter->sums, 0, sizeof(counter->sums));
		memset(&counter->arrays, 0, sizeof(counter->arrays));
		memset(&counter->tables, 0, sizeof(counter->tables));
		counter->in_tables = 0;
		counter->has_negative = false;
		return LABELAUDIT_NO_MEMORY;
	}
	if (!counter->ids.labels)
		id_counter_init(&counter->ids, &counter->classes->set);
	if (!counter->sums.labels)
		id_counter_init(&counter->sums, &counter->classes->set);
	if (!counter->arrays.labels)
		id_counter_init(&counter->arrays, &counter->classes->set);
	status = add_parts(counter, array, each, added);
	memory_end();
	return status;
}

int labelaudit_counter_add(struct labelaudit_counter *counter, const struct labelaudit_array *array)
{
	uint64_t added;

	return add(counter, array, false, &added);
}

int labelaudit_counter_add_each(struct labelaudit_counter *counter, const struct labelaudit_array *array,
				uint64_t *added)
{
	return added ? add(counter, array, true, added) : LABELAUDIT_BAD_CALL;
}

static int by_id(const void *a, const void *b)
{
	int64_t x = ((const struct labelaudit_count *)a)->id, y = ((const struct labelaudit_count *)b)->id;

	return (x > y) - (x < y);
}

size_t labelaudit_counter_take(struct labelaudit_counter *counter, struct labelaudit_count *counts, size_t capacity)
{
	struct id_counter *sums = &counter->sums;
	struct id_stats row;
	size_t n = 0;

	if (!sums->labels)
		return 0;
	for (size_t at = 0; id_counter_next(sums, &at, &row); n++) {
		if (n < capacity)
			counts[n] = (struct labelaudit_count){
				.id = row.id,
				.labels = row.labels,
				.arrays = id_counter_labels(&counter->arrays, row.id),
				.first = row.first_index == NO_INDEX ? 0 : row.first_index,
				.role = (uint32_t)labelaudit_classes_role(counter->classes, row.id),
			};
	}
	if (n > capacity)
		return n;
	qsort(counts, n, sizeof(*counts), by_id);
	id_counter_clear(sums);
	id_counter_clear(&counter->arrays);
	return n;
}
