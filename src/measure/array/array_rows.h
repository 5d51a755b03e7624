/*
 * struct array_rows: collects the elements of an array into rows of ids, for the engines that measure it as a mask or
 * an image. Holds the current row and the one above it. One thread.
 */
#ifndef MEASURE_ARRAY_ROWS_H
#define MEASURE_ARRAY_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/array/array_elements.h"
#include "measure/engine/delta.h"

struct array_rows {
	uint8_t *bytes; /* two rows, each followed by the engine's slack; owned */
	size_t cap;     /* bytes of both */
	size_t stride;  /* bytes from row to row */
	size_t length;  /* ids of a row */
	size_t filled;  /* ids of the current row so far */
	uint32_t y;     /* complete rows */
	bool wide;      /* ids are uint16_t */
};

/* Begins with rows of `length` ids. slack: ids that may be read after a row. Returns false if there is no memory. */
static inline bool array_rows_begin(struct array_rows *r, size_t length, bool wide, size_t slack)
{
	r->stride = (length + slack) * (wide ? 2 : 1);
	r->length = length;
	r->wide = wide;
	r->filled = 0;
	r->y = 0;
	if (r->cap < 2 * r->stride) {
		free(r->bytes);
		r->bytes = mem_try_zero(2 * r->stride, 1);
		r->cap = r->bytes ? 2 * r->stride : 0;
	}
	return r->bytes;
}

static inline uint8_t *array_rows_at(const struct array_rows *r, uint32_t y)
{
	return r->bytes + y % 2 * r->stride;
}

/* Moves elements to the current row. Returns whether it is complete; then array_rows_end must follow. */
static inline bool array_rows_fill(struct array_rows *r, struct array_elements *from)
{
	size_t piece = MIN(from->n, r->length - r->filled);

	elements_narrow(array_rows_at(r, r->y) + r->filled * (r->wide ? 2 : 1), r->wide, from, piece);
	r->filled += piece;
	return r->filled == r->length;
}

static inline void array_rows_end(struct array_rows *r)
{
	r->filled = 0;
	r->y++;
}

/* Measures the complete row and ends it. */
static inline void array_rows_measure(struct array_rows *r, struct delta *delta)
{
	const uint8_t *row = array_rows_at(r, r->y);

	if (r->y && memcmp(row, array_rows_at(r, r->y + 1), r->length * (r->wide ? 2 : 1)) == 0)
		delta_repeat_row(delta);
	else
		delta_add_ids(delta, row);
	array_rows_end(r);
}

#endif
