/*
 * The fast measurement of one PNG with a chosen set of inner loops; what the backend `cpu` is made of, for its tests
 * and for bench. One thread each.
 */
#ifndef MEASURE_MEASURE_SIMD_H
#define MEASURE_MEASURE_SIMD_H

#include <stdbool.h>

#include "base/settings.h"
#include "measure/backend.h"
#include "measure/fast_strip.h"

struct measure_simd;

/* code NULL: the best that the processor has. settings outlives it. */
struct measure_simd *measure_simd_new(const struct settings *settings, const struct strip_code *code);
void measure_simd_free(struct measure_simd *m);

/*
 * Fills item->sample.png and ->stats and appends id rows to batch. False: for png_decoder to judge; nothing was
 * appended.
 */
bool measure_simd_take(struct measure_simd *m, struct batch_item *item, struct batch *batch);
/*
 * What is not taken: the same, but for files of every kind; all that can be wrong is said in the item, as
 * measure_png.h says it. verdict_first: whether they are damaged is found out before they are measured, since they
 * probably are.
 */
void measure_simd_judged(struct measure_simd *m, struct batch_item *item, struct batch *batch, bool verdict_first);
/* One of the two. */
void measure_simd_item(struct measure_simd *m, struct batch_item *item, struct batch *batch);

#endif
