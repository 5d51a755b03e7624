/* Unfilters the rows of passes and puts their pixels in place. */
#include "png/adam7_raster.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"
#include "png/passes.h"

/* Held by the thread whose image has more than ADAM7_RASTER_KEPT bytes. */
static pthread_mutex_t large_image = PTHREAD_MUTEX_INITIALIZER;

void *adam7_memory_take(size_t rows, size_t row_bytes)
{
	uint64_t n;
	void *p;

	if (!size_mul(rows, row_bytes, &n))
		return NULL;
	bool large = n > ADAM7_RASTER_KEPT;

	if (large)
		pthread_mutex_lock(&large_image);
	p = mem_try(n, 1);
	if (!p && large)
		pthread_mutex_unlock(&large_image);
	return p;
}

void adam7_memory_give(void *p, size_t n)
{
	free(p);
	if (p && n > ADAM7_RASTER_KEPT)
		pthread_mutex_unlock(&large_image);
}

static void give_back(struct adam7_raster *r)
{
	adam7_memory_give(r->memory, r->memory_cap);
	r->memory = NULL;
	r->memory_cap = 0;
}

void adam7_raster_release(struct adam7_raster *r)
{
	unfilter_release(&r->unfilter);
	give_back(r);
	memset(r, 0, sizeof(*r));
}

void adam7_raster_trim(struct adam7_raster *r)
{
	if (r->memory_cap > ADAM7_RASTER_KEPT)
		give_back(r);
}

bool adam7_raster_fits(const struct png_header *png)
{
	/* one or two bytes per sample, as png_decoder unpacks them, and one for the filter */
	uint64_t row = (uint64_t)png->width * png->channels * (png->bit_depth == 16 ? 2 : 1) + 1;

	return PLANTED(interlaced_image_too_large, size_mul_saturating(row, png->height) <= ADAM7_RASTER_MAX, true);
}

bool adam7_raster_begin(struct adam7_raster *r, const struct png_header *png, size_t slack)
{
	size_t line = (size_t)filtered_row_bytes(png, png->width), want;

	if (!adam7_raster_fits(png))
		return false;
	want = PLANTED(room_for_an_interlaced_image, line * png->height + slack, (line - 1) * png->height);

	if (want > r->memory_cap) {
		give_back(r);
		r->memory = adam7_memory_take(1, want);
		r->memory_cap = r->memory ? want : 0;
	}
	if (!r->memory)
		return false;
	/* clear the filter bytes, and pixels that are ORed into place; the passes fill everything else */
	if (png->bit_depth < 8)
		memset(r->memory, 0, want);
	else
		for (uint32_t y = 0; y < png->height; y++)
			r->memory[y * line] = 0;
	r->png = png;
	r->line = line;
	return true;
}

bool adam7_raster_begin_pass(struct adam7_raster *r, unsigned pass)
{
	r->pass = pass;
	r->y = 0;
	r->width = pass_width(r->png, &adam7[pass]);
	return unfilter_begin(&r->unfilter, (size_t)filtered_row_bytes(r->png, r->width) - 1, png_pixel_bytes(r->png));
}

/* Writes pixels of whole bytes, `apart` bytes from one to the next. */
static inline __attribute__((always_inline)) void spread(uint8_t *to, const uint8_t *from, uint32_t n, size_t apart,
							 size_t pixel_bytes)
{
	for (; n; n--, to += apart, from += pixel_bytes)
		memcpy(to, from, pixel_bytes);
}

static void spread_pixels(uint8_t *to, const uint8_t *from, uint32_t n, size_t dx, size_t pixel_bytes)
{
	switch (pixel_bytes) {
	case 1:
		spread(to, from, n, dx, 1);
		break;
	case 2:
		spread(to, from, n, 2 * dx, 2);
		break;
	case 3:
		spread(to, from, n, 3 * dx, 3);
		break;
	case 4:
		spread(to, from, n, 4 * dx, 4);
		break;
	default:
		spread(to, from, n, pixel_bytes * dx, pixel_bytes);
		break;
	}
}

/* Writes pixels of 1, 2 or 4 bits into a row of zeros. */
static void spread_bits(uint8_t *to, const uint8_t *from, uint32_t n, const struct adam7_pass *p, unsigned depth)
{
	size_t mask = (1u << depth) - 1, bit = (size_t)p->x0 * depth, from_bit = 0;

	for (; n; n--, bit += (size_t)p->dx * depth, from_bit += depth)
		to[bit / 8] |= (uint8_t)(((size_t)from[from_bit / 8] >> (8 - depth - from_bit % 8) & mask)
					 << (8 - depth - bit % 8));
}

bool adam7_raster_add(struct adam7_raster *r, const uint8_t *lines, uint32_t count)
{
	const struct adam7_pass *p = &adam7[r->pass];
	const struct unfilter *u = &r->unfilter;

	for (uint32_t i = 0; i < count; i++, r->y++) {
		uint8_t *row = r->memory + (p->y0 + (size_t)r->y * p->dy) * r->line + 1;

		if (!unfilter_next(&r->unfilter, lines + i * (u->row_bytes + 1), count - i))
			return false;
		if (p->dx == 1)
			memcpy(row, u->row, u->row_bytes);
		else if (r->png->bit_depth < 8)
			spread_bits(row, u->row, r->width, p, r->png->bit_depth);
		else
			spread_pixels(row + p->x0 * u->pixel_bytes, u->row, r->width, p->dx, u->pixel_bytes);
	}
	return true;
}

const uint8_t *adam7_raster_end(const struct adam7_raster *r)
{
	return r->memory + r->line * r->png->height;
}
