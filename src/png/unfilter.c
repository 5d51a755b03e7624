#include "png/unfilter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/mem.h"

enum {
	FILTER_MAX = 4,
	PIXEL_BYTES_MAX = 8,
	/* Longer rows are undone one at a time: eight of them would take 8 MiB. */
	ROW_BYTES_MAX = 1 << 20,
	PIXELS_SLACK = 32, /* see unfilter_pixels */
	ROWS_SLACK = 16,   /* see unfilter_rows */
	SLACK = PIXELS_SLACK + ROWS_SLACK,
	PAGE = 4096,
	APART = 256, /* the stride of rows differs from whole pages by at least this much */
	BLOCK = 16,
};
_Static_assert((int)SLACK >= (int)UNFILTER_READ, "after a row");
_Static_assert((int)UNFILTER_READ_IN >= (int)PIXELS_SLACK && (int)UNFILTER_READ_IN >= (int)ROWS_SLACK,
	       "after filtered rows");

/* ---- one row ----------------------------------------------------------------------------------------------------
 * A pixel has at most eight bytes and fits half a vector, so that the dependency on the pixel to the left costs a few
 * vector operations per pixel, not per byte. Where a mask repeats the row above, Paeth copies.
 */

/* Calls an inline function with each size of a pixel as a constant, so that each has a loop of its own. */
#define FOR_PIXEL_BYTES(bpp, CALL)                                \
	switch (bpp) {                                            \
	case 1:                                                   \
		CALL(1);                                          \
		break;                                            \
	case 2:                                                   \
		CALL(2);                                          \
		break;                                            \
	case 3:                                                   \
		CALL(3);                                          \
		break;                                            \
	case 4:                                                   \
		CALL(4);                                          \
		break;                                            \
	case 6:                                                   \
		CALL(6);                                          \
		break;                                            \
	default:                                                  \
		assert((bpp) == 8); /* no PNG has other pixels */ \
		CALL(8);                                          \
		break;                                            \
	}

/* gcc and clang compile these vectors for SSE2, NEON or plain words. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t words16 __attribute__((vector_size(16)));
typedef uint64_t quads16 __attribute__((vector_size(16)));
typedef uint8_t pixel8 __attribute__((vector_size(8)));
typedef int16_t lanes __attribute__((vector_size(16)));

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
static inline lanes widen(const uint8_t *p)
{
	pixel8 v;

	memcpy(&v, p, sizeof(v));
#if defined(__SSE2__)
	return (lanes)_mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(const void *)&v), _mm_setzero_si128());
#else
	return __builtin_convertvector(v, lanes);
#endif
}

static inline void store_narrow(uint8_t *p, lanes v)
{
#if defined(__SSE2__)
	store_pixel(p, (bytes16)_mm_packus_epi16((__m128i)v, (__m128i)v));
#else
	pixel8 narrow = __builtin_convertvector(v, pixel8);

	memcpy(p, &narrow, sizeof(narrow));
#endif
}

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

/*
 * Returns Paeth's prediction, with the shortest dependency chain from the left pixel. The value nearest to left + up -
 * corner is the larger of left and up if the corner is below both or nearer to the smaller one, and so on: comparing
 * 3 * corner - left - up with the two distinguishes the three cases, ties included (checked for all values).
 */
static inline lanes predict_paeth(lanes left, lanes up, lanes corner)
{
	lanes low = smaller(left, up), high = larger(left, up), line = corner * 3 - up - left;
	lanes is_low = ~(high > line), not_high = line > low;

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
	lanes left = { 0 }, corner = { 0 };

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

		lanes up = widen(prior + i);

		/* the upper bytes stay zero */
		left = (lanes)((bytes16)widen(in + i) + (bytes16)predict_paeth(left, up, corner));
		store_narrow(out + i, left);
		corner = up;
		i += bpp;
	}
}

static inline __attribute__((always_inline)) void undo_pixels(uint8_t *out, const uint8_t *in, const uint8_t *prior,
							      size_t n, size_t bpp, unsigned filter)
{
	if (filter == 1)
		undo_sub(out, in, n, bpp);
	else if (filter == 3)
		undo_average(out, in, prior, n, bpp);
	else
		undo_paeth(out, in, prior, n, bpp);
}

/*
 * Undoes the filter of a row (PNG specification, section 9), one pixel at a time. prior: the row above, undone; zeros
 * for the first. bpp: bytes of a pixel, 1, 2, 3, 4, 6 or 8, of which n is a multiple. filter <= 4. The three rows do
 * not overlap; a pixel is processed as eight bytes, so UNFILTER_READ_IN bytes after in and prior may be read, and after
 * out written.
 */
static void unfilter_pixels(uint8_t *out, const uint8_t *in, const uint8_t *prior, size_t n, size_t bpp,
			    unsigned filter)
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
#define UNDO(bytes) undo_pixels(out, in, prior, n, bytes, filter)
	FOR_PIXEL_BYTES(bpp, UNDO)
#undef UNDO
}

/* ---- eight rows ------------------------------------------------------------------------------------------------- */

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

/* Adds bytes in lanes; the upper halves stay zero. */
static inline lanes plus(lanes a, lanes b)
{
	return (lanes)((bytes16)a + (bytes16)b);
}

/*
 * Undoes the filter of a byte. Each step depends on the previous one, so the dependency chain from `up` is short: the
 * prediction is a sum of terms of which all but one are zero. Paeth's are those of predict_paeth.
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
static inline __attribute__((always_inline)) void undo_rows(uint8_t *out, size_t out_stride, const uint8_t *in,
							    size_t in_stride, const uint8_t *prior, size_t n,
							    size_t bpp, const struct filters *filters)
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

/*
 * Undoes the filters of eight rows at once. Within a row each pixel depends on the one to its left; here eight rows
 * advance together in the lanes of a vector, each one byte later than the row above it. Best for rows with many
 * changes, since unfilter_pixels copies repetitions.
 *
 * in: eight rows, each after its filter byte (<= 4), in_stride apart; ROWS_SLACK bytes after the last may be read. out:
 * the first of eight rows, out_stride apart, with ROWS_SLACK bytes around each that may be written. prior: the
 * unfiltered row above; zeros for the first.
 */
static void unfilter_rows(uint8_t *out, size_t out_stride, const uint8_t *in, size_t in_stride, const uint8_t *prior,
			  size_t n, size_t bpp)
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
#define UNDO(bytes) undo_rows(out, out_stride, in, in_stride, prior, n, bytes, &f)
	FOR_PIXEL_BYTES(bpp, UNDO)
#undef UNDO
}

/* ---- a stream of rows ------------------------------------------------------------------------------------------- */

void unfilter_release(struct unfilter *u)
{
	free(u->memory);
	memset(u, 0, sizeof(*u));
}

bool unfilter_begin(struct unfilter *u, size_t row_bytes, size_t pixel_bytes)
{
	bool many = row_bytes <= ROW_BYTES_MAX;
	size_t stride = row_bytes + SLACK;

	/* avoid 4K aliasing: a load waits for a recent store if the lower 12 bits of their addresses agree */
	if ((stride + APART) % PAGE < 2 * APART)
		stride += 2 * APART;
	size_t want = SLACK + stride * (many ? 2 + UNFILTER_ROWS : 2);

	u->memory = mem_try_fit(u->memory, &u->memory_cap, want);
	if (!u->memory)
		return false;
	u->row_bytes = row_bytes;
	u->pixel_bytes = pixel_bytes;
	u->stride = stride;
	for (unsigned i = 0; i < 2; i++)
		u->one[i] = u->memory + SLACK + i * u->stride;
	u->eight = many ? u->one[1] + u->stride : NULL;
	u->ahead = u->alone = 0;
	/* the row above the first one is zero */
	memset(u->memory, 0, SLACK + 2 * u->stride);
	u->row = u->one[0];
	u->above = u->one[1];
	return true;
}

/* Returns the number of blocks that are not all zero. */
static size_t busy_blocks(const uint8_t *in, size_t n)
{
	size_t busy = 0;

	for (size_t i = 0; i + BLOCK <= n; i += BLOCK) {
		uint64_t v[2];

		memcpy(v, in + i, sizeof(v));
		busy += (v[0] | v[1]) != 0;
	}
	return busy;
}

/*
 * Returns whether eight rows are faster at once. That takes 0.5 ns per byte; one by one, Average takes 1.7 ns per
 * pixel, Paeth 2.7 ns in blocks that are not all zero, and the other filters almost nothing (measured on Zen 4).
 */
static bool eight_pay(const struct unfilter *u, const uint8_t *in)
{
	size_t stride = u->row_bytes + 1, paeth = 0, average = 0;

	for (unsigned r = 0; r < UNFILTER_ROWS; r++) {
		const uint8_t *row = in + r * stride;

		if (row[0] > FILTER_MAX)
			return false;
		if (row[0] == 3)
			average += u->row_bytes;
		else if (row[0] == 4)
			paeth += BLOCK * busy_blocks(row + 1, u->row_bytes);
	}
	return paeth * 27 + average * 17 > u->row_bytes * u->pixel_bytes * 5 * UNFILTER_ROWS;
}

static bool undo_eight(struct unfilter *u, const uint8_t *in)
{
	const uint8_t *above = u->row;

	if (above == u->eight + (UNFILTER_ROWS - 1) * u->stride)
		above = memcpy(u->one[0], above, u->row_bytes);
	unfilter_rows(u->eight, u->stride, in, u->row_bytes + 1, above, u->row_bytes, u->pixel_bytes);
	u->ahead = UNFILTER_ROWS - 1;
	u->above = above;
	u->row = u->eight;
	return true;
}

bool unfilter_next(struct unfilter *u, const uint8_t *in, uint32_t left)
{
	const uint8_t *above = u->row;

	if (u->ahead) {
		u->ahead--;
		u->above = above;
		u->row = above + u->stride;
		return true;
	}
	if (in[0] > FILTER_MAX)
		return false;
	if (u->alone) {
		u->alone--;
	} else if (u->eight && left >= UNFILTER_ROWS) {
		if (eight_pay(u, in))
			return undo_eight(u, in);
		u->alone = UNFILTER_ROWS - 1;
	}
	uint8_t *out = above == u->one[0] ? u->one[1] : u->one[0];

	unfilter_pixels(out, in + 1, above, u->row_bytes, u->pixel_bytes, in[0]);
	u->above = above;
	u->row = out;
	return true;
}
