#include "base/work_units.h"

#include <string.h>

#include "base/mem.h"
#include "base/png_header.h"
#include "base/settings.h"

enum {
	/*
	 * With FLAT_EDGES_MAX or fewer edges no rows are busy enough that the engine takes the image for noise, after
	 * which it would pay for each pixel: that needs 2^19 pixels in rows with more than an edge in eight pixels, or
	 * fewer by half where rows have no more than FLAT_WIDTH_MIN.
	 */
	FLAT_EDGES_MAX = 40000,
	FLAT_WIDTH_MIN = 64,
	FLAT_WIDTH_MAX = 1 << 20, /* DELTA_WIDTH_MAX */
};

/* Parses the header of a PNG from its first n bytes. Returns the bits of a pixel; 0 if no PNG declares it. */
static unsigned pixel_bits(const uint8_t *head, size_t n, struct png_header *png)
{
	if (n < PNG_IHDR_AT + PNG_IHDR_BYTES || memcmp(head, PNG_SIGNATURE, PNG_SIGNATURE_BYTES) != 0 ||
	    png_header_parse(head + PNG_IHDR_AT, png) != PNG_HEADER_LEGAL)
		return 0;
	return (unsigned)png->channels * png->bit_depth;
}

uint64_t png_work_units(const uint8_t *head, size_t n)
{
	struct png_header png;
	unsigned bits = pixel_bits(head, n, &png);

	return bits ? size_mul_saturating(limit_pixels(png.width, png.height), MAX(bits / 8, 1u)) : 0;
}

uint64_t png_inflated_bytes(const uint8_t *head, size_t n)
{
	struct png_header png;
	uint64_t bits = pixel_bits(head, n, &png);

	return bits ? size_mul_saturating((png.width * bits + 7) / 8 + 1, png.height) : 0;
}

uint64_t png_flat_units(uint32_t width, uint32_t height, uint64_t units, uint64_t inflated, uint64_t row_edges,
			uint64_t column_edges)
{
	if (width < FLAT_WIDTH_MIN || width > FLAT_WIDTH_MAX || !height || row_edges + column_edges > FLAT_EDGES_MAX)
		return units;
	/* a row that differs from the one above costs what it declares */
	return MIN(units, inflated + MIN(column_edges, (uint64_t)height) * (units / height));
}
