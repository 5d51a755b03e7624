/*
 * struct png_decoder from inside: what decode.c (libpng, and all that is before and behind the image data) and
 * decode_lines.c (the image data without libpng) share. Private to the two.
 */
#ifndef PNG_DECODE_PARTS_H
#define PNG_DECODE_PARTS_H

#include <png.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "png/chunks.h"
#include "png/decode.h"
#include "png/decode_errors.h"

/* libpng's own default for a chunk that it would hold in memory, and so part of what it accepts; said so that no build
 * differs */
#define CHUNK_BYTES_MAX 8000000

/* The image data as they are inflated without libpng. */
struct decoder_lines {
	z_stream z;
	bool has_z;     /* z is to be ended */
	uint8_t *piece; /* that z reads from, behind the last 4 bytes of what was there before; owned */
	size_t piece_bytes;
	uint32_t adler;     /* of what z has made */
	size_t piece_max;   /* bytes that libpng would read at a time */
	uint32_t idat_left; /* bytes of the IDAT at hand that were not read */
	bool begun;         /* z has been given the first byte */
	bool line_by_line;  /* z is asked for no more than the line at hand, as libpng does */
	bool ended;         /* the zlib stream has, or is taken for ended */
};

/* What libpng is given in the place of the image data that decode_lines.c has read: a stream of no bytes. */
struct decoder_stand_in {
	bool on;
	uint32_t length; /* of the IDAT that libpng reads; the first one has the length that libpng was told */
	uint64_t at;     /* next byte of its data, or of what is behind them */
	uint32_t crc;
};

struct png_decoder {
	png_structp png;
	png_infop info, end_info;
	struct input *input;
	struct sample *sample;
	struct chunk_walk walk;
	bool at_end;        /* libpng asked for more bytes than the file has */
	size_t pixel_bytes; /* of a row as it is handed out: one or two bytes a sample */
	size_t row_bytes;
	uint8_t *row;    /* owned; of a pass if interlaced */
	uint8_t *raster; /* owned; only if interlaced (adam7_memory_take) */
	size_t raster_bytes;
	uint32_t next_row;  /* that png_decoder_row hands out */
	uint64_t rows_read; /* that came out whole, of all passes */
	uint64_t rows_total;
	struct decoder_lines lines;
	struct decoder_stand_in stand_in;
};

/* What is known now, with libpng's message; NULL: none. */
struct decode_evidence png_decoder_evidence(const struct png_decoder *d, const char *message);
/* The next n bytes of the file. False: there are fewer (at_end), or sample->fault says why. */
bool png_decoder_read(struct png_decoder *d, uint8_t *out, size_t n);
void png_decoder_lines_release(struct png_decoder *d);
/* Gives back the memory for libpng's rows. */
void png_decoder_drop_rows(struct png_decoder *d);

#endif
