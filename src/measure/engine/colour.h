/*
 * struct colour_measurer: measures an image with several channels row by row: its channel facts and its colours. It
 * gives the same integers as reference_channels_* (reference_rows.h), its judge.
 *
 * It counts runs of one colour, of each row that differs from the one above, with the rows that repeat it. The facts
 * follow from how often each colour occurs, since a mask has few. If an image has more than COLOURS_MAX colours, the
 * facts are counted row by row from there on.
 *
 * One thread owns it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/backend.h"
#include "measure/label_stats.h"

/* Bytes that must be readable after a row: a pixel is loaded as eight. */
enum { COLOUR_SLACK = 8 };

struct colour_measurer;

struct colour_measurer *colour_measurer_new(void);
void colour_measurer_free(struct colour_measurer *m);

void colour_measurer_begin(struct colour_measurer *m, const struct png_header *png);
/*
 * Begins a row, of samples as in the file: 16-bit ones are big-endian. prior: the row above, which it differs from, and
 * which is counted now; NULL for the first row.
 */
void colour_measurer_add(struct colour_measurer *m, const uint8_t *prior);
/* Begins a row that equals the one above. */
void colour_measurer_repeat(struct colour_measurer *m);
/* Counts the last row, fills stats and appends the colours as id rows. As reference_channels_end. */
void colour_measurer_end(struct colour_measurer *m, const uint8_t *last, struct label_stats *stats,
			 struct batch *batch);

enum { ROWS_DIFFER_BYTES = 64 };
/*
 * Finds the next piece of at most ROWS_DIFFER_BYTES bytes in which two rows of n bytes differ, at or after *to. It is
 * *from to *to - 1. Returns false if there is none.
 */
bool rows_differ(const uint8_t *row, const uint8_t *prior, size_t n, size_t *from, size_t *to);
