#include "fix/fix_array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fix/id_lookup.h"
#include "measure/array/array_elements.h"
#include "read/npy.h"

enum {
	CHUNK = 1 << 16,       /* elements read at a time */
	HEADER_ALIGNMENT = 64, /* of the elements in the file */
	GROWTH_DIGITS = 21,    /* np.save() leaves room for the first axis to grow to this number of digits */
	INT8_LOW = -128,
	INT8_HIGH = 127,
};

/* An array while it is rewritten. */
struct rewrite {
	struct input *in;
	struct sink *out;
	struct fault *fault;
	struct array_header from, to;
	uint8_t *chunk;  /* owned */
	float *floats;   /* float16 as float; owned, or NULL */
	int64_t *mapped; /* CHUNK ids; owned */
	struct id_lookup ids;
	uint64_t changed;
};

/* ---- the type of the result -------------------------------------------------------------------------------------- */

struct range {
	int64_t low, high;
};

static void extend(struct range *r, int64_t id)
{
	r->low = MIN(r->low, id);
	r->high = MAX(r->high, id);
}

static bool holds(enum array_dtype dtype, const struct range *r)
{
	unsigned bits = 8 * dtype_bytes(dtype);
	bool is_signed = dtype_name(dtype)[0] == 'i';

	if (dtype == DTYPE_BOOL)
		return r->low >= 0 && r->high <= 1;
	if (!is_signed)
		return r->low >= 0 && (bits == 64 || (uint64_t)r->high < UINT64_C(1) << bits);
	return bits == 64 || (r->low >= -(INT64_C(1) << (bits - 1)) && r->high < INT64_C(1) << (bits - 1));
}

static enum array_dtype narrowest(const struct range *r)
{
	static const enum array_dtype dtypes[] = { DTYPE_UINT8, DTYPE_INT8,   DTYPE_UINT16,
						   DTYPE_INT16, DTYPE_UINT32, DTYPE_INT32 };

	for (size_t i = 0; i < ARRAY_SIZE(dtypes); i++)
		if (holds(dtypes[i], r))
			return dtypes[i];
	return DTYPE_INT64;
}

/* Fills the header of the result. Returns false if *fault is set: IDX has no type for the ids. */
static bool plan_header(struct rewrite *r, const struct fix_plan *plan, const struct fix_file *file)
{
	unsigned recodings = fix_plan_file(plan, file)->recodings;
	struct range set = { 0, 0 }, own = { 0, 0 };

	r->to = r->from;
	for (size_t i = 0; i < plan->decision->map.count; i++)
		extend(&set, plan->decision->map.v[i].to);
	for (size_t i = 0; i < file->ids_count; i++)
		extend(&own, fix_plan_id(plan, file, fix_file_ids(plan->set, file)[i].id));
	if (!recodings && holds((enum array_dtype)r->from.dtype, &own))
		return true;
	if (file->is_idx)
		return fault_set(r->fault, FAULT_LABELS, FAULT_NO_OFFSET, "its type does not hold the new ids");
	/* losses take lists of labels as int64 */
	r->to.dtype = (uint8_t)(r->to.rank == 1 ? DTYPE_INT64 : narrowest(recodings ? &set : &own));
	r->to.big_endian = false;
	r->to.fortran &= r->to.rank > 1;
	return true;
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

static void add_shape(struct strbuf *s, const struct array_header *h)
{
	strbuf_addch(s, '(');
	for (unsigned i = 0; i < h->rank; i++)
		strbuf_addf(s, "%s%" PRIu64, i ? ", " : "", h->shape[i]);
	strbuf_adds(s, h->rank == 1 ? ",)" : ")");
}

/* https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
static void add_npy_header(struct strbuf *out, const struct array_header *h)
{
	static const char magic[] = "\x93NUMPY\x01";
	const char kind = dtype_name((enum array_dtype)h->dtype)[0];
	unsigned bytes = dtype_bytes((enum array_dtype)h->dtype);
	RELEASED struct strbuf text = STRBUF_INIT, axis = STRBUF_INIT;

	strbuf_addf(&text, "{'descr': '%c%c%u', 'fortran_order': %s, 'shape': ", bytes == 1 ? '|' : '<', kind, bytes,
		    h->fortran ? "True" : "False");
	add_shape(&text, h);
	strbuf_adds(&text, ", }");
	if (h->rank)
		strbuf_addf(&axis, "%" PRIu64, h->shape[h->fortran ? h->rank - 1 : 0]);
	for (size_t i = axis.len; h->rank && i < GROWTH_DIGITS; i++)
		strbuf_addch(&text, ' ');
	/* magic, minor version, 2 bytes of length, and a line feed */
	while ((sizeof(magic) + 2 + text.len + 1) % HEADER_ALIGNMENT)
		strbuf_addch(&text, ' ');
	strbuf_addch(&text, '\n');
	strbuf_add(out, magic, sizeof(magic)); /* its NUL is the minor version */
	strbuf_addch(out, (char)(text.len & 255));
	strbuf_addch(out, (char)(text.len >> 8));
	strbuf_add(out, text.s, text.len);
}

/* Copies the header as it is. */
static bool copy_header(struct rewrite *r)
{
	uint64_t left = r->from.data_at;

	if (!input_seek(r->in, 0, r->fault))
		return false;
	while (left) {
		int64_t n = input_read(r->in, r->chunk, (size_t)MIN(left, (uint64_t)CHUNK), r->fault);

		if (n <= 0)
			return n < 0 ? false
				     : fault_set(r->fault, FAULT_TRUNCATED, r->in->at, "ends within its header");
		strbuf_add(&r->out->text, r->chunk, (size_t)n);
		left -= (uint64_t)n;
	}
	return true;
}

/* Writes the header; afterwards the input is at the first element. */
static bool write_header(struct rewrite *r)
{
	if (r->to.dtype == r->from.dtype)
		return copy_header(r);
	add_npy_header(&r->out->text, &r->to);
	return input_seek(r->in, r->from.data_at, r->fault);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Reads the next n elements, in native byte order. Returns them, or NULL if *fault is set. */
static const void *read_elements(struct rewrite *r, size_t n)
{
	unsigned bytes = dtype_bytes((enum array_dtype)r->from.dtype);
	int64_t got = input_read(r->in, r->chunk, n * bytes, r->fault);

	if (got < 0)
		return NULL;
	if ((uint64_t)got < n * bytes) {
		fault_set(r->fault, FAULT_TRUNCATED, r->in->at, "ends within its elements");
		return NULL;
	}
	if (r->from.big_endian)
		elements_swap(r->chunk, bytes, n);
	if (r->from.dtype != DTYPE_FLOAT16)
		return r->chunk;
	elements_widen_halves(r->floats, (const uint16_t *)(const void *)r->chunk, n);
	return r->floats;
}

/* Reads element i, which is an integer that 64 bits hold, as the audit found. Returns false if it is none. */
static bool element(const struct rewrite *r, const void *v, size_t i, int64_t *id)
{
	double x;

	switch (r->from.dtype) {
	case DTYPE_BOOL:
		*id = ((const uint8_t *)v)[i] != 0;
		return true;
	case DTYPE_UINT8:
		*id = ((const uint8_t *)v)[i];
		return true;
	case DTYPE_INT8:
		*id = ((const int8_t *)v)[i];
		return true;
	case DTYPE_UINT16:
		*id = ((const uint16_t *)v)[i];
		return true;
	case DTYPE_INT16:
		*id = ((const int16_t *)v)[i];
		return true;
	case DTYPE_UINT32:
		*id = ((const uint32_t *)v)[i];
		return true;
	case DTYPE_INT32:
		*id = ((const int32_t *)v)[i];
		return true;
	case DTYPE_FLOAT64:
		x = ((const double *)v)[i];
		break;
	case DTYPE_FLOAT16:
	case DTYPE_FLOAT32:
		x = (double)((const float *)v)[i];
		break;
	default:
		*id = ((const int64_t *)v)[i];
		return true;
	}
	if (!(x >= -9e15 && x <= 9e15))
		return false;
	*id = (int64_t)x;
	return true;
}

/* Appends ids as elements of the result. */
static bool add_elements(struct rewrite *r, const int64_t *ids, size_t n)
{
	unsigned bytes = dtype_bytes((enum array_dtype)r->to.dtype);
	uint8_t *out = r->chunk; /* what was read is not needed any more */

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < bytes; k++)
			*out++ = (uint8_t)((uint64_t)ids[i] >> 8 * (r->to.big_endian ? bytes - 1 - k : k));
	strbuf_add(&r->out->text, r->chunk, n * bytes);
	return sink_flush(r->out, r->fault);
}

static bool map_elements(struct rewrite *r)
{
	for (uint64_t at = 0; at < r->from.elements;) {
		size_t n = (size_t)MIN(r->from.elements - at, (uint64_t)CHUNK);
		const void *v = read_elements(r, n);

		for (size_t i = 0; v && i < n; i++) {
			int64_t id, to;

			if (!element(r, v, i, &id) || !id_lookup(&r->ids, id, &to))
				return fault_set(r->fault, FAULT_UNREADABLE, FAULT_NO_OFFSET,
						 "element %" PRIu64 " is an id that the plan does not know", at + i);
			r->changed += to != id;
			r->mapped[i] = to;
		}
		if (!v || !add_elements(r, r->mapped, n))
			return false;
		at += n;
	}
	return true;
}

/* Copies what follows the elements. */
static bool copy_rest(struct rewrite *r)
{
	int64_t n;

	while ((n = input_read(r->in, r->chunk, CHUNK, r->fault)) > 0) {
		strbuf_add(&r->out->text, r->chunk, (size_t)n);
		if (!sink_flush(r->out, r->fault))
			return false;
	}
	return n == 0;
}

bool fix_array(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
	       uint64_t *labels, struct fault *fault)
{
	struct rewrite r = { .in = in, .out = out, .fault = fault };

	if (!(file->is_idx ? idx_read_header : npy_read_header)(in, &r.from, fault) || !plan_header(&r, plan, file))
		return false;
	r.chunk = xmalloc(CHUNK * sizeof(uint64_t)); /* of the widest elements */
	r.floats = r.from.dtype == DTYPE_FLOAT16 ? xmalloc(CHUNK * sizeof(*r.floats)) : NULL;
	r.mapped = xmalloc(CHUNK * sizeof(*r.mapped));
	id_lookup_init(&r.ids, plan, file);
	bool ok = write_header(&r) && map_elements(&r);

	ok = ok && copy_rest(&r);
	*labels += r.changed;
	id_lookup_release(&r.ids);
	free(r.mapped);
	free(r.floats);
	free(r.chunk);
	return ok;
}
