/*
 * struct strided: visits the elements of an array with any strides, run by run: the elements of a run lie at even
 * distances. Pure, one thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <labelaudit.h>

struct strided {
	const uint8_t *at; /* the first element of the next run */
	uint64_t runs;     /* still to come */
	uint64_t n;        /* elements of a run */
	int64_t step;      /* bytes from one to the next */
	unsigned rank;     /* of the axes outside a run */
	uint64_t shape[LABELAUDIT_RANK_MAX], index[LABELAUDIT_RANK_MAX];
	int64_t strides[LABELAUDIT_RANK_MAX];
};

/* Computes the number of elements. Returns false if rank or shape cannot be. */
bool strided_count(const struct labelaudit_array *array, uint64_t *elements);
/*
 * Begins. in_order: row-major order; else the order of memory, in the longest runs, and elements that an axis repeats
 * (stride 0) once. size: bytes of an element. The array has elements.
 */
void strided_begin(struct strided *s, const struct labelaudit_array *array, unsigned size, bool in_order);
/* Returns the first element of the next run, or NULL after the last one. */
const uint8_t *strided_next(struct strided *s);
