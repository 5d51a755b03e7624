/*
 * What the files of the pull tokenizer share: json_source.c (where bytes come from), json_pull.c (the grammar),
 * json_strings.c (strings that are more than plain ASCII). For them alone.
 */
#ifndef BASE_JSON_PULL_PARTS_H
#define BASE_JSON_PULL_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/json_pull.h"

/* What must come next. */
enum want {
	WANT_VALUE,        /* at the start, after a colon, after a comma of an array */
	WANT_VALUE_OR_END, /* after '[' */
	WANT_KEY,          /* after a comma of an object */
	WANT_KEY_OR_END,   /* after '{' */
	WANT_COLON,
	WANT_COMMA_OR_END, /* after a value in an array or object */
	WANT_NOTHING,      /* after the value of level 0 */
	WANT_FAULT,        /* never again */
};

enum { NO_BYTE = -1 };

/* More bytes, once those at hand are consumed. False: there are none, or the stream failed (then fault is filled). */
bool json_fill(struct json_pull *p);
/* Line and column of a byte at hand, which is not before any that was asked for earlier. */
void json_place_of(struct json_pull *p, const uint8_t *at, uint64_t *line, uint64_t *column);
/* expected: with its article; found: the byte at p->at, or the end. */
enum json_token json_fail_expected(struct json_pull *p, const char *expected);
/* A string with escapes, characters past ASCII, or the end of the buffer in it. */
bool json_read_string_slowly(struct json_pull *p);

/* Where a byte at hand is in the whole text. */
static inline uint64_t json_offset(const struct json_pull *p, const uint8_t *at)
{
	return p->base + (uint64_t)(at - p->start);
}

static inline int json_peek(struct json_pull *p)
{
	return p->at < p->end || json_fill(p) ? *p->at : NO_BYTE;
}

/* The first byte that ends a string or needs a second look: quote, backslash, control byte, not ASCII. */
static inline const uint8_t *json_plain_end(const uint8_t *s, const uint8_t *end)
{
#if defined(__SSE2__)
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(' ');

	for (; end - s >= 16; s += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);
		/* signed: control bytes and everything from 0x80 are below the space */
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

/* Behind the opening quote. */
static inline bool json_read_string(struct json_pull *p)
{
	const uint8_t *from = p->at, *s = json_plain_end(from, p->end);

	p->text_flags = 0;
	if (s == p->end || *s != '"')
		return json_read_string_slowly(p);
	p->text = (const char *)from;
	p->text_len = (size_t)(s - from);
	p->at = s + 1;
	if (p->text_len > p->text_max) {
		p->text_len = p->text_max;
		p->text_flags = JSON_TEXT_CUT;
	}
	return true;
}

#endif
