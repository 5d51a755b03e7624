/*
 * Undoes the filters of eight rows at once, whatever filters they have. In a row each pixel waits for the one to its
 * left; here eight rows wait together, each a byte behind the one above it, in the lanes of a vector. For rows in which
 * much happens: unfilter_pixels.h copies what repeats. Pure.
 */
#ifndef PNG_UNFILTER_ROWS_H
#define PNG_UNFILTER_ROWS_H

#include <stddef.h>
#include <stdint.h>

enum {
	UNFILTER_ROWS = 8,
	/* Bytes before and behind each row of out that may be written. */
	UNFILTER_ROWS_SLACK = 16,
};

/*
 * in: eight rows, each behind its filter byte (<= 4), in_stride apart; as many bytes as UNFILTER_ROWS_SLACK may be read
 * behind the last. out: the first of eight rows, out_stride apart, its slack between them. prior: the row above,
 * undone; zeros for the first. pixel_bytes: 1 to 8, of which row_bytes is a multiple.
 */
void unfilter_rows(uint8_t *out, size_t out_stride, const uint8_t *in, size_t in_stride, const uint8_t *prior,
		   size_t row_bytes, size_t pixel_bytes);

#endif
