/*
 * Decides what a JPEG shows from its DCT coefficients, without an inverse transform: flat areas of few levels, as a
 * mask that somebody saved so, or a photo. Names are not asked. Any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a file that show enough. */
enum { JPEG_LOOK_BYTES = 1 << 18 };

struct jpeg_sight {
	bool flat;  /* areas of at least two levels, as in masks */
	bool busy;  /* hardly any area is flat, as in photos */
	bool large; /* a busy one of its size is a photo beyond doubt */
};

/*
 * Looks at the first n bytes of a JPEG: baseline, or progressive with at most PROGRESSIVE_BLOCKS of luma. Others, and
 * damaged ones, have no sight: returns false, and all of *out is false. Takes memory for progressive ones.
 */
bool jpeg_look(const uint8_t *bytes, size_t n, struct jpeg_sight *out);
