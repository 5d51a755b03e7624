/*
 * Chunks of elements, brought to native byte order, go through three measurements: counting (array_kernels.h for blocks
 * of small values, element by element for the others), the facts about floats once one of them is no integer, and the
 * class axes as long as the values look like such content. Masks and stacks of them are measured as masks
 * besides (array_mask.h, array_stack.h), and those that may hold
 * colours as pictures (array_colours.h).
 */
#include "measure/measure_array.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/array_colours.h"
#include "measure/array_kernels.h"
#include "measure/array_mask.h"
#include "measure/array_stack.h"
#include "measure/class_axis.h"

enum {
	/* Bytes read at once: in the cache of a core, and large enough that emptying the tables (16 KB) costs nothing.
	 */
	CHUNK = 256 << 10,
	AXES = 2,
	/* Elements that are counted one by one before their neighbours are tried as a block again. */
	OTHERS_MAX = 4096,
};

/* Exact; INT64_MAX is no double. */
#define TWO_TO_63 9223372036854775808.0

struct array_meter {
	const struct settings *settings;
	uint8_t *chunk; /* CHUNK, aligned to 64 */
	float *floats;  /* CHUNK / 2 of them: float16 widened; NULL until one comes */
	struct byte_counts *bytes;
	struct axis_meter axes[AXES];
	struct array_mask mask;
	struct array_stack stack;
	struct array_colours colours;
};

/* One array that is being measured. */
struct pass {
	struct array_meter *m;
	const struct class_set *classes;
	const struct array_header *array;
	struct id_counter *ids;
	struct array_stats *out;
	struct float_facts facts;
	unsigned bytes; /* of an element as it is measured */
	bool is_signed, is_float, is_half;
	bool has_ids;    /* every value so far is an integer */
	bool axes_alive; /* some axis may still turn out to be one of classes */
	bool offended;   /* Fortran order: the chunk in hand holds an offender */
	unsigned axes;   /* of m->axes in use */
	uint64_t at;     /* elements before the chunk in hand */
};

struct array_meter *array_meter_new(const struct settings *settings)
{
	struct array_meter *m = xcalloc(1, sizeof(*m));

	m->settings = settings;
	m->bytes = xcalloc(1, sizeof(*m->bytes));
	m->chunk = aligned_alloc(64, CHUNK);
	array_mask_init(&m->mask, &settings->classes);
	array_stack_init(&m->stack, &settings->classes);
	if (!m->chunk) /* as xmalloc ends, which cannot align */
		m->chunk = xmalloc(SIZE_MAX);
	return m;
}

void array_meter_free(struct array_meter *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < AXES; i++)
		axis_meter_release(&m->axes[i]);
	array_mask_release(&m->mask);
	array_stack_release(&m->stack);
	array_colours_release(&m->colours);
	free(m->chunk);
	free(m->floats);
	free(m->bytes);
	free(m);
}

/* ---- places ----------------------------------------------------------------------------------------------------- */

static bool is_invalid(const struct pass *p, int64_t id)
{
	return class_set_role(p->classes, id) == ID_INVALID;
}

/* Row-major index of the element at `index` of the memory. */
static uint64_t place_of(const struct pass *p, uint64_t index)
{
	const struct array_header *a = p->array;
	uint64_t place = 0, stride = a->elements;

	if (!a->fortran)
		return index;
	/* the first axis is the fastest; its stride in row-major order is that of all the others */
	for (unsigned i = 0; i < a->rank; i++) {
		stride /= a->shape[i];
		place += index % a->shape[i] * stride;
		index /= a->shape[i];
	}
	return place;
}

/* ---- ids -------------------------------------------------------------------------------------------------------- */

/* The raw bits of element i. */
static uint64_t bits_at(const struct pass *p, const void *v, size_t i)
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

static double double_at(const struct pass *p, const void *v, size_t i)
{
	return p->bytes == 4 ? (double)((const float *)v)[i] : ((const double *)v)[i];
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
static enum value_kind value_at(const struct pass *p, const void *v, size_t i, int64_t *id)
{
	if (p->array->dtype == DTYPE_BOOL) {
		*id = bits_at(p, v, i) != 0;
		return VALUE_ID;
	}
	if (p->is_float) {
		double x = double_at(p, v, i);

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

static bool has_id(const struct pass *p, const void *v, size_t i, int64_t id)
{
	int64_t found;

	return value_at(p, v, i, &found) == VALUE_ID && found == id;
}

static void count_beyond(struct pass *p, const void *v, size_t i)
{
	uint64_t place = place_of(p, p->at + i);

	p->out->beyond++;
	if (place < p->out->beyond_first) {
		p->out->beyond_first = place;
		p->out->beyond_value = p->is_float ? 0 : bits_at(p, v, i);
	}
}

static void add_run(struct pass *p, int64_t id, uint64_t n, size_t at)
{
	if (p->array->fortran && is_invalid(p, id)) {
		p->offended = true;
		id_counter_add_run(p->ids, id, n, NO_INDEX);
		return;
	}
	id_counter_add_run(p->ids, id, n, p->at + at);
}

/* Elements from..to, in runs of equal ones. False: a float that is no integer. */
static bool count_each(struct pass *p, const void *v, size_t from, size_t to)
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
static bool count_others(struct pass *p, const void *v, size_t from, size_t to)
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

static size_t find_id(const struct pass *p, const void *v, size_t n, int64_t id)
{
	size_t i = 0;

	while (i < n && !has_id(p, v, i, id))
		i++;
	assert(i < n);
	return i;
}

/* What the tables counted in this chunk, of one id. */
static void empty_count(struct pass *p, const void *v, size_t n, int64_t id, uint64_t count)
{
	size_t at = 0;

	/* blocks beside those that the tables took were counted before: an earlier place may be recorded for this chunk
	 */
	if (!p->array->fortran && is_invalid(p, id) && id_counter_first(p->ids, id) > p->at)
		at = find_id(p, v, n, id);
	add_run(p, id, count, at);
}

static void empty_tables(struct pass *p, const void *v, size_t n)
{
	struct byte_counts *c = p->m->bytes;
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
static void find_first_offenders(struct pass *p, const void *v, size_t n)
{
	p->offended = false;
	for (size_t i = 0; i < n; i++) {
		int64_t id;

		if (value_at(p, v, i, &id) == VALUE_ID && is_invalid(p, id))
			id_counter_add_run(p->ids, id, 0, place_of(p, p->at + i));
	}
}

/* False: an element is no integer; the ids counted so far do not matter any more. */
static bool count_ids(struct pass *p, const void *v, size_t n)
{
	size_t i = 0, others = KERNEL_BLOCK;
	bool all = true;

	while (i < n && all) {
		const uint8_t *from = (const uint8_t *)v + i * p->bytes;
		size_t blocks = (n - i) / KERNEL_BLOCK;

		blocks = p->is_float ? kernel_count_floats(p->m->bytes, from, p->bytes, blocks)
				     : kernel_count_ints(p->m->bytes, from, p->bytes, p->is_signed, blocks);
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
		memset(p->m->bytes, 0, sizeof(*p->m->bytes));
	if (all && p->offended)
		find_first_offenders(p, v, n);
	return all;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* The array turns out to hold values: what was counted so far gives the extremes, and is forgotten. */
static void leave_ids(struct pass *p)
{
	const struct id_counter *c = p->ids;

	for (uint32_t id = 0; id < c->used; id++) {
		if (!c->labels[id])
			continue;
		p->facts.min = fmin(p->facts.min, id);
		p->facts.max = fmax(p->facts.max, id);
	}
	for (size_t i = 0; i < c->slots_cap; i++) {
		if (!c->slots[i].labels)
			continue;
		p->facts.min = fmin(p->facts.min, (double)c->slots[i].id);
		p->facts.max = fmax(p->facts.max, (double)c->slots[i].id);
	}
	id_counter_clear(p->ids);
	p->has_ids = false;
	p->out->beyond = 0;
	p->out->beyond_first = NO_INDEX;
}

static void find_first_values(struct pass *p, const void *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double x = double_at(p, v, i);
		bool finite = isfinite(x);

		if (finite && x == trunc(x))
			continue;
		uint64_t place = place_of(p, p->at + i), *first = finite ? &p->out->fraction_first : &p->out->nan_first;

		*first = MIN(*first, place);
	}
}

static void add_facts(struct pass *p, const void *v, size_t n)
{
	uint64_t odd = p->facts.nan + p->facts.infinite, fractions = p->facts.fractions;

	kernel_float_facts(&p->facts, v, p->bytes, p->is_half, n);

	bool new_odd = p->facts.nan + p->facts.infinite > odd, new_fraction = p->facts.fractions > fractions;
	/* in memory order the first chunk of each has the first place; in the other order any chunk may */
	bool look = p->array->fortran ? new_odd || new_fraction : (new_odd && !odd) || (new_fraction && !fractions);

	if (look)
		find_first_values(p, v, n);
}

/* ---- class axes ------------------------------------------------------------------------------------------------- */

/* 0 and 1, or 0 and 255: elements that are on or off. */
static bool is_binary(const struct pass *p)
{
	const struct id_counter *c = p->ids;

	if (c->slots_count || c->used > 256 || p->out->beyond)
		return false;
	for (uint32_t id = 2; id < c->used; id++)
		if (c->labels[id] && id != 255)
			return false;
	return !(c->used == 256 && c->labels[1]);
}

static bool are_shares(const struct pass *p)
{
	/* a sum of 1 has no part above 1; rounding may leave a trace above it */
	return !p->facts.nan && !p->facts.infinite && p->facts.min >= 0 && p->facts.max <= 1.001;
}

static void begin_axes(struct pass *p, uint64_t classes)
{
	unsigned axes[AXES], n = class_axes_of(p->array, classes, axes);

	p->axes = 0;
	for (unsigned i = 0; i < n; i++)
		p->axes += axis_meter_begin(&p->m->axes[p->axes], p->array, axes[i]);
	p->axes_alive = p->axes > 0;
}

static void add_axes(struct pass *p, const void *v, size_t n)
{
	p->axes_alive = p->has_ids ? is_binary(p) : are_shares(p);
	for (unsigned i = 0; p->axes_alive && i < p->axes; i++)
		axis_meter_add(&p->m->axes[i], v, n);
}

/* ---- the pass --------------------------------------------------------------------------------------------------- */

static void begin(struct pass *p, struct array_meter *m, struct id_counter *ids, const struct array_header *array,
		  struct array_stats *out)
{
	enum array_dtype dtype = (enum array_dtype)array->dtype;

	memset(out, 0, sizeof(*out));
	out->elements = array->elements;
	out->beyond_first = out->nan_first = out->fraction_first = NO_INDEX;
	*p = (struct pass){ .m = m,
			    .classes = &m->settings->classes,
			    .array = array,
			    .ids = ids,
			    .out = out,
			    .facts = { .min = INFINITY, .max = -INFINITY, .least = INFINITY },
			    .bytes = dtype_bytes(dtype),
			    .is_signed = dtype == DTYPE_INT8 || dtype == DTYPE_INT16 || dtype == DTYPE_INT32 ||
					 dtype == DTYPE_INT64,
			    .is_float = dtype >= DTYPE_FLOAT16,
			    .is_half = dtype == DTYPE_FLOAT16,
			    .has_ids = true };
	if (p->is_half) {
		p->bytes = sizeof(float);
		if (!m->floats)
			m->floats = xmalloc(CHUNK / sizeof(uint16_t) * sizeof(float));
	}
}

static void add_pixels(struct pass *p, const void *v, size_t n)
{
	struct array_meter *m = p->m;
	bool is_bool = p->array->dtype == DTYPE_BOOL;

	if (!p->has_ids || p->out->beyond)
		m->mask.alive = m->stack.alive = m->colours.alive = false;
	array_mask_add(&m->mask, p->ids, v, p->bytes, p->is_float, is_bool, n);
	array_stack_add(&m->stack, p->ids, v, p->bytes, p->is_float, is_bool, n);
	array_colours_add(&m->colours, p->ids, v, p->bytes, p->is_float, is_bool, n);
}

static void add_chunk(struct pass *p, void *chunk, size_t n)
{
	const void *v = chunk;

	if (p->array->big_endian)
		kernel_swap(chunk, dtype_bytes((enum array_dtype)p->array->dtype), n);
	if (p->is_half) {
		kernel_widen_halves(p->m->floats, chunk, n);
		v = p->m->floats;
	}
	if (p->has_ids && !count_ids(p, v, n))
		leave_ids(p);
	add_pixels(p, v, n);
	if (!p->has_ids)
		add_facts(p, v, n);
	if (p->axes_alive)
		add_axes(p, v, n);
	p->at += n;
}

static void finish(struct pass *p, uint64_t classes, struct label_stats *stats)
{
	struct array_stats *out = p->out;
	const struct float_facts *f = &p->facts;

	out->use = class_axes_use(p->m->axes, p->axes, p->array, p->has_ids, p->axes_alive, classes, &out->axis);
	out->nan = f->nan;
	out->infinite = f->infinite;
	out->fractions = f->fractions;
	out->fractions_of_255 = f->of_255;
	out->fraction_least = f->fractions ? f->least : 0;
	out->min = f->min <= f->max ? f->min : 0;
	out->max = f->min <= f->max ? f->max : 0;
	stats->no_ids = out->use != ARRAY_IDS;
}

static bool truncated(const struct array_header *array, uint64_t present, struct fault *fault)
{
	fault_set(fault, FAULT_TRUNCATED, array->data_at + present,
		  "the array needs %" PRIu64 " bytes from byte %" PRIu64 " on (%" PRIu64
		  " elements of %s), and %" PRIu64 " are there",
		  array->elements * dtype_bytes((enum array_dtype)array->dtype), array->data_at, array->elements,
		  dtype_name((enum array_dtype)array->dtype), present);
	return false;
}

/* What follows the elements is read, too, where only reading shows whether the rest of a stream is sound. */
static bool read_rest(struct array_meter *m, struct input *in, struct fault *remark, struct fault *fault)
{
	uint64_t at = in->at, more = 0;

	if (in->size != INPUT_SIZE_UNKNOWN) {
		more = in->size - in->at;
	} else {
		int64_t n;

		while ((n = input_read(in, m->chunk, CHUNK, fault)) > 0)
			more += (uint64_t)n;
		if (n < 0)
			return false;
	}
	if (more)
		fault_set(remark, FAULT_MALFORMED, at, "%" PRIu64 " %s the last element, which %s ignored by loaders",
			  more, more == 1 ? "byte follows" : "bytes follow", more == 1 ? "is" : "are");
	return true;
}

bool array_meter_measure(struct array_meter *m, struct id_counter *ids, struct input *in,
			 const struct array_header *array, struct label_stats *stats, struct batch *batch,
			 struct fault *remark, struct fault *fault)
{
	const struct id_ranges *declared = &m->settings->classes.classes;
	int64_t last = declared->count ? declared->v[declared->count - 1].last : -1;
	uint64_t classes = last < 0 ? 0 : (uint64_t)last + 1, left = array->elements;
	unsigned bytes = dtype_bytes((enum array_dtype)array->dtype);
	struct pass p;

	begin(&p, m, ids, array, &stats->array);
	if (in->size != INPUT_SIZE_UNKNOWN && array->elements * bytes > in->size - in->at)
		return truncated(array, in->size - in->at, fault);
	begin_axes(&p, classes);
	array_mask_begin(&m->mask, array);
	array_stack_begin(&m->stack, array);
	array_colours_begin(&m->colours, array);
	while (left) {
		size_t n = (size_t)MIN(left, (uint64_t)(CHUNK / bytes));
		int64_t got = input_read(in, m->chunk, n * bytes, fault);

		if (got >= 0 && (size_t)got < n * bytes)
			truncated(array, (array->elements - left) * bytes + (uint64_t)got, fault);
		if (got < 0 || (size_t)got < n * bytes)
			goto failed;
		add_chunk(&p, m->chunk, n);
		left -= n;
	}
	if (!read_rest(m, in, remark, fault))
		goto failed;
	if (!array->elements && remark->kind == FAULT_NONE)
		fault_set(remark, FAULT_MALFORMED, FAULT_NO_OFFSET, "the array has no elements: no labels");
	finish(&p, classes, stats);

	enum array_use use = (enum array_use)stats->array.use;
	bool coloured = (use == ARRAY_IDS || use == ARRAY_MULTI_LABEL) &&
			array_colours_end(&m->colours, ids, p.axes_alive, stats, batch);

	if (coloured || stats->no_ids || array_mask_end(&m->mask, ids, stats, batch)) {
		id_counter_clear(ids);
		return true;
	}
	if (id_counter_end(ids, stats, batch)) {
		array_stack_end(&m->stack, stats, batch->ids + stats->ids_at);
		return true;
	}
	fault_set(fault, FAULT_LABELS, FAULT_NO_OFFSET,
		  "more than %d different values: measurements or keys, no labels", ID_COUNTER_SPARSE);
failed:
	id_counter_clear(ids);
	return false;
}
