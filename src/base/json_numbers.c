/*
 * The grammar of RFC 8259, sections 5 and 6, as a table (no branch depends on the data), and, for the usual numbers, as
 * bit operations on 64 bytes.
 */
#include "base/json_numbers.h"

#include <limits.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum number_byte { OTHER, SPACE, COMMA, MINUS, PLUS, POINT, E, DIGIT_0, DIGIT, NUMBER_BYTES };

static const uint8_t byte_class[256] = {
	[' '] = SPACE, ['\n'] = SPACE, ['\r'] = SPACE, ['\t'] = SPACE,  [','] = COMMA, ['-'] = MINUS, ['+'] = PLUS,
	['.'] = POINT, ['e'] = E,      ['E'] = E,      ['0'] = DIGIT_0, ['1'] = DIGIT, ['2'] = DIGIT, ['3'] = DIGIT,
	['4'] = DIGIT, ['5'] = DIGIT,  ['6'] = DIGIT,  ['7'] = DIGIT,   ['8'] = DIGIT, ['9'] = DIGIT,
};

/* 0, the default: the byte cannot follow. Otherwise the next state plus one. */
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

/* Scans byte by byte, at most `most` commas. Returns where it stopped, with the state in *now. */
static const uint8_t *scan_bytes(const uint8_t *s, const uint8_t *end, unsigned *now, uint64_t *commas, unsigned most)
{
	uint64_t count = 0;

	for (; s < end && count < most; s++) {
		unsigned class = byte_class[*s], next = next_state[*now][class];

		if (!next)
			break;
		*now = next - 1;
		count += class == COMMA;
	}
	*commas += count;
	return s;
}

#if defined(__SSE2__)

enum { BLOCK = 64 };

/* Bit i of each is set if byte i is of that class. */
struct block {
	uint64_t digit, zero, point, minus, comma, space;
};

static uint64_t bits_of(__m128i v, unsigned i)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(v) << 16 * i;
}

static struct block classify(const uint8_t *s)
{
	struct block b = { 0 };

	for (unsigned i = 0; i < BLOCK / 16; i++) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(s + 16 * (size_t)i));

		b.digit |= bits_of(_mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('0' - 1)),
						 _mm_cmplt_epi8(v, _mm_set1_epi8('9' + 1))),
				   i);
		b.zero |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('0')), i);
		b.point |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('.')), i);
		b.minus |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('-')), i);
		b.comma |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8(',')), i);
		b.space |= bits_of(
			_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))), i);
	}
	return b;
}

/*
 * Called in NUMBER_BEFORE. Returns how many of the next 64 bytes are numbers with the comma after each, up to the last
 * comma before the first byte that is no digit, point, minus sign, comma, blank or line feed. Returns 0 if there are
 * none, or if scan_bytes must decide (errors, and blanks before a comma).
 */
static unsigned scan_block(const uint8_t *s, uint64_t *commas)
{
	const struct block b = classify(s);
	uint64_t other = ~(b.digit | b.point | b.minus | b.comma | b.space);
	uint64_t within = other ? (other & -other) - 1 : UINT64_MAX; /* before the first of them */
	uint64_t comma = b.comma & within;

	if (!comma)
		return 0;
	unsigned n = 64 - (unsigned)__builtin_clzll(comma);

	within = n == 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;

	uint64_t number = b.digit | b.minus | b.point;
	uint64_t first = number & ~(number << 1);        /* bytes of numbers */
	uint64_t whole = first | (first & b.minus) << 1; /* where their first digits must be */
	/* The sum carries from the byte after each point through the digits to the byte after these. */
	uint64_t after_fraction = ((b.point << 1) + b.digit) & ~b.digit;
	uint64_t wrong = (b.minus & ~first) | (b.minus << 1 & ~b.digit) | (b.point & ~(b.digit << 1)) |
			 (b.point << 1 & ~b.digit) | (b.point & after_fraction) | ((whole & b.zero) << 1 & b.digit) |
			 (b.comma & ~(b.digit << 1)) | (b.space & b.digit << 1);

	if (wrong & within)
		return 0;
	*commas += (unsigned)__builtin_popcountll(comma);
	return n;
}

#endif

/* Numbers to read byte by byte after an unusual one (an exponent, say): the next ones are probably unusual too. */
enum { PATIENCE = 8 };

const uint8_t *json_numbers_scan(const uint8_t *s, const uint8_t *end, enum number_state *state, uint64_t *commas)
{
	unsigned now = *state;

#if defined(__SSE2__)
	for (;;) {
		uint64_t passed = 0;
		unsigned n = 0;

		while (now == NUMBER_BEFORE && end - s >= BLOCK && (n = scan_block(s, commas)))
			s += n;
		if (end - s < BLOCK)
			break;
		s = scan_bytes(s, end, &now, &passed, now == NUMBER_BEFORE ? PATIENCE : 1);
		*commas += passed;
		if (!passed || now != NUMBER_BEFORE) {
			*state = (enum number_state)now;
			return s;
		}
	}
#endif
	s = scan_bytes(s, end, &now, commas, UINT_MAX);
	*state = (enum number_state)now;
	return s;
}
