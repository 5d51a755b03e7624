/*
 * The sizes that the source of an enlarged mask may have had, by its ramps: each pixel between two ids tells by its
 * value where between the centres of two source pixels it lies.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { RESIZE_SIZES = 5 }; /* that are tried */

/* A size that the source may have had. */
struct size {
	uint32_t width, height;
	double score;
	bool area; /* if AREA made the mask */
};

/* Finds sizes that the source may have had, the smallest first: it explains with the fewest numbers. Returns how many.
 */
unsigned resize_find_sizes(const uint16_t *seen, const uint8_t *marks, uint32_t width, uint32_t height,
			   struct size sizes[RESIZE_SIZES]);
