/*
 * Undoes the filters of eight rows at once. Within a row each pixel depends on the one to its left; here eight rows
 * advance together in the lanes of a vector, each one byte later than the row above it. Best for rows with many
 * changes; unfilter_pixels.h copies repetitions. Pure.
 */
#ifndef PNG_UNFILTER_ROWS_H
#define PNG_UNFILTER_ROWS_H

#include <stddef.h>
#include <stdint.h>

enum {
	UNFILTER_ROWS = 8,
	/* Bytes before and after each row of out that may be written. */
	UNFILTER_ROWS_SLACK = 16,
};

/*
 * in: eight rows, each after its filter byte (<= 4), in_stride apart; UNFILTER_ROWS_SLACK bytes after the last may be
 * read. out: the first of eight rows, out_stride apart, with slack around each. prior: the unfiltered row above; zeros
 * for the first. pixel_bytes: 1 to 8; row_bytes is a multiple of it.
 */
void unfilter_rows(uint8_t *out, size_t out_stride, const uint8_t *in, size_t in_stride, const uint8_t *prior,
		   size_t row_bytes, size_t pixel_bytes);

#endif
