/*
 * struct array_pass: one array while it is measured; what measure_array.c (the pass) and array_count.c (its elements as
 * ids) share. For them alone.
 *
 * Elements come in chunks, v[0..n), in native byte order and at their natural alignment; float16 comes as float.
 */
#ifndef MEASURE_ARRAY_PASS_H
#define MEASURE_ARRAY_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/class_set.h"
#include "measure/array/array_kernels.h"
#include "measure/id_counter.h"
#include "measure/label_stats.h"
#include "read/sample.h"

struct array_measurer;

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
	bool has_ids;    /* every value so far is an integer */
	bool axes_alive; /* some axis may still turn out to be one of classes */
	bool offended;   /* Fortran order: the chunk in hand holds an offender */
	unsigned axes;   /* of m->axes in use */
	uint64_t at;     /* elements before the chunk in hand */
};

/*
 * Counts a chunk as ids. False: an element is no integer; then what was counted so far does not matter, and the tables
 * are empty.
 */
bool array_pass_count(struct array_pass *p, const void *v, size_t n);

/* Element i of an array of floats. */
static inline double array_pass_double(const struct array_pass *p, const void *v, size_t i)
{
	return p->bytes == 4 ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

#endif
