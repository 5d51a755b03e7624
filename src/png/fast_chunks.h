/*
 * struct fast_chunks: reads the header and the IDAT data of a well-formed PNG: chunks in the common order with correct
 * CRCs, up to IEND at the end of the file. It refuses everything else without a reason; the caller then uses
 * png_decoder (README.md). It also refuses what a loader refuses (loaders.h). One thread each; the memory is reused.
 *
 * A file in memory is checked completely when it is opened. A streamed file is checked up to its first IDAT, and then
 * passes through a window of FAST_CHUNKS_WINDOW bytes as its data are taken, which may find later errors. Only files
 * that can be read again are streamed here, since png_decoder must start over.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "png/loaders.h"
#include "read/input.h"

enum {
	/* Bytes of a row without its filter byte. A buffer holds several rows, and a worker has 32 MiB. */
	FAST_ROW_MAX = 1 << 20,
	CHUNK_FRAME = 12, /* length, type and CRC */
	/* Largest chunk beside IDATs. */
	FAST_CHUNKS_OTHER_MAX = 1 << 20,
	/* Bytes read at a time: several IDATs of common lengths, still in the L2 cache when they are inflated. */
	FAST_CHUNKS_READ = 128 << 10,
	FAST_CHUNKS_WINDOW = FAST_CHUNKS_OTHER_MAX + CHUNK_FRAME + FAST_CHUNKS_READ,
};

/* Filtered bytes of an image. Sums of bytes times the number of rows below fit 64 bits. */
#define FAST_STREAM_MAX (UINT64_C(1) << 34)

struct fast_chunks {
	/* of a file in memory */
	const uint8_t *idat; /* data of the first IDAT, in the file */
	size_t idat_chunks;
	uint64_t idat_bytes; /* data of all */

	bool over;              /* the data of all IDATs have been taken, and all chunks are correct */
	struct input *streamed; /* borrowed; NULL: in memory */
	struct png_header *png; /* borrowed */
	uint64_t idat_max;      /* bytes that an IDAT may have */
	bool idat_seen, idat_over, has_trns;
	const uint8_t *at, *end; /* available bytes of the file */
	uint32_t left;           /* bytes of the current IDAT that were not taken */
	uint32_t crc;            /* of the current IDAT so far */
	size_t idats_left;       /* of a file in memory: IDATs after the current one */
	uint8_t *window;         /* owned; NULL until a file is streamed */
	struct loaders loaders;
};

void fast_chunks_release(struct fast_chunks *c);

/* Starts at the file's first byte and fills *png as png_decoder_open does. False: use png_decoder; *png is undefined.
 */
bool fast_chunks_open(struct fast_chunks *c, struct input *input, const struct limits *limits, struct png_header *png);
/*
 * Copies the next IDAT data, across chunks: *n bytes, fewer than `size` only if they are the last; then c->over is set.
 * False: use png_decoder.
 */
bool fast_chunks_take(struct fast_chunks *c, uint8_t *out, size_t size, size_t *n);
