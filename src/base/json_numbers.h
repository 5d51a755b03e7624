/*
 * Passes over lists of JSON numbers, checking the full grammar: the inner loop of json_skip_numbers (base/json_pull.h).
 * It has a file of its own because most of an annotation file is polygons. Pure, any thread.
 */
#ifndef BASE_JSON_NUMBERS_H
#define BASE_JSON_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* How far a list of numbers has been read: what its last byte was. */
enum number_state {
	NUMBER_BEFORE, /* a comma, the opening bracket or white space behind these: a number must come */
	NUMBER_MINUS,
	NUMBER_ZERO,    /* a 0 that begins a number */
	NUMBER_INTEGER, /* another digit before the point */
	NUMBER_POINT,
	NUMBER_FRACTION, /* a digit behind the point */
	NUMBER_E,
	NUMBER_EXPONENT_SIGN,
	NUMBER_EXPONENT, /* a digit of the exponent */
	NUMBER_AFTER,    /* white space behind a number */
	NUMBER_STATES,
};

/*
 * Passes over bytes for as long as they continue a list of numbers of which *state is known, and adds the number of
 * commas among them to *commas. Returns where it stopped: at `end`, or at a byte that cannot follow the new *state,
 * such as the closing bracket.
 */
const uint8_t *json_numbers_scan(const uint8_t *s, const uint8_t *end, enum number_state *state, uint64_t *commas);

/* Whether what was read so far is a whole number. */
static inline bool number_may_end(enum number_state state)
{
	return state == NUMBER_ZERO || state == NUMBER_INTEGER || state == NUMBER_FRACTION ||
	       state == NUMBER_EXPONENT || state == NUMBER_AFTER;
}

#endif
