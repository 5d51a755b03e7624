/*
 * Converts decimal text to integers, exactly, in any locale and without floating point. Accepts the ASCII text that
 * Python's int() and float() accept, except underscores between digits. Pure, any thread.
 */
#pragma once

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
 * A coordinate in units of 10^-12: 12 decimals are exact, further ones are rounded away from zero, so that only 0
 * becomes 0. Clamped to +-DECIMAL_LIMIT.
 */
#define DECIMAL_ONE   ((int64_t)1000000000000)
#define DECIMAL_LIMIT ((int64_t)9000000 * DECIMAL_ONE)

struct decimal_value {
	int64_t units; /* 0 unless NUMBER_FINITE */
	enum number_kind kind;
};

/* Scans the number at s, before `end`. Returns where it ends, or s with NUMBER_NONE. The caller skips blanks. */
const char *scan_decimal(const char *s, const char *end, struct decimal_value *out);

/*
 * Scans a number as most coordinates are written: a digit, a point, 1 to 16 digits. Returns where it ends, and *units
 * as scan_decimal() gives them; NULL: it is written otherwise. SCAN_FRACTION bytes at s can be read.
 */
enum { SCAN_FRACTION = 2 + 16 + 1 };
const char *scan_fraction(const char *s, int64_t *units);

enum integer_kind {
	INTEGER_EXACT,    /* digits, with or without a sign */
	INTEGER_DECIMAL,  /* 3.0, 1e2: a whole number, not written as one */
	INTEGER_FRACTION, /* 0.5 */
	INTEGER_OVERFLOW, /* a whole number that is no label's id (base/label_id.h), such as one above 2^63 */
	INTEGER_NAN,      /* nan, inf */
	INTEGER_NONE,     /* not a number, or nothing at all */
};

/* Converts all of s[0..n). *out is 0 except with INTEGER_EXACT and INTEGER_DECIMAL. */
enum integer_kind scan_integer(const char *s, size_t n, int64_t *out);

/*
 * Scan decimal digits at *p (scan_int64: after an optional minus) and move *p after them: for options, ranges of ids
 * and shards. Return false, and change nothing, if there are none or 64 bits do not hold the number.
 */
bool scan_uint64(const char **p, uint64_t *out);
bool scan_int64(const char **p, int64_t *out);
/* The same for all of s[0..n). */
bool scan_whole_uint64(const char *s, size_t n, uint64_t *out);

/* Scans all of s: a percentage above 0 and up to 100, of at most 4 decimals, as parts per million. */
bool scan_percentage(const char *s, uint64_t *ppm);
/* Scans what id_format() writes, an id that is a label's or a colour, at *p; moves *p after it. */
bool id_scan(const char **p, int64_t *id);
