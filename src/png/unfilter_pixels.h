/*
 * Undoes the filter of a row (PNG specification, section 9), one pixel at a time. Pure.
 */
#ifndef PNG_UNFILTER_PIXELS_H
#define PNG_UNFILTER_PIXELS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes after in and prior that may be read, and after out that may be written: a pixel is processed as eight bytes. */
enum { UNFILTER_SLACK = 32 };

/*
 * prior: the row above, undone; zeros for the first. pixel_bytes: 1, 2, 3, 4, 6 or 8. filter <= 4. The three rows do
 * not overlap; row_bytes is a multiple of pixel_bytes.
 */
void unfilter_pixels(uint8_t *out, const uint8_t *in, const uint8_t *prior, size_t row_bytes, size_t pixel_bytes,
		     unsigned filter);

#endif
