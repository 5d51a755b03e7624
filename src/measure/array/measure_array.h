/*
 * struct array_measurer: measures the elements of an array of any dtype, order and size, in one pass and in constant
 * memory.
 *
 * Integers are counted as ids, and so are floats as long as all of them are whole numbers. The first NaN, infinity or
 * fraction shows that the array holds measured values: then there are no ids, only facts (struct array_stats). If an
 * axis is about as long as there are classes, what lies along it tells whether these are one-hot, multi-label or soft
 * labels, which have no ids either. Owner: a worker's struct label_measurer, which uses it for one array after the
 * other. One thread.
 */
#ifndef MEASURE_MEASURE_ARRAY_H
#define MEASURE_MEASURE_ARRAY_H

#include <stdbool.h>

#include "base/settings.h"
#include "measure/backend.h"
#include "measure/id_counter.h"

struct array_measurer;

struct array_measurer *array_measurer_new(const struct settings *settings);
void array_measurer_free(struct array_measurer *m);

/*
 * Reads the elements of `array`, the first of which comes next in `in`, and all that follows them; fills stats and
 * appends the rows of ids to batch. ids must be empty, and is so afterwards. If anything follows the last element,
 * warning is filled (FAULT_MALFORMED). False: fault is filled (FAULT_TRUNCATED, FAULT_LABELS, or what reading gave),
 * and nothing was appended.
 */
bool array_measurer_measure(struct array_measurer *m, struct id_counter *ids, struct input *in,
			    const struct array_header *array, struct label_stats *stats, struct batch *batch,
			    struct fault *warning, struct fault *fault);

#endif
