/*
 * The inner loops over the elements of an array, for all dtypes, at the speed of memory. Pure, any thread.
 *
 * Elements are counted in blocks of ELEMENTS_BLOCK. If all elements of a block are in 0..255, or all in -128..127
 * (files that ignore -1), they are counted by their low bytes, in several tables so that equal neighbours do not wait
 * for each other. The caller counts all other blocks. The Makefile compiles this file with -O3, to vectorise it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELEMENTS_BLOCK = 64, ELEMENTS_TABLES = 8 };

/* 32 bits suffice: the tables are emptied after every chunk. */
struct byte_counts {
	uint32_t small[ELEMENTS_TABLES][256];    /* by value */
	uint32_t negative[ELEMENTS_TABLES][256]; /* by low byte of the value, -128..127 */
};

/*
 * Counts at most `blocks` blocks from v on, until one does not fit. Returns how many were counted. Elements have
 * `bytes` bytes, native byte order, and are aligned. is_signed: -128..127 fits, too.
 */
size_t elements_count_ints(struct byte_counts *c, const void *v, unsigned bytes, bool is_signed, size_t blocks);
/* The same for floats of 4 or 8 bytes: only integers in 0..255 fit. -0.0 is 0. */
size_t elements_count_floats(struct byte_counts *c, const void *v, unsigned bytes, size_t blocks);

/*
 * Adds 1 to labels[e] for each of n unsigned elements of 1 to 8 bytes; labels has more of them than any element. The
 * same elements of a signed type that are not negative.
 */
void elements_count_all(uint64_t *labels, const void *v, unsigned bytes, size_t n);
/*
 * Counts the same from the first element on while each is less than `below` and was counted before: labels[e] is not 0.
 * Returns how many.
 */
size_t elements_count_known(uint64_t *labels, uint64_t below, const void *v, unsigned bytes, size_t n);
/* Returns the largest of n unsigned elements of 1 to 8 bytes. */
uint64_t elements_max(const void *v, unsigned bytes, size_t n);
/* Adds to small[0] how many elements at even places are below ELEMENT_SMALL, to small[1] those at odd ones. */
void elements_add_small(uint64_t small[2], const void *v, unsigned bytes, size_t n);
enum { ELEMENT_SMALL = 16 };

/* Facts about floats, added up over an array. NaN and infinity are in their own counts only. */
struct float_facts {
	uint64_t nan, infinite;
	uint64_t fractions; /* values that are not integers */
	uint64_t of_255;    /* those of them that are k / 255 in 0..1, within rounding */
	double min, max;    /* of the finite ones; min > max: none so far */
	double least;       /* smallest |v| of the fractions; infinity: none so far */
};

/* Adds n elements of 4 or 8 bytes. half: they came from float16, in which k / 255 is rounded coarsely. */
void elements_float_facts(struct float_facts *f, const void *v, unsigned bytes, bool half, size_t n);

/* Swaps the bytes of n elements of 2, 4 or 8 bytes. */
void elements_swap(void *v, unsigned bytes, size_t n);

/* Adds 1 to on[i] if element i is not zero. */
void elements_add_nonzero(uint8_t *on, const void *v, unsigned bytes, bool is_float, size_t n);
/* Adds element i to sum[i]; floats of 4 or 8 bytes. */
void elements_add_floats(float *sum, const void *v, unsigned bytes, size_t n);

/* Elements in memory: integers, floats or bool, in native byte order, aligned. */
struct array_elements {
	const void *v;
	size_t n;
	unsigned bytes; /* of an element */
	bool is_float;
	bool is_bool; /* any byte but 0 is true */
};

/* Removes the first n elements, ids in 0..255 or (wide) 0..65535, and writes them as uint8_t or uint16_t. */
void elements_narrow(void *out, bool wide, struct array_elements *from, size_t n);
/* Converts float16 to float; exact. */
void elements_widen_halves(float *out, const uint16_t *halves, size_t n);

/* ---- single elements, of 1, 2, 4 or 8 bytes in native byte order, aligned; floats of 4 or 8 ---- */

static inline uint64_t element_bits(const void *v, unsigned bytes, size_t i)
{
	switch (bytes) {
	case 1:
		return ((const uint8_t *)v)[i];
	case 2:
		return ((const uint16_t *)v)[i];
	case 4:
		return ((const uint32_t *)v)[i];
	default:
		return ((const uint64_t *)v)[i];
	}
}

static inline int64_t element_signed(const void *v, unsigned bytes, size_t i)
{
	const unsigned unused = 64 - 8 * bytes;

	return (int64_t)(element_bits(v, bytes, i) << unused) >> unused;
}

static inline double element_double(const void *v, unsigned bytes, size_t i)
{
	return bytes == 4 ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

enum element_value {
	VALUE_ID,
	VALUE_BEYOND, /* an integer above all ids of labels, or one that int64 cannot hold */
	VALUE_OTHER,  /* a float that is not an integer */
};

/* Says what an integer or a float is, and sets *id if it is one. */
enum element_value element_value(const void *v, unsigned bytes, bool is_signed, bool is_float, size_t i, int64_t *id);
