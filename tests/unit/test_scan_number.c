/* base/scan_number.c against the C library's strtod and strtoll, and by hand where those are laxer or vaguer. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"

#include "base/mem.h"
#include "base/scan_number.h"
#include "random.h"

static void expect_decimal(const char *s, enum number_kind kind, int64_t units, size_t used)
{
	struct decimal_value v;
	const char *end = scan_decimal(s, s + strlen(s), &v);

	ck_assert_msg(v.kind == kind && v.units == units && (size_t)(end - s) == used,
		      "%s: kind %d units %" PRId64 " used %zu", s, (int)v.kind, v.units, (size_t)(end - s));
}

TEST(decimals)
{
	expect_decimal("0", NUMBER_FINITE, 0, 1);
	expect_decimal("1", NUMBER_FINITE, DECIMAL_ONE, 1);
	expect_decimal("-0.01", NUMBER_FINITE, -DECIMAL_ONE / 100, 5);
	expect_decimal("+.5", NUMBER_FINITE, DECIMAL_ONE / 2, 3);
	expect_decimal("5e-1", NUMBER_FINITE, DECIMAL_ONE / 2, 4);
	expect_decimal("5E+1 ", NUMBER_FINITE, 50 * DECIMAL_ONE, 4);
	expect_decimal("2.", NUMBER_FINITE, 2 * DECIMAL_ONE, 2);
	expect_decimal("0.123456789012", NUMBER_FINITE, 123456789012, 14);
	expect_decimal("0.1234567890129", NUMBER_FINITE, 123456789013, 15);
	expect_decimal("0.123456789012000000000000000001", NUMBER_FINITE, 123456789013, 32);
	expect_decimal("0.70086206896551724137", NUMBER_FINITE, 700862068966, 22);
	expect_decimal("1e-300", NUMBER_FINITE, 1, 6); /* not 0 */
	expect_decimal("-1e-300", NUMBER_FINITE, -1, 7);
	expect_decimal("0e309", NUMBER_FINITE, 0, 5);
	expect_decimal("1e309", NUMBER_FINITE, DECIMAL_LIMIT, 5);
	expect_decimal("-1e99999999999999999999", NUMBER_FINITE, -DECIMAL_LIMIT, 23);
	expect_decimal("9000000", NUMBER_FINITE, DECIMAL_LIMIT, 7);
	expect_decimal("9000001", NUMBER_FINITE, DECIMAL_LIMIT, 7);
	expect_decimal("000000000000000000000000000001.5", NUMBER_FINITE, 3 * DECIMAL_ONE / 2, 32);
	expect_decimal("nan", NUMBER_NAN, 0, 3);
	expect_decimal("-NaN", NUMBER_NAN, 0, 4);
	expect_decimal("inf", NUMBER_INFINITE, 0, 3);
	expect_decimal("Infinity,", NUMBER_INFINITE, 0, 8);
	expect_decimal("0x1p-1", NUMBER_FINITE, 0, 1); /* ends at the x */
	expect_decimal("0.5_0", NUMBER_FINITE, DECIMAL_ONE / 2, 3);
	expect_decimal("0,5", NUMBER_FINITE, 0, 1);
	expect_decimal("1e", NUMBER_FINITE, DECIMAL_ONE, 1);
	expect_decimal("1e+", NUMBER_FINITE, DECIMAL_ONE, 1);
	expect_decimal("", NUMBER_NONE, 0, 0);
	expect_decimal("-", NUMBER_NONE, 0, 0);
	expect_decimal(".", NUMBER_NONE, 0, 0);
	expect_decimal(".e1", NUMBER_NONE, 0, 0);
	expect_decimal("person", NUMBER_NONE, 0, 0);
}

TEST(decimals_as_strtod)
{
	uint64_t state = 42;

	for (int i = 0; i < 200000; i++) {
		static const char alphabet[] = "0123456789.e-+";
		char text[24];
		size_t n = 1 + random_next64(&state) % 12;
		struct decimal_value v;

		for (size_t k = 0; k < n; k++)
			text[k] = alphabet[random_next64(&state) % (sizeof(alphabet) - 1)];
		text[n] = '\0';

		char *strtod_end;
		double d = strtod(text, &strtod_end);
		const char *end = scan_decimal(text, text + n, &v);

		ck_assert_msg(end == strtod_end, "%s: ends at %zu, not %zu", text, (size_t)(end - text),
			      (size_t)(strtod_end - text));
		if (v.kind != NUMBER_FINITE)
			continue;
		double units = (double)v.units / (double)DECIMAL_ONE;

		if (fabs(d) < 8e6)
			ck_assert_msg(fabs(d - units) <= 1e-12 + 1e-15 * fabs(d), "%s: %.17g, not %.17g", text, units,
				      d);
		else
			ck_assert_msg(fabs(units) >= 8e6 && (units > 0) == (d > 0), "%s: %.17g, not %.17g", text, units,
				      d);
		ck_assert_msg((d == 0) == (v.units == 0) || fabs(d) < 1e-300, "%s", text);
	}
}

/* The short way takes what it should, and gives what the long way does. */
TEST(fractions_as_decimals)
{
	static const char after[] = " \t\n,;e E-+x.\x80\xff";
	uint64_t state = 7;

	for (int i = 0; i < 200000; i++) {
		const size_t digits = random_below(&state, 20);
		char text[64];
		size_t n = 0;
		struct decimal_value v;
		int64_t units = 0;

		text[n++] = (char)('0' + random_below(&state, i % 2 ? 2 : 10));
		text[n++] = random_below(&state, 50) ? '.' : ',';
		for (size_t k = 0; k < digits; k++)
			text[n++] = (char)('0' + (random_below(&state, 3) ? random_below(&state, 10) : 0));
		text[n] = after[random_below(&state, sizeof(after) - 1)];
		memset(text + n + 1, "0 7\xb5"[i % 4], sizeof(text) - n - 1);

		const char *short_end = scan_fraction(text, &units), *end = scan_decimal(text, text + sizeof(text), &v);

		if (text[1] == '.' && digits > 0 && digits <= 16 && text[n] != 'e' && text[n] != 'E')
			ck_assert_ptr_eq(short_end, text + n);
		if (short_end) {
			ck_assert_ptr_eq(short_end, end);
			ck_assert_msg(units == v.units, "%.*s: %" PRId64 ", not %" PRId64, (int)n, text, units,
				      v.units);
		}
	}
}

static void expect_integer(const char *s, enum integer_kind kind, int64_t value)
{
	int64_t v;
	enum integer_kind got = scan_integer(s, strlen(s), &v);

	ck_assert_msg(got == kind && v == value, "%s: %d %" PRId64, s, (int)got, v);
}

TEST(integers)
{
	expect_integer("0", INTEGER_EXACT, 0);
	expect_integer("007", INTEGER_EXACT, 7);
	expect_integer("+1", INTEGER_EXACT, 1);
	expect_integer("-100", INTEGER_EXACT, -100);
	expect_integer("999999999999999999", INTEGER_EXACT, 999999999999999999);
	expect_integer("9223372036854775807", INTEGER_EXACT, INT64_MAX);
	expect_integer("-9223372036854775808", INTEGER_EXACT, INT64_MIN);
	expect_integer("00000000000000000000000000012", INTEGER_EXACT, 12);
	expect_integer("9223372036854775808", INTEGER_OVERFLOW, 0);
	expect_integer("-9223372036854775809", INTEGER_OVERFLOW, 0);
	expect_integer("99999999999999999999999", INTEGER_OVERFLOW, 0);
	expect_integer("1e300", INTEGER_OVERFLOW, 0);
	expect_integer("1e18", INTEGER_DECIMAL, 1000000000000000000);
	expect_integer("3.0", INTEGER_DECIMAL, 3);
	expect_integer("-3.00", INTEGER_DECIMAL, -3);
	expect_integer("3.", INTEGER_DECIMAL, 3);
	expect_integer("0.0", INTEGER_DECIMAL, 0);
	expect_integer("30e-1", INTEGER_DECIMAL, 3);
	expect_integer("0.7", INTEGER_FRACTION, 0);
	expect_integer("1e-5", INTEGER_FRACTION, 0);
	expect_integer("nan", INTEGER_NAN, 0);
	expect_integer("-Inf", INTEGER_NAN, 0);
	expect_integer("", INTEGER_NONE, 0);
	expect_integer("+", INTEGER_NONE, 0);
	expect_integer("1 ", INTEGER_NONE, 0);
	expect_integer("1_0", INTEGER_NONE, 0);
	expect_integer("0x10", INTEGER_NONE, 0);
	expect_integer("\xef\xbc\x90", INTEGER_NONE, 0); /* a full-width zero */
	expect_integer("cat", INTEGER_NONE, 0);
	expect_integer("nancy", INTEGER_NONE, 0);
}

TEST(integers_as_strtoll)
{
	uint64_t state = 7;

	for (int i = 0; i < 200000; i++) {
		char text[32];
		size_t n = 1 + random_next64(&state) % 22, at = 0;
		int64_t v;

		if (random_next64(&state) % 3 == 0)
			text[at++] = "+-"[random_next64(&state) % 2];
		for (size_t k = 0; k < n; k++)
			text[at++] = (char)('0' + random_next64(&state) % 10);
		text[at] = '\0';
		errno = 0;
		long long wanted = strtoll(text, NULL, 10);
		enum integer_kind kind = scan_integer(text, at, &v);

		ck_assert_msg(kind == (errno == ERANGE ? INTEGER_OVERFLOW : INTEGER_EXACT), "%s", text);
		ck_assert_msg(kind == INTEGER_OVERFLOW || v == wanted, "%s: %" PRId64, text, v);
	}
}

TEST(whole_texts_of_digits)
{
	static const char *const refused[] = {
		"", "-1", "+1", " 1", "1 ", "1.0", "0x1", "18446744073709551616", "99999999999999999999"
	};
	uint64_t v = 5;

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		ck_assert_msg(!scan_whole_uint64(refused[i], strlen(refused[i]), &v), "'%s' was taken", refused[i]);
		ck_assert_uint_eq(v, 5);
	}
	ck_assert(!scan_whole_uint64("1\0", 2, &v));
	ck_assert(scan_whole_uint64("18446744073709551615", 20, &v));
	ck_assert_uint_eq(v, UINT64_MAX);
	ck_assert(scan_whole_uint64("0070 ", 4, &v)); /* not the byte after it */
	ck_assert_uint_eq(v, 70);
}
