/*
 * A pixel is at most eight bytes, so that it fits half a vector: what depends on the pixel to the left takes a few
 * vector operations a pixel, not some for each byte. Where a mask repeats the row above, Paeth copies.
 */
#include "png/unfilter_pixels.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* Whatever registers there are: gcc and clang compile these for SSE2, NEON or plain words. */
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

/* Eight bytes, of which those behind the pixel are overwritten by the next one. */
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

		/* half of the sum, cut, without its ninth bit */
		left = load_pixel(in + i) + ((left & up) + half);
		store_pixel(out + i, left);
	}
}

static inline pixel16 widen(const uint8_t *p)
{
	pixel8 v;

	memcpy(&v, p, sizeof(v));
	return __builtin_convertvector(v, pixel16);
}

static inline pixel16 absolute(pixel16 v)
{
	pixel16 sign = v >> 15;

	return (v ^ sign) - sign;
}

static inline pixel16 select(pixel16 mask, pixel16 yes, pixel16 no)
{
	return (mask & yes) | (~mask & no);
}

/*
 * If the pixel to the left equals the one above that, then a byte that is zero repeats the pixel above: of the three
 * distances that to it is 0, or all are those of equal values. So whole vectors of zeros are copied from above.
 */
static inline void undo_paeth(uint8_t *out, const uint8_t *in, const uint8_t *prior, size_t n, size_t bpp)
{
	/* whole pixels, so that the next round starts at one */
	const size_t step = 16 / bpp * bpp;
	pixel16 left = { 0 }, corner = { 0 };

	for (size_t i = 0; i < n;) {
		if (i >= bpp && memcmp(out + i - bpp, prior + i - bpp, bpp) == 0 && is_zero(load16(in + i))) {
			do {
				store16(out + i, load16(prior + i));
				i += step;
			} while (i < n && is_zero(load16(in + i)));
			if (i >= n)
				break;
			left = corner = widen(prior + i - bpp);
		}

		pixel16 up = widen(prior + i), to_left = up - corner, to_up = left - corner;
		pixel16 to_corner = absolute(to_left + to_up);

		to_left = absolute(to_left);
		to_up = absolute(to_up);
		pixel16 other = select(to_up <= to_corner, up, corner);
		pixel16 guess = select((to_left <= to_up) & (to_left <= to_corner), left, other);

		left = (widen(in + i) + guess) & 0xff;
		pixel8 made = __builtin_convertvector(left, pixel8);

		memcpy(out + i, &made, sizeof(made));
		corner = up;
		i += bpp;
	}
}

/* Inlined into one loop for each size of a pixel. */
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
		assert(!"two or more bytes a pixel");
	}
}
