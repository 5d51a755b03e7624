/*
 * struct fast_stream: the filtered rows of a well-formed PNG, inflated a few at a time. One thread each; the buffers
 * are reused.
 *
 * It accepts files whose chunks fast_chunks.h accepts, with a zlib stream that ends with the last IDAT and has exactly
 * the size that IHDR declares. Only fast_stream_end says that the file is well-formed: until then nothing irrevocable
 * may be done with its rows. Files that are refused can be read through the same interface from a png_decoder.
 *
 * A single IDAT in memory is inflated in place, other data in pieces of up to FAST_STREAM_PIECE bytes. Interlaced
 * images are left to png_decoder; their rows have filter 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "png/decode.h"
#include "png/fast_chunks.h"
#include "png/fast_inflate.h"
#include "read/input.h"

enum {
	/* Bytes after a row that may be read. */
	FAST_STREAM_SLACK = 256,
	/*
	 * Bytes inflated at a time: all of a common mask, or enough rows of a large one for long columns
	 * (engine/delta.h), and still in the L2 cache of many processors when they are measured.
	 */
	FAST_STREAM_STEP = 384 << 10,
	/* A step and the window before it. Rarely full, since most masks are smaller. */
	FAST_STREAM_BUFFER = 768 << 10,
	FAST_STREAM_PIECE = 128 << 10,
};

struct fast_stream {
	struct fast_chunks chunks;
	struct inflate inflate;
	uint8_t *buffer; /* owned */
	size_t buffer_cap;
	size_t step;         /* bytes inflated at a time */
	uint8_t *out;        /* end of the inflated bytes */
	const uint8_t *row;  /* filter byte of the next row */
	uint64_t bytes_left; /* of all rows, not yet inflated; 0 if a step has passed the end */
	uint32_t rows_left;
	bool ended;          /* the deflate stream has */
	size_t row_bytes;    /* without the filter byte */
	size_t pixel_bytes;  /* bpp of the PNG specification */
	const uint8_t *data; /* of the zlib stream: all of it, or the current piece */
	size_t data_bytes;
	uint64_t data_end;                   /* offset of its end in the zlib stream */
	uint8_t *piece;                      /* owned; NULL until a file needs it */
	struct png_decoder *decoder;         /* borrowed source of the rows; NULL: chunks and inflate */
	const struct png_header *interlaced; /* borrowed; the decoder unfilters its rows; else NULL */
};

void fast_stream_release(struct fast_stream *f);

/*
 * Fills *png as png_decoder_open does and begins with the first row. Returns false if png_decoder must read the file;
 * then *png is undefined.
 */
bool fast_stream_open(struct fast_stream *f, struct input *input, const struct limits *limits, struct png_header *png);
/*
 * Begins with the rows of an open decoder, and uses it up to png_decoder_finish. When this or a later call fails, the
 * decoder has set its fault, unless memory is exhausted. The decoder checks Adler-32.
 */
bool fast_stream_open_decoder(struct fast_stream *f, struct png_decoder *decoder, const struct png_header *png);
/* Before the first row: each call but the last returns a multiple of `rows`. False: no memory. */
bool fast_stream_min_rows(struct fast_stream *f, uint32_t rows);
/*
 * Returns the next *count > 0 rows, each a filter byte and row_bytes; valid until the next call, and followed by
 * FAST_STREAM_SLACK readable bytes. NULL: png_decoder must read the file, or there are no more rows.
 */
const uint8_t *fast_stream_rows(struct fast_stream *f, uint32_t *count);
/*
 * Returns whether all rows were read and the stream and the file end as they should. adler: Adler-32 of all rows, since
 * the caller reads every byte anyway; ignored for those of a decoder, which checks it.
 */
bool fast_stream_end(struct fast_stream *f, uint32_t adler);
