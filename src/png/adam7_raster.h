/*
 * struct adam7_raster: collects the passes of an interlaced image (passes.h) into rows as they are in an image without
 * interlacing, with filter 0.
 *
 * The whole image is held, since the rows around a row are in up to seven passes; more than ADAM7_RASTER_MAX bytes are
 * refused. One thread each. The memory is reused up to ADAM7_RASTER_KEPT bytes; only one image in the process may hold
 * more at a time, and other threads wait for it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "png/unfilter.h"

/* Bytes, one or two per sample: 11585 x 11585 of 8 bits. */
#define ADAM7_RASTER_MAX ((uint64_t)128 << 20)
/* Half of a worker's 32 MiB: 4096 x 4096 pixels of 8 bits. */
#define ADAM7_RASTER_KEPT ((size_t)16 << 20)

struct adam7_raster {
	const struct png_header *png; /* borrowed */
	size_t line;                  /* bytes of a row with its filter byte, which is 0 */
	struct unfilter unfilter;
	unsigned pass;
	uint32_t width, y; /* of the pass: pixels of a row, and the next row */
	uint8_t *memory;   /* owned */
	size_t memory_cap;
};

/*
 * Allocates memory for the rows of an interlaced image. If it is more than ADAM7_RASTER_KEPT bytes, waits until no
 * other thread holds as much. The same thread must free it before it allocates again. NULL: no memory, or too many
 * bytes.
 */
void *adam7_memory_take(size_t rows, size_t row_bytes);
/* Frees n bytes from adam7_memory_take; p may be NULL. */
void adam7_memory_give(void *p, size_t n);

void adam7_raster_release(struct adam7_raster *r);

/* Returns whether the image is at most ADAM7_RASTER_MAX bytes. */
bool adam7_raster_fits(const struct png_header *png);
/* Begins an image. slack: bytes after the rows that may be read. False: too large, or no memory. */
bool adam7_raster_begin(struct adam7_raster *r, const struct png_header *png, size_t slack);
/* Begins a pass that has pixels, in ascending order. False: no memory. */
bool adam7_raster_begin_pass(struct adam7_raster *r, unsigned pass);
/* Adds filtered rows of the pass, followed by UNFILTER_READ_IN readable bytes. False: invalid filter. */
bool adam7_raster_add(struct adam7_raster *r, const uint8_t *lines, uint32_t count);
/* After an image: frees the memory if it is more than ADAM7_RASTER_KEPT. */
void adam7_raster_trim(struct adam7_raster *r);
/* Returns the end of the rows, which are contiguous; each begins with its filter byte. */
const uint8_t *adam7_raster_end(const struct adam7_raster *r);
