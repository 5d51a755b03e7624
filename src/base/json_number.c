/* The values of numbers that the pull tokenizer read. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/json_block.h"
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

/* Each is exact, as is a magnitude of 15 digits: one division rounds once. */
enum { PLAIN_DIGITS = 15, PLAIN_BYTES = PLAIN_DIGITS + 4 }; /* blank, sign, point, and the byte after it */
static const double plain_tens[PLAIN_DIGITS + 1] = { 1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
						     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };

/* Returns the number that eight bytes from 0 to 9 are, the first one the highest digit. */
static inline uint32_t value_of_digits(uint64_t digits)
{
	digits = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ff;
	digits = (digits * 100 + (digits >> 16)) & 0x0000ffff0000ffff;
	return (uint32_t)(digits * 10000 + (digits >> 32));
}

/* Returns the value of a number of at most 8 bytes, its sign left out; point: where its point is, or its length. */
static inline double value_of(const uint8_t *s, unsigned length, unsigned point)
{
	uint64_t digits = le64(s) ^ UINT64_C(0x0101010101010101) * '0';

	if (point < length) {
		/* the bytes before the point */
		static const uint64_t before[8] = { 0,          0xff,         0xffff,         0xffffff,
						    0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff };

		digits = (digits & before[point]) | (digits >> 8 & ~before[point]);
		return value_of_digits(digits << 8 * (9 - length)) / plain_tens[length - point - 1];
	}
	return value_of_digits(digits << 8 * (8 - length));
}

/*
 * Reads a number of at most PLAIN_DIGITS digits, without its sign, right before a comma or a bracket of an array.
 * Returns its bytes; 0 if s does not begin so. PLAIN_BYTES at s can be read.
 */
static unsigned one_number(const uint8_t *s, double *value)
{
	const uint8_t *const begin = s, *first = s;
	unsigned digits, decimals = 0;
	uint64_t magnitude = 0;

	while (ascii_isdigit(*s) && s - first <= PLAIN_DIGITS)
		magnitude = 10 * magnitude + (uint64_t)(*s++ - '0');
	digits = (unsigned)(s - first);
	if (!digits || digits > PLAIN_DIGITS || (digits > 1 && *first == '0'))
		return 0;
	if (*s == '.') {
		first = ++s;
		while (ascii_isdigit(*s) && digits + (size_t)(s - first) <= PLAIN_DIGITS)
			magnitude = 10 * magnitude + (uint64_t)(*s++ - '0');
		decimals = (unsigned)(s - first);
		if (!decimals || digits + decimals > PLAIN_DIGITS)
			return 0;
	}
	if (*s != ',' && *s != ']')
		return 0;
	*value = (double)magnitude / plain_tens[decimals];
	return (unsigned)(s - begin);
}

/* Reads the numbers of a block. Returns how many, 32 at most; *at is after the last of them, before its comma. */
static size_t read_block(const uint8_t **at, const struct json_numbers *n, double *values)
{
	const uint8_t *const s = *at;
	uint64_t starts = n->starts, points = n->points;
	double *out = values;

	for (uint64_t commas = n->commas; commas; commas &= commas - 1, starts &= starts - 1) {
		const bool negative = n->minus & starts & -starts, broken = points & ((commas & -commas) - 1);
		const unsigned end = (unsigned)__builtin_ctzll(commas);
		const unsigned first = (unsigned)__builtin_ctzll(starts) + negative;
		const unsigned point = broken ? (unsigned)__builtin_ctzll(points) : end;
		double value;

		points &= broken ? points - 1 : points;
		if (end - first <= 8)
			value = value_of(s + first, end - first, point - first);
		else if (!one_number(s + first, &value))
			break;
		*out++ = negative ? -value : value;
		*at = s + end;
	}
	return (size_t)(out - values);
}

size_t json_plain_numbers(const uint8_t **at, const uint8_t *end, double *values, size_t max)
{
	enum { BLOCK_NUMBERS = JSON_BLOCK / 2 };
	const uint8_t *s = *at;
	size_t count = 0;

	while (count < max && end - s >= PLAIN_BYTES + 1) {
		const uint8_t *number = s + (count && *s == ',');
		struct json_numbers block;
		unsigned n;

		if (count && number == s)
			break;
		if (max - count >= BLOCK_NUMBERS && end - number >= JSON_BLOCK + PLAIN_BYTES &&
		    json_find_numbers(number, &block)) {
			n = (unsigned)read_block(&number, &block, values + count);
			if (!n)
				break;
			count += n;
			s = number;
			continue;
		}
		number += *number == ' ';

		const bool negative = *number == '-';

		number += negative;
		n = one_number(number, &values[count]);
		if (!n)
			break;
		values[count] = negative ? -values[count] : values[count];
		s = number + n;
		count++;
	}
	*at = s;
	return count;
}
