/* The values of numbers that the pull tokenizer read. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/decimal.h"
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

/*
 * Each is exact, as a magnitude below 2^53 is, so one operation rounds once (Clinger, "How to read floating point
 * numbers").
 */
static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
			       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
enum { TENS = ARRAY_SIZE(tens), TENS_64 = 20 /* of those that 64 bits hold */ };

/* Returns m / 10^n, rounded once. Python writes up to 17 digits, which 64 bits hold, but a double does not. */
static double divide(uint64_t m, unsigned n)
{
	const uint64_t ten = (uint64_t)tens[n];
	const int up = m ? __builtin_clzll(m) : 0, down = __builtin_clzll(ten);
	const decimal_wide high = (decimal_wide)(m << up) << 63;
	const uint64_t divisor = ten << down, quotient = (uint64_t)(high / divisor);

	/* of 63 bits or more; the last one says whether there is a rest */
	return ldexp((double)(quotient | (high != (decimal_wide)quotient * divisor)), down - up - 63);
}

double json_number_double(const struct json_number *n)
{
	double v;

	if (n->nan)
		return NAN;
	if (!n->finite) {
		v = INFINITY;
	} else if (n->magnitude <= (uint64_t)1 << 53 && n->exponent > -TENS && n->exponent < TENS) {
		v = (double)n->magnitude;
		v = n->exponent < 0 ? v / tens[-n->exponent] : v * tens[n->exponent];
	} else if (n->exponent <= 0 && n->exponent > -TENS_64) {
		v = divide(n->magnitude, (unsigned)-n->exponent);
	} else {
		char text[64]; /* 20 digits, E, sign, 19 digits */

		snprintf(text, sizeof(text), "%" PRIu64 "E%" PRId64, n->magnitude, n->exponent);
		v = strtod(text, NULL); /* no point, so no locale matters */
	}
	return n->negative ? -v : v;
}

/* A magnitude of 15 digits is exact. */
enum { PLAIN_DIGITS = 15, PLAIN_BYTES = PLAIN_DIGITS + 4 }; /* blank, sign, point, and the byte after it */

/*
 * Returns the digits of a number of 1 to 8 bytes, its sign left out, as ascii_value() wants them. point: where its
 * point is, or its length.
 */
static inline uint64_t digits_of(const uint8_t *s, unsigned length, unsigned point)
{
	static const uint64_t before[8] = { 0,          0xff,         0xffff,         0xffffff,
					    0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff };
	uint64_t digits = ascii_digits(s);

	if (point == length)
		return digits << 8 * (8 - length);
	/* those after the point move to its place */
	digits = (digits & before[point]) | (digits >> 8 & ~before[point]);
	return digits << 8 * (9 - length);
}

size_t json_short_number(const uint8_t *s, struct json_number *n)
{
	uint64_t others = ascii_others(ascii_digits(s));
	const unsigned point = others ? (unsigned)__builtin_ctzll(others) / 8 : 0;
	unsigned end = point;

	if (!point || (point > 1 && *s == '0'))
		return 0;
	if (s[point] == '.') {
		others &= others - 1;
		end = others ? (unsigned)__builtin_ctzll(others) / 8 : 0;
		if (end < point + 2)
			return 0;
	}
	if (s[end] == 'e' || s[end] == 'E')
		return 0;
	n->magnitude = ascii_value(digits_of(s, end, point));
	n->exponent = point == end ? 0 : (int64_t)point + 1 - (int64_t)end;
	n->integer = point == end;
	return end;
}

/*
 * Reads a number of at most PLAIN_DIGITS digits, without its sign, right before a comma or a bracket of an array.
 * Returns its bytes; 0 if s does not begin so. PLAIN_BYTES at s can be read.
 */
static size_t one_number(const uint8_t *s, double *value)
{
	const uint8_t *const begin = s, *first = s;
	struct json_number n = { 0 };
	unsigned digits, decimals = 0;
	uint64_t magnitude = 0;
	const size_t size = json_short_number(s, &n);

	if (size) {
		*value = (double)n.magnitude / tens[-n.exponent];
		return s[size] == ',' || s[size] == ']' ? size : 0;
	}
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
	*value = (double)magnitude / tens[decimals];
	return (size_t)(s - begin);
}

/* Reads the numbers of a block, one by one. Returns how many; *bytes: up to the comma or bracket after the last. */
static size_t read_block(const uint8_t *s, const struct json_numbers *n, double values[JSON_BLOCK_NUMBERS],
			 unsigned *bytes)
{
	uint64_t starts = n->starts, wholes = n->wholes;
	double *out = values;

	for (uint64_t ends = n->ends; ends; ends &= ends - 1, starts &= starts - 1, wholes &= wholes - 1) {
		const unsigned first = (unsigned)__builtin_ctzll(starts), point = (unsigned)__builtin_ctzll(wholes);
		const unsigned end = (unsigned)__builtin_ctzll(ends), decimals = end - point - (end > point);
		double value;

		if (end - first <= 8)
			value = ascii_value(digits_of(s + first, end - first, point - first)) / tens[decimals];
		else if (!one_number(s + first, &value))
			break;
		*out++ = n->negative & starts & -starts ? -value : value;
		*bytes = end;
	}
	return (size_t)(out - values);
}

size_t json_plain_numbers(const uint8_t **at, const uint8_t *end, double *values, size_t max)
{
	const uint8_t *s = *at;
	size_t count = 0;

	while (count < max && end - s >= PLAIN_BYTES + 1) {
		const uint8_t *number = s + (count && *s == ',');
		struct json_numbers block;
		size_t n;

		if (count && number == s)
			break;
		if (max - count >= JSON_BLOCK_NUMBERS && end - number >= JSON_BLOCK + PLAIN_BYTES) {
			n = json_read_block(number, &block, values + count);
			unsigned bytes = JSON_BLOCK - 1 - (unsigned)__builtin_clzll(block.ends | 1);

			if (!n && block.ends && !(n = read_block(number, &block, values + count, &bytes)))
				break;
			if (n) {
				count += n;
				s = number + bytes;
				continue;
			}
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
