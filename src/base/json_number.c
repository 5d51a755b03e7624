/* The values of numbers that the pull tokenizer read. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/json_pull.h"
#include "base/mem.h"

bool json_number_uint64(const struct json_number *n, uint64_t *out)
{
	if (!n->finite || !n->integer || !n->exact || (n->negative && n->magnitude))
		return false;
	*out = n->magnitude;
	return true;
}

bool json_number_int64(const struct json_number *n, int64_t *out)
{
	if (!n->finite || !n->integer || !n->exact || n->magnitude > (uint64_t)INT64_MAX + n->negative)
		return false;
	*out = (int64_t)(n->negative ? 0 - n->magnitude : n->magnitude);
	return true;
}

double json_number_double(const struct json_number *n)
{
	/* Both are exact as doubles, so one operation rounds once (Clinger, "How to read floating point numbers"). */
	static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
				       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	enum { TENS = ARRAY_SIZE(tens) };
	double v;

	if (n->nan)
		return NAN;
	if (!n->finite) {
		v = INFINITY;
	} else if (n->magnitude <= (uint64_t)1 << 53 && n->exponent > -TENS && n->exponent < TENS) {
		v = (double)n->magnitude;
		v = n->exponent < 0 ? v / tens[-n->exponent] : v * tens[n->exponent];
	} else {
		char text[64]; /* 20 digits, E, sign, 19 digits */

		snprintf(text, sizeof(text), "%" PRIu64 "E%" PRId64, n->magnitude, n->exponent);
		v = strtod(text, NULL); /* no point, so no locale matters */
	}
	return n->negative ? -v : v;
}

unsigned json_plain_number(const uint8_t *s, const uint8_t *end, double *value)
{
	/* Each is exact, as is a magnitude of 15 digits: one division rounds once. */
	enum { DIGITS = 15, BYTES = DIGITS + 4 }; /* blank, sign, point, and the byte after it */
	static const double tens[DIGITS + 1] = { 1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
						 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	const uint8_t *const begin = s, *first;
	unsigned digits, decimals = 0;
	uint64_t magnitude = 0;

	if (end - s < BYTES)
		return 0;
	s += *s == ' ';
	const bool negative = *s == '-';

	first = s += negative;
	while (ascii_isdigit(*s) && s - first <= DIGITS)
		magnitude = 10 * magnitude + (uint64_t)(*s++ - '0');
	digits = (unsigned)(s - first);
	if (!digits || digits > DIGITS || (digits > 1 && *first == '0'))
		return 0;
	if (*s == '.') {
		first = ++s;
		while (ascii_isdigit(*s) && digits + (size_t)(s - first) <= DIGITS)
			magnitude = 10 * magnitude + (uint64_t)(*s++ - '0');
		decimals = (unsigned)(s - first);
		if (!decimals || digits + decimals > DIGITS)
			return 0;
	}
	if (*s != ',' && *s != ']')
		return 0;
	*value = (double)magnitude;
	if (decimals)
		*value /= tens[decimals];
	*value = negative ? -*value : *value;
	return (unsigned)(s - begin);
}
