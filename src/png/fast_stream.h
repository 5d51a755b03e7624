/*
 * struct fast_stream: the filtered rows of a PNG that is as it should be, inflated a few at a time.
 *
 * Only files that png_decoder (decode.h) reads without error or remark are taken, and only where that is cheap to
 * prove; everything else, and everything that looks odd, is left to it. So a refusal says nothing, and needs no words.
 * Taken are: not interlaced, in memory, chunks in the common order with right CRCs, a zlib stream that ends with its
 * last IDAT, of exactly the size that IHDR promises. Adler-32 is the caller's to compare, who sees every byte anyway.
 *
 * One thread each; the buffers are reused.
 */
#ifndef PNG_FAST_STREAM_H
#define PNG_FAST_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "png/fast_inflate.h"
#include "read/input.h"
#include "read/sample.h"

enum {
	/* Rows beyond this are libpng's: the buffer holds a few, and a worker has 32 MiB. */
	FAST_ROW_MAX = 1 << 20,
	/* Bytes behind a row that may be loaded. */
	FAST_STREAM_SLACK = 256,
	/* As much is inflated before it is looked at: a whole common mask, which is still in the second cache then. */
	FAST_STREAM_STEP = 192 << 10,
	/* Half of the second cache of many processors; rarely full, since most masks are smaller. */
	FAST_STREAM_BUFFER = 512 << 10,
};
/* Adler-32's sums in 64 bits: strip_adler_weight of fast_strip.h. */
#define FAST_STREAM_MAX (UINT64_C(1) << 34)

struct fast_stream {
	struct inflate inflate;
	uint8_t *buffer; /* owned */
	size_t buffer_cap;
	size_t step;        /* as much is inflated at once */
	uint8_t *out;       /* end of what is inflated */
	const uint8_t *row; /* the next row: its filter byte */
	uint32_t rows_left;
	bool ended;          /* the deflate stream has */
	size_t row_bytes;    /* without the filter byte */
	size_t pixel_bytes;  /* what the filters call bpp */
	uint32_t adler;      /* as the file has it */
	const uint8_t *data; /* the zlib stream */
	size_t data_bytes;
	uint8_t *joined; /* the data of several IDATs; owned */
	size_t joined_cap;
};

void fast_stream_init(struct fast_stream *f);
void fast_stream_release(struct fast_stream *f);

/* What the chunks say, before anything is inflated; points into the input. */
struct fast_chunks {
	const uint8_t *idat; /* data of the first */
	size_t idat_chunks;
	uint64_t idat_bytes; /* data of all */
};

/*
 * Walks the chunks and fills png, as png_decoder_open does. False: for png_decoder; png is then undefined.
 */
bool fast_stream_open(struct fast_stream *f, const struct input *input, const struct limits *limits,
		      struct png_header *png, struct fast_chunks *chunks);
/* Starts at the first row. False: for png_decoder. */
bool fast_stream_begin(struct fast_stream *f, const struct png_header *png, const struct fast_chunks *chunks);
/* Behind fast_stream_begin: as many rows are to be given at a time, unless they are the last. False: no memory. */
bool fast_stream_together(struct fast_stream *f, uint32_t rows);
/*
 * The next rows, *count > 0 of them, each a filter byte and row_bytes; valid until the next call, and followed by
 * FAST_STREAM_SLACK readable bytes. NULL: for png_decoder, or all rows have been given.
 */
const uint8_t *fast_stream_rows(struct fast_stream *f, uint32_t *count);
/* After the last row: whether the stream ends there, and the data with it. */
bool fast_stream_end(struct fast_stream *f);

#endif
