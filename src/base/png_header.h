/*
 * Parses a PNG's IHDR chunk: image size, bit depth, colour type and methods. Source: PNG specification (third edition)
 * section 11.2.1. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	PNG_SIGNATURE_BYTES = 8,
	PNG_IHDR_BYTES = 13,                       /* of its data */
	PNG_IHDR_SIZE_BYTES = 8,                   /* of them, width and height */
	PNG_IHDR_AT = PNG_SIGNATURE_BYTES + 4 + 4, /* of its data in the file, after the chunk's length and type */
	PNG_IHDR_END = PNG_IHDR_AT + PNG_IHDR_BYTES + 4, /* after its CRC */
};
#define PNG_SIGNATURE "\x89PNG\r\n\x1a\n"
/* PNG specification, sections 5.3 and 11.2.1: lengths of chunks and sides of images are at most 2^31 - 1. */
#define PNG_LENGTH_MAX 0x7fffffffu

/* PNG colour types. */
enum png_colour_type {
	PNG_GREY = 0,
	PNG_RGB = 2,
	PNG_PALETTE = 3,
	PNG_GREY_ALPHA = 4,
	PNG_RGBA = 6,
};

struct png_header {
	uint32_t width, height;   /* 1..2^31-1 */
	uint8_t bit_depth;        /* 1, 2, 4, 8, 16 */
	uint8_t colour_type;      /* enum png_colour_type */
	uint8_t interlace;        /* 0 none, 1 Adam7 */
	uint8_t channels;         /* 1..4, from colour_type */
	bool animated;            /* acTL seen: only the default image is audited */
	uint16_t palette_entries; /* 0..256 */
	uint8_t palette[256][3];  /* RGB; entries past palette_entries are 0 */
};

/* Returns 0xRRGGBB; 0 past the palette. */
static inline uint32_t png_palette_colour(const struct png_header *png, unsigned i)
{
	return (uint32_t)png->palette[i][0] << 16 | (uint32_t)png->palette[i][1] << 8 | png->palette[i][2];
}

/* The first illegal field of an IHDR. */
enum png_header_error {
	PNG_HEADER_LEGAL = 0,
	PNG_HEADER_SIZE, /* width or height */
	PNG_HEADER_BIT_DEPTH,
	PNG_HEADER_COLOUR_TYPE,
	PNG_HEADER_DEPTH_OF_COLOUR, /* the bit depth and the colour type are each legal, but not together */
	PNG_HEADER_COMPRESSION,
	PNG_HEADER_FILTER,
	PNG_HEADER_INTERLACE,
};

/*
 * Parses IHDR's data; clears what IHDR does not hold. Fills every field as declared even if one is illegal, but then
 * out->channels may be 0.
 */
enum png_header_error png_header_parse(const uint8_t bytes[PNG_IHDR_BYTES], struct png_header *out);
/* Parses width and height, as declared, from the beginning of IHDR's data, which may be cut after them. */
void png_header_parse_size(const uint8_t bytes[PNG_IHDR_SIZE_BYTES], uint32_t *width, uint32_t *height);
