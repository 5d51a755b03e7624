/*
 * struct colour_measurer: the fast measurement of a picture with several channels, row by row: its channel facts and
 * its colours. The same integers as reference_channels_* of reference_rows.h, which is its judge.
 *
 * Neighbouring rows of a mask are nearly equal, so only pixels are looked at that differ from the pixel above. One that
 * changes from colour A to B in row y of H adds H - y pixels to B and takes as many from A, as in delta.h. The
 * facts follow from how often each colour occurs, since a mask has few. Of a picture that has more than COLOURS_MAX
 * they are counted row by row, from the row on in which that shows.
 *
 * One thread each.
 */
#ifndef MEASURE_FAST_COLOUR_H
#define MEASURE_FAST_COLOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/backend.h"
#include "measure/label_stats.h"
#include "read/sample.h"

/* Readable bytes behind a row: a pixel is loaded as eight. */
enum { COLOUR_SLACK = 8 };

struct colour_measurer;

struct colour_measurer *colour_measurer_new(void);
void colour_measurer_free(struct colour_measurer *m);

void colour_measurer_begin(struct colour_measurer *m, const struct png_header *png);
/* The next row, as the file has its samples: 16-bit ones in big-endian order. prior: the row above; NULL: the first. */
void colour_measurer_add(struct colour_measurer *m, const uint8_t *row, const uint8_t *prior);
/* The next row, which equals the one above. Not the first. */
void colour_measurer_repeat(struct colour_measurer *m, const uint8_t *row);
/* After the last row: as reference_channels_end. */
void colour_measurer_end(struct colour_measurer *m, struct label_stats *stats, struct batch *batch);

enum { ROWS_DIFFER_BYTES = 64 };
/*
 * The next bytes where two rows of n may differ, at most ROWS_DIFFER_BYTES of them, at or behind *to: from *from up to
 * *to. False: there are none.
 */
bool rows_differ(const uint8_t *row, const uint8_t *prior, size_t n, size_t *from, size_t *to);

#endif
