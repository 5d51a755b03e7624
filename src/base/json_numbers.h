/*
 * Skips lists of JSON numbers, by the full grammar: what json_skip_numbers (base/json_pull.h) does with the
 * bytes at hand. Polygons are most of an annotation file. Pure, any thread.
 */
#ifndef BASE_JSON_NUMBERS_H
#define BASE_JSON_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* What was read last. */
enum number_state {
	NUMBER_BEFORE, /* a comma or the bracket, and white space: a number must come */
	NUMBER_MINUS,
	NUMBER_ZERO, /* from here to NUMBER_AFTER, except the ones marked, a number may end */
	NUMBER_INTEGER,
	NUMBER_POINT, /* not here */
	NUMBER_FRACTION,
	NUMBER_E,             /* not here */
	NUMBER_EXPONENT_SIGN, /* not here */
	NUMBER_EXPONENT,
	NUMBER_AFTER, /* white space behind a number */
	NUMBER_STATES,
};

/*
 * Passes over digits, commas, white space ... as long as they make a list of numbers that began in *state. Returns
 * where it stopped, which is `end` or a byte that cannot follow *state (the closing bracket among them); adds the
 * commas passed.
 */
const uint8_t *json_numbers_scan(const uint8_t *s, const uint8_t *end, enum number_state *state, uint64_t *commas);

static inline bool number_may_end(enum number_state state)
{
	return state == NUMBER_ZERO || state == NUMBER_INTEGER || state == NUMBER_FRACTION ||
	       state == NUMBER_EXPONENT || state == NUMBER_AFTER;
}

#endif
