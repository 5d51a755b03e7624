/*
 * Decides what a JPEG shows from its DCT coefficients, without an inverse transform: flat areas of few levels, as a
 * mask that somebody saved so, or a photo. Names are not asked. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a file that show enough. */
enum { JPEG_LOOK_BYTES = 1 << 18 };

/*
 * Returns whether the first n bytes of a JPEG show flat areas of at least two levels. Baseline JPEGs alone are decoded,
 * which nearly all tools write; for others, and for damaged ones, this is false.
 */
bool jpeg_is_flat(const uint8_t *bytes, size_t n);
/* Returns whether hardly any area of a JPEG is flat, as in photos. False for those that are not decoded. */
bool jpeg_is_busy(const uint8_t *bytes, size_t n);
/* The same of an image that is large enough to be a photo beyond doubt. */
bool jpeg_is_busy_and_large(const uint8_t *bytes, size_t n);
