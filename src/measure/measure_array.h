/*
 * struct array_meter: the elements of an array, of any dtype, order and size, measured in one pass and constant memory.
 *
 * Integers are counted as ids; so are floats as long as all of them are integers. The first NaN, infinity or fraction
 * turns the array into one of measured values, which has no ids, only facts (struct array_stats). An axis as long as
 * there are classes is looked at on the way, for one-hot, multi-label and soft labels, which have no ids either.
 * Owner: a worker's struct label_meter, which reuses it. One thread.
 */
#ifndef MEASURE_MEASURE_ARRAY_H
#define MEASURE_MEASURE_ARRAY_H

#include <stdbool.h>

#include "base/settings.h"
#include "measure/backend.h"
#include "measure/id_counter.h"

struct array_meter;

struct array_meter *array_meter_new(const struct settings *settings);
void array_meter_free(struct array_meter *m);

/*
 * Reads the elements of `array` from in, which stands at the first of them, to the end of in; fills the counts and
 * facts of stats and appends the id rows to batch. ids is empty before and after. What follows the last element is a
 * remark (FAULT_MALFORMED). False: fault is filled (FAULT_TRUNCATED, FAULT_LABELS, or what reading gave); nothing was
 * appended.
 */
bool array_meter_measure(struct array_meter *m, struct id_counter *ids, struct input *in,
			 const struct array_header *array, struct label_stats *stats, struct batch *batch,
			 struct fault *remark, struct fault *fault);

#endif
