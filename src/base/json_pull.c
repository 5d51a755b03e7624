/*
 * The pull tokenizer: faults, the bytes, white space, strings, numbers, the grammar, skipping.
 *
 * Each function that consumes bytes works on those in the buffer and calls fill() for more, so that a token may span
 * any number of buffers. The common contents of label files have fast paths within a buffer: strings without escapes
 * and white space (16 bytes a step), and skipped lists of numbers (64 bytes).
 */
#include "base/json_pull.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/guard.h"
#include "base/json_block.h"
#include "base/mem.h"

/* The token that must come next. */
enum want {
	WANT_VALUE,        /* at the start, after a colon, after a comma of an array */
	WANT_VALUE_OR_END, /* after '[' */
	WANT_KEY,          /* after a comma of an object */
	WANT_KEY_OR_END,   /* after '{' */
	WANT_COLON,
	WANT_COMMA_OR_END, /* after a value in an array or object */
	WANT_NOTHING,      /* after the value of level 0 */
	WANT_FAULT,        /* nothing: every call fails */
};

enum { NO_BYTE = -1 };

/* ---- the bytes ---- */

/* Returns the offset of a byte of the buffer in the whole text. */
static inline uint64_t offset_of(const struct json_pull *p, const uint8_t *at)
{
	return p->base + (uint64_t)(at - p->start);
}

static void init(struct json_pull *p, unsigned options)
{
	memset(p, 0, sizeof(*p));
	fault_clear(&p->fault);
	p->options = options;
	p->text = "";
	p->text_max = JSON_TEXT_MAX;
	p->want = WANT_VALUE;
}

void json_open_memory(struct json_pull *p, const void *bytes, size_t n, unsigned options)
{
	init(p, options);
	p->start = p->at = p->feeds.counted = bytes;
	p->end = p->start + n;
}

void json_open_stream(struct json_pull *p, json_read_function *read, void *context, size_t buffer_size,
		      unsigned options)
{
	init(p, options);
	p->read = read;
	p->context = context;
	p->buffer_size = buffer_size ? buffer_size : JSON_BUFFER;
	p->buffer = xmalloc(p->buffer_size);
	p->start = p->at = p->end = p->feeds.counted = p->buffer;
}

/* A json_read_function whose context is the descriptor itself. */
static int64_t read_fd(void *context, void *out, size_t n, struct fault *fault)
{
	ssize_t got;

	do
		got = read((int)(intptr_t)context, out, n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "%s", strerror(errno));
	return got;
}

void json_open_fd(struct json_pull *p, int fd, unsigned options)
{
	json_open_stream(p, read_fd, (void *)(intptr_t)fd, 0, options);
}

void json_close(struct json_pull *p)
{
	free(p->buffer);
	free(p->decoded);
	p->buffer = NULL;
	p->decoded = NULL;
	p->start = p->at = p->end = NULL;
}

void json_set_text_max(struct json_pull *p, size_t max)
{
	assert(!p->decoded && max >= 4);
	p->text_max = max;
}

/* Counts the line feeds up to `to` that the last call did not count. */
static void count_lines(struct json_pull *p, const uint8_t *to)
{
	const uint8_t *s = p->feeds.counted, *feed;

	while (s < to && (feed = memchr(s, '\n', (size_t)(to - s)))) {
		p->feeds.count++;
		s = feed + 1;
		p->feeds.line_start = offset_of(p, s);
	}
	p->feeds.counted = MAX(p->feeds.counted, to);
}

/* Line and column of a byte of the buffer, which is not before any byte of an earlier call. */
static void place_of(struct json_pull *p, const uint8_t *at, uint64_t *line, uint64_t *column)
{
	count_lines(p, at);
	*line = p->feeds.count + 1;
	*column = offset_of(p, at) - p->feeds.line_start + 1;
}

void json_place(struct json_pull *p, uint64_t *line, uint64_t *column)
{
	if (p->token_offset >= p->base) {
		place_of(p, p->start + (p->token_offset - p->base), line, column);
		return;
	}
	*line = p->feeds.token_line;
	*column = p->feeds.token_column;
}

/*
 * Reads more bytes; those in the buffer are consumed. Returns false if there are none or the stream failed; then
 * p->fault is set.
 */
static bool fill(struct json_pull *p)
{
	assert(p->at == p->end);
	if (!p->read)
		return false;
	/* note where the current token begins before its bytes are gone */
	if (p->token_offset >= p->base)
		json_place(p, &p->feeds.token_line, &p->feeds.token_column);
	count_lines(p, p->end);
	p->base += (uint64_t)(p->end - p->start);
	p->start = p->at = p->end = p->feeds.counted = p->buffer;

	int64_t got = p->read(p->context, p->buffer, p->buffer_size, &p->fault);

	if (got <= 0) {
		p->read = NULL;
		return false;
	}
	assert((uint64_t)got <= p->buffer_size);
	p->end = p->buffer + got;
	return true;
}

static inline int peek_byte(struct json_pull *p)
{
	return p->at < p->end || fill(p) ? *p->at : NO_BYTE;
}

/* ---- faults ---- */

/* Ends the text at p->at; p->fault is set. */
static enum json_token fail(struct json_pull *p)
{
	if (p->fault.kind != FAULT_UNREADABLE)
		place_of(p, p->at, &p->fault.line, &p->fault.column);
	p->want = WANT_FAULT;
	return JSON_FAULT;
}

/* expected: with its article; found: the byte at p->at, or the end. */
static enum json_token fail_expected(struct json_pull *p, const char *expected)
{
	uint64_t offset;
	int c = peek_byte(p);

	offset = offset_of(p, p->at);
	if (c == NO_BYTE) /* a fault of the stream stays */
		fault_set(&p->fault, FAULT_TRUNCATED, offset, "the JSON text ends where %s is expected", expected);
	else if (c > ' ' && c < 0x7f)
		fault_set(&p->fault, FAULT_LABELS, offset, "not JSON: expected %s, found '%c'", expected, c);
	else
		fault_set(&p->fault, FAULT_LABELS, offset, "not JSON: expected %s, found byte 0x%02x", expected,
			  (unsigned)c);
	return fail(p);
}

/* ---- white space ---- */

static inline bool is_space(int c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Moves p->at to the next byte that is not white space, and returns that byte. */
static inline int skip_space(struct json_pull *p)
{
	for (;;) {
		const uint8_t *s = p->at;

		while (s < p->end && is_space(*s))
			s = *s == '\n' ? json_skip_indent(s + 1, p->end) : s + 1;
		p->at = s;
		if (s < p->end)
			return *s;
		if (!fill(p))
			return NO_BYTE;
	}
}

/* ---- strings ---- */

/* State of a string that is decoded byte by byte. */
struct decoding {
	uint32_t high; /* an escaped high surrogate whose low one may follow, or 0 */
	/* UTF-8: number of continuation bytes that must follow, and the range of the next one */
	uint8_t need, lowest, highest;
};

static void keep(struct json_pull *p, const void *bytes, size_t n)
{
	size_t space = p->text_max - p->text_len;

	if (p->skipping || !n || (p->text_flags & JSON_TEXT_CUT))
		return;
	if (n > space) {
		p->text_flags |= JSON_TEXT_CUT;
		n = space;
	}
	memcpy(p->decoded + p->text_len, bytes, n);
	p->text_len += n;
}

static void keep_character(struct json_pull *p, uint32_t c)
{
	static const uint8_t leads[] = { 0, 0xc0, 0xe0, 0xf0 };
	unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	uint8_t utf8[4] = { (uint8_t)(leads[more] | c >> 6 * more) };

	for (unsigned i = 1; i <= more; i++)
		utf8[i] = (uint8_t)(0x80 | (c >> 6 * (more - i) & 0x3f));
	keep(p, utf8, more + 1);
}

/* Flags a character that the next byte does not continue. */
static inline void end_partial(struct json_pull *p, struct decoding *d)
{
	if (d->high) {
		p->text_flags |= JSON_TEXT_LONE_SURROGATE;
		keep_character(p, 0xfffd);
		d->high = 0;
	}
	if (d->need) {
		p->text_flags |= JSON_TEXT_BAD_UTF8;
		d->need = 0;
	}
}

/* Appends a byte from 0x80, whether well-formed or not. */
static void take_byte(struct json_pull *p, struct decoding *d, uint8_t c)
{
	if (d->need && c >= d->lowest && c <= d->highest) {
		d->need--;
		d->lowest = 0x80;
		d->highest = 0xbf;
	} else {
		end_partial(p, d);
		d->need = (uint8_t)utf8_continuations(c, &d->lowest, &d->highest);
		if (!d->need)
			p->text_flags |= JSON_TEXT_BAD_UTF8;
	}
	keep(p, &c, 1);
}

static bool read_hex4(struct json_pull *p, uint32_t *out)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++) {
		int digit = ascii_xdigit_value(peek_byte(p));

		if (digit < 0)
			return fail_expected(p, "four hexadecimal digits after \\u"), false;
		v = v << 4 | (uint32_t)digit;
		p->at++;
	}
	*out = v;
	return true;
}

/* Reads an escape, after its backslash. */
static bool read_escape(struct json_pull *p, struct decoding *d)
{
	static const char plain[] = "\"\"\\\\//b\bf\fn\nr\rt\t"; /* pairs: as written, as meant */
	int c = peek_byte(p);
	uint32_t v;

	if (c != 'u') {
		end_partial(p, d);
		for (const char *pair = plain; *pair; pair += 2)
			if (c == *pair) {
				keep(p, pair + 1, 1);
				p->at++;
				return true;
			}
		return fail_expected(p, "one of \"\\/bfnrtu after a backslash"), false;
	}
	p->at++;
	if (!read_hex4(p, &v))
		return false;
	if (d->high && v >= 0xdc00 && v <= 0xdfff) {
		v = 0x10000 + ((d->high - 0xd800) << 10) + (v - 0xdc00);
		d->high = 0;
		keep_character(p, v);
		return true;
	}
	end_partial(p, d);
	if (v >= 0xd800 && v <= 0xdbff) {
		d->high = v;
	} else if (v >= 0xdc00 && v <= 0xdfff) {
		p->text_flags |= JSON_TEXT_LONE_SURROGATE;
		keep_character(p, 0xfffd);
	} else {
		keep_character(p, v);
	}
	return true;
}

/* Removes the character that a cut at text_max left incomplete. */
static void trim_cut(struct json_pull *p)
{
	for (size_t back = 1; back <= MIN(p->text_len, (size_t)4); back++) {
		uint8_t lead = (uint8_t)p->decoded[p->text_len - back];
		size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

		if (lead >= 0x80 && lead < 0xc0)
			continue;
		if (length > back)
			p->text_len -= back;
		return;
	}
}

/* Reads a string with escapes, with characters past ASCII, or across the end of the buffer. */
static bool read_string_slowly(struct json_pull *p)
{
	struct decoding d = { 0 };

	if (!p->decoded && !p->skipping)
		p->decoded = xmalloc(p->text_max);
	p->text_len = 0;
	for (;;) {
		const uint8_t *from = p->at;

		p->at = json_plain_end(from, p->end);
		if (p->at > from) {
			end_partial(p, &d);
			keep(p, from, (size_t)(p->at - from));
		}
		if (p->at == p->end) {
			if (fill(p))
				continue;
			return fail_expected(p, "the closing quote of a string"), false;
		}

		uint8_t c = *p->at;

		if (c < ' ')
			return fail_expected(p, "a string without control bytes"), false;
		p->at++;
		if (c >= 0x80) {
			if (d.high)
				end_partial(p, &d);
			take_byte(p, &d, c);
			continue;
		}
		if (c == '"')
			break;
		if (!read_escape(p, &d))
			return false;
	}
	end_partial(p, &d);
	if (p->text_flags & JSON_TEXT_CUT)
		trim_cut(p);
	p->text = p->decoded ? p->decoded : "";
	p->bad_text += (p->text_flags & (JSON_TEXT_BAD_UTF8 | JSON_TEXT_LONE_SURROGATE)) != 0;
	return true;
}

/* Reads a string, after its opening quote. */
static inline bool read_string(struct json_pull *p)
{
	const uint8_t *from = p->at, *s = json_plain_end(from, p->end);

	p->text_flags = 0;
	if (s == p->end || *s != '"')
		return read_string_slowly(p);
	p->text = (const char *)from;
	p->text_len = (size_t)(s - from);
	p->at = s + 1;
	if (p->text_len > p->text_max) {
		p->text_len = p->text_max;
		p->text_flags = JSON_TEXT_CUT;
	}
	return true;
}

/* ---- numbers and names ---- */

/* Appends a digit that 64 bits may not hold. After the first that did not fit, all are dropped. */
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

/* Reads a run of digits and returns the byte after it. */
static int take_digits(struct json_pull *p, bool fraction)
{
	static const uint64_t fits = UINT64_MAX / 10 - 1; /* smaller magnitudes have space for another digit */
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
		if (!fill(p))
			return NO_BYTE;
	}
}

static int take_exponent(struct json_pull *p, bool negative)
{
	static const int64_t most = INT64_MAX / 100; /* neither a digit more nor the text's length overflows */
	int64_t e = 0;
	int c;

	while (ascii_isdigit(c = peek_byte(p))) {
		if (e < most / 10)
			e = e * 10 + (c - '0');
		p->at++;
	}
	p->number.exponent += negative ? -e : e;
	return c;
}

static bool read_word(struct json_pull *p, const char *word)
{
	for (const char *c = word; *c; c++) {
		if (peek_byte(p) != (uint8_t)*c)
			return fail_expected(p, word), false;
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
	return read_word(p, nan ? "NaN" : "Infinity");
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
		c = peek_byte(p);
		if (c == 'I' && (p->options & JSON_NON_FINITE))
			return read_non_finite(p);
		if (!ascii_isdigit(c))
			return fail_expected(p, "a digit after the minus sign"), false;
	}
	const size_t bytes = p->end - p->at >= 8 ? json_short_number(p->at, n) : 0;

	if (bytes) { /* as most are */
		p->at += bytes;
		return true;
	}
	if (c == '0') {
		p->at++;
		c = peek_byte(p);
		if (ascii_isdigit(c))
			return fail_expected(p, "no digit after a leading 0"), false;
	} else {
		c = take_digits(p, false);
	}
	if (c == '.') {
		n->integer = false;
		p->at++;
		if (!ascii_isdigit(peek_byte(p)))
			return fail_expected(p, "a digit after the decimal point"), false;
		c = take_digits(p, true);
	}
	if (c == 'e' || c == 'E') {
		bool negative;

		n->integer = false;
		p->at++;
		c = peek_byte(p);
		negative = c == '-';
		if (c == '-' || c == '+') {
			p->at++;
			c = peek_byte(p);
		}
		if (!ascii_isdigit(c))
			return fail_expected(p, "a digit of the exponent"), false;
		c = take_exponent(p, negative);
	}
	return c != NO_BYTE || p->fault.kind == FAULT_NONE || (fail_expected(p, "more"), false);
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

	if (level == PLANTED(depth_of_json, JSON_PULL_DEPTH_MAX, 9 * JSON_PULL_DEPTH_MAX)) {
		fault_set(&p->fault, FAULT_LIMIT, offset_of(p, p->at), "JSON nested deeper than %d levels",
			  JSON_PULL_DEPTH_MAX);
		return fail(p);
	}
	p->at++;
	bit = (uint64_t)1 << level % 64;
	p->is_object[level / 64] &= ~bit;
	p->is_object[level / 64] |= object ? bit : 0;
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
		ok = read_string(p);
		break;
	case 't':
		token = JSON_TRUE;
		ok = read_word(p, "true");
		break;
	case 'f':
		token = JSON_FALSE;
		ok = read_word(p, "false");
		break;
	case 'n':
		token = JSON_NULL;
		ok = read_word(p, "null");
		break;
	default:
		token = JSON_NUMBER;
		if (c == '-' || ascii_isdigit(c)) {
			ok = read_number(p);
		} else if ((c == 'N' || c == 'I') && (p->options & JSON_NON_FINITE)) {
			p->number = (struct json_number){ 0 };
			ok = read_non_finite(p);
		} else {
			return fail_expected(p, "a value");
		}
	}
	if (!ok)
		return JSON_FAULT;
	after_value(p);
	return token;
}

/* RFC 8259 section 8.1: writers must not add one, readers may ignore it. */
static void skip_bom(struct json_pull *p)
{
	static const uint8_t bom[3] = { 0xef, 0xbb, 0xbf };

	if (peek_byte(p) != bom[0])
		return;
	for (size_t i = 0; i < sizeof(bom); i++) {
		if (peek_byte(p) != bom[i]) {
			fail_expected(p, "the rest of a byte order mark");
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
			return fail_expected(p, "':' after a key");
		p->at++;
		p->want = WANT_VALUE;
		c = skip_space(p);
	}
	p->token_offset = offset_of(p, p->at);
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
			return fail_expected(p, p->want == WANT_KEY ? "a key in quotes" : "a key in quotes or '}'");
		p->at++;
		if (!read_string(p))
			return JSON_FAULT;
		p->want = WANT_COLON;
		return JSON_KEY;
	case WANT_COMMA_OR_END:
		if (c == (in_object(p) ? '}' : ']'))
			return close_level(p);
		return fail_expected(p, in_object(p) ? "',' or '}'" : "',' or ']'");
	case WANT_NOTHING:
		if (c == NO_BYTE && p->fault.kind == FAULT_NONE)
			return JSON_END;
		return fail_expected(p, "the end of the text");
	case WANT_COLON: /* handled above */
	case WANT_FAULT:
		break;
	}
	return JSON_FAULT;
}

/* ---- lists of numbers ---- */

/* Numbers to read one by one after an unusual one (an exponent, say): the next ones are probably unusual too. */
enum { PATIENCE = 8 };

/* Before a number: skips numbers and their commas by blocks, as far as that goes, and adds their count to *count. */
static void skip_blocks(struct json_pull *p, uint64_t *count)
{
	struct json_numbers n = { 0 };

	while (!n.closed && p->end - p->at >= JSON_BLOCK && json_find_numbers(p->at, &n)) {
		const uint64_t last = n.closed ? UINT64_C(1) << 63 >> __builtin_clzll(n.ends) : 0,
			       commas = n.ends ^ last;

		*count += (unsigned)__builtin_popcountll(commas);
		p->at += commas ? JSON_BLOCK - __builtin_clzll(commas) : 0;
	}
}

enum json_token json_skip_numbers(struct json_pull *p, uint64_t *count)
{
	enum json_token token;
	unsigned wait = 0; /* numbers to read before the next block */

	assert(p->want == WANT_FAULT || (p->depth && !in_object(p)));
	do {
		if (p->want == WANT_COMMA_OR_END && skip_space(p) == ',') {
			p->at++;
			p->want = WANT_VALUE;
		}
		if (!wait && (p->want == WANT_VALUE || p->want == WANT_VALUE_OR_END)) {
			int c = skip_space(p);
			const uint8_t *from = p->at;

			if (ascii_isdigit(c) || c == '-')
				skip_blocks(p, count);
			if (p->at > from)
				p->want = WANT_VALUE;
			else
				wait = PATIENCE;
		}
		wait -= wait > 0;
		token = json_next(p);
		*count += token == JSON_NUMBER;
	} while (token == JSON_NUMBER);
	return token;
}

enum json_token json_next_numbers(struct json_pull *p, double *values, size_t max, size_t *count)
{
	enum json_token token = JSON_NUMBER;

	assert(p->want == WANT_FAULT || (p->depth && !in_object(p)));
	for (*count = 0; *count < max && token == JSON_NUMBER;) {
		const bool comma = p->want == WANT_COMMA_OR_END && p->at < p->end && *p->at == ',';

		if (comma || p->want == WANT_VALUE || p->want == WANT_VALUE_OR_END) {
			const uint8_t *s = p->at + comma;
			size_t n = json_plain_numbers(&s, p->end, values + *count, max - *count);

			if (n) {
				p->at = s;
				p->want = WANT_COMMA_OR_END;
				*count += n;
				if (*count == max)
					break;
			}
		}
		token = json_next(p);
		if (token == JSON_NUMBER)
			values[(*count)++] = json_number_double(&p->number);
	}
	return token;
}
