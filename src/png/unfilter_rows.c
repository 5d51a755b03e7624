#include "png/unfilter_rows.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef int16_t lanes __attribute__((vector_size(16)));

enum { PIXEL_BYTES_MAX = 8 };

static inline lanes smaller(lanes a, lanes b)
{
#if defined(__SSE2__)
	return (lanes)_mm_min_epi16((__m128i)a, (__m128i)b);
#else
	lanes less = a < b;

	return (a & less) | (b & ~less);
#endif
}

static inline lanes larger(lanes a, lanes b)
{
#if defined(__SSE2__)
	return (lanes)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
	lanes less = a < b;

	return (b & less) | (a & ~less);
#endif
}

/* Each lane to the next one, and `first` into the first: what the row above has become is what is above the next. */
static inline lanes move_down(lanes v, int16_t first)
{
#if defined(__SSE2__)
	return (lanes)_mm_insert_epi16(_mm_slli_si128((__m128i)v, 2), first, 0);
#else
	return (lanes){ first, v[0], v[1], v[2], v[3], v[4], v[5], v[6] };
#endif
}

/* Lanes of rows with each filter are all ones. */
struct filters {
	lanes sub, up, average, paeth;
};

static inline lanes foretell(const struct filters *f, lanes left, lanes up, lanes corner)
{
	/* as in unfilter_pixels.c */
	lanes low = smaller(left, up), high = larger(left, up), line = corner * 3 - up - left;
	lanes is_low = ~(high > line), not_high = line > low;
	lanes paeth = (high & ~not_high) | (((low & is_low) | (corner & ~is_low)) & not_high);

	return (left & f->sub) | (up & f->up) | (((left + up) >> 1) & f->average) | (paeth & f->paeth);
}

/*
 * Step t undoes byte t - r of row r. begins: some rows have not begun, whose bytes are to be zero, as what lies left of
 * a row is.
 */
static inline __attribute__((always_inline)) void undo(uint8_t *out, size_t out_stride, const uint8_t *in,
						       size_t in_stride, const uint8_t *prior, size_t n, size_t bpp,
						       const struct filters *filters)
{
	const struct filters f = *filters;
	lanes lefts[PIXEL_BYTES_MAX] = { { 0 } }, corners[PIXEL_BYTES_MAX] = { { 0 } }, last = { 0 };
	const lanes numbers = { 0, 1, 2, 3, 4, 5, 6, 7 };

	for (size_t t = 0; t < n + UNFILTER_ROWS - 1; t += bpp) {
		for (size_t k = 0; k < bpp; k++) {
			size_t at = t + k;
			lanes byte = { 0 }, up = move_down(last, at < n ? prior[at] : 0);

#pragma GCC unroll 8
			for (size_t r = 0; r < UNFILTER_ROWS; r++)
				byte[r] = *(in + r * in_stride + at - r);
			last = (byte + foretell(&f, lefts[k], up, corners[k])) & 0xff;
			if (__builtin_expect(at < UNFILTER_ROWS - 1, 0))
				last &= (lanes)(numbers <= (int16_t)at);
			lefts[k] = last;
			corners[k] = up;
#pragma GCC unroll 8
			for (size_t r = 0; r < UNFILTER_ROWS; r++)
				*(out + r * out_stride + at - r) = (uint8_t)last[r];
		}
	}
}

void unfilter_rows(uint8_t *out, size_t out_stride, const uint8_t *in, size_t in_stride, const uint8_t *prior, size_t n,
		   size_t bpp)
{
	struct filters f = { 0 };

	for (unsigned r = 0; r < UNFILTER_ROWS; r++) {
		uint8_t filter = in[r * in_stride];

		assert(filter <= 4);
		f.sub[r] = filter == 1 ? -1 : 0;
		f.up[r] = filter == 2 ? -1 : 0;
		f.average[r] = filter == 3 ? -1 : 0;
		f.paeth[r] = filter == 4 ? -1 : 0;
	}
	in++;
	switch (bpp) {
	case 1:
		undo(out, out_stride, in, in_stride, prior, n, 1, &f);
		break;
	case 2:
		undo(out, out_stride, in, in_stride, prior, n, 2, &f);
		break;
	case 3:
		undo(out, out_stride, in, in_stride, prior, n, 3, &f);
		break;
	case 4:
		undo(out, out_stride, in, in_stride, prior, n, 4, &f);
		break;
	case 6:
		undo(out, out_stride, in, in_stride, prior, n, 6, &f);
		break;
	default:
		assert(bpp == 8);
		undo(out, out_stride, in, in_stride, prior, n, 8, &f);
		break;
	}
}
