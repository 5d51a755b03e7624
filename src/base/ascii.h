/*
 * The functions of <ctype.h> for ASCII, in any locale. A byte of 0x80 or more is in no class, as a char of either sign
 * or as an unsigned char. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

static inline bool ascii_isdigit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool ascii_isupper(int c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool ascii_islower(int c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool ascii_isalpha(int c)
{
	return ascii_isupper(c) || ascii_islower(c);
}

static inline bool ascii_isalnum(int c)
{
	return ascii_isalpha(c) || ascii_isdigit(c);
}

static inline char ascii_tolower(char c)
{
	return ascii_isupper(c) ? (char)(c - 'A' + 'a') : c;
}

/* Returns the value of a hexadecimal digit of either case, or -1. */
static inline int ascii_xdigit_value(int c)
{
	if (ascii_isdigit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* ---- digits, eight bytes at a time ---- */

/* Returns the eight bytes at s, each digit as 0 to 9, the first one lowest. */
static inline uint64_t ascii_digits(const void *s)
{
	return le64(s) ^ UINT64_C(0x3030303030303030);
}

/*
 * Returns the highest bit of each byte of ascii_digits() that was no digit. Wrong for those after a byte that is 0x8a
 * or more, for which the sum carries; the first one is always right.
 */
static inline uint64_t ascii_others(uint64_t digits)
{
	return ((digits + UINT64_C(0x7676767676767676)) | digits) & UINT64_C(0x8080808080808080);
}

/* Returns how many digits come first, 8 at most. */
static inline unsigned ascii_count_digits(uint64_t digits)
{
	const uint64_t others = ascii_others(digits);

	return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* Returns the number that eight digits are. `digits << 8 * (8 - n)` has the first n of them. */
static inline uint32_t ascii_value(uint64_t digits)
{
	digits = (digits * 10 + (digits >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	digits = (digits * 100 + (digits >> 16)) & UINT64_C(0x0000ffff0000ffff);
	return (uint32_t)(digits * 10000 + (digits >> 32));
}
