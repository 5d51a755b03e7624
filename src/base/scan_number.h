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
 * Decimal digits at *p, NUL-terminated text of our own forms (options, ranges of ids, shards), and behind a minus of
 * the second: nothing else, no plus, no blanks. Advances *p; false where there is none, or it does not fit.
 */
bool scan_uint64(const char **p, uint64_t *out);
bool scan_int64(const char **p, int64_t *out);

#endif
