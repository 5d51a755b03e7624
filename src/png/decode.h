/*
 * struct png_decoder: the reference way to read a PNG: libpng, row by row, with our own checks around it. It decides
 * for all faster ways, and words every PNG fault of every backend.
 *
 * It accepts exactly what libpng with its default error handling reads to IEND; libpng's warnings become a warning
 * (FAULT_MALFORMED). It first checks the signature, resource limits, and the bound that deflate cannot expand more than
 * 1032 : 1. Ancillary chunks are never parsed or inflated; only the lengths of tRNS and PLTE are checked.
 *
 * One thread a decoder. The input must stay open until png_decoder_close.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/settings.h"
#include "read/input.h"
#include "read/sample.h"

struct png_decoder;

/*
 * Reads up to the first IDAT and fills sample->png and ->format. Returns false if that fails; then sample->fault is set
 * (FAULT_TRUNCATED, FAULT_CORRUPT, FAULT_LIMIT or FAULT_UNREADABLE) and there is nothing to close.
 */
bool png_decoder_open(struct png_decoder **out, struct input *input, const struct limits *limits,
		      struct sample *sample);
/*
 * Returns the next row, top to bottom, also for Adam7 (then the whole raster is held): width * channels raw samples,
 * one byte each for depths 1 to 8 (1, 2, 4 unpacked, not scaled), uint16_t in the machine's order for depth 16. Valid
 * until the next call. Returns NULL if reading fails; then sample->fault is set.
 */
const void *png_decoder_row(struct png_decoder *d);
/*
 * Instead of png_decoder_row: begins to read lines, which are rows as they are stored, filter byte (0 to 4) first and
 * still filtered. The verdict is the same; libpng's unfiltering is saved. Returns false if it fails; then sample->fault
 * is set. The same holds for the functions below.
 */
bool png_decoder_lines_begin(struct png_decoder *d);
/* Reads the next `count` lines, which are of one pass and so all have `line` bytes. */
bool png_decoder_lines(struct png_decoder *d, uint8_t *out, size_t line, uint32_t count);
/* Reads all lines and the rest of the file, for the verdict alone. */
bool png_decoder_verdict(struct png_decoder *d);
/* After the last row: reads on to IEND and beyond. May set sample->warning. */
bool png_decoder_finish(struct png_decoder *d);
void png_decoder_close(struct png_decoder *d);
