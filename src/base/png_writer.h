/*
 * Writes PNG files: signature, IHDR, PLTE, IDAT, IEND. All that this program writes as PNG are masks and pictures of
 * masks, runs of equal ids, for which the filter None suits best. The bytes depend on the pixels and on the version of
 * libdeflate alone.
 *
 * One thread each; the memory is reused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/png_header.h"
#include "base/strbuf.h"

/* An image that is written row by row. */
struct png_writer;

struct png_writer *png_writer_new(void);
/* NULL is fine. */
void png_writer_free(struct png_writer *p);
/*
 * Begins an image in grey or with a palette, of 8 or 16 bits, as the header says; it is appended to out, which must
 * live as long. Returns false if *fault is set: not enough memory.
 */
bool png_writer_begin(struct png_writer *p, const struct png_header *header, struct strbuf *out, struct fault *fault);
/* Returns the memory for the next row: samples of 8 bits, or of 16 in big-endian order. png_writer_row() takes it. */
uint8_t *png_writer_next_row(struct png_writer *p);
bool png_writer_row(struct png_writer *p, struct fault *fault);
/* After the last row. Returns false if *fault is set. */
bool png_writer_end(struct png_writer *p, struct fault *fault);
