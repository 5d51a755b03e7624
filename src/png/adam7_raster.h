/*
 * struct adam7_raster: an interlaced image, put together from the rows of its passes, which lie one after the other in
 * the file (passes.h), to the rows of an image that is not interlaced and has no filters.
 *
 * It is held whole, since the neighbours of a row are in up to seven passes: images of more than ADAM7_RASTER_MAX bytes
 * are refused. One thread each; the memory is reused, but what is over ADAM7_RASTER_KEPT given back, and only one image
 * in the process has so much at a time: others wait.
 */
#ifndef PNG_ADAM7_RASTER_H
#define PNG_ADAM7_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "png/unfilter.h"
#include "read/sample.h"

/* Of samples, each in a byte or two: 11585 x 11585 of 8 bits. */
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
 * Memory for the rows of an interlaced image, to be given back by the same thread, which must not ask for more
 * meanwhile. Waits while another one has more than ADAM7_RASTER_KEPT bytes, if these are more. NULL: there is none, or
 * no size_t holds so many.
 */
void *adam7_memory_take(size_t rows, size_t row_bytes);
/* p: NULL, or what was taken, n bytes in all. */
void adam7_memory_give(void *p, size_t n);

void adam7_raster_init(struct adam7_raster *r);
void adam7_raster_release(struct adam7_raster *r);

/* Whether it may be held. */
bool adam7_raster_fits(const struct png_header *png);
/* slack: bytes behind the rows that may be read. False: too large, or no memory. */
bool adam7_raster_begin(struct adam7_raster *r, const struct png_header *png, size_t slack);
/* The passes that have pixels, in ascending order; behind each, its rows. False: no memory. */
bool adam7_raster_begin_pass(struct adam7_raster *r, unsigned pass);
/* The next rows of the pass, filtered, behind UNFILTER_READ_IN readable bytes. False: there is no such filter. */
bool adam7_raster_add(struct adam7_raster *r, const uint8_t *lines, uint32_t count);
/* After an image: gives memory back if it is much. */
void adam7_raster_trim(struct adam7_raster *r);
/* Behind the last row; each begins with its filter byte, and they have no gaps. */
const uint8_t *adam7_raster_end(const struct adam7_raster *r);

#endif
