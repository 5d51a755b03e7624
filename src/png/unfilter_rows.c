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

/* Moves each lane to the next one, and zero into the first. */
static inline lanes move_down(lanes v)
{
#if defined(__SSE2__)
	return (lanes)_mm_slli_si128((__m128i)v, 2);
#else
	return (lanes){ 0, v[0], v[1], v[2], v[3], v[4], v[5], v[6] };
#endif
}

/* 8 x 8 bytes, by row. */
struct square {
	uint64_t row[UNFILTER_ROWS];
};

static inline uint64_t load_row(const uint8_t *p)
{
	uint64_t row;

	memcpy(&row, p, sizeof(row));
	return row;
}

#if defined(__SSE2__)

/* Returns the columns, two in each of four vectors. */
static inline void transpose(const struct square *s, __m128i out[4])
{
	__m128i twos[4], fours[4];

	for (unsigned i = 0; i < 4; i++)
		twos[i] = _mm_unpacklo_epi8(_mm_cvtsi64_si128((int64_t)s->row[2 * i]),
					    _mm_cvtsi64_si128((int64_t)s->row[2 * i + 1]));
	for (unsigned i = 0; i < 2; i++) {
		fours[2 * i] = _mm_unpacklo_epi16(twos[2 * i], twos[2 * i + 1]);
		fours[2 * i + 1] = _mm_unpackhi_epi16(twos[2 * i], twos[2 * i + 1]);
	}
	for (unsigned i = 0; i < 2; i++) {
		out[2 * i] = _mm_unpacklo_epi32(fours[i], fours[2 + i]);
		out[2 * i + 1] = _mm_unpackhi_epi32(fours[i], fours[2 + i]);
	}
}

/* Puts byte k of row r into lane r of v[k]. */
static inline void to_lanes(const struct square *s, lanes v[UNFILTER_ROWS])
{
	__m128i columns[4];

	transpose(s, columns);
	for (unsigned i = 0; i < 4; i++) {
		v[2 * i] = (lanes)_mm_unpacklo_epi8(columns[i], _mm_setzero_si128());
		v[2 * i + 1] = (lanes)_mm_unpackhi_epi8(columns[i], _mm_setzero_si128());
	}
}

static inline void from_lanes(struct square *s, const lanes v[UNFILTER_ROWS])
{
	struct square columns;
	__m128i rows[4];

	for (unsigned i = 0; i < 4; i++) {
		__m128i two = _mm_packus_epi16((__m128i)v[2 * i], (__m128i)v[2 * i + 1]);

		_mm_storeu_si128((__m128i *)(void *)&columns.row[2 * i], two);
	}
	transpose(&columns, rows);
	memcpy(s, rows, sizeof(*s));
}

#else

static inline void to_lanes(const struct square *s, lanes v[UNFILTER_ROWS])
{
	const uint8_t *bytes = (const uint8_t *)s;

	for (unsigned k = 0; k < UNFILTER_ROWS; k++)
		for (unsigned r = 0; r < UNFILTER_ROWS; r++)
			v[k][r] = bytes[r * UNFILTER_ROWS + k];
}

static inline void from_lanes(struct square *s, const lanes v[UNFILTER_ROWS])
{
	uint8_t *bytes = (uint8_t *)s;

	for (unsigned k = 0; k < UNFILTER_ROWS; k++)
		for (unsigned r = 0; r < UNFILTER_ROWS; r++)
			bytes[r * UNFILTER_ROWS + k] = (uint8_t)v[k][r];
}

#endif

/* Masks: all ones in the lanes of rows with this filter. */
struct filters {
	lanes sub, up, average, paeth;
};

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* Adds bytes in lanes; the upper halves stay zero. */
static inline lanes plus(lanes a, lanes b)
{
	return (lanes)((bytes16)a + (bytes16)b);
}

/*
 * Undoes the filter of a byte. Each step depends on the previous one, so the dependency chain from `up` is short: the
 * prediction is a sum of terms of which all but one are zero. Paeth's are those of unfilter_pixels.c.
 */
static inline lanes unfiltered(const struct filters *f, lanes byte, lanes left, lanes up, lanes corner)
{
	lanes low = smaller(left, up), high = larger(left, up), line = corner * 3 - left - up;
	lanes not_low = high > line, not_high = line > low;
	lanes other = plus(plus(byte, left & f->sub), plus(up & f->up, ((left + up) >> 1) & f->average));
	lanes ends = plus((high & f->paeth) & ~not_high, other);

	return plus(plus((low & f->paeth) & (not_high & ~not_low), (corner & f->paeth) & (not_high & not_low)), ends);
}

/*
 * Step t undoes byte t - r of row r. Eight steps are done at a time, or six for pixels of 3 and 6 bytes, so that each
 * group begins with a pixel; bytes written beyond a row or such a group are overwritten or lie in the slack.
 */
static inline __attribute__((always_inline)) void undo(uint8_t *out, size_t out_stride, const uint8_t *in,
						       size_t in_stride, const uint8_t *prior, size_t n, size_t bpp,
						       const struct filters *filters)
{
	const struct filters f = *filters;
	const size_t steps = UNFILTER_ROWS / bpp * bpp;
	lanes lefts[PIXEL_BYTES_MAX] = { { 0 } }, corners[PIXEL_BYTES_MAX] = { { 0 } }, last = { 0 };
	const lanes numbers = { 0, 1, 2, 3, 4, 5, 6, 7 };

	for (size_t t = 0; t < n + UNFILTER_ROWS - 1; t += steps) {
		struct square square;
		lanes bytes[UNFILTER_ROWS];

#pragma GCC unroll 8
		for (size_t r = 0; r < UNFILTER_ROWS; r++)
			square.row[r] = load_row(in + r * in_stride + t - r);
		to_lanes(&square, bytes);
#pragma GCC unroll 8
		for (size_t k = 0; k < steps; k++) {
			lanes first = { t + k < n ? prior[t + k] : 0 };
			/* the result for a row is `up` of the row below */
			lanes up = move_down(last) | first;

			last = unfiltered(&f, bytes[k], lefts[k % bpp], up, corners[k % bpp]);
			/* rows that have not begun count as zero, as the pixels left of a row do */
			if (__builtin_expect(t + k < UNFILTER_ROWS - 1, 0))
				last &= (lanes)(numbers <= (int16_t)(t + k));
			lefts[k % bpp] = last;
			corners[k % bpp] = up;
			bytes[k] = last;
		}
		from_lanes(&square, bytes);
#pragma GCC unroll 8
		for (size_t r = 0; r < UNFILTER_ROWS; r++)
			memcpy(out + r * out_stride + t - r, &square.row[r], sizeof(square.row[r]));
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
