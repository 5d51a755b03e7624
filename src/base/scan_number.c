#include "base/scan_number.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/label_id.h"
#include "base/mem.h"

enum {
	UNIT_DIGITS = 12,      /* decimals of a unit */
	EXPONENT_MAX = 100000, /* larger ones have the same effect */
};

static const int64_t powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
				  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18 };

/* Scans nan, inf or infinity, whatever the case; the longest that matches. */
static const char *scan_word(const char *s, const char *end, enum number_kind *kind)
{
	static const struct {
		const char *word;
		size_t n;
		enum number_kind kind;
	} words[] = { { "infinity", 8, NUMBER_INFINITE }, { "inf", 3, NUMBER_INFINITE }, { "nan", 3, NUMBER_NAN } };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if ((size_t)(end - s) >= words[i].n && !strncasecmp(s, words[i].word, words[i].n)) {
			*kind = words[i].kind;
			return s + words[i].n;
		}
	}
	return NULL;
}

/* Scans an exponent after its e; returns s - 1 if there is none. */
static const char *scan_exponent(const char *s, const char *end, int *out)
{
	const char *p = s;
	bool negative = false;
	int v = 0;

	*out = 0;
	if (p < end && (*p == '+' || *p == '-'))
		negative = *p++ == '-';
	if (p == end || !ascii_isdigit(*p))
		return s - 1;
	for (; p < end && ascii_isdigit(*p); p++)
		v = MIN(v * 10 + (*p - '0'), EXPONENT_MAX);
	*out = negative ? -v : v;
	return p;
}

/* A number: value * 10^exponent, or slightly more if `inexact`. */
struct digits {
	uint64_t value; /* the first 18 significant digits */
	int64_t exponent;
	int significant; /* digits of value */
	bool any;        /* it has a digit */
	bool point;      /* it has a point or an exponent */
	bool inexact;    /* a digit other than 0 was dropped */
};

enum { VALUE_DIGITS = 18 }; /* 10^18 < 2^63 */

static inline const char *take_digits(const char *p, const char *end, struct digits *d, bool fraction)
{
	for (; p < end && ascii_isdigit(*p); p++) {
		d->any = true;
		if (d->significant < VALUE_DIGITS) {
			d->value = d->value * 10 + (uint64_t)(*p - '0');
			d->significant += d->value != 0;
			d->exponent -= fraction;
		} else {
			d->inexact |= *p != '0';
			d->exponent += !fraction;
		}
	}
	return p;
}

static const char *scan_digits(const char *p, const char *end, struct digits *d)
{
	*d = (struct digits){ 0 };
	p = take_digits(p, end, d, false);
	if (p < end && *p == '.') {
		d->point = true;
		p = take_digits(p + 1, end, d, true);
	}
	if (d->any && p < end && (*p == 'e' || *p == 'E')) {
		int exponent;
		const char *after = scan_exponent(p + 1, end, &exponent);

		d->point |= after > p;
		d->exponent += exponent;
		p = after;
	}
	return p;
}

/* Converts to units of 10^-12, at most DECIMAL_LIMIT. */
static int64_t to_units(const struct digits *d)
{
	int64_t exponent = d->exponent + UNIT_DIGITS, value = (int64_t)d->value, units;

	if (!value)
		return 0; /* digits are only dropped after 18 significant ones */
	if (exponent < 0) {
		if (-exponent >= (int64_t)ARRAY_SIZE(powers))
			return 1;
		units = value / powers[-exponent];
		return units + (d->inexact || units * powers[-exponent] != value);
	}
	if (exponent >= (int64_t)ARRAY_SIZE(powers) || __builtin_mul_overflow(value, powers[exponent], &units))
		return DECIMAL_LIMIT;
	return MIN(units + d->inexact, DECIMAL_LIMIT);
}

const char *scan_decimal(const char *s, const char *end, struct decimal_value *out)
{
	const char *p = s;
	bool negative = false;
	struct digits d;

	out->units = 0;
	out->kind = NUMBER_NONE;
	if (p < end && (*p == '+' || *p == '-'))
		negative = *p++ == '-';
	const char *after = scan_digits(p, end, &d);

	if (!d.any) {
		after = scan_word(p, end, &out->kind);
		return after ? after : s;
	}
	out->kind = NUMBER_FINITE;
	out->units = negative ? -to_units(&d) : to_units(&d);
	return after;
}

const char *scan_fraction(const char *s, int64_t *units)
{
	const uint64_t first = ascii_digits(s + 2);
	const unsigned n = ascii_count_digits(first);
	int64_t rest = 0;
	unsigned more = 0;

	if (!ascii_isdigit(s[0]) || s[1] != '.' || !n)
		return NULL;
	*units = (s[0] - '0') * DECIMAL_ONE + ascii_value(first << 8 * (8 - n)) * powers[UNIT_DIGITS - n];
	if (n == 8 && ascii_isdigit(s[10])) {
		const uint64_t second = ascii_digits(s + 10);

		more = ascii_count_digits(second);
		rest = ascii_value(second << 8 * (8 - more));
		if (more <= UNIT_DIGITS - 8) {
			*units += rest * powers[UNIT_DIGITS - 8 - more];
		} else {
			const int64_t beyond = powers[more - (UNIT_DIGITS - 8)];

			*units += rest / beyond + (rest % beyond != 0);
		}
	}
	s += 2 + n + more;
	return ascii_isdigit(*s) || *s == 'e' || *s == 'E' ? NULL : s;
}

/* Classifies a number with a point, an exponent, or too many digits. */
static enum integer_kind whole_of(const struct digits *d, bool negative, int64_t *out)
{
	int64_t value = (int64_t)d->value, exponent = d->exponent;

	if (!value)
		return INTEGER_DECIMAL;
	while (exponent < 0 && value % 10 == 0) {
		value /= 10;
		exponent++;
	}
	if (exponent < 0)
		return INTEGER_FRACTION;
	if (d->inexact || exponent >= (int64_t)ARRAY_SIZE(powers) ||
	    __builtin_mul_overflow(value, powers[exponent], &value) || (!negative && !id_is_label(value)))
		return INTEGER_OVERFLOW;
	*out = negative ? -value : value;
	return INTEGER_DECIMAL;
}

enum integer_kind scan_integer(const char *s, size_t n, int64_t *out)
{
	const char *p = s, *end = s + n;
	bool negative = false;
	uint64_t v = 0;

	*out = 0;
	if (p < end && (*p == '+' || *p == '-'))
		negative = *p++ == '-';
	const char *first = p;

	for (; p < end && ascii_isdigit(*p) && p - first < VALUE_DIGITS; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	if (p == end && p > first) { /* the common case: at most 18 digits */
		*out = negative ? -(int64_t)v : (int64_t)v;
		return INTEGER_EXACT;
	}
	if (scan_whole_uint64(first, (size_t)(end - first), &v) && v <= (uint64_t)INT64_MAX + negative) {
		const int64_t signed_value = negative ? (int64_t)(0 - v) : (int64_t)v;

		if (!id_is_label(signed_value))
			return INTEGER_OVERFLOW;
		*out = signed_value;
		return INTEGER_EXACT;
	}

	struct digits d;
	enum number_kind kind;

	p = scan_digits(first, end, &d);
	if (!d.any) {
		p = scan_word(first, end, &kind);
		return p == end ? INTEGER_NAN : INTEGER_NONE;
	}
	if (p != end)
		return INTEGER_NONE;
	if (!d.point)
		return INTEGER_OVERFLOW;
	return whole_of(&d, negative, out);
}

bool scan_uint64(const char **p, uint64_t *out)
{
	size_t n = strspn(*p, "0123456789");

	if (!scan_whole_uint64(*p, n, out))
		return false;
	*p += n;
	return true;
}

bool scan_int64(const char **p, int64_t *out)
{
	const char *s = *p;
	bool negative = *s == '-';
	uint64_t magnitude;

	s += negative;
	if (!scan_uint64(&s, &magnitude) || magnitude > (uint64_t)INT64_MAX + negative)
		return false;
	*p = s;
	*out = negative ? (int64_t)-magnitude : (int64_t)magnitude;
	return true;
}

bool scan_whole_uint64(const char *s, size_t n, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		if (!ascii_isdigit(s[i]) || !size_mul(v, 10, &v) || !size_add(v, (uint64_t)(s[i] - '0'), &v))
			return false;
	if (n)
		*out = v;
	return n;
}

bool scan_percentage(const char *s, uint64_t *ppm)
{
	struct decimal_value value;
	const char *end = s + strlen(s);

	if (scan_decimal(s, end, &value) != end || value.kind != NUMBER_FINITE || value.units <= 0 ||
	    value.units > 100 * DECIMAL_ONE || value.units % (DECIMAL_ONE / 10000) != 0)
		return false;
	*ppm = (uint64_t)(value.units / (DECIMAL_ONE / 10000));
	return true;
}

bool id_scan(const char **p, int64_t *id)
{
	enum { COLOUR_LENGTH = 7 };
	uint32_t colour;

	if (**p != '#')
		return scan_int64(p, id) && id_is_label(*id);
	if (!colour_parse(*p, strnlen(*p, COLOUR_LENGTH), &colour))
		return false;
	*p += COLOUR_LENGTH;
	*id = COLOUR_ID(colour);
	return true;
}
