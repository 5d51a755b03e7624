#include "base/decimal.h"

#include <assert.h>
#include <math.h>

enum {
	SIGNIFICANT = 1000000, /* numbers of 6 digits are below it */
	DECIMALS_MAX = 26,     /* 2^-64 has 19 zeros after the point, then 6 digits are shown */
};

/* Appends v / 10^decimals, exactly. The fraction of v fits into 64 bits. */
static void add_fixed(struct strbuf *out, decimal_wide v, unsigned decimals)
{
	decimal_wide scale = 1;
	char text[DECIMALS_MAX];

	for (unsigned i = 0; i < decimals; i++)
		scale *= 10;
	strbuf_add_u64(out, (uint64_t)(v / scale));
	if (!decimals)
		return;
	uint64_t rest = (uint64_t)(v % scale);

	for (unsigned i = decimals; i-- > 0; rest /= 10)
		text[i] = (char)('0' + rest % 10);
	strbuf_addch(out, '.');
	strbuf_add(out, text, decimals);
}

void decimal_ratio(struct strbuf *out, uint64_t num, decimal_wide den, unsigned decimals)
{
	decimal_wide scaled = num;

	assert(decimals <= 9);
	for (unsigned i = 0; i < decimals; i++)
		scaled *= 10; /* < 2^64 * 10^9 < 2^94 */
	add_fixed(out, den ? (scaled + den / 2) / den : 0, decimals);
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
	decimal_wide digits = num / den, rest = num % den;

	digits += rest >= den - rest;
	for (; zeros; zeros--)
		digits *= 10;
	while (decimals && digits % 10 == 0) {
		digits /= 10;
		decimals--;
	}
	add_fixed(out, digits, decimals);
	if (!decimals)
		strbuf_adds(out, ".0");
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
