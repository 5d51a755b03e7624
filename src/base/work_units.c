#include "base/work_units.h"

#include <string.h>

#include "base/mem.h"
#include "base/png_header.h"
#include "base/settings.h"

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
