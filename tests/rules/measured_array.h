/* For tests of rules: an array in, measured as in an audit. */
#pragma once

#include <check.h>
#include <string.h>

#include "base/mem.h"
#include "measure/array/measure_array.h"
#include "measure/id_counter.h"
#include "measured.h"

static bool fortran; /* the order of the arrays that follow */

/* Measures `count` elements as an array of that type and shape (zeros end it). */
static inline void measured_array(struct measured *m, enum array_dtype dtype, const void *elements,
				  const uint64_t shape[4])
{
	struct array_measurer *measurer = array_measurer_new(&m->settings, NULL);
	struct array_header *a = &m->sample.array;
	struct id_counter ids;
	struct input in;
	struct batch batch;

	memset(a, 0, sizeof(*a));
	a->dtype = (uint8_t)dtype;
	a->fortran = fortran;
	a->elements = 1;
	for (a->rank = 0; a->rank < 4 && shape[a->rank]; a->rank++)
		a->elements *= a->shape[a->rank] = shape[a->rank];
	m->sample.format = FORMAT_NPY;
	memset(&m->stats, 0, sizeof(m->stats));
	fault_clear(&m->sample.fault);
	fault_clear(&m->sample.warning);
	id_counter_init(&ids, &m->settings.classes);
	batch_init(&batch);
	input_init(&in);
	input_from_memory(&in, elements, (size_t)a->elements * dtype_bytes(dtype));
	ck_assert(array_measurer_measure(measurer, &ids, &in, a, &m->stats, &batch, &m->sample.warning,
					 &m->sample.fault));
	ck_assert_uint_lt(batch.ids_count, ARRAY_SIZE(m->ids));
	if (batch.ids_count)
		memcpy(m->ids, batch.ids, batch.ids_count * sizeof(*m->ids));
	batch_release(&batch);
	id_counter_release(&ids);
	array_measurer_free(measurer);
}

#define SHAPE(...) ((const uint64_t[4]){ __VA_ARGS__ })
