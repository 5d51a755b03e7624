/*
 * The fast measurement of one PNG with a chosen set of inner loops; what the backend `cpu` is made of, for its tests
 * and for bench. One thread each.
 */
#ifndef MEASURE_MEASURE_SIMD_H
#define MEASURE_MEASURE_SIMD_H

#include <stdbool.h>

#include "base/settings.h"
#include "measure/backend.h"
#include "measure/engine/delta.h"

struct engine;

/* code NULL: the best that the processor has. settings outlives it. */
struct engine *engine_new(const struct settings *settings, const struct isa *isa);
void engine_free(struct engine *m);

/*
 * Fills item->sample.png and ->stats and appends id rows to batch. False: for png_decoder to judge; nothing was
 * appended.
 */
bool engine_measure_fast(struct engine *m, struct batch_item *item, struct batch *batch);
/*
 * What is not taken: the same, but for files of every kind; all that can be wrong is said in the item, as
 * reference.h says it. verdict_first: whether they are damaged is found out before they are measured, since they
 * probably are.
 */
void engine_measure_judged(struct engine *m, struct batch_item *item, struct batch *batch, bool verdict_first);
/* One of the two. */
void engine_measure(struct engine *m, struct batch_item *item, struct batch *batch);

#endif
