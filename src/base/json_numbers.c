/* The grammar of RFC 8259, sections 5 and 6, as a table: independent of the data but for one load that waits for
 * another. */
#include "base/json_numbers.h"

enum number_byte { OTHER, SPACE, COMMA, MINUS, PLUS, POINT, E, DIGIT_0, DIGIT, NUMBER_BYTES };

static const uint8_t byte_class[256] = {
	[' '] = SPACE, ['\n'] = SPACE, ['\r'] = SPACE, ['\t'] = SPACE,  [','] = COMMA, ['-'] = MINUS, ['+'] = PLUS,
	['.'] = POINT, ['e'] = E,      ['E'] = E,      ['0'] = DIGIT_0, ['1'] = DIGIT, ['2'] = DIGIT, ['3'] = DIGIT,
	['4'] = DIGIT, ['5'] = DIGIT,  ['6'] = DIGIT,  ['7'] = DIGIT,   ['8'] = DIGIT, ['9'] = DIGIT,
};

/* What is not named is 0: it cannot follow. The others are one higher than the state. */
#define TO(state) (NUMBER_##state + 1)
#define END       [SPACE] = TO(AFTER), [COMMA] = TO(BEFORE)

static const uint8_t next_state[NUMBER_STATES][NUMBER_BYTES] = {
	[NUMBER_BEFORE] = { [SPACE] = TO(BEFORE), [MINUS] = TO(MINUS), [DIGIT_0] = TO(ZERO), [DIGIT] = TO(INTEGER) },
	[NUMBER_MINUS] = { [DIGIT_0] = TO(ZERO), [DIGIT] = TO(INTEGER) },
	[NUMBER_ZERO] = { END, [POINT] = TO(POINT), [E] = TO(E) },
	[NUMBER_INTEGER] = { END, [DIGIT_0] = TO(INTEGER), [DIGIT] = TO(INTEGER), [POINT] = TO(POINT), [E] = TO(E) },
	[NUMBER_POINT] = { [DIGIT_0] = TO(FRACTION), [DIGIT] = TO(FRACTION) },
	[NUMBER_FRACTION] = { END, [DIGIT_0] = TO(FRACTION), [DIGIT] = TO(FRACTION), [E] = TO(E) },
	[NUMBER_E] = { [MINUS] = TO(EXPONENT_SIGN),
		       [PLUS] = TO(EXPONENT_SIGN),
		       [DIGIT_0] = TO(EXPONENT),
		       [DIGIT] = TO(EXPONENT) },
	[NUMBER_EXPONENT_SIGN] = { [DIGIT_0] = TO(EXPONENT), [DIGIT] = TO(EXPONENT) },
	[NUMBER_EXPONENT] = { END, [DIGIT_0] = TO(EXPONENT), [DIGIT] = TO(EXPONENT) },
	[NUMBER_AFTER] = { END },
};

const uint8_t *json_numbers_scan(const uint8_t *s, const uint8_t *end, enum number_state *state, uint64_t *commas)
{
	unsigned now = *state;
	uint64_t count = 0;

	for (; s < end; s++) {
		unsigned class = byte_class[*s], next = next_state[now][class];

		if (!next)
			break;
		now = next - 1;
		count += class == COMMA;
	}
	*state = (enum number_state)now;
	*commas += count;
	return s;
}
