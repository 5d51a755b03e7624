/*
 * The inner loops over the elements of an array: values of any dtype into counts, at the speed of memory.
 *
 * An element is counted by its low byte, in one of several tables so that equal neighbours do not wait for each other,
 * as long as all elements of its block of KERNEL_BLOCK are small. "Small" has two meanings, each with tables of its
 * own: all of 0..255, or all of -128..127 (files that ignore -1). A block with other values is left to the caller.
 * Plain C that the compiler turns into vector code; the file is compiled with -O3 for that. Pure, any thread.
 */
#ifndef MEASURE_ARRAY_KERNELS_H
#define MEASURE_ARRAY_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KERNEL_BLOCK = 64, KERNEL_TABLES = 8 };

/* 32 bits are enough: they are emptied every chunk. */
struct byte_counts {
	uint32_t small[KERNEL_TABLES][256];    /* by value */
	uint32_t negative[KERNEL_TABLES][256]; /* by low byte of the value, -128..127 */
};

/*
 * Counts blocks of KERNEL_BLOCK elements of `bytes` bytes each, native byte order, aligned, from v on, at most
 * `blocks` of them, until one does not fit. Returns how many were counted. is_signed: -128..127 is small, too.
 */
size_t kernel_count_ints(struct byte_counts *c, const void *v, unsigned bytes, bool is_signed, size_t blocks);
/* The same for floats of 4 or 8 bytes: integral values of 0..255 only. -0.0 is 0. */
size_t kernel_count_floats(struct byte_counts *c, const void *v, unsigned bytes, size_t blocks);

/*
 * labels[v] += 1 for elements of 2, 4 or 8 bytes from v on, until one that is above 65535 or new (labels[v] is 0).
 * Returns how many were counted. labels: 65536.
 */
size_t kernel_count_known(uint64_t *labels, const void *v, unsigned bytes, bool is_signed, size_t n);

/* Facts about floats, none of them NaN or infinite, added up over an array. */
struct float_facts {
	uint64_t nan, infinite; /* the only facts about such elements */
	uint64_t fractions;     /* values that are no integers */
	uint64_t of_255;        /* of those: within rounding k / 255, of 0..1 */
	double min, max;        /* of the finite ones; min > max: none so far */
	double least;           /* smallest |v| of the fractions; infinity: none so far */
};

/* n elements of 4 or 8 bytes. half: they came from float16, whose k / 255 are rounded coarsely. */
void kernel_float_facts(struct float_facts *f, const void *v, unsigned bytes, bool half, size_t n);

/* Swaps the bytes of n elements of 2, 4 or 8 bytes. */
void kernel_swap(void *v, unsigned bytes, size_t n);

/* on[i] += element i is not zero. Native byte order. */
void kernel_add_nonzero(uint8_t *on, const void *v, unsigned bytes, bool is_float, size_t n);
/* sum[i] += element i; floats of 4 or 8 bytes. */
void kernel_add_floats(float *sum, const void *v, unsigned bytes, size_t n);

/* Elements in memory: integers, floats or truth values, in native byte order and aligned. */
struct array_elements {
	const void *v;
	size_t n;
	unsigned bytes; /* of an element */
	bool is_float;
	bool is_bool; /* what is not 0 is 1 */
};

/* Takes the first n off, which are ids of 0..255 or, wide, of 0..65535, and writes them as uint8_t or uint16_t. */
void kernel_narrow(void *out, bool wide, struct array_elements *from, size_t n);
/* float16 to float: exact. */
void kernel_widen_halves(float *out, const uint16_t *halves, size_t n);

#endif
