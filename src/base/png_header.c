#include "base/png_header.h"

#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"

#define DEPTH(bits) (1u << (bits))

/* Bit i of `depths` is set if bit depth i is allowed: PNG specification, table 11.1. */
static const struct {
	uint32_t depths;
	uint8_t channels; /* 0: no colour type */
} colour_types[] = {
	[PNG_GREY] = { DEPTH(1) | DEPTH(2) | DEPTH(4) | DEPTH(8) | DEPTH(16), 1 },
	[PNG_RGB] = { DEPTH(8) | DEPTH(16), 3 },
	[PNG_PALETTE] = { DEPTH(1) | DEPTH(2) | DEPTH(4) | DEPTH(8), 1 },
	[PNG_GREY_ALPHA] = { DEPTH(8) | DEPTH(16), 2 },
	[PNG_RGBA] = { DEPTH(8) | DEPTH(16), 4 },
};

void png_header_parse_size(const uint8_t bytes[PNG_IHDR_SIZE_BYTES], uint32_t *width, uint32_t *height)
{
	*width = be32(bytes);
	*height = be32(bytes + 4);
}

enum png_header_error png_header_parse(const uint8_t bytes[PNG_IHDR_BYTES], struct png_header *out)
{
	unsigned depth = bytes[8], colour = bytes[9];

	memset(out, 0, sizeof(*out));
	png_header_parse_size(bytes, &out->width, &out->height);
	out->bit_depth = bytes[8];
	out->colour_type = bytes[9];
	out->interlace = bytes[12];
	if (!out->width || !out->height || out->width > PNG_LENGTH_MAX || out->height > PNG_LENGTH_MAX)
		return PNG_HEADER_SIZE;
	/* grey has every depth that there is */
	if (depth > 16 || !(colour_types[PNG_GREY].depths & DEPTH(depth)))
		return PNG_HEADER_BIT_DEPTH;
	if (colour >= ARRAY_SIZE(colour_types) || !colour_types[colour].channels)
		return PNG_HEADER_COLOUR_TYPE;
	if (!(colour_types[colour].depths & DEPTH(depth)))
		return PNG_HEADER_DEPTH_OF_COLOUR;
	out->channels = colour_types[colour].channels;
	if (bytes[10] != 0)
		return PNG_HEADER_COMPRESSION;
	if (bytes[11] != 0)
		return PNG_HEADER_FILTER;
	return bytes[12] > 1 ? PNG_HEADER_INTERLACE : PNG_HEADER_LEGAL;
}
