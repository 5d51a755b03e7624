/*
 * The reference measurement, row by row: plain loops over plain arrays, never optimised. Every other way to the
 * same numbers is compared with it, bit for bit. See label_stats.h for what the numbers are.
 *
 * Use: init once a worker; for each image begin, one row after the other, end. Memory: O(width), plus 256 id slots for
 * 8-bit or 65536 for 16-bit ids. One thread each.
 */
#ifndef MEASURE_MEASURE_ROWS_H
#define MEASURE_MEASURE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/class_set.h"
#include "measure/backend.h"
#include "measure/label_stats.h"

struct measure_rows;

struct measure_rows *measure_rows_new(const struct class_set *classes);
void measure_rows_free(struct measure_rows *m);

/* wide: ids are uint16_t. False: no memory for this width (a fault of the file). */
bool measure_rows_begin(struct measure_rows *m, uint32_t width, uint32_t height, bool wide);
void measure_rows_add(struct measure_rows *m, const void *ids);
/* Fills everything of stats but raw_used and channels, appends the id rows to batch. All rows must have been added. */
void measure_rows_end(struct measure_rows *m, struct label_stats *stats, struct batch *batch);

/* Several channels: colours and channel facts instead of ids. samples: width * channels, uint8_t or (deep) uint16_t. */
void measure_channels_begin(struct measure_rows *m, uint32_t width, uint32_t height, unsigned channels, bool deep);
void measure_channels_add(struct measure_rows *m, const void *samples);
void measure_channels_end(struct measure_rows *m, struct label_stats *stats, struct batch *batch);

#endif
