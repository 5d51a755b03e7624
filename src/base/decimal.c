#include "base/decimal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { SIGNIFICANT = 1000000 /* numbers of 6 digits are below it */ };

static void add_padded(struct strbuf *out, uint64_t v, unsigned digits)
{
	char text[20];

	for (unsigned i = digits; i-- > 0; v /= 10)
		text[i] = (char)('0' + v % 10);
	strbuf_add(out, text, digits);
}

void decimal_ratio(struct strbuf *out, uint64_t num, decimal_wide den, unsigned decimals)
{
	uint64_t scale = 1;

	assert(decimals <= 9);
	for (unsigned i = 0; i < decimals; i++)
		scale *= 10;
	/* num * scale < 2^64 * 10^9 < 2^94 */
	decimal_wide scaled = den ? ((decimal_wide)num * scale + den / 2) / den : 0;

	strbuf_add_u64(out, (uint64_t)(scaled / scale));
	if (!decimals)
		return;
	strbuf_addch(out, '.');
	add_padded(out, (uint64_t)(scaled % scale), decimals);
}

void decimal_significant(struct strbuf *out, decimal_wide num, decimal_wide den)
{
	unsigned decimals = 0, zeros = 0;

	assert(den);
	if (!num) {
		strbuf_adds(out, "0.0");
		return;
	}
	/* Scale the smaller side until the quotient has 6 digits; nothing overflows. */
	while (num / den < SIGNIFICANT / 10) {
		num *= 10;
		decimals++;
	}
	while (num / den >= SIGNIFICANT) {
		den *= 10;
		zeros++;
	}
	uint64_t digits = (uint64_t)(num / den);
	decimal_wide rest = num % den;

	digits += rest >= den - rest;
	if (digits == SIGNIFICANT) {
		digits /= 10;
		if (decimals)
			decimals--;
		else
			zeros++;
	}
	while (decimals && digits % 10 == 0) {
		digits /= 10;
		decimals--;
	}
	if (!decimals) {
		strbuf_add_u64(out, digits);
		for (; zeros; zeros--)
			strbuf_addch(out, '0');
		strbuf_adds(out, ".0");
		return;
	}
	/* at most 6 + 20 decimals, of which the last 6 are `digits` */
	unsigned length = 0;

	for (uint64_t v = digits; v; v /= 10)
		length++;
	if (length > decimals) {
		uint64_t scale = 1;

		for (unsigned i = 0; i < decimals; i++)
			scale *= 10;
		strbuf_add_u64(out, digits / scale);
		strbuf_addch(out, '.');
		add_padded(out, digits % scale, decimals);
		return;
	}
	strbuf_adds(out, "0.");
	for (unsigned i = length; i < decimals; i++)
		strbuf_addch(out, '0');
	strbuf_add_u64(out, digits);
}

void decimal_double(struct strbuf *out, double v)
{
	int exponent;
	/* v = digits * 2^exponent, exactly: a double has 53 bits */
	decimal_wide digits = (decimal_wide)ldexp(frexp(v, &exponent), 53);

	assert(v >= 0 && exponent >= -64 && exponent <= 65);
	exponent -= 53;
	if (exponent >= 0) {
		decimal_significant(out, digits << exponent, 1);
		return;
	}
	/* Keep the denominator below 2^100: a tiny number loses some of its 53 bits, of which 20 are shown. */
	if (exponent < -99) {
		digits >>= -99 - exponent;
		exponent = -99;
	}
	decimal_significant(out, digits, (decimal_wide)1 << -exponent);
}
