/*
 * Measures array files: NumPy (.npy), IDX, volumes and tokens. Elements are read in chunks, brought to native byte
 * order, and measured in several ways at once:
 *
 *   - as ids, until one of them is not an integer; from there on as floats, by facts;
 *   - along the axes that may be class axes, while all values fit one (class_axis.h);
 *   - as a mask, a stack of masks or an image (array_images.h), while the shape and the ids allow it; what these
 *     engines measure wins.
 */
#include "measure/array/measure_array.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/label_id.h"
#include "base/mem.h"
#include "base/thread.h"
#include "measure/array/array_elements.h"
#include "measure/array/array_images.h"
#include "measure/array/class_axis.h"

enum {
	/* Bytes read at once: fits the cache of a core, and makes emptying the tables (16 KB) cost nothing. */
	CHUNK = 256 << 10,
	AXES = 2,
	/* Elements counted one by one before the table loops are tried again. */
	OTHERS_MAX = 4096,
	/* Bytes that a thread takes at a time of an array that several share, and the most that help with one. */
	RANGE = 8 << 20,
	HELPERS_MAX = 63,
	/* Elements at the beginning that are compared by even and odd places: enough to be sure. */
	PARITY_ELEMENTS = 1 << 20,
};

struct array_measurer {
	const struct settings *settings;
	_Atomic unsigned *spare; /* threads without work; or NULL */
	uint8_t *chunk;          /* CHUNK, aligned to 64 */
	float *floats; /* CHUNK / 2: float16 as float, or scaled voxels as double; NULL before the first one */
	struct byte_counts *tables;
	struct axis_measurer axes[AXES];
	struct array_mask mask;
	struct array_stack stack;
	struct array_colours colours;
};

/* One array while it is measured. Elements come as v[0..n), in native byte order, aligned; float16 as float. */
struct array_pass {
	struct array_measurer *m;
	const struct class_set *classes;
	const struct array_header *array;
	struct id_counter *ids;
	struct byte_counts *tables; /* empty between chunks */
	struct array_stats *out;
	struct float_facts facts;
	unsigned bytes; /* of an element as it is measured */
	bool is_signed, is_float, is_half;
	bool is_scaled;  /* voxels become doubles */
	bool has_ids;    /* every value so far is an integer */
	bool axes_alive; /* some axis may still be a class axis */
	bool offended;   /* Fortran order: the current chunk holds an offender */
	unsigned axes;   /* of m->axes in use */
	uint64_t at;     /* elements before the current chunk */
	uint64_t plain;  /* ids from 0 to below this one are classes */
};

struct array_measurer *array_measurer_new(const struct settings *settings, _Atomic unsigned *spare)
{
	struct array_measurer *m = xcalloc(1, sizeof(*m));

	m->settings = settings;
	m->spare = spare;
	m->tables = xcalloc(1, sizeof(*m->tables));
	m->chunk = aligned_alloc(64, CHUNK);
	array_mask_init(&m->mask, &settings->classes);
	array_stack_init(&m->stack, &settings->classes);
	if (!m->chunk) /* ends the program as xmalloc does, which cannot align */
		m->chunk = xmalloc(SIZE_MAX);
	return m;
}

void array_measurer_free(struct array_measurer *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < AXES; i++)
		axis_measurer_release(&m->axes[i]);
	array_mask_release(&m->mask);
	array_stack_release(&m->stack);
	array_colours_release(&m->colours);
	free(m->chunk);
	free(m->floats);
	free(m->tables);
	free(m);
}

/* ---- ids -------------------------------------------------------------------------------------------------------- */

static bool is_invalid(const struct array_pass *p, int64_t id)
{
	return class_set_role(p->classes, id) == ID_INVALID;
}

/* The raw bits of element i. */
static uint64_t bits_at(const struct array_pass *p, const void *v, size_t i)
{
	return element_bits(v, p->bytes, i);
}

static double double_at(const struct array_pass *p, const void *v, size_t i)
{
	return element_double(v, p->bytes, i);
}

/* Classifies element i; sets *id if it is one. */
static enum element_value value_at(const struct array_pass *p, const void *v, size_t i, int64_t *id)
{
	if (p->array->dtype != DTYPE_BOOL)
		return element_value(v, p->bytes, p->is_signed, p->is_float, i, id);
	*id = bits_at(p, v, i) != 0;
	return VALUE_ID;
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

/* Counts element i as the largest id, so that no element is missing from the sums. */
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

/*
 * Counts elements from..to in runs of equal ones; those of ids that were met before, which have their places, at
 * once: a negative element of n bits has the bits of an id that no such array holds. Returns false at a float that is
 * not an integer.
 */
static bool count_each(struct array_pass *p, const void *v, size_t from, size_t to)
{
	const bool at_once = !p->is_float && p->array->dtype != DTYPE_BOOL && !p->array->fortran;

	for (size_t i = from, end; i < to; i = end) {
		if (at_once)
			i += elements_count_known(p->ids->labels, p->ids->dense, (const uint8_t *)v + i * p->bytes,
						  p->bytes, to - i);
		if (i == to)
			break;
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
			if (end == i + 1 && !p->array->fortran)
				id_counter_add(p->ids, id, p->at + i);
			else
				add_run(p, id, end - i, i);
			break;
		}
	}
	return true;
}

static size_t find_id(const struct array_pass *p, const void *v, size_t n, int64_t id)
{
	size_t i = 0;

	while (i < n && !has_id(p, v, i, id))
		i++;
	assert(i < n);
	return i;
}

/* Adds the `count` labels of one id that the tables counted in this chunk. */
static void empty_count(struct array_pass *p, const void *v, size_t n, int64_t id, uint64_t count)
{
	size_t at = 0;

	/* elements outside the tables were counted before: they may have recorded a place in this chunk */
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

		for (unsigned t = 0; t < ELEMENTS_TABLES; t++) {
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

/* Fortran order: records the first of each offender in row-major order, which is not the first in memory. */
static void find_first_offenders(struct array_pass *p, const void *v, size_t n)
{
	p->offended = false;
	for (size_t i = 0; i < n; i++) {
		int64_t id;
		const enum element_value kind = value_at(p, v, i, &id);

		if (kind == VALUE_BEYOND)
			id = INT64_MAX; /* as counted */
		if (kind != VALUE_OTHER && is_invalid(p, id))
			id_counter_add_run(p->ids, id, 0, array_place(p->array, p->at + i));
	}
}

/* Counts elements of which all are classes, without a look at each. Returns false, with none counted, if some are not.
 */
static bool count_classes(struct array_pass *p, const void *v, size_t n)
{
	const uint64_t most = p->is_float || p->bytes == 1 ? UINT64_MAX : elements_max(v, p->bytes, n);

	if (most >= p->plain)
		return false;
	elements_count_all(p->ids->labels, v, p->bytes, n);
	p->ids->used = MAX(p->ids->used, (uint32_t)most + 1);
	return true;
}

/* Counts a chunk as ids. Returns false at a float that is not an integer; counts then do not matter. */
static bool count_ids(struct array_pass *p, const void *v, size_t n)
{
	size_t i = 0, others = ELEMENTS_BLOCK;
	bool all = true, tried = false;

	while (i < n && all) {
		const uint8_t *from = (const uint8_t *)v + i * p->bytes;
		size_t blocks = (n - i) / ELEMENTS_BLOCK;

		blocks = p->is_float ? elements_count_floats(p->tables, from, p->bytes, blocks)
				     : elements_count_ints(p->tables, from, p->bytes, p->is_signed, blocks);
		i += blocks * ELEMENTS_BLOCK;
		if (!tried && i < n && count_classes(p, from + blocks * ELEMENTS_BLOCK * p->bytes, n - i))
			break;
		tried = true;
		/* after a block that does not fit, the next ones hardly will: try them later and later */
		others = blocks ? ELEMENTS_BLOCK : MIN(2 * others, (size_t)OTHERS_MAX);

		size_t end = MIN(n, i + others);

		all = count_each(p, v, i, end);
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

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* The array holds measured values after all: the ids counted so far only give min and max. */
static void leave_ids(struct array_pass *p)
{
	struct id_stats row;

	for (size_t at = 0; id_counter_next(p->ids, &at, &row);) {
		p->facts.min = fmin(p->facts.min, (double)row.id);
		p->facts.max = fmax(p->facts.max, (double)row.id);
	}
	id_counter_clear(p->ids);
	p->has_ids = false;
	p->out->beyond = 0;
	p->out->beyond_first = NO_INDEX;
}

/* Records the first fraction and the first NaN or infinity of a chunk, in row-major order. */
static void find_first_values(struct array_pass *p, const void *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double x = double_at(p, v, i);
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

	elements_float_facts(&p->facts, v, p->bytes, p->is_half, n);

	bool new_odd = p->facts.nan + p->facts.infinite > odd, new_fraction = p->facts.fractions > fractions;
	/* in C order the first chunk that has some has the first place; in Fortran order any chunk may */
	bool look = p->array->fortran ? new_odd || new_fraction : (new_odd && !odd) || (new_fraction && !fractions);

	if (look)
		find_first_values(p, v, n);
}

/* ---- class axes ------------------------------------------------------------------------------------------------- */

/* Returns whether all ids so far are 0 and 1, or 0 and 255: elements that are on or off. */
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
	/* shares that add up to 1 are at most 1, but for rounding */
	return !p->facts.nan && !p->facts.infinite && p->facts.min >= 0 && p->facts.max <= 1.001;
}

static void begin_axes(struct array_pass *p, uint64_t classes)
{
	unsigned axes[AXES], n = class_axes_of(p->array, classes, axes);

	p->axes = 0;
	for (unsigned i = 0; i < n; i++)
		p->axes += axis_measurer_begin(&p->m->axes[p->axes], p->array, axes[i]);
	p->axes_alive = p->axes > 0;
}

static void add_axes(struct array_pass *p, const void *v, size_t n)
{
	p->axes_alive = p->has_ids ? is_binary(p) : are_shares(p);
	for (unsigned i = 0; p->axes_alive && i < p->axes; i++)
		axis_measurer_add(&p->m->axes[i], v, n);
}

/* ---- the pass --------------------------------------------------------------------------------------------------- */

static void begin(struct array_pass *p, struct array_measurer *m, struct id_counter *ids,
		  const struct array_header *array, uint64_t classes, struct array_stats *out)
{
	enum array_dtype dtype = (enum array_dtype)array->dtype;

	memset(out, 0, sizeof(*out));
	out->elements = array->elements;
	out->beyond_first = out->nan_first = out->fraction_first = NO_INDEX;
	*p = (struct array_pass){ .m = m,
				  .classes = &m->settings->classes,
				  .array = array,
				  .ids = ids,
				  .tables = m->tables,
				  .out = out,
				  .facts = { .min = INFINITY, .max = -INFINITY, .least = INFINITY },
				  .bytes = dtype_bytes(dtype),
				  .is_signed = dtype == DTYPE_INT8 || dtype == DTYPE_INT16 || dtype == DTYPE_INT32 ||
					       dtype == DTYPE_INT64,
				  .is_float = dtype >= DTYPE_FLOAT16,
				  .is_half = dtype == DTYPE_FLOAT16,
				  .is_scaled = array->volume.scaled,
				  .has_ids = true,
				  .plain =
					  MIN((uint64_t)class_set_plain(&m->settings->classes), (uint64_t)ids->dense) };
	if ((p->is_half || p->is_scaled) && !m->floats)
		m->floats = xmalloc(CHUNK / sizeof(uint16_t) * sizeof(float));
	if (p->is_half)
		p->bytes = sizeof(float);
	if (p->is_scaled) {
		p->bytes = sizeof(double);
		p->is_float = true;
	}
	begin_axes(p, classes);
	array_mask_begin(&m->mask, array);
	array_stack_begin(&m->stack, array);
	array_colours_begin(&m->colours, array);
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

/* Writes the values that n voxels stand for. */
static void scale(const struct array_pass *p, const void *v, size_t n, double *out)
{
	const struct volume_header *volume = &p->array->volume;
	const enum array_dtype dtype = (enum array_dtype)p->array->dtype;
	const unsigned bytes = dtype_bytes(dtype);

	for (size_t i = 0; i < n; i++) {
		const double x = dtype >= DTYPE_FLOAT16 ? element_double(v, bytes, i)
				 : p->is_signed         ? (double)element_signed(v, bytes, i)
							: (double)element_bits(v, bytes, i);

		out[i] = volume->slope * x + volume->inter;
	}
}

/* Adds what shows that ids of one axis were written in a wider or a narrower type. */
static void add_halves(struct array_pass *p, const void *v, size_t n)
{
	if (p->at < PARITY_ELEMENTS)
		elements_add_small(p->out->small, v, p->bytes, n);
	if (p->bytes == 4) /* dtype-misread asks of these alone */
		p->out->halves_max = MAX(p->out->halves_max, elements_max(v, 2, n * p->bytes / 2));
}

static void add_chunk(struct array_pass *p, void *chunk, size_t n)
{
	const void *v = chunk;

	if (p->array->big_endian)
		elements_swap(chunk, dtype_bytes((enum array_dtype)p->array->dtype), n);
	if (p->is_half) {
		elements_widen_halves(p->m->floats, chunk, n);
		v = p->m->floats;
	}
	if (p->is_scaled) {
		void *scaled = p->m->floats;

		scale(p, chunk, n, scaled);
		v = scaled;
	}
	if (p->array->rank == 1 && !p->is_float)
		add_halves(p, v, n);
	if (p->has_ids && !count_ids(p, v, n))
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
	const unsigned bytes = dtype_bytes((enum array_dtype)array->dtype);

	if (array->elements == ELEMENTS_UNKNOWN)
		return fault_set(fault, FAULT_TRUNCATED, array->data_at + present,
				 "ends after %" PRIu64 " ids of %u bytes, and a part of one", present / bytes, bytes);
	return fault_set(fault, FAULT_TRUNCATED, array->data_at + present,
			 "the array needs %" PRIu64 " bytes from byte %" PRIu64 " on (%" PRIu64
			 " elements of %s), but only %" PRIu64 " are there",
			 array->elements * bytes, array->data_at, array->elements,
			 dtype_name((enum array_dtype)array->dtype), present);
}

/* Reads `left` elements, all or as many as there are. Returns false if *fault is set. */
static bool read_elements(struct array_pass *p, struct input *in, uint64_t left, struct fault *fault)
{
	const struct array_header *array = p->array;
	const unsigned bytes = dtype_bytes((enum array_dtype)array->dtype);

	while (left) {
		const size_t want = (size_t)MIN(left, (uint64_t)(CHUNK / MAX(bytes, p->bytes))) * bytes;
		const int64_t got = input_read(in, p->m->chunk, want, fault);
		const size_t n = got < 0 ? 0 : (size_t)got / bytes;

		if (got < 0)
			return false;
		if ((size_t)got < want && (array->elements != ELEMENTS_UNKNOWN || (size_t)got % bytes))
			return truncated(array, p->at * bytes + (uint64_t)got, fault);
		add_chunk(p, p->m->chunk, n);
		if ((size_t)got < want)
			break;
		left -= n;
	}
	return true;
}

/* ---- by several threads ------------------------------------------------------------------------------------------ */

/*
 * An array whose integers are only counted, as a stream of tokens is, has sums that depend on no order. Threads that
 * have no other work then help with a large one: each takes the next range until none is left, and counts it for
 * itself.
 */
struct shared_array {
	const struct array_pass *pass; /* the owner's */
	_Atomic uint64_t next;         /* the first element of the next range; at the end after a fault */
};

struct array_helper {
	struct shared_array *shared;
	pthread_t thread;
	struct input in; /* a place of its own in the same file */
	struct array_measurer *measurer;
	struct id_counter ids;
	struct array_stats stats;
	struct array_pass pass;
	struct fault fault;
};

static bool is_only_counted(const struct array_pass *p, const struct input *in)
{
	const struct array_measurer *m = p->m;

	return m->spare && in->fd >= 0 && !p->is_float && !p->axes && !m->mask.alive && !m->stack.alive &&
	       !m->colours.alive;
}

static uint64_t range_elements(const struct array_pass *p)
{
	return RANGE / p->bytes;
}

/* Counts the next range. Returns false if there was none, or if *fault is set. */
static bool read_range(struct shared_array *shared, struct array_pass *p, struct input *in, struct fault *fault)
{
	const uint64_t size = range_elements(p), from = atomic_fetch_add(&shared->next, size), all = p->array->elements;

	if (from >= all)
		return false;
	in->at = p->array->data_at + from * p->bytes;
	p->at = from;
	if (read_elements(p, in, MIN(size, all - from), fault))
		return true;
	atomic_store(&shared->next, all);
	return false;
}

static void *help(void *arg)
{
	struct array_helper *h = arg;

	while (read_range(h->shared, &h->pass, &h->in, &h->fault))
		;
	return NULL;
}

static bool take_spare(_Atomic unsigned *spare)
{
	unsigned n = atomic_load(spare);

	while (n && !atomic_compare_exchange_weak(spare, &n, n - 1))
		;
	return n > 0;
}

static void free_helper(struct array_helper *h)
{
	array_measurer_free(h->measurer);
	id_counter_release(&h->ids);
	free(h);
}

static struct array_helper *start_helper(struct shared_array *shared, const struct input *in)
{
	const struct array_pass *p = shared->pass;
	struct array_helper *h = xcalloc(1, sizeof(*h));

	h->shared = shared;
	h->in = *in;
	h->measurer = array_measurer_new(p->m->settings, NULL);
	id_counter_init(&h->ids, p->classes);
	begin(&h->pass, h->measurer, &h->ids, p->array, 0, &h->stats);
	if (thread_start(&h->thread, help, h))
		return h;
	free_helper(h);
	return NULL;
}

/* Adds what a helper counted. */
static void add_helper(struct array_pass *p, const struct array_helper *h, struct fault *fault)
{
	struct array_stats *out = p->out;

	id_counter_merge(p->ids, &h->ids);
	out->beyond += h->stats.beyond;
	if (h->stats.beyond_first < out->beyond_first) {
		out->beyond_first = h->stats.beyond_first;
		out->beyond_value = h->stats.beyond_value;
	}
	for (unsigned i = 0; i < 2; i++)
		out->small[i] += h->stats.small[i];
	out->halves_max = MAX(out->halves_max, h->stats.halves_max);
	if (fault->kind == FAULT_NONE)
		*fault = h->fault;
}

/* Counts all elements. Returns false if *fault is set. */
static bool read_shared(struct array_pass *p, struct input *in, struct fault *fault)
{
	struct shared_array shared = { .pass = p };
	struct array_helper *helpers[HELPERS_MAX];
	unsigned count = 0;
	const uint64_t all = p->array->elements, size = range_elements(p);

	do {
		const uint64_t next = atomic_load(&shared.next);

		if (count < HELPERS_MAX && next < all && all - next > size && take_spare(p->m->spare)) {
			helpers[count] = start_helper(&shared, in);
			if (helpers[count])
				count++;
			else
				atomic_fetch_add(p->m->spare, 1);
		}
	} while (read_range(&shared, p, in, fault));
	atomic_fetch_add(p->m->spare, count);
	for (unsigned i = 0; i < count; i++) {
		pthread_join(helpers[i]->thread, NULL);
		add_helper(p, helpers[i], fault);
		free_helper(helpers[i]);
	}
	in->at = p->array->data_at + all * p->bytes;
	return fault->kind == FAULT_NONE;
}

/* Warns if anything follows the elements. A stream of unknown size is read to its end, which also checks it. */
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
			    struct array_header *array, struct label_stats *stats, struct batch *batch,
			    struct fault *warning, struct fault *fault)
{
	const struct id_ranges *declared = &m->settings->classes.classes;
	int64_t last = declared->count ? declared->v[declared->count - 1].last : -1;
	uint64_t classes = last < 0 ? 0 : (uint64_t)last + 1;
	unsigned bytes = dtype_bytes((enum array_dtype)array->dtype);
	struct array_pass p;

	begin(&p, m, ids, array, classes, &stats->array);
	if (in->size != INPUT_SIZE_UNKNOWN && array->elements * bytes > in->size - in->at)
		return truncated(array, in->size - in->at, fault);
	if (!(is_only_counted(&p, in) ? read_shared(&p, in, fault) : read_elements(&p, in, array->elements, fault)) ||
	    !read_rest(m, in, warning, fault))
		goto failed;
	if (array->elements == ELEMENTS_UNKNOWN)
		array->elements = array->shape[0] = p.at;
	stats->array.elements = array->elements;
	if (m->mask.no_memory || m->stack.no_memory || m->colours.no_memory) {
		fault_no_memory(fault, FAULT_NO_OFFSET,
				"not enough memory for rows of an array of %" PRIu64 " elements", array->elements);
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
		  "more than %d different values that are no classes: measurements, keys, or ids of another type",
		  ID_COUNTER_SPARSE);
failed:
	id_counter_clear(ids);
	return false;
}
