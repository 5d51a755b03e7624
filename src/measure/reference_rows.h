/*
 * The reference measurement, row by row: plain loops over plain arrays, never optimised. Every other way to the
 * same numbers is compared with it, bit for bit. See label_stats.h for what the numbers are.
 *
 * Use: init once a worker; for each image begin, one row after the other, end. Memory: O(width), plus 256 id slots for
 * 8-bit or 65536 for 16-bit ids. One thread each.
 */
#ifndef MEASURE_REFERENCE_ROWS_H
#define MEASURE_REFERENCE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/class_set.h"
#include "measure/backend.h"
#include "measure/label_stats.h"

struct reference_rows;

struct reference_rows *reference_rows_new(const struct class_set *classes);
void reference_rows_free(struct reference_rows *m);

/* wide: ids are uint16_t. False: no memory for this width (a fault of the file). */
bool reference_rows_begin(struct reference_rows *m, uint32_t width, uint32_t height, bool wide);
void reference_rows_add(struct reference_rows *m, const void *ids);
/* Fills everything of stats but raw_used and channels, appends the id rows to batch. All rows must have been added. */
void reference_rows_end(struct reference_rows *m, struct label_stats *stats, struct batch *batch);

/* Several channels: colours and channel facts instead of ids. samples: width * channels, uint8_t or (deep) uint16_t. */
void reference_channels_begin(struct reference_rows *m, uint32_t width, uint32_t height, unsigned channels, bool deep);
void reference_channels_add(struct reference_rows *m, const void *samples);
void reference_channels_end(struct reference_rows *m, struct label_stats *stats, struct batch *batch);

#endif
