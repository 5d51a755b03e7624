#include "library/elements.h"

#include <string.h>

#include "base/mem.h"
#include "measure/array/array_elements.h"
#include "read/sample.h"

/* Rows of at least this many elements are tested where they lie. */
enum { IN_PLACE_MIN = 64 };

/* The numbers of dtypes are those of read/sample.h. */
_Static_assert((int)LABELAUDIT_BOOL == (int)DTYPE_BOOL && (int)LABELAUDIT_INT64 == (int)DTYPE_INT64 &&
		       (int)LABELAUDIT_FLOAT64 == (int)DTYPE_FLOAT64,
	       "enum labelaudit_dtype is enum array_dtype");

static enum element_kind kind_of(enum array_dtype dtype, unsigned bytes)
{
	unsigned log = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;

	if (dtype >= DTYPE_FLOAT16)
		return dtype == DTYPE_FLOAT64 ? ELEMENT_DOUBLE : ELEMENT_FLOAT;
	return (enum element_kind)((dtype_name(dtype)[0] == 'i' ? ELEMENT_SIGNED : ELEMENT_UNSIGNED) + log);
}

bool elements_begin(struct elements *e, const struct labelaudit_array *array, bool in_order, uint64_t *count)
{
	enum array_dtype dtype = (enum array_dtype)array->dtype;

	if (array->dtype < DTYPE_BOOL || array->dtype > DTYPE_FLOAT64 || !strided_count(array, count))
		return false;
	e->size = dtype_bytes(dtype);
	e->is_half = dtype == DTYPE_FLOAT16;
	e->is_bool = dtype == DTYPE_BOOL;
	e->swapped = array->swapped && e->size > 1;
	e->kind = kind_of(dtype, e->size);
	e->out_size = e->is_half ? sizeof(float) : e->size;
	e->left = 0;
	e->in_order = in_order;
	if (*count)
		strided_begin(&e->runs, array, e->size, in_order);
	return true;
}

#define DEFINE_GATHER(name, type)                                             \
	static void name(void *out, const uint8_t *v, int64_t step, size_t n) \
	{                                                                     \
		type *to = out;                                               \
                                                                              \
		for (size_t i = 0; i < n; i++, v += step)                     \
			memcpy(&to[i], v, sizeof(type));                      \
	}

DEFINE_GATHER(gather_8, uint8_t)
DEFINE_GATHER(gather_16, uint16_t)
DEFINE_GATHER(gather_32, uint32_t)
DEFINE_GATHER(gather_64, uint64_t)

static void gather(const struct elements *e, void *out, size_t n)
{
	int64_t step = e->runs.step;

	if (step == (int64_t)e->size)
		memcpy(out, e->run, n * e->size);
	else if (e->size == 1)
		gather_8(out, e->run, step, n);
	else if (e->size == 2)
		gather_16(out, e->run, step, n);
	else if (e->size == 4)
		gather_32(out, e->run, step, n);
	else
		gather_64(out, e->run, step, n);
}

static bool next_run(struct elements *e)
{
	e->run = strided_next(&e->runs);
	e->left = e->run ? e->runs.n : 0;
	return e->run;
}

static void take(struct elements *e, size_t n)
{
	e->left -= n;
	if (e->left) /* beyond the last element there may be nothing to point to */
		e->run += e->runs.step * (int64_t)n;
}

/* Returns whether the rest of the run can be used where it lies. */
static bool is_in_place(const struct elements *e)
{
	return e->runs.step == (int64_t)e->size && !e->is_half && !e->is_bool && !e->swapped &&
	       e->left >= IN_PLACE_MIN && (uintptr_t)e->run % e->size == 0;
}

const void *elements_next(struct elements *e, size_t *n)
{
	uint8_t *raw = e->is_half ? (uint8_t *)e->halves : (uint8_t *)e->buffer;
	size_t got = 0;

	if (!e->left && !next_run(e))
		return NULL;
	if (is_in_place(e)) {
		const void *v = e->run;

		*n = (size_t)MIN(e->left, (uint64_t)(e->in_order ? PIECE_IN_ORDER : PIECE_IN_PLACE));
		take(e, *n);
		return v;
	}
	do {
		size_t some = (size_t)MIN(e->left, (uint64_t)(PIECE_ELEMENTS - got));

		gather(e, raw + got * e->size, some);
		take(e, some);
		got += some;
	} while (got < PIECE_ELEMENTS && (e->left || (next_run(e) && !is_in_place(e))));
	*n = got;
	if (e->swapped)
		elements_swap(raw, e->size, got);
	for (size_t i = 0; e->is_bool && i < got; i++)
		raw[i] = raw[i] != 0;
	if (e->is_half)
		elements_widen_halves((float *)e->buffer, e->halves, got);
	return e->buffer;
}
