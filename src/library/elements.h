/*
 * The elements of an array in memory as loops want them: aligned, in this machine's byte order, one after the other;
 * float16 as float, bool as 0 and 1. In place where they lie so, else through a buffer on the caller's stack.
 */
#pragma once

#include "library/in_ranges.h"
#include "library/strides.h"

/* Elements of a buffer; and the most that are returned in place: in row-major order, in order of memory. */
enum { PIECE_ELEMENTS = 2048, PIECE_IN_ORDER = 1 << 15, PIECE_IN_PLACE = 1 << 20 };

struct elements {
	struct strided runs;
	const uint8_t *run; /* what is left of the current run */
	uint64_t left;
	enum element_kind kind; /* of what elements_next() returns */
	unsigned size;          /* bytes of an element as it lies in memory */
	unsigned out_size;      /* and as it is returned */
	bool is_half, is_bool, swapped, in_order;
	uint64_t buffer[PIECE_ELEMENTS];
	uint16_t halves[PIECE_ELEMENTS];
};

/*
 * Begins; in_order as strided_begin(). Sets *count to the number of elements. Returns false if type, rank or shape
 * cannot be. With *count 0 there is nothing to go on with.
 */
bool elements_begin(struct elements *e, const struct labelaudit_array *array, bool in_order, uint64_t *count);
/*
 * Returns the next elements and sets *n, or NULL at the end. They are valid until the
 * next call.
 */
const void *elements_next(struct elements *e, size_t *n);
