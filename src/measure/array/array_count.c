/*
 * The elements of an array as ids: blocks of small values by the tables of array_kernels.h, the others one by one, runs
 * of equal ones at once.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "measure/array/array_pass.h"

/* Elements that are counted one by one before their neighbours are tried as a block again. */
enum { OTHERS_MAX = 4096 };

/* Exact; INT64_MAX is no double. */
#define TWO_TO_63 9223372036854775808.0

static bool is_invalid(const struct array_pass *p, int64_t id)
{
	return class_set_role(p->classes, id) == ID_INVALID;
}

/* The raw bits of element i. */
static uint64_t bits_at(const struct array_pass *p, const void *v, size_t i)
{
	switch (p->bytes) {
	case 1:
		return ((const uint8_t *)v)[i];
	case 2:
		return ((const uint16_t *)v)[i];
	case 4:
		return ((const uint32_t *)v)[i];
	default:
		return ((const uint64_t *)v)[i];
	}
}

static int64_t sign_extend(uint64_t bits, unsigned bytes)
{
	unsigned unused = 64 - 8 * bytes;

	return (int64_t)(bits << unused) >> unused;
}

enum value_kind {
	VALUE_ID,
	VALUE_BEYOND, /* an integer that no int64 holds */
	VALUE_OTHER,  /* a float that is no integer */
};

/* What element i is, and the id if it is one. */
static enum value_kind value_at(const struct array_pass *p, const void *v, size_t i, int64_t *id)
{
	if (p->array->dtype == DTYPE_BOOL) {
		*id = bits_at(p, v, i) != 0;
		return VALUE_ID;
	}
	if (p->is_float) {
		double x = array_pass_double(p, v, i);

		if (!(x == trunc(x)) || isinf(x)) /* NaN equals nothing */
			return VALUE_OTHER;
		if (x < -TWO_TO_63 || x >= TWO_TO_63)
			return VALUE_BEYOND;
		*id = (int64_t)x;
		return VALUE_ID;
	}
	uint64_t bits = bits_at(p, v, i);

	*id = p->is_signed ? sign_extend(bits, p->bytes) : (int64_t)bits;
	return p->is_signed || bits <= INT64_MAX ? VALUE_ID : VALUE_BEYOND;
}

static bool has_id(const struct array_pass *p, const void *v, size_t i, int64_t id)
{
	int64_t found;

	return value_at(p, v, i, &found) == VALUE_ID && found == id;
}

static void add_run(struct array_pass *p, int64_t id, uint64_t n, size_t at)
{
	if (p->array->fortran && is_invalid(p, id)) {
		p->offended = true;
		id_counter_add_run(p->ids, id, n, NO_INDEX);
		return;
	}
	id_counter_add_run(p->ids, id, n, p->at + at);
}

/* Counted as the largest id, so that no element is missing from the sums. */
static void count_beyond(struct array_pass *p, const void *v, size_t i)
{
	uint64_t place = array_place(p->array, p->at + i);

	add_run(p, INT64_MAX, 1, i);
	p->out->beyond++;
	if (place < p->out->beyond_first) {
		p->out->beyond_first = place;
		p->out->beyond_value = p->is_float ? 0 : bits_at(p, v, i);
	}
}

/* Elements from..to, in runs of equal ones. False: a float that is no integer. */
static bool count_each(struct array_pass *p, const void *v, size_t from, size_t to)
{
	for (size_t i = from, end; i < to; i = end) {
		uint64_t bits = bits_at(p, v, i);
		int64_t id;

		end = i + 1;
		switch (value_at(p, v, i, &id)) {
		case VALUE_BEYOND:
			count_beyond(p, v, i);
			break;
		case VALUE_OTHER:
			return false;
		case VALUE_ID:
			while (end < to && bits_at(p, v, end) == bits)
				end++;
			add_run(p, id, end - i, i);
			break;
		}
	}
	return true;
}

/* The same, the fast way as long as ids are of 0..65535 and not new. */
static bool count_others(struct array_pass *p, const void *v, size_t from, size_t to)
{
	bool fast = !p->is_float && !p->array->fortran && p->bytes > 1;

	while (fast && from < to) {
		from += kernel_count_known(p->ids->labels, (const uint8_t *)v + from * p->bytes, p->bytes, p->is_signed,
					   to - from);
		if (from == to)
			return true;
		/* the one that it left */
		if (!count_each(p, v, from, from + 1))
			return false;
		from++;
	}
	return count_each(p, v, from, to);
}

static size_t find_id(const struct array_pass *p, const void *v, size_t n, int64_t id)
{
	size_t i = 0;

	while (i < n && !has_id(p, v, i, id))
		i++;
	assert(i < n);
	return i;
}

/* What the tables counted in this chunk, of one id. */
static void empty_count(struct array_pass *p, const void *v, size_t n, int64_t id, uint64_t count)
{
	size_t at = 0;

	/* blocks beside those that the tables took were counted before: an earlier place may be recorded for this chunk
	 */
	if (!p->array->fortran && is_invalid(p, id) && id_counter_first(p->ids, id) > p->at)
		at = find_id(p, v, n, id);
	add_run(p, id, count, at);
}

static void empty_tables(struct array_pass *p, const void *v, size_t n)
{
	struct byte_counts *c = p->tables;
	bool is_bool = p->array->dtype == DTYPE_BOOL;
	uint64_t truths = 0;

	for (unsigned value = 0; value < 256; value++) {
		uint64_t small = 0, negative = 0;

		for (unsigned t = 0; t < KERNEL_TABLES; t++) {
			small += c->small[t][value];
			negative += c->negative[t][value];
		}
		if (is_bool && value)
			truths += small;
		else if (small)
			empty_count(p, v, n, value, small);
		if (negative)
			empty_count(p, v, n, value < 128 ? (int64_t)value : (int64_t)value - 256, negative);
	}
	if (truths)
		empty_count(p, v, n, 1, truths);
	memset(c, 0, sizeof(*c));
}

/* Fortran order: the first of each offender in row-major order, which is not the first in memory. */
static void find_first_offenders(struct array_pass *p, const void *v, size_t n)
{
	p->offended = false;
	for (size_t i = 0; i < n; i++) {
		int64_t id;
		enum value_kind kind = value_at(p, v, i, &id);

		if (kind == VALUE_BEYOND)
			id = INT64_MAX; /* as counted */
		if (kind != VALUE_OTHER && is_invalid(p, id))
			id_counter_add_run(p->ids, id, 0, array_place(p->array, p->at + i));
	}
}

bool array_pass_count(struct array_pass *p, const void *v, size_t n)
{
	size_t i = 0, others = KERNEL_BLOCK;
	bool all = true;

	while (i < n && all) {
		const uint8_t *from = (const uint8_t *)v + i * p->bytes;
		size_t blocks = (n - i) / KERNEL_BLOCK;

		blocks = p->is_float ? kernel_count_floats(p->tables, from, p->bytes, blocks)
				     : kernel_count_ints(p->tables, from, p->bytes, p->is_signed, blocks);
		i += blocks * KERNEL_BLOCK;
		/* where one block does not fit, the next ones hardly will: they are not tried so soon */
		others = blocks ? KERNEL_BLOCK : MIN(2 * others, (size_t)OTHERS_MAX);

		size_t end = MIN(n, i + others);

		all = count_others(p, v, i, end);
		i = end;
	}
	if (all)
		empty_tables(p, v, n);
	else
		memset(p->tables, 0, sizeof(*p->tables));
	if (all && p->offended)
		find_first_offenders(p, v, n);
	return all;
}
