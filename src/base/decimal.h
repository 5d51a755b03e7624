/*
 * Ratios of counts as decimal text, from integers alone: the same digits on every machine, in every locale and
 * rounding mode. Half is rounded up. Pure, any thread.
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdint.h>

#include "base/strbuf.h"

/* The compiler's own; wide enough for a 64-bit count times a class count times a power of ten. */
__extension__ typedef unsigned __int128 decimal_wide;

/* num / den with that many decimals: "0.732200". decimals <= 9; den 0 gives 0. num < 2^64, den < 2^120. */
void decimal_ratio(struct strbuf *out, uint64_t num, decimal_wide den, unsigned decimals);

/*
 * num / den with 6 significant digits and at least one decimal, without an exponent or trailing zeros: "0.06",
 * "1.23457", "1.0" (so that a list of them is never taken for a list of integers). den > 0. num and den < 2^100, and
 * num / den between 2^-64 and 2^64, or num == 0.
 */
void decimal_significant(struct strbuf *out, decimal_wide num, decimal_wide den);

/* The same of a double: 0, or between 2^-64 and 2^64. */
void decimal_double(struct strbuf *out, double v);

#endif
