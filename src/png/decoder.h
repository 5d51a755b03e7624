/*
 * The inside of struct png_decoder, for decode.c and decode_lines.c alone. libpng opens a file and reads it to its end;
 * the image data between come from it as rows (decode.c), or from zlib as lines (decode_lines.c).
 */
#pragma once

#include <png.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "png/decode_errors.h"
#include "png/loaders.h"
#include "png/stream_tail.h"
#include "read/input.h"
#include "read/sample.h"

enum { PIECE_BYTES = 8192 /* of image data that libpng reads at a time (PNG_IDAT_READ_SIZE) */ };

/* The image data that zlib inflates. */
struct line_reader {
	z_stream z;
	bool has_z;     /* z is initialised */
	uint8_t *piece; /* the input of z, after the last 4 bytes of the previous piece; owned */
	size_t piece_bytes;
	uint32_t adler;         /* of the output of z */
	size_t piece_max;       /* bytes that libpng would read at a time */
	uint32_t idat_left;     /* unread bytes of the current IDAT */
	bool begun;             /* z got its first byte */
	bool one_row_at_a_time; /* z gets no space beyond the current line, as in libpng */
	bool ended;             /* the zlib stream ended */
};

/* The image data that libpng gets in place of those that the line reader consumed: a zlib stream of no bytes. */
struct dummy_idat {
	bool on;
	uint32_t length; /* of the IDAT; the first one has the length that libpng has already read */
	uint64_t at;     /* offset of the next byte in its data, CRC included */
	uint32_t crc;
};

struct png_decoder {
	png_structp png;
	png_infop info, end_info;
	struct input *input;
	struct sample *sample;
	struct decode_evidence seen;
	struct loaders loaders;
	size_t pixel_bytes; /* of a returned row: one or two bytes per sample */
	size_t row_bytes;
	uint8_t *row;    /* owned; of a pass if interlaced */
	uint8_t *raster; /* owned; only if interlaced */
	size_t raster_bytes;
	uint32_t next_row; /* the next one that png_decoder_row returns */
	struct line_reader lines;
	struct dummy_idat dummy;
	struct stream_tail tail;
};

/* Returns false, and makes libpng's message the fault. */
bool decoder_refuse(struct png_decoder *d, const char *message);
/* Makes libpng's message the warning. */
void decoder_warn(struct png_decoder *d, const char *message);
/* Notes an error of zlib after the last row, in the piece of image data that was read last. */
void decoder_stream_fails_late(struct png_decoder *d);
/* Reads the next n bytes of the file. Returns false if there are fewer (seen.at_end), or with sample->fault set. */
bool decoder_read(struct png_decoder *d, uint8_t *out, size_t n);
/* Frees the memory of rows: lines need none. */
void decoder_free_rows(struct png_decoder *d);
void decoder_free_lines(struct png_decoder *d);
