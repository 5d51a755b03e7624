/*
 * struct fast_stream: the filtered rows of a PNG that is as it should be, inflated a few at a time.
 *
 * Taken are files whose chunks fast_chunks.h takes, with a zlib stream that ends with its last IDAT and has exactly the
 * size that IHDR promises. The data of a single IDAT in memory are inflated where they lie, all others in pieces of up
 * to FAST_STREAM_PIECE, which hold what several IDATs have, or a part of one. Whether the file is as it should be is
 * known behind the last row (fast_stream_end): until then nothing may be made of its rows that cannot be undone.
 *
 * Interlaced images are put together first (adam7_raster.h), if they are small enough for that, and come as rows
 * without a filter.
 *
 * What is not taken can come the same way through png_decoder, which inflates it slower and judges it.
 *
 * One thread each; the buffers are reused.
 */
#ifndef PNG_FAST_STREAM_H
#define PNG_FAST_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "png/adam7_raster.h"
#include "png/decode.h"
#include "png/fast_chunks.h"
#include "png/fast_inflate.h"
#include "read/input.h"
#include "read/sample.h"

enum {
	/* Bytes behind a row that may be loaded. */
	FAST_STREAM_SLACK = 256,
	/*
	 * As much is inflated before it is looked at: a whole common mask, or enough rows of a large one for its
	 * columns to be long (delta.h), which the second cache of many processors still holds then.
	 */
	FAST_STREAM_STEP = 384 << 10,
	/* Rarely full, since most masks are smaller; a step and the window behind it. */
	FAST_STREAM_BUFFER = 768 << 10,
	FAST_STREAM_PIECE = 128 << 10,
};

struct fast_stream {
	struct fast_chunks chunks;
	struct inflate inflate;
	uint8_t *buffer; /* owned */
	size_t buffer_cap;
	size_t step;         /* as much is inflated at once */
	uint8_t *out;        /* end of what is inflated */
	const uint8_t *row;  /* the next row: its filter byte */
	uint64_t bytes_left; /* of all rows, to be inflated; 0 if a step has passed the end */
	uint32_t rows_left;
	bool ended;          /* the deflate stream has */
	size_t row_bytes;    /* without the filter byte */
	size_t pixel_bytes;  /* what the filters call bpp */
	const uint8_t *data; /* of the zlib stream: all of it, or the piece that is being inflated */
	size_t data_bytes;
	uint64_t data_end; /* where it ends in the stream */
	uint8_t *piece;    /* owned; NULL until a file needs it */
	bool interlaced;
	struct adam7_raster raster;
	struct png_decoder *judge; /* borrowed; where the rows come from; NULL: from chunks, with inflate */
};

void fast_stream_init(struct fast_stream *f);
void fast_stream_release(struct fast_stream *f);

/*
 * Fills png, as png_decoder_open does, and starts at the first row. False: for png_decoder; png is then undefined, and
 * nothing is to be closed.
 */
bool fast_stream_open(struct fast_stream *f, struct input *input, const struct limits *limits, struct png_header *png);
/*
 * The same of a file that png_decoder has opened, and filled png: the decoder is used up to png_decoder_finish, and
 * what is refused it has a fault for, if not memory is out. Adler-32 is compared by the decoder.
 */
bool fast_stream_open_judged(struct fast_stream *f, struct png_decoder *judge, const struct png_header *png);
/* Gives back what was taken for a large image; nothing else of the stream is left. */
void fast_stream_close(struct fast_stream *f);
/* Before the first row is taken: as many rows are to be given at a time, unless they are the last. False: no memory. */
bool fast_stream_together(struct fast_stream *f, uint32_t rows);
/*
 * The next rows, *count > 0 of them, each a filter byte and row_bytes; valid until the next call, and followed by
 * FAST_STREAM_SLACK readable bytes. NULL: for png_decoder, or all rows have been given.
 */
const uint8_t *fast_stream_rows(struct fast_stream *f, uint32_t *count);
/*
 * Whether all rows have been given, the stream ends there, and the file with it as it should. adler: Adler-32 of the
 * rows, for the caller sees every byte anyway; if they are interlaced, it was compared before they were put together.
 */
bool fast_stream_end(struct fast_stream *f, uint32_t adler);

#endif
