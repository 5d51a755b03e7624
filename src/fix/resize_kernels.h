/*
 * The kernels with which Pillow, OpenCV and PyTorch resize, as weights of source pixels along a row or a column of the
 * result; and which source pixel each library takes for the nearest one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	TAPS_MAX = 8,    /* source pixels that make one */
	FIXED_BITS = 22, /* of Pillow's weights, after the point */
};

/*
 * LINEAR_CUT: what came after the point was cut off, not rounded. AREA: OpenCV's, by the part of a pixel that is
 * covered.
 */
enum kernel { LINEAR, LINEAR_CUT, AREA, HAMMING, CUBIC_PILLOW, CUBIC_OPENCV, LANCZOS3, LANCZOS4, KERNELS };

/* Which source pixels make the pixels of a row or a column, and with which weights. */
struct taps {
	uint32_t first, count;
	float weight[TAPS_MAX];
	int32_t fixed[TAPS_MAX]; /* the weights, as Pillow takes them for bytes */
};

/* A row or a column of a mask and of its source. */
struct axis {
	uint32_t n, source;  /* pixels of the mask, and of its source; of a part of both, if not all are looked at */
	uint32_t at;         /* the first source pixel of the part */
	struct taps *taps;   /* of each of n pixels; owned */
	uint32_t *from, *to; /* pixels that a source pixel is in: owned */
};

/* Returns whether the kernel is Pillow's, which leaves out what lies beyond the edge; OpenCV repeats it. */
bool kernel_is_pillow(enum kernel k);
/* Prepares n pixels from `first` on of a mask that has `whole`, and its source `source`. Returns false without memory;
 * release it all the same. */
bool axis_init(struct axis *a, enum kernel k, uint32_t first, uint32_t n, uint32_t whole, uint32_t source);
void axis_release(struct axis *a);
/*
 * Fills the source pixel that the library takes for each with its nearest neighbour: OpenCV and PyTorch the one in
 * which the pixel's corner lies; Pillow its centre, that the sum of the steps comes to, with its rounding errors.
 */
void axis_fill_nearest(const struct axis *a, bool opencv, uint32_t *nearest);

/* Returns the weight of a source pixel in pixel x. */
static inline float axis_weight(const struct axis *a, uint32_t x, uint32_t source)
{
	uint32_t at = source - a->taps[x].first;

	return at < a->taps[x].count ? a->taps[x].weight[at] : 0;
}
