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

/* Exact in a double; INT64_MAX is not. */
#define TWO_TO_63 9223372036854775808.0

/* ---- single elements -------------------------------------------------------------------------------------------- */

static double float_at(enum element_kind kind, const void *v, size_t i)
{
	return kind == ELEMENT_FLOAT ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

static int64_t integer_at(enum element_kind kind, const void *v, size_t i)
{
	switch ((unsigned)kind) {
	case ELEMENT_UNSIGNED + 0:
		return ((const uint8_t *)v)[i];
	case ELEMENT_UNSIGNED + 1:
		return ((const uint16_t *)v)[i];
	case ELEMENT_UNSIGNED + 2:
		return ((const uint32_t *)v)[i];
	case ELEMENT_SIGNED + 0:
		return ((const int8_t *)v)[i];
	case ELEMENT_SIGNED + 1:
		return ((const int16_t *)v)[i];
	case ELEMENT_SIGNED + 2:
		return ((const int32_t *)v)[i];
	default:
		return ((const int64_t *)v)[i];
	}
}

/* Returns what an element is, LABELAUDIT_ID for every integer, and sets *id for that. */
static enum labelaudit_kind element_at(enum element_kind kind, const void *v, size_t i, int64_t *id)
{
	if (kind < ELEMENT_FLOAT) {
		*id = integer_at(kind, v, i);
		return (kind == ELEMENT_UNSIGNED + 3 && *id < 0) || !id_is_label(*id) ? LABELAUDIT_BEYOND
										      : LABELAUDIT_ID;
	}
	double x = float_at(kind, v, i);

	if (isnan(x))
		return LABELAUDIT_NAN;
	if (isinf(x))
		return LABELAUDIT_INFINITE;
	if (x != trunc(x))
		return LABELAUDIT_FRACTION;
	if (x < -TWO_TO_63 || x >= TWO_TO_63)
		return LABELAUDIT_BEYOND;
	*id = (int64_t)x;
	return id_is_label(*id) ? LABELAUDIT_ID : LABELAUDIT_BEYOND;
}

static double value_at(enum element_kind kind, const void *v, size_t i)
{
	if (kind >= ELEMENT_FLOAT)
		return float_at(kind, v, i);
	return kind == ELEMENT_UNSIGNED + 3 ? (double)((const uint64_t *)v)[i] : (double)integer_at(kind, v, i);
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
	struct id_counter ids;
	struct byte_counts tables; /* empty between calls */
	uint64_t in_tables;        /* elements */
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

static void empty_tables(struct labelaudit_counter *c)
{
	for (unsigned value = 0; c->in_tables && value < 256; value++) {
		uint64_t small = 0, negative = 0;

		for (unsigned t = 0; t < ELEMENTS_TABLES; t++) {
			small += c->tables.small[t][value];
			negative += c->tables.negative[t][value];
		}
		if (small)
			id_counter_add_run(&c->ids, value, small, NO_INDEX);
		if (negative)
			id_counter_add_run(&c->ids, (int8_t)value, negative, NO_INDEX);
	}
	if (c->in_tables)
		memset(&c->tables, 0, sizeof(c->tables));
	c->in_tables = 0;
}

/* Counts n elements of which none is wrong, so that their places do not matter. */
static void count_valid(struct labelaudit_counter *c, enum element_kind kind, const uint8_t *v, size_t n)
{
	unsigned bytes = kind >= ELEMENT_FLOAT ? (kind == ELEMENT_FLOAT ? 4 : 8) : 1u << kind % ELEMENT_SIGNED;
	size_t i = 0;

	/* as many as the tables' 32 bits can count */
	if (c->in_tables > UINT32_MAX - n)
		empty_tables(c);
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
		}
	}
}

static void count_each(struct labelaudit_counter *c, enum element_kind kind, const void *v, size_t n, uint64_t at)
{
	for (size_t i = 0; i < n; i++) {
		int64_t id;

		if (element_at(kind, v, i, &id) == LABELAUDIT_ID)
			id_counter_add(&c->ids, id, at + i);
	}
}

/* Counts all elements. Returns false if there are more different ids than labels have. */
static bool count_all(struct labelaudit_counter *c, struct elements *e)
{
	const void *v;
	uint64_t at = 0;
	size_t n;

	if (!c->ids.labels)
		id_counter_init(&c->ids, &c->classes->set);
	for (; (v = elements_next(e, &n)); at += n) {
		if (all_valid(c->classes, e->kind, v, n))
			count_valid(c, e->kind, v, n);
		else
			count_each(c, e->kind, v, n, at);
	}
	empty_tables(c);
	return !c->ids.overflow;
}

int labelaudit_counter_add(struct labelaudit_counter *counter, const struct labelaudit_array *array)
{
	struct elements e;
	uint64_t count;
	bool counted;

	if (!counter || !array || !elements_begin(&e, array, true, &count))
		return LABELAUDIT_BAD_CALL;
	if (!count)
		return LABELAUDIT_OK;
	memory_begin(&counter->memory);
	if (setjmp(counter->memory.end)) {
		memset(&counter->ids, 0, sizeof(counter->ids));
		memset(&counter->tables, 0, sizeof(counter->tables));
		counter->in_tables = 0;
		return LABELAUDIT_NO_MEMORY;
	}
	counted = count_all(counter, &e);
	if (!counted)
		id_counter_clear(&counter->ids);
	memory_end();
	return counted ? LABELAUDIT_OK : LABELAUDIT_BAD_DATA;
}

static int by_id(const void *a, const void *b)
{
	int64_t x = ((const struct labelaudit_count *)a)->id, y = ((const struct labelaudit_count *)b)->id;

	return (x > y) - (x < y);
}

size_t labelaudit_counter_take(struct labelaudit_counter *counter, struct labelaudit_count *counts, size_t capacity)
{
	struct id_counter *ids = &counter->ids;
	const struct labelaudit_classes *classes = counter->classes;
	size_t n = 0;

	if (!ids->labels)
		return 0;
	for (size_t i = 0; i < ids->used + ids->slots_cap; i++) {
		bool dense = i < ids->used;
		const struct id_slot *slot = dense ? NULL : &ids->slots[i - ids->used];
		int64_t id = dense ? (int64_t)i : slot->id;
		uint64_t labels = dense ? ids->labels[i] : slot->labels, first = ~(dense ? ids->first[i] : slot->first);

		if (!labels)
			continue;
		if (n < capacity)
			counts[n] = (struct labelaudit_count){ .id = id,
							       .labels = labels,
							       .first = first == NO_INDEX ? 0 : first,
							       .role = (uint32_t)labelaudit_classes_role(classes, id) };
		n++;
	}
	if (n > capacity)
		return n;
	qsort(counts, n, sizeof(*counts), by_id);
	id_counter_clear(ids);
	return n;
}
