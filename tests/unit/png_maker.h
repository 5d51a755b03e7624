/* PNG files made in memory, whole or broken on purpose. For tests. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct png_maker {
	uint8_t bytes[1 << 16];
	size_t size;
};

static void maker_add(struct png_maker *m, const void *bytes, size_t n)
{
	if (n > sizeof(m->bytes) - m->size)
		abort();
	memcpy(m->bytes + m->size, bytes, n);
	m->size += n;
}

static void maker_be32(struct png_maker *m, uint32_t v)
{
	uint8_t b[4] = { (uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v };

	maker_add(m, b, sizeof(b));
}

static void maker_chunk(struct png_maker *m, const char type[4], const void *data, size_t n)
{
	maker_be32(m, (uint32_t)n);
	maker_add(m, type, 4);
	if (n)
		maker_add(m, data, n);
	maker_be32(m, (uint32_t)crc32(0, m->bytes + m->size - n - 4, (uInt)n + 4));
}

static void maker_signature(struct png_maker *m)
{
	m->size = 0;
	maker_add(m, "\x89PNG\r\n\x1a\n", 8);
}

static void maker_ihdr(struct png_maker *m, uint32_t width, uint32_t height, unsigned depth, unsigned colour,
		       unsigned interlace)
{
	uint8_t h[13] = { (uint8_t)(width >> 24),
			  (uint8_t)(width >> 16),
			  (uint8_t)(width >> 8),
			  (uint8_t)width,
			  (uint8_t)(height >> 24),
			  (uint8_t)(height >> 16),
			  (uint8_t)(height >> 8),
			  (uint8_t)height,
			  (uint8_t)depth,
			  (uint8_t)colour,
			  0,
			  0,
			  (uint8_t)interlace };

	maker_chunk(m, "IHDR", h, sizeof(h));
}

/* filtered: rows with their filter bytes. */
static void maker_idat(struct png_maker *m, const void *filtered, size_t n)
{
	uint8_t packed[1 << 15];
	uLongf size = sizeof(packed);

	if (compress(packed, &size, filtered, (uLong)n) != Z_OK)
		abort();
	maker_chunk(m, "IDAT", packed, size);
}
