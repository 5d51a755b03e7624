/*
 * Adler-32 (RFC 1950) of lines of which few bytes are not zero, or few differ from those of the line before: from sums
 * that are kept up to date, in a time that does not depend on the length of a line.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct line_sums {
	uint64_t bytes;
	uint64_t weighted; /* each byte times the number of bytes from it to the end of the line */
};

enum { ADLER_MODULO = 65521 };

/* Adds a byte, which has the last `left` bytes of the line from it on. */
static inline void line_sums_add(struct line_sums *s, uint8_t byte, size_t left)
{
	s->bytes += byte;
	s->weighted += (uint64_t)byte * left;
}

/* Replaces a byte. */
static inline void line_sums_replace(struct line_sums *s, uint8_t before, uint8_t byte, size_t left)
{
	uint64_t more = (uint64_t)byte - before; /* modulo 2^64, as the sums */

	s->bytes += more;
	s->weighted += more * left;
}

/* Returns the Adler-32 of what `adler` is of, followed by a line of n < 2^32 bytes. */
static inline uint32_t adler_add_line(uint32_t adler, const struct line_sums *s, size_t n)
{
	uint64_t a = adler & 0xffff, b = adler >> 16;

	b = (b + a * (n % ADLER_MODULO) + s->weighted) % ADLER_MODULO;
	a = (a + s->bytes) % ADLER_MODULO;
	return (uint32_t)(b << 16 | a);
}
