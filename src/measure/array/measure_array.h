/*
 * struct array_measurer: measures the elements of an array of any dtype, order and size, in one pass and in constant
 * memory.
 *
 * Integers are counted as ids, and so are floats while all of them are integers. The first NaN, infinity or fraction
 * shows that the array holds measured values, which have no ids, only facts (struct array_stats). If an axis is about
 * as long as there are classes, the elements along it decide whether the array holds one-hot, multi-label or soft
 * labels, which have no ids either.
 *
 * Owner: a worker's struct label_measurer, which reuses it. One thread; it may start others while it measures.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "base/settings.h"
#include "measure/backend.h"
#include "measure/id_counter.h"

struct array_measurer;

/* spare: how many threads of the program have no work, and may help with large arrays; borrowed; or NULL. */
struct array_measurer *array_measurer_new(const struct settings *settings, _Atomic unsigned *spare);
void array_measurer_free(struct array_measurer *m);

/*
 * Reads the elements of `array`, which come next in `in`, and all that follows; fills stats and appends the id rows to
 * batch. The number of elements is set if it was unknown. ids must be empty, and is so afterwards. If anything follows
 * the last element, *warning is set (FAULT_MALFORMED). Returns false if the array cannot be read or has too many ids;
 * then *fault is set, and nothing was appended.
 */
bool array_measurer_measure(struct array_measurer *m, struct id_counter *ids, struct input *in,
			    struct array_header *array, struct label_stats *stats, struct batch *batch,
			    struct fault *warning, struct fault *fault);
