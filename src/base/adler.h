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

enum { ADLER_MODULO = 65521, LINE_SUMS_MAX = 1 << 21 };

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

/* Both sums of Adler-32, reduced now and then. Begins as { 1, 0 }. */
struct line_adler {
	uint64_t a, b;
};

/* Appends a line of n <= LINE_SUMS_MAX bytes: a * n is at most 2^61 then. */
static inline void line_adler_add(struct line_adler *adler, const struct line_sums *s, size_t n)
{
	if (__builtin_expect(adler->a >> 40 || adler->b >> 62, 0)) {
		adler->a %= ADLER_MODULO;
		adler->b %= ADLER_MODULO;
	}
	adler->b += adler->a * n + s->weighted;
	adler->a += s->bytes;
}

/* Appends a line by the Adler-32 of its bytes, which was begun with 0. */
static inline void line_adler_add_whole(struct line_adler *adler, uint32_t line, size_t n)
{
	line_adler_add(adler, &(struct line_sums){ line & 0xffff, line >> 16 }, n);
}

static inline uint32_t line_adler_end(const struct line_adler *adler)
{
	return (uint32_t)(adler->b % ADLER_MODULO << 16 | adler->a % ADLER_MODULO);
}
