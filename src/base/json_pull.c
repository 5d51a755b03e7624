/*
 * The grammar of the pull tokenizer. Every function that consumes bytes works on those at hand and asks json_fill() for
 * more, so that a token may be cut anywhere by the end of a buffer. What label files are made of has fast paths on the
 * bytes at hand: strings without escapes and white space (16 bytes a step), and lists of numbers that are skipped
 * (json_numbers.c).
 */
#include "base/ascii.h"
#include "base/json_pull_parts.h"

#include <assert.h>

#include "base/json_numbers.h"
#include "base/mem.h"

/* ---- faults ---- */

enum json_token json_fail_expected(struct json_pull *p, const char *expected)
{
	uint64_t offset;
	int c = json_peek(p);

	offset = json_offset(p, p->at);
	if (c == NO_BYTE) /* keeps what the stream said */
		fault_set(&p->fault, FAULT_TRUNCATED, offset, "the JSON text ends where %s is expected", expected);
	else if (c > ' ' && c < 0x7f)
		fault_set(&p->fault, FAULT_LABELS, offset, "not JSON: expected %s, found '%c'", expected, c);
	else
		fault_set(&p->fault, FAULT_LABELS, offset, "not JSON: expected %s, found byte 0x%02x", expected,
			  (unsigned)c);
	if (p->fault.kind != FAULT_UNREADABLE)
		json_place_of(p, p->at, &p->fault.line, &p->fault.column);
	p->want = WANT_FAULT;
	return JSON_FAULT;
}

static enum json_token fail_depth(struct json_pull *p)
{
	uint64_t offset = json_offset(p, p->at);

	fault_set(&p->fault, FAULT_LIMIT, offset, "JSON nested deeper than %d levels", JSON_PULL_DEPTH_MAX);
	json_place_of(p, p->at, &p->fault.line, &p->fault.column);
	p->want = WANT_FAULT;
	return JSON_FAULT;
}

/* ---- white space ---- */

static inline bool is_space(int c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Over the spaces that indent a line. */
static const uint8_t *skip_indent(const uint8_t *s, const uint8_t *end)
{
#if defined(__SSE2__)
	const __m128i spaces = _mm_set1_epi8(' ');

	for (; end - s >= 16; s += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);
		unsigned other = ~(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, spaces)) & 0xffff;

		if (other)
			return s + __builtin_ctz(other);
	}
#endif
	while (s < end && *s == ' ')
		s++;
	return s;
}

/* Leaves p->at at the next byte that is not white space, and gives it. */
static inline int skip_space(struct json_pull *p)
{
	for (;;) {
		const uint8_t *s = p->at;

		while (s < p->end && is_space(*s))
			s = *s == '\n' ? skip_indent(s + 1, p->end) : s + 1;
		p->at = s;
		if (s < p->end)
			return *s;
		if (!json_fill(p))
			return NO_BYTE;
	}
}

/* ---- numbers and names ---- */

/* A digit that 64 bits may not hold. Once one did not fit, all are dropped: exponent and exact tell. */
static void take_late_digit(struct json_number *n, unsigned digit, bool fraction)
{
	uint64_t m;

	if (n->exact && !__builtin_mul_overflow(n->magnitude, 10, &m) && !__builtin_add_overflow(m, digit, &m)) {
		n->magnitude = m;
		n->exponent -= fraction;
		return;
	}
	n->exact = false;
	n->exponent += !fraction;
}

/* A run of digits; gives the byte behind it. */
static int take_digits(struct json_pull *p, bool fraction)
{
	static const uint64_t fits = UINT64_MAX / 10 - 1; /* below it, ten times and a digit more fits */
	struct json_number *n = &p->number;

	for (;;) {
		const uint8_t *s = p->at, *end = p->end;
		uint64_t m = n->magnitude;

		while (s < end && ascii_isdigit(*s) && m < fits && n->exact)
			m = m * 10 + (unsigned)(*s++ - '0');
		n->magnitude = m;
		if (fraction)
			n->exponent -= s - p->at;
		for (; s < end && ascii_isdigit(*s); s++)
			take_late_digit(n, (unsigned)(*s - '0'), fraction);
		p->at = s;
		if (s < end)
			return *s;
		if (!json_fill(p))
			return NO_BYTE;
	}
}

static int take_exponent(struct json_pull *p, bool negative)
{
	static const int64_t most = INT64_MAX / 100; /* so that neither ten times it nor adding lengths overflows */
	int64_t e = 0;
	int c;

	while (ascii_isdigit(c = json_peek(p))) {
		if (e < most / 10)
			e = e * 10 + (c - '0');
		p->at++;
	}
	p->number.exponent += negative ? -e : e;
	return c;
}

static bool read_rest(struct json_pull *p, const char *rest, const char *expected)
{
	for (; *rest; rest++) {
		if (json_peek(p) != (uint8_t)*rest)
			return json_fail_expected(p, expected), false;
		p->at++;
	}
	return true;
}

/* At N or I. */
static bool read_non_finite(struct json_pull *p)
{
	bool nan = *p->at == 'N';

	p->number.finite = false;
	p->number.nan = nan;
	p->number.integer = false;
	p->non_finite++;
	return read_rest(p, nan ? "NaN" : "Infinity", nan ? "NaN" : "Infinity");
}

/* At the minus sign or the first digit. */
static bool read_number(struct json_pull *p)
{
	struct json_number *n = &p->number;
	int c = *p->at;

	*n = (struct json_number){ .integer = true, .exact = true, .finite = true };
	if (c == '-') {
		n->negative = true;
		p->at++;
		c = json_peek(p);
		if (c == 'I' && (p->options & JSON_NON_FINITE))
			return read_non_finite(p);
		if (!ascii_isdigit(c))
			return json_fail_expected(p, "a digit after the minus sign"), false;
	}
	if (c == '0') {
		p->at++;
		c = json_peek(p);
		if (ascii_isdigit(c))
			return json_fail_expected(p, "no digit after a leading 0"), false;
	} else {
		c = take_digits(p, false);
	}
	if (c == '.') {
		n->integer = false;
		p->at++;
		if (!ascii_isdigit(json_peek(p)))
			return json_fail_expected(p, "a digit after the decimal point"), false;
		c = take_digits(p, true);
	}
	if (c == 'e' || c == 'E') {
		bool negative;

		n->integer = false;
		p->at++;
		c = json_peek(p);
		negative = c == '-';
		if (c == '-' || c == '+') {
			p->at++;
			c = json_peek(p);
		}
		if (!ascii_isdigit(c))
			return json_fail_expected(p, "a digit of the exponent"), false;
		c = take_exponent(p, negative);
	}
	return c != NO_BYTE || p->fault.kind == FAULT_NONE || (json_fail_expected(p, "more"), false);
}

/* ---- the grammar ---- */

static inline bool in_object(const struct json_pull *p)
{
	uint32_t level = p->depth - 1;

	return p->is_object[level / 64] >> level % 64 & 1;
}

static inline void after_value(struct json_pull *p)
{
	p->want = p->depth ? WANT_COMMA_OR_END : WANT_NOTHING;
}

static enum json_token open_level(struct json_pull *p, bool object)
{
	uint32_t level = p->depth;
	uint64_t bit;

	if (level == JSON_PULL_DEPTH_MAX)
		return fail_depth(p);
	p->at++;
	bit = (uint64_t)1 << level % 64;
	if (object)
		p->is_object[level / 64] |= bit;
	else
		p->is_object[level / 64] &= ~bit;
	p->depth++;
	p->want = object ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
	return object ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_token close_level(struct json_pull *p)
{
	bool object = in_object(p);

	p->at++;
	p->depth--;
	after_value(p);
	return object ? JSON_OBJECT_END : JSON_ARRAY_END;
}

static enum json_token read_value(struct json_pull *p, int c)
{
	enum json_token token;
	bool ok;

	switch (c) {
	case '{':
		return open_level(p, true);
	case '[':
		return open_level(p, false);
	case '"':
		p->at++;
		token = JSON_STRING;
		ok = json_read_string(p);
		break;
	case 't':
		token = JSON_TRUE;
		ok = read_rest(p, "true", "true");
		break;
	case 'f':
		token = JSON_FALSE;
		ok = read_rest(p, "false", "false");
		break;
	case 'n':
		token = JSON_NULL;
		ok = read_rest(p, "null", "null");
		break;
	default:
		token = JSON_NUMBER;
		if (c == '-' || ascii_isdigit(c)) {
			ok = read_number(p);
		} else if ((c == 'N' || c == 'I') && (p->options & JSON_NON_FINITE)) {
			p->number = (struct json_number){ 0 };
			ok = read_non_finite(p);
		} else {
			return json_fail_expected(p, "a value");
		}
	}
	if (!ok)
		return JSON_FAULT;
	after_value(p);
	return token;
}

/* RFC 8259 section 8.1: not to be written, may be ignored by who reads. */
static void skip_bom(struct json_pull *p)
{
	static const uint8_t bom[3] = { 0xef, 0xbb, 0xbf };

	if (json_peek(p) != bom[0])
		return;
	for (size_t i = 0; i < sizeof(bom); i++) {
		if (json_peek(p) != bom[i]) {
			json_fail_expected(p, "the rest of a byte order mark");
			return;
		}
		p->at++;
	}
	p->had_bom = true;
}

enum json_token json_next(struct json_pull *p)
{
	int c;

	if (p->want == WANT_VALUE && !p->depth && p->at == p->start && !p->base)
		skip_bom(p);
	c = skip_space(p);
	if (p->want == WANT_COMMA_OR_END && c == ',') {
		p->at++;
		p->want = in_object(p) ? WANT_KEY : WANT_VALUE;
		c = skip_space(p);
	} else if (p->want == WANT_COLON) {
		if (c != ':')
			return json_fail_expected(p, "':' after a key");
		p->at++;
		p->want = WANT_VALUE;
		c = skip_space(p);
	}
	p->token_offset = json_offset(p, p->at);
	switch ((enum want)p->want) {
	case WANT_VALUE_OR_END:
		if (c == ']')
			return close_level(p);
		__attribute__((fallthrough));
	case WANT_VALUE:
		return read_value(p, c);
	case WANT_KEY_OR_END:
		if (c == '}')
			return close_level(p);
		__attribute__((fallthrough));
	case WANT_KEY:
		if (c != '"')
			return json_fail_expected(p,
						  p->want == WANT_KEY ? "a key in quotes" : "a key in quotes or '}'");
		p->at++;
		if (!json_read_string(p))
			return JSON_FAULT;
		p->want = WANT_COLON;
		return JSON_KEY;
	case WANT_COMMA_OR_END:
		if (c == (in_object(p) ? '}' : ']'))
			return close_level(p);
		return json_fail_expected(p, in_object(p) ? "',' or '}'" : "',' or ']'");
	case WANT_NOTHING:
		if (c == NO_BYTE && p->fault.kind == FAULT_NONE)
			return JSON_END;
		return json_fail_expected(p, "the end of the text");
	case WANT_COLON: /* taken care of above */
	case WANT_FAULT:
		break;
	}
	return JSON_FAULT;
}

/* Behind bytes that json_numbers_scan passed. False: they end within a number. */
static bool settle_numbers(struct json_pull *p, enum number_state state)
{
	int c = json_peek(p);

	if (state == NUMBER_BEFORE) {
		p->want = WANT_VALUE;
		return true;
	}
	if (number_may_end(state)) {
		p->want = WANT_COMMA_OR_END;
		if (state == NUMBER_ZERO && ascii_isdigit(c))
			return json_fail_expected(p, "no digit after a leading 0"), false;
		return true;
	}
	if (state == NUMBER_MINUS && c == 'I' && (p->options & JSON_NON_FINITE)) {
		p->want = WANT_COMMA_OR_END;
		return read_non_finite(p);
	}
	json_fail_expected(p, state == NUMBER_MINUS   ? "a digit after the minus sign"
			      : state == NUMBER_POINT ? "a digit after the decimal point"
						      : "a digit of the exponent");
	return false;
}

enum json_token json_skip_numbers(struct json_pull *p, uint64_t *count)
{
	enum json_token token;

	assert(p->want == WANT_FAULT || (p->depth && !in_object(p)));
	do {
		/* An array may end where its first value may begin, which is nothing that a list of numbers knows. */
		int c = p->want == WANT_VALUE_OR_END ? skip_space(p) : '0';

		if (p->want != WANT_FAULT && (ascii_isdigit(c) || c == '-')) {
			bool after = p->want == WANT_COMMA_OR_END;
			enum number_state state = after ? NUMBER_AFTER : NUMBER_BEFORE;
			uint64_t commas = 0;

			do
				p->at = json_numbers_scan(p->at, p->end, &state, &commas);
			while (p->at == p->end && json_fill(p));
			/* a comma stands between two; the one before the first is behind a value counted already */
			*count += commas + (state != NUMBER_BEFORE) - after;
			if (!settle_numbers(p, state))
				return JSON_FAULT;
		}
		token = json_next(p);
		*count += token == JSON_NUMBER;
	} while (token == JSON_NUMBER);
	return token;
}

bool json_skip(struct json_pull *p, enum json_token token)
{
	uint32_t until = p->depth - 1;
	uint64_t count = 0;

	if (token != JSON_OBJECT && token != JSON_ARRAY)
		return token != JSON_FAULT;
	p->skipping = true;
	do {
		token = token == JSON_ARRAY ? json_skip_numbers(p, &count) : json_next(p);
	} while (token != JSON_FAULT && p->depth > until);
	p->skipping = false;
	return token != JSON_FAULT;
}

bool json_skip_next(struct json_pull *p)
{
	p->skipping = true; /* also when it is a string */

	enum json_token token = json_next(p);

	p->skipping = false;
	return json_skip(p, token);
}

const char *json_token_name(enum json_token token)
{
	static const char *const names[] = {
		[JSON_FAULT] = "a fault",    [JSON_END] = "the end",
		[JSON_OBJECT] = "an object", [JSON_OBJECT_END] = "the end of an object",
		[JSON_ARRAY] = "an array",   [JSON_ARRAY_END] = "the end of an array",
		[JSON_KEY] = "a key",        [JSON_STRING] = "a string",
		[JSON_NUMBER] = "a number",  [JSON_TRUE] = "true",
		[JSON_FALSE] = "false",      [JSON_NULL] = "null",
	};

	return names[token];
}
