/*
 * struct unfilter: undoes the filters of a stream of rows: one row at a time or, where that would take longer, eight at
 * once. All rows lie in its own memory. One thread each; the memory is reused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
