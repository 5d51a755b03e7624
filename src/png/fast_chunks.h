/*
 * struct fast_chunks: the chunks of a PNG that is as it should be: its header, and the data of its IDATs.
 *
 * Only files that png_decoder (decode.h) reads without error or remark are taken, and only where that is cheap to
 * prove; everything else, and everything that looks odd, is left to it. So a refusal says nothing, and needs no words.
 * Taken are chunks in the common order with right CRCs, up to IEND at the end of the file.
 *
 * A file in memory is walked over when it is opened. One that is streamed is looked at up to its first IDAT, and goes
 * through a window (FAST_CHUNKS_WINDOW, whatever the file) as its data are taken: what is wrong further on is told
 * then, at the latest with the last of them. Only files that can be read once more are streamed here, since a refusal
 * in the middle must leave them to png_decoder.
 *
 * One thread each; the memory is reused.
 */
#ifndef PNG_FAST_CHUNKS_H
#define PNG_FAST_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "read/input.h"
#include "read/sample.h"

enum {
	/* Bytes of a row without its filter byte. Longer ones are libpng's: a buffer holds some, and a worker has 32
	   MiB. */
	FAST_ROW_MAX = 1 << 20,
	CHUNK_FRAME = 12, /* length, type and CRC */
	/* Larger chunks that are no IDAT are libpng's to judge. */
	FAST_CHUNKS_OTHER_MAX = 1 << 20,
	/* Is read at once: some IDATs of common lengths, which are still in the second cache when they are inflated. */
	FAST_CHUNKS_READ = 128 << 10,
	FAST_CHUNKS_WINDOW = FAST_CHUNKS_OTHER_MAX + CHUNK_FRAME + FAST_CHUNKS_READ,
};

/* Filtered bytes. Sums of bytes times the rows to come fit 64 bits with ease. */
#define FAST_STREAM_MAX (UINT64_C(1) << 34)

struct fast_chunks {
	/* of a file in memory, which they point into */
	const uint8_t *idat; /* data of the first */
	size_t idat_chunks;
	uint64_t idat_bytes; /* data of all */

	bool over;              /* the data of all IDATs have been taken, and what follows them is right */
	struct input *streamed; /* borrowed; NULL: in memory */
	struct png_header *png; /* borrowed */
	uint64_t idat_max;      /* bytes that an IDAT may have */
	bool idat_seen, idat_over, transparency;
	const uint8_t *at, *end; /* what is there of the file: the next byte */
	uint32_t left;           /* of an IDAT whose data have been begun */
	uint32_t crc;            /* of that IDAT so far */
	size_t idats_to_come;    /* in memory */
	uint8_t *window;         /* owned; NULL until a file is streamed */
};

void fast_chunks_init(struct fast_chunks *c);
void fast_chunks_release(struct fast_chunks *c);

/* From the file's first byte on. Fills png, as png_decoder_open does. False: for png_decoder; png is then undefined. */
bool fast_chunks_open(struct fast_chunks *c, struct input *input, const struct limits *limits, struct png_header *png);
/*
 * The next data of IDATs, in one piece whatever chunks they are from: *n bytes, fewer than `room` only if they are the
 * last; then c->over is set. False: for png_decoder.
 */
bool fast_chunks_take(struct fast_chunks *c, uint8_t *out, size_t room, size_t *n);

#endif
