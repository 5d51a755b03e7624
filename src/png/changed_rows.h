/*
 * struct changed_rows: undoes the filters of rows of one byte a pixel only where a row changes, and says where that is.
 * Neighbouring rows of a mask are nearly equal, so this takes a fraction of the time of undoing all of it.
 *
 * One thread each; the memory is reused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/adler.h"

enum {
	CHANGED_BLOCK = 64, /* pixels */
	/* Bytes that may be read after a filtered row. */
	CHANGED_READ_IN = CHANGED_BLOCK,
};

/* A block of pixels in which a row differs from the one above. */
struct changed_block {
	uint32_t x;                    /* of its first pixel; a whole number of blocks */
	uint64_t differs;              /* a bit for each pixel that does; not 0 */
	uint8_t before[CHANGED_BLOCK]; /* the pixels above */
};

struct changed_rows {
	uint32_t width;
	size_t words;   /* blocks of a row */
	uint64_t *bits; /* of each block the pixels that may differ */
	uint8_t *row;   /* the last one; at first zeros */
	uint8_t *fresh;
	struct changed_block *blocks; /* of the last row, from left to right */
	size_t count;
	struct line_adler adler; /* of the lines */
	uint8_t *memory;         /* owned */
	size_t memory_cap;
};

void changed_rows_release(struct changed_rows *r);
/* Begins with the first row of an image; width < LINE_SUMS_MAX. False: no memory. */
bool changed_rows_begin(struct changed_rows *r, uint32_t width);
/* Undoes the next row. line: its filter byte and filtered bytes. False: bad filter. */
bool changed_rows_next(struct changed_rows *r, const uint8_t *line);
