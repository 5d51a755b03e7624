#include "fix/id_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"

/* The parts of a number: sign, digits, [. decimals], [e, sign, digits]. */
struct form {
	bool plus, point;
	size_t digits, zeros; /* before the point; zeros: of them, those that lead */
	size_t decimals;
	char e; /* 'e' or 'E'; '\0': none */
	bool exponent_sign;
	size_t exponent_digits;
};

static size_t count_digits(const char *s, size_t n)
{
	size_t count = 0;

	while (count < n && ascii_isdigit(s[count]))
		count++;
	return count;
}

static struct form parse_form(const char *s, size_t n)
{
	struct form f = { .plus = n && *s == '+' };
	size_t at = n && (*s == '+' || *s == '-');

	f.digits = count_digits(s + at, n - at);
	while (f.zeros + 1 < f.digits && s[at + f.zeros] == '0')
		f.zeros++;
	at += f.digits;
	if (at < n && s[at] == '.') {
		f.point = true;
		f.decimals = count_digits(s + at + 1, n - at - 1);
		at += 1 + f.decimals;
	}
	if (at < n && (s[at] == 'e' || s[at] == 'E')) {
		f.e = s[at++];
		f.exponent_sign = at < n && (s[at] == '+' || s[at] == '-');
		f.exponent_digits = n - at - f.exponent_sign;
	}
	return f;
}

static void add_zeros(struct strbuf *out, size_t n)
{
	while (n--)
		strbuf_addch(out, '0');
}

/* Appends digits in the form d.ddde+dd. Returns false, and appends nothing, if these do not fit. */
static bool add_scientific(struct strbuf *out, const struct form *f, const char *digits)
{
	size_t n = strlen(digits), exponent = n - 1;

	while (n > 1 && digits[n - 1] == '0')
		n--;
	if (f->digits != 1 || n - 1 > f->decimals)
		return false;
	strbuf_addch(out, digits[0]);
	if (f->point)
		strbuf_addch(out, '.');
	strbuf_add(out, digits + 1, n - 1);
	add_zeros(out, f->decimals - (n - 1));
	strbuf_addch(out, f->e);
	if (f->exponent_sign)
		strbuf_addch(out, '+');
	strbuf_addf(out, "%0*zu", (int)MIN(f->exponent_digits, (size_t)9), exponent);
	return true;
}

void id_text_add(struct strbuf *out, const char *s, size_t n, int64_t to)
{
	uint64_t magnitude = to < 0 ? 0 - (uint64_t)to : (uint64_t)to;

	if (to >= 0 && n && (*s != '0' || n == 1) && count_digits(s, n) == n) { /* the common case */
		strbuf_add_u64(out, magnitude);
		return;
	}
	struct form f = parse_form(s, n);
	char digits[24];
	size_t count = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, magnitude);

	if (to < 0)
		strbuf_addch(out, '-');
	else if (f.plus)
		strbuf_addch(out, '+');
	if (f.e) {
		if (!add_scientific(out, &f, digits))
			strbuf_add(out, digits, count);
		return;
	}
	if (f.zeros && count < f.digits)
		add_zeros(out, f.digits - count);
	strbuf_add(out, digits, count);
	if (f.point)
		strbuf_addch(out, '.');
	add_zeros(out, f.decimals);
}
