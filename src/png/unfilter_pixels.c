/*
 * A pixel has at most eight bytes and fits half a vector, so that the dependency on the pixel to the left costs a few
 * vector operations per pixel, not per byte. Where a mask repeats the row above, Paeth copies.
 */
#include "png/unfilter_pixels.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* gcc and clang compile these vectors for SSE2, NEON or plain words. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t words16 __attribute__((vector_size(16)));
typedef uint64_t quads16 __attribute__((vector_size(16)));
typedef uint8_t pixel8 __attribute__((vector_size(8)));
typedef int16_t pixel16 __attribute__((vector_size(16)));

static inline bytes16 load16(const uint8_t *p)
{
	bytes16 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void store16(uint8_t *p, bytes16 v)
{
	memcpy(p, &v, sizeof(v));
}

static inline bytes16 load_pixel(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return (bytes16)(quads16){ word, 0 };
}

/* Stores eight bytes; the next pixel overwrites those after this one. */
static inline void store_pixel(uint8_t *p, bytes16 v)
{
	uint64_t word = ((quads16)v)[0];

	memcpy(p, &word, sizeof(word));
}

static inline bool is_zero(bytes16 v)
{
	quads16 q = (quads16)v;

	return (q[0] | q[1]) == 0;
}

static void undo_up(uint8_t *out, const uint8_t *in, const uint8_t *prior, size_t n)
{
	for (size_t i = 0; i < n; i += 16)
		store16(out + i, load16(in + i) + load16(prior + i));
}

static inline void undo_sub(uint8_t *out, const uint8_t *in, size_t n, size_t bpp)
{
	bytes16 left = { 0 };

	for (size_t i = 0; i < n; i += bpp) {
		left += load_pixel(in + i);
		store_pixel(out + i, left);
	}
}

static inline void undo_average(uint8_t *out, const uint8_t *in, const uint8_t *prior, size_t n, size_t bpp)
{
	bytes16 left = { 0 };

	for (size_t i = 0; i < n; i += bpp) {
		bytes16 up = load_pixel(prior + i), half = (bytes16)((words16)((left ^ up) & 0xfe) >> 1);

		/* half of the sum, rounded down, without a ninth bit */
		left = load_pixel(in + i) + ((left & up) + half);
		store_pixel(out + i, left);
	}
}

/* Loads eight bytes as words. */
static inline pixel16 widen(const uint8_t *p)
{
	pixel8 v;

	memcpy(&v, p, sizeof(v));
#if defined(__SSE2__)
	return (pixel16)_mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(const void *)&v), _mm_setzero_si128());
#else
	return __builtin_convertvector(v, pixel16);
#endif
}

static inline void store_narrow(uint8_t *p, pixel16 v)
{
#if defined(__SSE2__)
	store_pixel(p, (bytes16)_mm_packus_epi16((__m128i)v, (__m128i)v));
#else
	pixel8 narrow = __builtin_convertvector(v, pixel8);

	memcpy(p, &narrow, sizeof(narrow));
#endif
}

static inline pixel16 smaller(pixel16 a, pixel16 b)
{
#if defined(__SSE2__)
	return (pixel16)_mm_min_epi16((__m128i)a, (__m128i)b);
#else
	pixel16 less = a < b;

	return (a & less) | (b & ~less);
#endif
}

static inline pixel16 larger(pixel16 a, pixel16 b)
{
#if defined(__SSE2__)
	return (pixel16)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
	pixel16 less = a < b;

	return (b & less) | (a & ~less);
#endif
}

/*
 * Returns Paeth's prediction, with the shortest dependency chain from the left pixel. The value nearest to left + up -
 * corner is the larger of left and up if the corner is below both or nearer to the smaller one, and so on: comparing
 * 3 * corner - left - up with the two distinguishes the three cases, ties included (checked for all values).
 */
static inline pixel16 predict_paeth(pixel16 left, pixel16 up, pixel16 corner)
{
	pixel16 low = smaller(left, up), high = larger(left, up), line = corner * 3 - up - left;
	pixel16 is_low = ~(high > line), not_high = line > low;

	return (high & ~not_high) | (((low & is_low) | (corner & ~is_low)) & not_high);
}

/*
 * If the left pixel equals the corner, the prediction is the pixel above, and a filtered pixel of zeros repeats it. So
 * runs of zero vectors are copied from the row above.
 */
static inline void undo_paeth(uint8_t *out, const uint8_t *in, const uint8_t *prior, size_t n, size_t bpp)
{
	/* whole pixels, so that the next step starts at one */
	const size_t step = 16 / bpp * bpp;
	pixel16 left = { 0 }, corner = { 0 };

	for (size_t i = 0; i < n;) {
		if (is_zero(load16(in + i)) && i >= bpp && memcmp(out + i - bpp, prior + i - bpp, bpp) == 0) {
			do {
				store16(out + i, load16(prior + i));
				i += step;
			} while (i < n && is_zero(load16(in + i)));
			if (i >= n)
				break;
			left = corner = widen(prior + i - bpp);
		}

		pixel16 up = widen(prior + i);

		/* the upper bytes stay zero */
		left = (pixel16)((bytes16)widen(in + i) + (bytes16)predict_paeth(left, up, corner));
		store_narrow(out + i, left);
		corner = up;
		i += bpp;
	}
}

/* Inlined once for each pixel size. */
static inline __attribute__((always_inline)) void undo(uint8_t *out, const uint8_t *in, const uint8_t *prior, size_t n,
						       size_t bpp, unsigned filter)
{
	if (filter == 1)
		undo_sub(out, in, n, bpp);
	else if (filter == 3)
		undo_average(out, in, prior, n, bpp);
	else
		undo_paeth(out, in, prior, n, bpp);
}

void unfilter_pixels(uint8_t *out, const uint8_t *in, const uint8_t *prior, size_t n, size_t bpp, unsigned filter)
{
	assert(filter <= 4 && n % bpp == 0);
	if (filter == 0) {
		memcpy(out, in, n);
		return;
	}
	if (filter == 2) {
		undo_up(out, in, prior, n);
		return;
	}
	switch (bpp) {
	case 1:
		undo(out, in, prior, n, 1, filter);
		break;
	case 2:
		undo(out, in, prior, n, 2, filter);
		break;
	case 3:
		undo(out, in, prior, n, 3, filter);
		break;
	case 4:
		undo(out, in, prior, n, 4, filter);
		break;
	case 6:
		undo(out, in, prior, n, 6, filter);
		break;
	case 8:
		undo(out, in, prior, n, 8, filter);
		break;
	default:
		assert(false); /* no PNG has such pixels */
	}
}
