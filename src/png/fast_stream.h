/*
 * struct fast_stream: the image data of a PNG that is as it should be, inflated whole.
 *
 * Only files that png_decoder (decode.h) reads without error or remark are taken, and only where that is cheap to prove;
 * everything else, and everything that looks odd, is left to it. So a refusal says nothing, and needs no words.
 * Taken are: not interlaced, in memory, chunks in the common order with right CRCs, a zlib stream that ends with its
 * last IDAT, of exactly the size that IHDR promises. Adler-32 is the caller's to compare, who sees every byte anyway.
 *
 * libdeflate takes a few Huffman codes that zlib refuses: codes with unused bit patterns, which no encoder writes. Their
 * headers are looked for (fast_stream.c), and such files refused here as well.
 *
 * One thread each; the buffers are reused.
 */
#ifndef PNG_FAST_STREAM_H
#define PNG_FAST_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "read/input.h"
#include "read/sample.h"

enum {
	/* Half of a worker's 32 MiB; larger images are read row by row by png_decoder. */
	FAST_STREAM_MAX = 16 << 20,
	/* Behind the inflated bytes: libdeflate stays in its fast loop to the end, and readers may load whole vectors. */
	FAST_STREAM_SLACK = 1024,
};

struct libdeflate_decompressor;

struct fast_stream {
	struct libdeflate_decompressor *inflater; /* owned */
	uint8_t *bytes;     /* height rows of row_bytes, each with its filter byte before it; owned */
	size_t bytes_cap;
	size_t row_bytes;   /* without the filter byte */
	size_t pixel_bytes; /* what the filters call bpp */
	uint32_t adler;     /* as the file has it */
	uint8_t *joined;    /* the data of several IDATs; owned */
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
/* Inflates. False: for png_decoder. */
bool fast_stream_inflate(struct fast_stream *f, const struct input *input, const struct png_header *png,
			 const struct fast_chunks *chunks);

/* Undoes the filter of a row in place. prior: the row above, undone; NULL for the first. filter <= 4. */
void fast_unfilter(uint8_t *row, const uint8_t *prior, size_t row_bytes, size_t pixel_bytes, unsigned filter);

#endif
