/*
 * struct unfilter: the rows of a stream one after the other, their filters undone: one at a time (unfilter_pixels.h)
 * or, where that takes long, eight at once (unfilter_rows.h). One thread each; the memory is reused.
 */
#ifndef PNG_UNFILTER_H
#define PNG_UNFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes behind a row that may be read; and behind filtered rows that must be. */
enum { UNFILTER_READ = 16, UNFILTER_READ_IN = 32 };

struct unfilter {
	size_t row_bytes, pixel_bytes;
	const uint8_t *row;   /* the last one */
	const uint8_t *above; /* the one before, or zeros */
	unsigned ahead;       /* rows behind `row` that are done too */
	unsigned alone;       /* rows to be done one at a time, before others are looked at together */
	uint8_t *one[2];      /* room for one row each */
	uint8_t *eight;       /* for eight, `stride` apart; NULL: rows are too long for that */
	size_t stride;
	uint8_t *memory; /* owned */
	size_t memory_cap;
};

void unfilter_init(struct unfilter *u);
void unfilter_release(struct unfilter *u);
/* False: no memory. */
bool unfilter_begin(struct unfilter *u, size_t row_bytes, size_t pixel_bytes);
/*
 * The next row: in is its filter byte, which is followed by this one and others of the stream, `left` rows together.
 * False: there is no such filter.
 */
bool unfilter_next(struct unfilter *u, const uint8_t *in, uint32_t left);

#endif
