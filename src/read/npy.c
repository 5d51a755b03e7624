/*
 * A recursive-descent parser of the header's text, one function per production of this grammar:
 *
 *     header:  '{' [ pair { ',' pair } [','] ] '}'
 *     pair:    string ':' (string | 'True' | 'False' | shape)
 *     shape:   '(' [ integer { ',' integer } [','] ] ')'      one integer needs its comma: (3) is no tuple
 *
 * Blanks may separate any two tokens. There is no nesting, so nothing recurses.
 */
#include "read/npy.h"

#include <inttypes.h>
#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "base/strbuf.h"

static const uint8_t magic[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };

enum npy_key { KEY_DESCR, KEY_FORTRAN_ORDER, KEY_SHAPE, KEYS };

struct cursor {
	const char *text;
	size_t n, at;
	uint64_t offset; /* of text in the file */
	bool longs;
	struct fault *fault;
};

struct slice {
	const char *s;
	size_t n;
};

/* Returns whether Python's tokenizer skips a byte between two tokens; it does not skip \v. */
static bool is_python_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static void skip_blanks(struct cursor *c)
{
	while (c->at < c->n && is_python_blank(c->text[c->at]))
		c->at++;
}

static int peek(const struct cursor *c)
{
	return c->at < c->n ? (unsigned char)c->text[c->at] : -1;
}

/* Sets the fault "expected WHAT, found '...'", with the first bytes at the cursor. Returns false. */
static bool expected(struct cursor *c, const char *what)
{
	RELEASED struct strbuf found = STRBUF_INIT;
	size_t n = MIN(c->n - c->at, (size_t)16);

	if (n == 0)
		return fault_set(c->fault, FAULT_LABELS, c->offset + c->at,
				 "the NumPy header ends where %s was expected", what);
	escape_terminal(&found, c->text + c->at, n);
	return fault_set(c->fault, FAULT_LABELS, c->offset + c->at,
			 "the NumPy header is not a dict of descr, fortran_order and shape: expected %s, found '%s'",
			 what, found.s);
}

static bool refuse(struct cursor *c, const char *why)
{
	return fault_set(c->fault, FAULT_LABELS, c->offset + c->at, "%s", why);
}

/* Skips blanks, then takes the byte if it is there. */
static bool take(struct cursor *c, char wanted)
{
	skip_blanks(c);
	if (peek(c) != wanted)
		return false;
	c->at++;
	return true;
}

static bool take_word(struct cursor *c, const char *word)
{
	size_t n = strlen(word);

	if (c->n - c->at < n || memcmp(c->text + c->at, word, n) != 0)
		return false;
	c->at += n;
	return true;
}

/* Takes 'x', "x" or u'x', without escapes, which neither a key nor a dtype has. */
static bool take_string(struct cursor *c, const char *what, struct slice *out)
{
	skip_blanks(c);

	size_t at = c->at;

	if (at + 1 < c->n && c->text[at] == 'u')
		at++;
	if (at == c->n || (c->text[at] != '\'' && c->text[at] != '"'))
		return expected(c, what);

	char quote = c->text[at++];

	out->s = c->text + at;
	while (at < c->n && c->text[at] != quote && c->text[at] != '\\' && (unsigned char)c->text[at] >= ' ')
		at++;
	if (at == c->n || c->text[at] != quote)
		return expected(c, what);
	out->n = (size_t)(c->text + at - out->s);
	c->at = at + 1;
	return true;
}

static bool is(struct slice s, const char *word)
{
	return s.n == strlen(word) && memcmp(s.s, word, s.n) == 0;
}

/* ---- shape ------------------------------------------------------------------------------------------------------ */

static int digit_of(int c, unsigned base)
{
	int d = ascii_xdigit_value(c);

	return d < (int)base ? d : -1;
}

static unsigned take_base(struct cursor *c)
{
	int next = c->at + 1 < c->n ? c->text[c->at + 1] : -1;
	unsigned base = next == 'x' || next == 'X'   ? 16
			: next == 'o' || next == 'O' ? 8
			: next == 'b' || next == 'B' ? 2
						     : 10;

	if (peek(c) != '0' || base == 10)
		return 10;
	c->at += 2;
	if (peek(c) == '_')
		c->at++;
	return base;
}

static bool is_word_byte(int c)
{
	return c == '_' || c == '.' || ascii_isalnum(c) || c >= 0x80;
}

/* Takes a Python integer literal that is not negative. */
static bool take_integer(struct cursor *c, uint64_t *out)
{
	size_t start = c->at;

	if (peek(c) == '-')
		return refuse(c, "a dimension is negative; NumPy would guess it from the size of the file");

	unsigned base = take_base(c);
	size_t digits_at = c->at;
	int digit;

	*out = 0;
	while ((digit = digit_of(peek(c), base)) >= 0) {
		if (!size_mul(*out, base, out) || !size_add(*out, (uint64_t)digit, out))
			return refuse(c, "a dimension is above 2^64");
		c->at++;
		if (peek(c) == '_' && c->at + 1 < c->n && digit_of((unsigned char)c->text[c->at + 1], base) >= 0)
			c->at++;
	}
	/* 012 was octal in Python 2 and is invalid in Python 3; 00 is still 0 */
	bool bad = c->at == digits_at || (base == 10 && c->text[digits_at] == '0' && *out > 0);

	if (c->longs) {
		size_t after = c->at;

		while (after < c->n && c->text[after] == ' ')
			after++;
		if (after < c->n && c->text[after] == 'L')
			c->at = after + 1;
	}
	if (bad || is_word_byte(peek(c))) {
		c->at = start;
		return expected(c, "an integer, as a dimension");
	}
	return true;
}

static bool take_shape(struct cursor *c, struct array_header *h)
{
	bool comma = true;

	if (!take(c, '('))
		return expected(c, "a tuple of integers for shape");
	h->rank = 0;
	while (!take(c, ')')) {
		if (!comma)
			return expected(c, "',' or ')' in shape");
		if (h->rank == ARRAY_RANK_MAX)
			return refuse(c, "more than 32 dimensions");
		if (!take_integer(c, &h->shape[h->rank]))
			return false;
		h->rank++;
		comma = take(c, ',');
		if (h->rank == 1 && !comma)
			return expected(c, "',' after the first dimension, without which shape is not a tuple");
	}
	return true;
}

/* ---- dtype ------------------------------------------------------------------------------------------------------ */

static bool refuse_dtype(struct cursor *c, struct slice descr, enum fault_kind kind, const char *why)
{
	RELEASED struct strbuf shown = STRBUF_INIT;

	escape_terminal(&shown, descr.s, MIN(descr.n, (size_t)16));
	return fault_set(c->fault, kind, c->offset + (uint64_t)(descr.s - c->text), "dtype '%s%s': %s",
			 descr.n ? shown.s : "", descr.n > 16 ? "..." : "", why);
}

/* Returns the size of an element from the digits after its kind; 0 if they are no number or too many. */
static uint64_t item_size(struct slice digits)
{
	uint64_t n = 0;

	return digits.n <= 10 && scan_whole_uint64(digits.s, digits.n, &n) ? n : 0;
}

/* Returns the dtype of a kind, which is the first letter of its name, and a size; or DTYPE_NONE. */
static enum array_dtype find_dtype(char kind, uint64_t bytes)
{
	for (enum array_dtype dtype = DTYPE_BOOL; dtype <= DTYPE_FLOAT64; dtype++)
		if (dtype_name(dtype)[0] == kind && dtype_bytes(dtype) == bytes)
			return dtype;
	return DTYPE_NONE;
}

/* Parses byte order, kind and size: '<i8'. '|', '=' and none mean native, which is little-endian wherever we run. */
static bool parse_dtype(struct cursor *c, struct slice descr, struct array_header *h)
{
	static const struct {
		const char *kinds, *why;
	} others[] = {
		{ "c", "complex numbers are not ids" },
		{ "SaU", "strings, where ids were expected" },
		{ "V", "bytes without a type, where ids were expected" },
		{ "mM", "times, where ids were expected" },
	};
	struct slice rest = descr;
	bool big = false;

	if (rest.n && (rest.s[0] == '<' || rest.s[0] == '>' || rest.s[0] == '|' || rest.s[0] == '=')) {
		big = rest.s[0] == '>';
		rest.s++;
		rest.n--;
	}
	char kind = rest.n ? rest.s[0] : '\0';
	uint64_t bytes = rest.n ? item_size((struct slice){ rest.s + 1, rest.n - 1 }) : 0;
	enum array_dtype dtype = is(rest, "?") ? DTYPE_BOOL : find_dtype(kind, bytes);

	h->dtype = (uint8_t)dtype;
	h->big_endian = big && dtype_bytes(dtype) > 1;
	if (dtype != DTYPE_NONE)
		return true;
	if (kind == 'O')
		return refuse_dtype(c, descr, FAULT_OBJECTS,
				    "an array of Python objects is a pickle, which runs code when it is loaded");
	if (kind == 'f' && (bytes == 12 || bytes == 16))
		return refuse_dtype(c, descr, FAULT_LABELS, "a long double, whose format depends on the machine");
	for (size_t i = 0; kind && i < ARRAY_SIZE(others); i++)
		if (strchr(others[i].kinds, kind))
			return refuse_dtype(c, descr, FAULT_LABELS, others[i].why);
	return refuse_dtype(c, descr, FAULT_LABELS, "NumPy has no such type");
}

static bool take_descr(struct cursor *c, struct array_header *h)
{
	struct slice descr;

	skip_blanks(c);
	if (peek(c) == '[' || peek(c) == '(')
		return refuse(c, "a structured dtype (a record of several fields), where ids were expected");
	return take_string(c, "a string for descr", &descr) && parse_dtype(c, descr, h);
}

/* ---- the header ------------------------------------------------------------------------------------------------- */

static bool take_value(struct cursor *c, enum npy_key key, struct array_header *h)
{
	switch (key) {
	case KEY_DESCR:
		return take_descr(c, h);
	case KEY_SHAPE:
		return take_shape(c, h);
	default:
		skip_blanks(c);
		h->fortran = take_word(c, "True");
		return h->fortran || take_word(c, "False") || expected(c, "True or False for fortran_order");
	}
}

static bool take_pair(struct cursor *c, bool seen[KEYS], struct array_header *h)
{
	static const char *const names[KEYS] = { "descr", "fortran_order", "shape" };
	struct slice name;
	unsigned key = 0;

	if (!take_string(c, "a key in quotes", &name))
		return false;
	while (key < KEYS && !is(name, names[key]))
		key++;
	if (key == KEYS || seen[key]) {
		c->at = (size_t)(name.s - c->text);
		return refuse(c, key == KEYS ? "the NumPy header has a key that is none of descr, fortran_order, shape"
					     : "the NumPy header has a key twice");
	}
	seen[key] = true;
	if (!take(c, ':'))
		return expected(c, "':' after a key");
	return take_value(c, (enum npy_key)key, h);
}

/*
 * Computes h->elements. Returns false if the bytes of all dimensions but the zeros overflow: like NumPy, refuses the
 * shape (2^40, 2^40, 0) as well.
 */
static bool count_elements(struct array_header *h)
{
	uint64_t bytes = dtype_bytes((enum array_dtype)h->dtype);

	h->elements = 1;
	for (unsigned i = 0; i < h->rank; i++) {
		if (h->shape[i] == 0)
			h->elements = 0;
		else if (!size_mul(bytes, h->shape[i], &bytes) || bytes > INT64_MAX)
			return false;
	}
	if (h->elements)
		h->elements = bytes / dtype_bytes((enum array_dtype)h->dtype);
	return true;
}

bool npy_parse_literal(const char *text, size_t n, uint64_t offset, bool longs, struct array_header *h,
		       struct fault *fault)
{
	struct cursor c = { text, n, 0, offset, longs, fault };
	bool seen[KEYS] = { false }, comma = true;

	memset(h, 0, sizeof(*h));
	if (!take(&c, '{'))
		return expected(&c, "'{'");
	while (!take(&c, '}')) {
		if (!comma)
			return expected(&c, "',' or '}' after a value");
		if (!take_pair(&c, seen, h))
			return false;
		comma = take(&c, ',');
	}
	skip_blanks(&c);
	if (c.at < n)
		return expected(&c, "nothing after the dict");
	if (!seen[KEY_DESCR] || !seen[KEY_FORTRAN_ORDER] || !seen[KEY_SHAPE])
		return fault_set(fault, FAULT_LABELS, offset, "the NumPy header has no %s",
				 !seen[KEY_DESCR]   ? "descr"
				 : !seen[KEY_SHAPE] ? "shape"
						    : "fortran_order");
	if (!count_elements(h))
		return fault_set(fault, FAULT_LABELS, offset, "the dimensions multiply to more than 2^63 bytes");
	return true;
}

/* Reads exactly n bytes of the header. */
static bool read_all(struct input *in, void *out, size_t n, struct fault *fault)
{
	uint64_t at = in->at;
	int64_t got = input_read(in, out, n, fault);

	if (got < 0)
		return false;
	if ((size_t)got < n)
		return fault_set(fault, FAULT_TRUNCATED, at + (uint64_t)got,
				 "ends after %" PRIu64 " bytes, within the NumPy header, which needs %" PRIu64,
				 at + (uint64_t)got, at + n);
	return true;
}

bool npy_read_header(struct input *in, struct array_header *h, struct fault *fault)
{
	uint8_t start[8], length[4] = { 0 };
	char text[NPY_HEADER_MAX];

	if (!read_all(in, start, sizeof(start), fault))
		return false;
	if (memcmp(start, magic, sizeof(magic)) != 0)
		return fault_set(fault, FAULT_LABELS, 0, "no NumPy magic: expected 93 4e 55 4d 50 59 (\\x93NUMPY)");
	if (start[6] < 1 || start[6] > 3 || start[7] != 0)
		return fault_set(fault, FAULT_LABELS, 6, "NumPy format version %u.%u; there are 1.0, 2.0 and 3.0",
				 start[6], start[7]);
	if (!read_all(in, length, start[6] == 1 ? 2 : 4, fault))
		return false;

	uint32_t n = le32(length);

	if (in->size != INPUT_SIZE_UNKNOWN && n > in->size - in->at)
		return fault_set(fault, FAULT_TRUNCATED, in->size,
				 "ends within the NumPy header, which needs %" PRIu32 " bytes from byte %" PRIu64
				 " on, but there are only %" PRIu64,
				 n, in->at, in->size - in->at);
	if (n > NPY_HEADER_MAX)
		return fault_set(fault, FAULT_LIMIT, in->at,
				 "a NumPy header of %" PRIu32 " bytes; NumPy itself reads at most %d", n,
				 NPY_HEADER_MAX);
	uint64_t at = in->at;

	if (!read_all(in, text, n, fault) || !npy_parse_literal(text, n, at, start[6] <= 2, h, fault))
		return false;
	h->data_at = in->at;
	return true;
}
