/*
 * Numbers in label files: decimal text to integers, exactly, in no locale and without floating point. Pure, any thread.
 *
 * Accepted is what Python's int() and float() take of ASCII text, except underscores between digits, which other
 * parsers refuse. Hexadecimal floats, which C's strtod takes, are refused.
 */
#ifndef BASE_SCAN_NUMBER_H
#define BASE_SCAN_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum number_kind {
	NUMBER_FINITE,
	NUMBER_NAN,
	NUMBER_INFINITE, /* "inf", "infinity" */
	NUMBER_NONE,     /* something else */
};

/*
 * A coordinate in units of 10^-12: 12 decimals are exact, further ones are rounded away from zero, so that what is not
 * 0 stays so. Beyond +-DECIMAL_LIMIT it is that limit.
 */
#define DECIMAL_ONE   ((int64_t)1000000000000)
#define DECIMAL_LIMIT ((int64_t)9000000 * DECIMAL_ONE)

struct decimal_value {
	int64_t units; /* 0 unless NUMBER_FINITE */
	enum number_kind kind;
};

/*
 * The number that begins at s and ends before `end` at the latest. Returns where it ends; s if kind is NUMBER_NONE.
 * Nothing is skipped; whether a separator follows is the caller's to check.
 */
const char *scan_decimal(const char *s, const char *end, struct decimal_value *out);

enum integer_kind {
	INTEGER_EXACT,    /* digits, perhaps after a sign */
	INTEGER_DECIMAL,  /* 3.0, 1e2: a whole number, but not written as one */
	INTEGER_FRACTION, /* 0.5 */
	INTEGER_OVERFLOW, /* a whole number that 64 bits do not hold */
	INTEGER_NAN,      /* nan, inf */
	INTEGER_NONE,     /* not a number, or nothing at all */
};

/* All of s[0..n) as an integer; *out is set with INTEGER_EXACT and INTEGER_DECIMAL, else 0. */
enum integer_kind scan_integer(const char *s, size_t n, int64_t *out);

/*
 * Decimal digits and nothing else (no plus, no blanks; scan_int64 takes a minus before them) at *p, which is in a
 * NUL-terminated text: for forms of our own, such as options, ranges of ids and shards. Moves *p behind them. False,
 * and nothing is changed, where there are none, or 64 bits do not hold the number.
 */
bool scan_uint64(const char **p, uint64_t *out);
bool scan_int64(const char **p, int64_t *out);
/* The same of all of s[0..n). */
bool scan_whole_uint64(const char *s, size_t n, uint64_t *out);

#endif
