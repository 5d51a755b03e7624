/*
 * struct png_decoder: the plain way to read a PNG: libpng, row by row, with our own checks around it. The judge of
 * every faster way. It owns the wording of every PNG fault, on every backend.
 *
 * What it accepts: exactly what libpng with its default error handling reads to IEND; what libpng warns of becomes a
 * remark (FAULT_MALFORMED). Before libpng sees a byte: signature (and what the file is instead), IHDR, resource limits,
 * and the bound that deflate cannot expand more than 1032 : 1 (zlib's technical details), so that nothing is allocated
 * for pixels that the file cannot hold. Ancillary chunks are never parsed or inflated; tRNS and PLTE lengths are looked
 * at.
 *
 * One thread a decoder. The input must stay open until png_decoder_close.
 */
#ifndef PNG_DECODE_H
#define PNG_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/settings.h"
#include "read/input.h"
#include "read/sample.h"

struct png_decoder;

/*
 * Reads up to the first IDAT and fills sample->png and ->format. False: sample->fault says why, nothing to close.
 * Errors: FAULT_TRUNCATED, FAULT_CORRUPT, FAULT_LIMIT, FAULT_UNREADABLE.
 */
bool png_decoder_open(struct png_decoder **out, struct input *input, const struct limits *limits,
		      struct sample *sample);
/*
 * The next row, top to bottom, also for Adam7 (whose raster is then held whole): width * channels raw samples, one byte
 * each for depths 1 to 8 (1, 2, 4 unpacked, not scaled), uint16_t in the machine's order for depth 16. Valid until
 * the next call. NULL: sample->fault says why.
 */
const void *png_decoder_row(struct png_decoder *d);
/*
 * Instead of png_decoder_row, for all rows: the lines of the image data as the filters left them, without what libpng
 * takes to undo these, and with its verdict. Begins with the first one. False: sample->fault.
 */
bool png_decoder_lines_begin(struct png_decoder *d);
/* The next `count` of them, each with its filter byte (0 to 4), which are in one pass and so of as many bytes, `line`.
 */
bool png_decoder_lines(struct png_decoder *d, uint8_t *out, size_t line, uint32_t count);
/* All lines and what is behind them, for the verdict alone: from open to finish. */
bool png_decoder_verdict(struct png_decoder *d);
/* After the last row: reads on to IEND and behind it. False: sample->fault. May set sample->remark. */
bool png_decoder_finish(struct png_decoder *d);
void png_decoder_close(struct png_decoder *d);

#endif
