/*
 * struct unfilter: undoes the filters of a stream of rows: one row at a time or, where that would take longer, eight at
 * once. One thread each; the memory is reused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Bytes that may be read after a row of the result; bytes that must be readable after filtered rows. */
enum { UNFILTER_READ = 16, UNFILTER_READ_IN = 32 };
/* Rows that are undone at once. */
enum { UNFILTER_ROWS = 8 };

struct unfilter {
	size_t row_bytes, pixel_bytes;
	const uint8_t *row;   /* the last one */
	const uint8_t *above; /* the previous one, or zeros */
	unsigned ahead;       /* number of rows after `row` that are already done */
	unsigned alone;       /* number of rows to undo one at a time before eight are considered again */
	bool is_taken;        /* `row` lies where it was taken */
	uint8_t *one[2];      /* buffers for one row each */
	uint8_t *eight;       /* buffer for eight rows, `stride` apart; NULL: rows are too long */
	size_t stride;
	uint8_t *memory; /* owned */
	size_t memory_cap;
};

void unfilter_release(struct unfilter *u);
/* False: no memory. */
bool unfilter_begin(struct unfilter *u, size_t row_bytes, size_t pixel_bytes);
/* Undoes the next row. in: its filter byte, followed by this row and the next ones, `left` in all. False: bad filter.
 */
bool unfilter_next(struct unfilter *u, const uint8_t *in, uint32_t left);
/*
 * Takes the next row where it lies, if it has no filter and may be taken: it must stay there until the next one is
 * undone or unfilter_keep() copies it. Returns false if unfilter_next() must undo it.
 */
bool unfilter_take(struct unfilter *u, const uint8_t *in);
void unfilter_keep(struct unfilter *u);
/* Returns Paeth's prediction of a byte (PNG specification, section 9.4). */
static inline uint8_t unfilter_paeth(int left, int up, int corner)
{
	int by_left = abs(up - corner), by_up = abs(left - corner), by_corner = abs(left + up - 2 * corner);

	return (uint8_t)(by_left <= by_up && by_left <= by_corner ? left : by_up <= by_corner ? up : corner);
}
