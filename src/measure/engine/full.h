/*
 * struct full: the measurement of masks in which nearly every pixel differs from the one above: noise, chequers and
 * what is made to take long. The same integers as reference_rows.h and delta.h, at a price that does not depend on
 * what the mask holds.
 *
 * Every pixel gets two classes, from its four neighbours along the row and along the column: whether its run is short,
 * lone, between its neighbours (label_stats.h). They are computed for a vector of pixels at a time without a branch,
 * and then counted by id in one table: all counters by id are sums over it. Rows are kept until the two below are
 * there. Several narrow rows are taken as one line of pixels, so that a row costs nothing by itself.
 *
 * One thread each.
 */
#ifndef MEASURE_FAST_DENSE_H
#define MEASURE_FAST_DENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/class_set.h"
#include "measure/backend.h"
#include "measure/label_stats.h"

struct full;
/* The inner loops for an instruction set; full_parts.h. */
struct full_code;

/* code: of full_codes; NULL: the first that the processor can run. */
struct full *full_new(const struct class_set *classes, const struct full_code *code);
void full_free(struct full *d);

/* wide: ids are uint16_t. False: no memory for this width. */
bool full_begin(struct full *d, uint32_t width, uint32_t height, bool wide);
/* The next row of ids. */
void full_add_row(struct full *d, const void *ids);
/* After the last row: everything of stats but raw_used and channels, and the id rows. As reference_rows_end. */
void full_end(struct full *d, struct label_stats *stats, struct batch *batch);

/* The best first; the last runs everywhere. */
extern const struct full_code *const full_codes[];
extern const size_t full_codes_count;

#endif
