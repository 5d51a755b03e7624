/*
 * struct sample_rows: the samples of a PNG, row by row: from the fast path, else from png_decoder (README.md). One
 * thread each; the memory is reused.
 *
 * Rows of the fast path may be those of a file that is not sound, until sample_rows_end() says otherwise. Then, and if
 * a row cannot be had, sample_rows_read() reads the file once more, with the decoder, which owns the verdict.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "png/fast_stream.h"
#include "png/unfilter.h"
#include "read/input.h"
#include "read/sample.h"

struct sample_rows {
	struct sample sample; /* the header, and the decoder's fault */
	struct fast_stream stream;
	struct unfilter unfilter;
	struct png_decoder *decoder; /* NULL: the stream */
	bool judged;                 /* the file is the decoder's */
	const uint8_t *lines;        /* the next filtered rows */
	uint32_t lines_left;
	uint32_t adler;
	void *row; /* of samples that are not bytes; owned */
	size_t row_cap;
};

void sample_rows_release(struct sample_rows *r);

/* Takes all rows of an open file. Returns false if it cannot use them, or they or their end cannot be had. */
typedef bool sample_rows_taker(void *context, struct sample_rows *r);

/*
 * Opens another file, whose input is at its beginning, calls take(context, r), and closes the file. If take() returns
 * false for rows of the fast path, it is called once more, for the decoder's, and begins anew. Returns what the last
 * call returned; false if the decoder refuses the file: sample.fault.
 */
bool sample_rows_read(struct sample_rows *r, struct input *in, const struct limits *limits, sample_rows_taker *take,
		      void *context);
/* Returns the next row as png_decoder_row() does; or NULL. */
const void *sample_rows_next(struct sample_rows *r);
/* After the last row: returns whether the file is sound. */
bool sample_rows_end(struct sample_rows *r);
/* Returns the colour, 0xRRGGBB, of pixel x of a row in colours or with a palette; of 16 bits the high bytes. */
uint32_t sample_colour(const struct png_header *png, const void *row, uint32_t x);
