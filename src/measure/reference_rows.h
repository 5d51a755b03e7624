/*
 * struct reference_rows: the reference measurement, row by row: plain loops over plain arrays, never optimised. All
 * other measurements of label_stats.h are compared with it, bit for bit.
 *
 * Per image: begin, add each row, end. Memory: O(width), plus 256 id slots for 8-bit or 65536 for 16-bit ids. One
 * thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/class_set.h"
#include "measure/backend.h"
#include "measure/label_stats.h"

struct reference_rows;

struct reference_rows *reference_rows_new(const struct class_set *classes);
void reference_rows_free(struct reference_rows *m);

/* wide: ids are uint16_t. Returns false if there is no memory for this width, which is a fault of the file. */
bool reference_rows_begin(struct reference_rows *m, uint32_t width, uint32_t height, bool wide);
void reference_rows_add(struct reference_rows *m, const void *ids);
/* After the last row: fills all of stats but raw_used and the union, and appends the id rows to batch. */
void reference_rows_end(struct reference_rows *m, struct label_stats *stats, struct batch *batch);

/* The same for several channels, with colours and facts instead of ids. samples: uint8_t or (deep) uint16_t. */
void reference_channels_begin(struct reference_rows *m, uint32_t width, uint32_t height, unsigned channels, bool deep);
void reference_channels_add(struct reference_rows *m, const void *samples);
void reference_channels_end(struct reference_rows *m, struct label_stats *stats, struct batch *batch);

/*
 * Fills the ids of the row that was added last by its colours: those of the table; CODED_UNKNOWN and up for the others,
 * in the order in which they occur (measure/coded.h).
 */
void reference_channels_ids(struct reference_rows *m, const struct colour_table *table, const void *samples,
			    uint16_t *ids);
/* Fills the colours of the ids from CODED_UNKNOWN on. Returns false if the image has no code. */
bool reference_channels_unknown(const struct reference_rows *m, uint32_t unknown[COLOURS_MAX]);
