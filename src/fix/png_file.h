/*
 * Encodes a mask as a PNG: signature, IHDR, PLTE, IDAT, IEND. The bytes depend on the pixels alone.
 *
 * Masks are runs of equal ids, for which the filter None suits best (mask_deflate.h). One thread each; the memory is
 * reused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/adler.h"
#include "base/fault.h"
#include "base/png_header.h"
#include "base/strbuf.h"

/* A mask that is written row by row. */
struct png_file;

struct png_file *png_file_new(void);
/* NULL is fine. */
void png_file_free(struct png_file *p);
/*
 * Begins a mask in grey or with a palette, of 8 or 16 bits, as the header says; it is appended to out, which must live
 * as long. Returns false if *fault is set: not enough memory.
 */
bool png_file_begin(struct png_file *p, const struct png_header *header, struct strbuf *out, struct fault *fault);
/* Returns the memory for the next row: samples of 8 bits, or of 16 in big-endian order. png_file_row() then takes it.
 */
uint8_t *png_file_next_row(struct png_file *p);
/* sums: of the line that the row becomes, which begins with a 0; or NULL. */
bool png_file_row(struct png_file *p, const struct line_sums *sums, struct fault *fault);
/* After the last row. Returns false if *fault is set. */
bool png_file_end(struct png_file *p, struct fault *fault);
