/*
 * The functions of <ctype.h> for ASCII, in any locale. A byte of 0x80 or more is in no class, as a char of either sign
 * or as an unsigned char. Pure, any thread.
 */
#pragma once

#include <stdbool.h>

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
