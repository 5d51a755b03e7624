/*
 * The content key: 128 bits that depend on the ids of a mask and their places, but not on the encoding of the file.
 * Equal masks have the same key; different masks of the same width and height have the same key with a probability
 * below 2^-100.
 *
 *     content[i] = sum over all pixels of  (id + 1) * column_i(x) * row_i(y)   mod 2^64
 *     column_i(x) = content_column(x)[i] - content_column(x + 1)[i]
 *     row_i(y) = content_row(height - y)[i] - content_row(height - y - 1)[i]
 *
 * Additions commute, so that lanes, threads and vectors may add up in any order. The weights are differences, so that
 * the sum over a run of equal ids needs two of them, however long the run is; the same holds for a pixel that changes
 * from one row to the next and then stays (delta.h).
 *
 * Why different masks have different keys: the difference of two keys is a bilinear form in the weights, whose matrix
 * is the difference of the masks. With random weights, such a form is 0 with a probability of about 2^-64, times the
 * largest power of 2 that divides all differences of ids (2^7 for 8-bit ids), for each of the two independent sums. So
 * the weights must look random. With linear ones (P * x + Q * y + ...), the key would not change if one border moved
 * right and another one left, or if two rows were swapped. The weights are multiplied and folded, twice for content[0]
 * and once more for content[1].
 *
 * Written in the common subset of C11 and CUDA C++.
 */
#pragma once

#include <stdint.h>

#if defined(__CUDACC__)
#define CONTENT_KEY_FN static __device__ __forceinline__
#else
#define CONTENT_KEY_FN static inline
#endif

/* Odd, with about as many ones as zeros: the 64-bit primes of xxHash. */
#define CONTENT_KEY_MULTIPLY_1 UINT64_C(0x9e3779b185ebca87)
#define CONTENT_KEY_MULTIPLY_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define CONTENT_KEY_MULTIPLY_3 UINT64_C(0x165667b19e3779f9)
/* Columns and rows have different weights; else a mask and its transpose would have the same key. */
#define CONTENT_KEY_COLUMNS UINT64_C(0x27d4eb2f165667c5)
#define CONTENT_KEY_ROWS    UINT64_C(0x85ebca77c2b2ae63)

/* Shifts of the three foldings */
enum { CONTENT_KEY_FOLD_1 = 32, CONTENT_KEY_FOLD_2 = 29, CONTENT_KEY_FOLD_3 = 32 };

struct content_pair {
	uint64_t v[2];
};

CONTENT_KEY_FN struct content_pair content_mix(uint64_t n)
{
	struct content_pair p;

	n *= CONTENT_KEY_MULTIPLY_1;
	n ^= n >> CONTENT_KEY_FOLD_1;
	n *= CONTENT_KEY_MULTIPLY_2;
	n ^= n >> CONTENT_KEY_FOLD_2;
	p.v[0] = n;
	n *= CONTENT_KEY_MULTIPLY_3;
	n ^= n >> CONTENT_KEY_FOLD_3;
	p.v[1] = n;
	return p;
}

CONTENT_KEY_FN struct content_pair content_minus(struct content_pair a, struct content_pair b)
{
	a.v[0] -= b.v[0];
	a.v[1] -= b.v[1];
	return a;
}

CONTENT_KEY_FN struct content_pair content_column(uint32_t x)
{
	return content_mix(x + CONTENT_KEY_COLUMNS);
}

/* Returns the weight of columns x to end - 1. */
CONTENT_KEY_FN struct content_pair content_columns(uint32_t x, uint32_t end)
{
	return content_minus(content_column(x), content_column(end));
}

/* Returns the weight of the last n rows without the last `but` of them. */
CONTENT_KEY_FN struct content_pair content_rows(uint32_t n, uint32_t but)
{
	return content_minus(content_mix(n + CONTENT_KEY_ROWS), content_mix(but + CONTENT_KEY_ROWS));
}

/* Adds ids * weight; ids is an id plus 1, or the difference of two ids. */
CONTENT_KEY_FN void content_add(uint64_t sum[2], int64_t ids, struct content_pair weight)
{
	sum[0] += (uint64_t)ids * weight.v[0];
	sum[1] += (uint64_t)ids * weight.v[1];
}
