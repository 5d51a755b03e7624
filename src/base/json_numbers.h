/*
 * Skips lists of JSON numbers, checking the full grammar: the inner loop of json_skip_numbers (base/json_pull.h), and
 * of reading annotation files, which are mostly polygons. Pure; any thread.
 */
#ifndef BASE_JSON_NUMBERS_H
#define BASE_JSON_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* The last byte read of a list of numbers. */
enum number_state {
	NUMBER_BEFORE, /* a comma, the opening bracket or white space after these: a number must follow */
	NUMBER_MINUS,
	NUMBER_ZERO,    /* a 0 that begins a number */
	NUMBER_INTEGER, /* another digit before the point */
	NUMBER_POINT,
	NUMBER_FRACTION, /* a digit after the point */
	NUMBER_E,
	NUMBER_EXPONENT_SIGN,
	NUMBER_EXPONENT, /* a digit of the exponent */
	NUMBER_AFTER,    /* white space after a number */
	NUMBER_STATES,
};

/*
 * Skips the bytes that continue a list of numbers in *state, updates *state, and adds the number of commas to *commas.
 * Returns `end`, or the first byte that cannot follow, such as the closing bracket.
 */
const uint8_t *json_numbers_scan(const uint8_t *s, const uint8_t *end, enum number_state *state, uint64_t *commas);

/* Returns whether the bytes so far end with a complete number. */
static inline bool number_may_end(enum number_state state)
{
	return state == NUMBER_ZERO || state == NUMBER_INTEGER || state == NUMBER_FRACTION ||
	       state == NUMBER_EXPONENT || state == NUMBER_AFTER;
}

#endif
