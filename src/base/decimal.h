/*
 * Writes ratios of counts as decimal text with integer arithmetic: the same digits on every machine, in every locale
 * and rounding mode. Halves are rounded up. Pure, any thread.
 */
#pragma once

#include <stdint.h>

#include "base/strbuf.h"

/* Wide enough for a 64-bit count times a class count times a power of ten. */
__extension__ typedef unsigned __int128 decimal_wide;

/* Appends num / den with 0 to 9 decimals: "0.732200"; 0 if den is 0. num < 2^64, den < 2^120. */
void decimal_ratio(struct strbuf *out, uint64_t num, decimal_wide den, unsigned decimals);

/*
 * Appends num / den with 6 significant digits and at least one decimal, without exponent or trailing zeros: "0.06",
 * "1.23457", "1.0" (readers infer floats from that). den > 0; num and den < 2^100; num / den is 0 or 2^-64 to 2^64.
 */
void decimal_significant(struct strbuf *out, decimal_wide num, decimal_wide den);

/* Appends v likewise, which is 0 or 2^-64 to 2^64. */
void decimal_double(struct strbuf *out, double v);
