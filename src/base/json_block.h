/*
 * Says what the pull tokenizer does to many bytes at a time: indents and strings without escapes, 16 bytes, and lists
 * of numbers, which are most of a COCO file, 64. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { JSON_BLOCK = 64 };

/* Numbers of a block. Bit i of each is byte i. */
struct json_numbers {
	/* As many as there are numbers: their first digits, the bytes after the digits from there on, and after all. */
	uint64_t starts, wholes, ends;
	uint64_t negative; /* of starts */
	bool closed;       /* the last one is before the list's bracket, the others before commas */
};

/*
 * Finds the numbers among the next JSON_BLOCK bytes, before a number: up to the last comma before the first byte that
 * is no digit, point, minus sign, comma, blank or line feed, or to that byte if it is a bracket that closes the list.
 * Returns false if there are none, or if json_next must decide (errors, exponents, and blanks before a comma or the
 * bracket), and without SSE2.
 */
bool json_find_numbers(const uint8_t *s, struct json_numbers *out);

enum {
	JSON_BLOCK_NUMBERS = JSON_BLOCK / 2,  /* at most */
	JSON_BLOCK_READABLE = JSON_BLOCK + 8, /* bytes */
};

/*
 * Finds the same numbers (out->ends is 0 if there are none), and reads them, four at a time, if each has at most eight
 * bytes besides its sign and the processor has AVX2. Returns how many were read; if it is not 0, only out->ends is set.
 * JSON_BLOCK_READABLE bytes at s can be read; values are written by fours.
 */
size_t json_read_block(const uint8_t *s, struct json_numbers *out, double values[JSON_BLOCK_NUMBERS]);
/* The same for integers: returns 0 as well if a number has a point. All of *out is set. */
size_t json_read_ids(const uint8_t *s, struct json_numbers *out, int64_t ids[JSON_BLOCK_NUMBERS]);

/* Skips the spaces that indent a line. */
static inline const uint8_t *json_skip_indent(const uint8_t *s, const uint8_t *end)
{
#if defined(__SSE2__)
	const __m128i spaces = _mm_set1_epi8(' ');

	for (; end - s >= 16; s += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);
		unsigned other = ~(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, spaces)) & 0xffff;

		if (other)
			return s + __builtin_ctz(other);
	}
#endif
	while (s < end && *s == ' ')
		s++;
	return s;
}

/* Returns the first byte that is a quote, a backslash, a control byte or not ASCII. */
static inline const uint8_t *json_plain_end(const uint8_t *s, const uint8_t *end)
{
#if defined(__SSE2__)
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(' ');

	for (; end - s >= 16; s += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);
		/* compared as signed, control bytes and bytes from 0x80 are less than a space */
		__m128i stop = _mm_or_si128(_mm_cmplt_epi8(v, space),
					    _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)));
		unsigned found = (unsigned)_mm_movemask_epi8(stop);

		if (found)
			return s + __builtin_ctz(found);
	}
#endif
	while (s < end && *s >= ' ' && *s < 0x80 && *s != '"' && *s != '\\')
		s++;
	return s;
}
