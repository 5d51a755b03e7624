/*
 * Chunks of elements, brought to native byte order, go through three measurements: they are counted as ids
 * (array_count.c); once one of them is no integer, the facts about floats are gathered; and the class axes are looked
 * at as long as the values may be what lies along one (class_axis.h). Besides, arrays that may be masks, stacks of them
 * or pictures are measured as such (array_mask.h, array_stack.h, array_colours.h).
 */
#include "measure/array/measure_array.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/array/array_colours.h"
#include "measure/array/array_kernels.h"
#include "measure/array/array_mask.h"
#include "measure/array/array_pass.h"
#include "measure/array/array_stack.h"
#include "measure/array/class_axis.h"

enum {
	/* Bytes read at once: in the cache of a core, and large enough that emptying the tables (16 KB) costs nothing.
	 */
	CHUNK = 256 << 10,
	AXES = 2,
};

struct array_measurer {
	const struct settings *settings;
	uint8_t *chunk; /* CHUNK, aligned to 64 */
	float *floats;  /* CHUNK / 2 of them: float16 widened; NULL until one comes */
	struct byte_counts *bytes;
	struct axis_meter axes[AXES];
	struct array_mask mask;
	struct array_stack stack;
	struct array_colours colours;
};

struct array_measurer *array_measurer_new(const struct settings *settings)
{
	struct array_measurer *m = xcalloc(1, sizeof(*m));

	m->settings = settings;
	m->bytes = xcalloc(1, sizeof(*m->bytes));
	m->chunk = aligned_alloc(64, CHUNK);
	array_mask_init(&m->mask, &settings->classes);
	array_stack_init(&m->stack, &settings->classes);
	if (!m->chunk) /* as xmalloc ends, which cannot align */
		m->chunk = xmalloc(SIZE_MAX);
	return m;
}

void array_measurer_free(struct array_measurer *m)
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

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* The array turns out to hold values: what was counted so far gives the extremes, and is forgotten. */
static void leave_ids(struct array_pass *p)
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

static void find_first_values(struct array_pass *p, const void *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double x = array_pass_double(p, v, i);
		bool finite = isfinite(x);

		if (finite && x == trunc(x))
			continue;
		uint64_t place = array_place(p->array, p->at + i),
			 *first = finite ? &p->out->fraction_first : &p->out->nan_first;

		*first = MIN(*first, place);
	}
}

static void add_facts(struct array_pass *p, const void *v, size_t n)
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
static bool is_binary(const struct array_pass *p)
{
	const struct id_counter *c = p->ids;

	if (c->slots_count || c->used > 256 || p->out->beyond)
		return false;
	for (uint32_t id = 2; id < c->used; id++)
		if (c->labels[id] && id != 255)
			return false;
	return !(c->used == 256 && c->labels[1]);
}

static bool are_shares(const struct array_pass *p)
{
	/* a sum of 1 has no part above 1; rounding may leave a trace above it */
	return !p->facts.nan && !p->facts.infinite && p->facts.min >= 0 && p->facts.max <= 1.001;
}

static void begin_axes(struct array_pass *p, uint64_t classes)
{
	unsigned axes[AXES], n = class_axes_of(p->array, classes, axes);

	p->axes = 0;
	for (unsigned i = 0; i < n; i++)
		p->axes += axis_meter_begin(&p->m->axes[p->axes], p->array, axes[i]);
	p->axes_alive = p->axes > 0;
}

static void add_axes(struct array_pass *p, const void *v, size_t n)
{
	p->axes_alive = p->has_ids ? is_binary(p) : are_shares(p);
	for (unsigned i = 0; p->axes_alive && i < p->axes; i++)
		axis_meter_add(&p->m->axes[i], v, n);
}

/* ---- the pass --------------------------------------------------------------------------------------------------- */

static void begin(struct array_pass *p, struct array_measurer *m, struct id_counter *ids,
		  const struct array_header *array, struct array_stats *out)
{
	enum array_dtype dtype = (enum array_dtype)array->dtype;

	memset(out, 0, sizeof(*out));
	out->elements = array->elements;
	out->beyond_first = out->nan_first = out->fraction_first = NO_INDEX;
	*p = (struct array_pass){ .m = m,
				  .classes = &m->settings->classes,
				  .array = array,
				  .ids = ids,
				  .tables = m->bytes,
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

static void add_pixels(struct array_pass *p, const void *v, size_t n)
{
	struct array_measurer *m = p->m;
	const struct array_elements next = {
		.v = v, .n = n, .bytes = p->bytes, .is_float = p->is_float, .is_bool = p->array->dtype == DTYPE_BOOL
	};

	if (!p->has_ids || p->out->beyond)
		m->mask.alive = m->stack.alive = m->colours.alive = false;
	array_mask_add(&m->mask, p->ids, next);
	array_stack_add(&m->stack, p->ids, next);
	array_colours_add(&m->colours, p->ids, next);
}

static void add_chunk(struct array_pass *p, void *chunk, size_t n)
{
	const void *v = chunk;

	if (p->array->big_endian)
		kernel_swap(chunk, dtype_bytes((enum array_dtype)p->array->dtype), n);
	if (p->is_half) {
		kernel_widen_halves(p->m->floats, chunk, n);
		v = p->m->floats;
	}
	if (p->has_ids && !array_pass_count(p, v, n))
		leave_ids(p);
	add_pixels(p, v, n);
	if (!p->has_ids)
		add_facts(p, v, n);
	if (p->axes_alive)
		add_axes(p, v, n);
	p->at += n;
}

static void finish(struct array_pass *p, uint64_t classes, struct label_stats *stats)
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
static bool read_rest(struct array_measurer *m, struct input *in, struct fault *warning, struct fault *fault)
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
		fault_set(warning, FAULT_MALFORMED, at, "%" PRIu64 " %s the last element, which %s ignored by loaders",
			  more, more == 1 ? "byte follows" : "bytes follow", more == 1 ? "is" : "are");
	return true;
}

bool array_measurer_measure(struct array_measurer *m, struct id_counter *ids, struct input *in,
			    const struct array_header *array, struct label_stats *stats, struct batch *batch,
			    struct fault *warning, struct fault *fault)
{
	const struct id_ranges *declared = &m->settings->classes.classes;
	int64_t last = declared->count ? declared->v[declared->count - 1].last : -1;
	uint64_t classes = last < 0 ? 0 : (uint64_t)last + 1, left = array->elements;
	unsigned bytes = dtype_bytes((enum array_dtype)array->dtype);
	struct array_pass p;

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
	if (!read_rest(m, in, warning, fault))
		goto failed;
	if (m->mask.no_memory || m->stack.no_memory || m->colours.no_memory) {
		fault_no_memory(fault, FAULT_NO_OFFSET, "no memory for rows of an array of %" PRIu64 " elements",
				array->elements);
		goto failed;
	}
	if (!array->elements && warning->kind == FAULT_NONE)
		fault_set(warning, FAULT_MALFORMED, FAULT_NO_OFFSET, "the array has no elements: no labels");
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
