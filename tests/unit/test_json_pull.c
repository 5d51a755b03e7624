/*
 * The JSON pull tokenizer: what it accepts and refuses, what the tokens hold, that it makes no difference how the bytes
 * arrive, and that skipping checks as strictly as reading.
 *
 * JSONTestSuite comes from LABELAUDIT_SHARED (default ../shared); where it is absent this prints `skipped`.
 */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/json_pull.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "check_main.h"
#include "effort.h"

struct feed {
	const char *bytes;
	size_t n, at;
	bool fails; /* at the end, instead of ending */
};

static int64_t feed_read(void *context, void *out, size_t n, struct fault *fault)
{
	struct feed *f = context;

	n = MIN(n, f->n - f->at);
	if (!n && f->fails) {
		fault_set(fault, FAULT_UNREADABLE, f->at, "the disk is gone");
		return -1;
	}
	memcpy(out, f->bytes + f->at, n);
	f->at += n;
	return (int64_t)n;
}

enum how { NEXT, SKIP, SKIP_NUMBERS };

/* Every token with what it holds, and the fault with its place: as text; whether it was accepted. buffer 0: from
 * memory, copied to its size. */
static bool transcribe(struct strbuf *out, const char *bytes, size_t n, size_t buffer, enum how how, unsigned options)
{
	struct json_pull p;
	struct feed feed = { bytes, n, 0, false };
	char *copy = xmalloc(n + !n); /* so that the address sanitizer sees a byte too many */
	enum json_token token;
	uint64_t numbers = 0;
	bool in_array = false;

	memcpy(copy, bytes, n);
	if (buffer)
		json_open_stream(&p, feed_read, &feed, buffer, options);
	else
		json_open_memory(&p, copy, n, options);
	strbuf_clear(out);
	do {
		uint64_t before = numbers;

		token = how == SKIP_NUMBERS && in_array ? json_skip_numbers(&p, &numbers) : json_next(&p);
		if (numbers != before)
			strbuf_addf(out, "%llu numbers\n", (unsigned long long)(numbers - before));
		strbuf_addf(out, "%llu %s", (unsigned long long)p.token_offset, json_token_name(token));
		if (token == JSON_KEY || token == JSON_STRING) {
			strbuf_addf(out, " %zu %u ", p.text_len, p.text_flags);
			strbuf_add(out, p.text, p.text_len);
		}
		if (token == JSON_NUMBER)
			strbuf_addf(out, " %d %llu %lld %d%d%d%d", p.number.negative,
				    (unsigned long long)p.number.magnitude, (long long)p.number.exponent,
				    p.number.integer, p.number.exact, p.number.finite, p.number.nan);
		strbuf_addch(out, '\n');
		in_array = token == JSON_ARRAY;
		if (how == SKIP && !json_skip(&p, token))
			token = JSON_FAULT;
	} while (token != JSON_END && token != JSON_FAULT);
	if (token == JSON_FAULT) {
		ck_assert_int_ne(p.fault.kind, FAULT_NONE);
		ck_assert_int_eq(json_next(&p), JSON_FAULT);
		strbuf_addf(out, "%d %llu %llu:%llu %s\n", p.fault.kind, (unsigned long long)p.fault.offset,
			    (unsigned long long)p.fault.line, (unsigned long long)p.fault.column, p.fault.text);
	} else {
		ck_assert_int_eq(p.fault.kind, FAULT_NONE);
		ck_assert_int_eq(json_next(&p), JSON_END);
	}
	strbuf_addf(out, "%llu not finite, %llu bad texts", (unsigned long long)p.non_finite,
		    (unsigned long long)p.bad_text);
	json_close(&p);
	free(copy);
	return token == JSON_END;
}

static bool accepts_as(const char *bytes, size_t n, enum how how, unsigned options)
{
	struct strbuf whole = STRBUF_INIT, parts = STRBUF_INIT;
	static const size_t buffers[] = { 1, 2, 3, 7, 64, 0 };
	bool accepted;

	accepted = transcribe(&whole, bytes, n, 0, how, options);
	for (const size_t *b = buffers; *b; b++) {
		transcribe(&parts, bytes, n, *b, how, options);
		ck_assert_msg(whole.len == parts.len && !memcmp(whole.s, parts.s, whole.len),
			      "%.*s: %zu bytes at a time gives\n%s\ninstead of\n%s", (int)MIN(n, (size_t)200), bytes,
			      *b, parts.s, whole.s);
	}
	strbuf_release(&whole);
	strbuf_release(&parts);
	return accepted;
}

/* Whatever way it is read in. */
static bool accepts(const char *bytes, size_t n, unsigned options)
{
	bool next = accepts_as(bytes, n, NEXT, options);

	ck_assert_msg(accepts_as(bytes, n, SKIP, options) == next, "%.200s: skipping differs", bytes);
	ck_assert_msg(accepts_as(bytes, n, SKIP_NUMBERS, options) == next, "%.200s: counting differs", bytes);
	return next;
}

static void assert_accepted(const char *text, bool expected)
{
	ck_assert_msg(accepts(text, strlen(text), 0) == expected, "%s", text);
}

TEST(test_grammar)
{
	static const char *const good[] = { "0",
					    "-0",
					    " [ ] ",
					    "{}",
					    "[1,-2.5e+3 , 0.1E-2]",
					    "[[],{}]",
					    "\"\"",
					    "{\"a\":{\"b\":[{}]},\"c\":null}",
					    "[true,false,null]",
					    "\xef\xbb\xbf[1]",
					    "[0,1,[2,3],4,{\"a\":5},6]" };
	static const char *const bad[] = {
		"",        " ",          "[",        "{",           "]",          "}",           "[1",
		"[1,",     "[1,]",       "[,1]",     "[1 2]",       "[01]",       "[-]",         "[-01]",
		"[1.]",    "[.1]",       "[1.e2]",   "[1e]",        "[1e+]",      "[+1]",        "[0x1]",
		"[1,2}",   "{\"a\"}",    "{\"a\":}", "{\"a\":1,}",  "{a:1}",      "{\"a\":1]",   "[1] 2",
		"[1]]",    "tru",        "[nul]",    "\"",          "\"\n\"",     "\"\\x\"",     "\"\\u12g4\"",
		"\"\\",    "\"\\u12",    "[NaN]",    "[-Infinity]", "[Infinity]", "\xef\xbb[1]", "\xff\xfe[\0]\0",
		"[1,2,-]", "[1,2,3.,4]", "[1,00]",   "[1,2a]",      "[1\v]"
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_accepted(good[i], true);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_accepted(bad[i], false);
	ck_assert(accepts("[NaN,-Infinity,1,Infinity,[NaN],-Infinity]", 42, JSON_NON_FINITE));
	ck_assert(!accepts("[NaN,-Infinitx]", 15, JSON_NON_FINITE));
	ck_assert(!accepts("[1\0]", 4, 0));
}

static struct json_pull one;

static enum json_token first(const char *text)
{
	json_close(&one);
	json_open_memory(&one, text, strlen(text), 0);
	return json_next(&one);
}

TEST(test_numbers)
{
	static const struct {
		const char *text;
		bool fits_int64, fits_uint64;
		int64_t i;
		uint64_t u;
		double d;
	} cases[] = {
		{ "0", true, true, 0, 0, 0 },
		{ "-0", true, true, 0, 0, 0 },
		{ "9007199254740993", true, true, 9007199254740993, 9007199254740993, 9007199254740992.0 },
		{ "9223372036854775807", true, true, INT64_MAX, INT64_MAX, 9223372036854775808.0 },
		{ "9223372036854775808", false, true, 0, 9223372036854775808U, 9223372036854775808.0 },
		{ "18446744073709551615", false, true, 0, UINT64_MAX, 18446744073709551616.0 },
		{ "18446744073709551616", false, false, 0, 0, 18446744073709551616.0 },
		{ "-9223372036854775808", true, false, INT64_MIN, 0, -9223372036854775808.0 },
		{ "-9223372036854775809", false, false, 0, 0, -9223372036854775808.0 },
		{ "1.0", false, false, 0, 0, 1 },
		{ "1e2", false, false, 0, 0, 100 },
		{ "0.1", false, false, 0, 0, 0.1 },
		{ "-123.456e-7", false, false, 0, 0, -123.456e-7 },
		{ "1e400", false, false, 0, 0, INFINITY },
		{ "1e-400", false, false, 0, 0, 0 },
		{ "5e-324", false, false, 0, 0, 5e-324 },
		{ "1.7976931348623157e308", false, false, 0, 0, 1.7976931348623157e308 },
		{ "123456789012345678901234567890", false, false, 0, 0, 123456789012345678901234567890.0 },
		{ "0.000000000000000000000000000000012345", false, false, 0, 0, 1.2345e-32 },
		{ "1e99999999999999999999999", false, false, 0, 0, INFINITY },
		{ "3.14159265358979323846264338327950288", false, false, 0, 0, 3.14159265358979323846 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t v = 77;
		uint64_t u = 77;

		ck_assert_int_eq(first(cases[i].text), JSON_NUMBER);
		ck_assert_msg(json_number_int64(&one.number, &v) == cases[i].fits_int64, "%s", cases[i].text);
		ck_assert_msg(json_number_uint64(&one.number, &u) == cases[i].fits_uint64, "%s", cases[i].text);
		ck_assert_msg(v == (cases[i].fits_int64 ? cases[i].i : 77), "%s", cases[i].text);
		ck_assert_msg(u == (cases[i].fits_uint64 ? cases[i].u : 77), "%s", cases[i].text);
		double d = json_number_double(&one.number);

		ck_assert_msg(!memcmp(&d, &cases[i].d, sizeof(d)) || d == cases[i].d, "%s: %.17g", cases[i].text, d);
	}
	first("-0");
	ck_assert(one.number.negative && one.number.integer && !one.number.magnitude);
	ck_assert(signbit(json_number_double(&one.number)));
}

/* Up to 19 digits, as Python writes them: the nearest double, which strtod() finds. */
TEST(test_nearest)
{
	uint64_t random = 1;
	char text[64];

	for (uint32_t i = 0; i < effort(20000, 200000); i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		const int decimals = 1 + (int)(i % 18);
		const uint64_t ten = (uint64_t)pow(10, decimals),
			       digits = (random >> 1) % UINT64_C(9999999999999999999);

		snprintf(text, sizeof(text), "%" PRIu64 ".%0*" PRIu64, digits / ten, decimals, digits % ten);
		ck_assert_int_eq(first(text), JSON_NUMBER);
		const double expected = strtod(text, NULL), found = json_number_double(&one.number);

		ck_assert_msg(!memcmp(&expected, &found, sizeof(found)), "%s: %.20g, not %.20g", text, found, expected);
	}
}

static void assert_text(const char *json, const char *text, size_t n, unsigned flags)
{
	struct strbuf out = STRBUF_INIT;
	char expected[256];

	ck_assert_int_eq(first(json), JSON_STRING);
	ck_assert_msg(one.text_len == n && !memcmp(one.text, text, n), "%s gives %.*s", json, (int)one.text_len,
		      one.text);
	ck_assert_msg(one.text_flags == flags, "%s: flags %u", json, one.text_flags);
	snprintf(expected, sizeof(expected), "0 a string %zu %u ", n, flags);
	ck_assert(accepts(json, strlen(json), 0)); /* and in parts */
	transcribe(&out, json, strlen(json), 1, NEXT, 0);
	ck_assert_msg(!strncmp(out.s, expected, strlen(expected)), "%s gives %s", json, out.s);
	strbuf_release(&out);
}

TEST(test_strings)
{
	assert_text("\"\"", "", 0, 0);
	assert_text("\"a long one, longer than one vector\"", "a long one, longer than one vector", 34, 0);
	assert_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8, 0);
	assert_text("\"a\\u0000b\"", "a\0b", 3, 0);
	assert_text("\"\\u00e9\\u20AC\\ud834\\udd1e\"", "\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e", 9, 0);
	assert_text("\"\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e\"", "\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e", 9, 0);
	assert_text("\"\\ud834\"", "\xef\xbf\xbd", 3, JSON_TEXT_LONE_SURROGATE);
	assert_text("\"\\ud834x\"", "\xef\xbf\xbdx", 4, JSON_TEXT_LONE_SURROGATE);
	assert_text("\"\\ud834\\n\"", "\xef\xbf\xbd\n", 4, JSON_TEXT_LONE_SURROGATE);
	assert_text("\"\\udd1e\\ud834\\ud834\\udd1e\"", "\xef\xbf\xbd\xef\xbf\xbd\xf0\x9d\x84\x9e", 10,
		    JSON_TEXT_LONE_SURROGATE);
	assert_text("\"\\ud834\xc3\xa9\"", "\xef\xbf\xbd\xc3\xa9", 5, JSON_TEXT_LONE_SURROGATE);
	assert_text("\"\xff\"", "\xff", 1, JSON_TEXT_BAD_UTF8);
	assert_text("\"\xc0\x80\"", "\xc0\x80", 2, JSON_TEXT_BAD_UTF8);
	assert_text("\"\xe0\x80\x80\"", "\xe0\x80\x80", 3, JSON_TEXT_BAD_UTF8);
	assert_text("\"\xed\xa0\x80\"", "\xed\xa0\x80", 3, JSON_TEXT_BAD_UTF8);
	assert_text("\"\xf4\x90\x80\x80\"", "\xf4\x90\x80\x80", 4, JSON_TEXT_BAD_UTF8);
	assert_text("\"\xe2\x82\"", "\xe2\x82", 2, JSON_TEXT_BAD_UTF8);
	assert_text("\"\xe2\x82\\n\"", "\xe2\x82\n", 3, JSON_TEXT_BAD_UTF8);
	assert_text("\"\xe2"
		    "a\"",
		    "\xe2"
		    "a",
		    2, JSON_TEXT_BAD_UTF8);
}

/* Cut at the limit whether copied or not, never through a character; the rest is still checked. */
TEST(test_string_limit)
{
	static const struct {
		const char *json;
		size_t n;
		unsigned flags;
	} cases[] = {
		{ "\"abcd\"", 4, 0 },
		{ "\"abcde\"", 4, JSON_TEXT_CUT },
		{ "\"abc\\n\"", 4, 0 },
		{ "\"abc\\u00e9\"", 3, JSON_TEXT_CUT },
		{ "\"abc\xc3\xa9\"", 3, JSON_TEXT_CUT },
		{ "\"ab\xc3\xa9xy\"", 4, JSON_TEXT_CUT },
		{ "\"abcd\xff\"", 4, JSON_TEXT_CUT | JSON_TEXT_BAD_UTF8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t buffer = 0; buffer < 3; buffer++) {
			struct feed feed = { cases[i].json, strlen(cases[i].json), 0, false };
			struct json_pull p;

			if (buffer)
				json_open_stream(&p, feed_read, &feed, buffer, 0);
			else
				json_open_memory(&p, feed.bytes, feed.n, 0);
			json_set_text_max(&p, 4);
			ck_assert_int_eq(json_next(&p), JSON_STRING);
			ck_assert_msg(p.text_len == cases[i].n && p.text_flags == cases[i].flags, "%s: %zu, %u",
				      cases[i].json, p.text_len, p.text_flags);
			ck_assert_int_eq(json_next(&p), JSON_END);
			json_close(&p);
		}
}

TEST(test_places)
{
	static const char text[] = "{\n\t\"a\": [1,\n2, x]}";
	struct feed feed = { text, strlen(text), 0, true };
	uint64_t line, column;

	for (size_t buffer = 1; buffer < 30; buffer++) {
		struct json_pull p;

		feed.at = 0;
		json_open_stream(&p, feed_read, &feed, buffer, 0);
		ck_assert_int_eq(json_next(&p), JSON_OBJECT);
		ck_assert_int_eq(json_next(&p), JSON_KEY);
		ck_assert_uint_eq(p.token_offset, 3);
		json_place(&p, &line, &column);
		ck_assert_uint_eq(line, 2);
		ck_assert_uint_eq(column, 2);
		ck_assert(!json_skip_next(&p));
		ck_assert_int_eq(p.fault.kind, FAULT_LABELS);
		ck_assert_uint_eq(p.fault.line, 3);
		ck_assert_uint_eq(p.fault.column, 4);
		ck_assert_uint_eq(p.fault.offset, 15);
		ck_assert_str_eq(p.fault.text, "not JSON: expected a value, found 'x'");
		json_close(&p);
	}
}

/* The stream's own fault is reported, wherever it fails. */
TEST(test_failing_stream)
{
	static const char text[] = "{\"a\\n\": [1.5e3, -2, true, \"x\\u00e9\"]} ";

	for (size_t n = 0; n <= strlen(text); n++)
		for (int skip = 0; skip < 2; skip++) {
			struct feed feed = { text, n, 0, true };
			struct json_pull p;
			enum json_token token;

			json_open_stream(&p, feed_read, &feed, 4, 0);
			do
				token = json_next(&p);
			while (skip ? json_skip(&p, token) && token != JSON_END
				    : token != JSON_FAULT && token != JSON_END);
			ck_assert_int_eq(p.fault.kind, FAULT_UNREADABLE);
			ck_assert_str_eq(p.fault.text, "the disk is gone");
			ck_assert_int_eq(json_next(&p), JSON_FAULT);
			json_close(&p);
		}
}

TEST(test_depth)
{
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;

	for (int i = 0; i < JSON_PULL_DEPTH_MAX; i++)
		strbuf_adds(&text, i % 2 ? "[" : "{\"a\":");
	for (int i = JSON_PULL_DEPTH_MAX; i-- > 0;)
		strbuf_adds(&text, i == JSON_PULL_DEPTH_MAX - 1 ? "]" : i % 2 ? "]" : "}");
	ck_assert(accepts(text.s, text.len, 0));
	strbuf_clear(&text);
	for (int i = 0; i <= JSON_PULL_DEPTH_MAX; i++)
		strbuf_adds(&text, "[");
	transcribe(&out, text.s, text.len, 0, SKIP, 0);
	ck_assert_ptr_nonnull(strstr(out.s, "JSON nested deeper than 1024 levels"));
	strbuf_release(&text);
	strbuf_release(&out);
}

TEST(test_skipping)
{
	static const char text[] =
		"{\"skip\": {\"a\": [1, [2, 3, {\"b\": \"\\u00e9\"}]]}, \"n\": [1, -2.5 ,3e1,0], \"s\": \"x\"}";
	uint64_t numbers = 0;

	ck_assert_int_eq(first(text), JSON_OBJECT);
	ck_assert_int_eq(json_next(&one), JSON_KEY);
	ck_assert(json_skip_next(&one));
	ck_assert_uint_eq(one.depth, 1);
	ck_assert_int_eq(json_next(&one), JSON_KEY);
	ck_assert(json_text_is(&one, "n"));
	ck_assert_int_eq(json_next(&one), JSON_ARRAY);
	ck_assert_int_eq(json_skip_numbers(&one, &numbers), JSON_ARRAY_END);
	ck_assert_uint_eq(numbers, 4);
	ck_assert_int_eq(json_next(&one), JSON_KEY);
	ck_assert(json_skip_next(&one));
	ck_assert_int_eq(json_next(&one), JSON_OBJECT_END);
	ck_assert_int_eq(json_next(&one), JSON_END);

	/* numbers between other things, counted once each */
	static const char *const lists[] = { "[]",        "[1]", "[1,2]", "[[],1]", "[1,[],2,3]", "[ 1 , 2 , null ]",
					     "[1,\"\",2]" };
	static const uint64_t counts[] = { 0, 1, 2, 1, 3, 2, 2 };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		enum json_token token;

		numbers = 0;
		ck_assert_int_eq(first(lists[i]), JSON_ARRAY);
		while ((token = json_skip_numbers(&one, &numbers)) != JSON_ARRAY_END)
			ck_assert(json_skip(&one, token));
		ck_assert_msg(numbers == counts[i], "%s: %llu", lists[i], (unsigned long long)numbers);
		ck_assert_int_eq(json_next(&one), JSON_END);
	}
}

static void hide_features(const char *features)
{
	struct error err = ERROR_INIT;

	setenv("LABELAUDIT_DISABLE_CPU_FEATURES", features, 1);
	ck_assert_int_eq(cpu_init(&err), STATUS_OK);
}

enum { BLOCKS = 37 }; /* with space for that many values, blocks are read whole */

/* The values that json_next_numbers gives, at most `max` at a time, are those of json_next. */
static void check_values_by(const char *text, size_t n, size_t max, bool right)
{
	struct json_pull fast, slow;
	enum json_token token;

	json_open_memory(&fast, text, n, 0);
	json_open_memory(&slow, text, n, 0);
	ck_assert_int_eq(json_next(&fast), json_next(&slow));
	do {
		double values[BLOCKS] = { 0 };
		size_t count = 0;
		enum json_token found = json_next_numbers(&fast, values, max, &count);

		ck_assert_uint_le(count, max);
		ck_assert_int_eq(found == JSON_NUMBER, count == max);
		for (size_t i = 0; i < count; i++) {
			double expected;

			ck_assert_msg(json_next(&slow) == JSON_NUMBER, "%s: too many numbers", text);
			expected = json_number_double(&slow.number);
			ck_assert_msg(!memcmp(&values[i], &expected, sizeof(expected)), "%s: %g, not %g", text,
				      values[i], expected);
		}
		token = count == max ? JSON_NUMBER : json_next(&slow);
		ck_assert_msg(found == token, "%s", text);
		ck_assert_msg(json_end_offset(&fast) == json_end_offset(&slow), "%s", text);
	} while (token == JSON_NUMBER);
	ck_assert(!right || token == JSON_ARRAY_END);
	ck_assert_msg(token == JSON_FAULT || json_next(&fast) == json_next(&slow), "%s", text);
	ck_assert_str_eq(fast.fault.text, slow.fault.text);
	ck_assert_uint_eq(fast.fault.column, slow.fault.column);
	json_close(&fast);
	json_close(&slow);
}

static void check_values(const char *text, size_t n, bool right)
{
	static const size_t most[] = { 1, 2, 3, BLOCKS };

	for (size_t i = 0; i < ARRAY_SIZE(most); i++)
		check_values_by(text, n, most[i], right);
	hide_features("avx2");
	check_values_by(text, n, BLOCKS, right);
	hide_features("");
}

/* At every length of digits, before and after the point, and with the end of the text anywhere. */
TEST(test_values)
{
	static const char digits[] = "9007199254740993123456";
	char text[256];

	for (int whole = 0; whole < 20; whole++)
		for (int part = -1; part < 20; part++)
			for (int form = 0; form < 8; form++) {
				int n = snprintf(text, sizeof(text), "[%s%s%.*s%s%.*s%s%90s", form & 1 ? "1, " : "",
						 form & 2 ? "-" : "", whole, digits + (form & 4 ? 1 : 0),
						 part < 0 ? "" : ".", part < 0 ? 0 : part, digits,
						 part % 2 ? "]" : ", 7                          ]", "");

				check_values(text, (size_t)n, false);
			}
}

/* Random lists of numbers, some of them damaged: the fast way and the slow way agree on each. */
TEST(test_random_lists)
{
	static const char *const parts[] = { "0",        "1",   "-7",          "12.5", "345.25",    "1e5",
					     "2E-3",     "0.1", "1234567.875", "-0",   "-99999.99", "12345678",
					     "1.000001", ",",   ", ",          " ,\n", ".",         "-",
					     "00",       "e",   " ",           "1.",   "x" };
	struct strbuf text = STRBUF_INIT;
	uint32_t random = 12345;

	for (uint32_t i = 0; i < effort(2400, 6000); i++) {
		uint32_t length = 1 + i % 60, damage = i % 3 ? length : (random >> 9) % length;

		strbuf_clear(&text);
		strbuf_adds(&text, "[");
		for (uint32_t k = 0; k < length; k++) {
			random = random * 1664525 + 1013904223;
			strbuf_adds(&text, parts[(random >> 16) % (k == damage ? ARRAY_SIZE(parts) : 13)]);
			if (k + 1 < length)
				strbuf_adds(&text, (random >> 24) % 4 ? "," : (random >> 26) % 2 ? ", " : ",\n  ");
		}
		strbuf_adds(&text, "]");

		/* a byte anywhere, so that blocks break in every place */
		static const char bytes[] = "0123456789.-+eE, \n\t]x";
		bool byte = i % 5 == 1;

		if (byte)
			text.s[1 + (random >> 4) % (text.len - 1)] = bytes[(random >> 20) % (sizeof(bytes) - 1)];

		bool slow = accepts_as(text.s, text.len, NEXT, 0);

		ck_assert_msg(accepts_as(text.s, text.len, SKIP, 0) == slow, "%s", text.s);
		ck_assert_msg(accepts_as(text.s, text.len, SKIP_NUMBERS, 0) == slow, "%s", text.s);
		check_values(text.s, text.len, slow);
		ck_assert(slow || byte || damage != length);
	}
	strbuf_release(&text);
}

/* Right and wrong parts of a list, at every place of a block of 64 bytes. */
TEST(test_long_lists)
{
	static const struct {
		const char *text;
		bool good;
	} cases[] = {
		{ "0", true },    { "-0.5", true },    { "\n\n 7", true },  { "7 ", true },     { "7\t", true },
		{ "1e5", true },  { "10", true },      { "100.001", true }, { "-", false },     { "- 5", false },
		{ "1.", false },  { "1. 5", false },   { ".5", false },     { "1.2.3", false }, { "1..2", false },
		{ "--1", false }, { "1-2", false },    { "1 2", false },    { "1\n2", false },  { "01", false },
		{ "-01", false }, { "-.5", false },    { "", false },       { " ", false },     { "1.-5", false },
		{ "00", false },  { "1.2 .3", false }, { "x", false },      { "+1", false },    { "1e", false },
	};
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (unsigned before = 0; before < 70; before++) {
			strbuf_clear(&text);
			strbuf_adds(&text, "[");
			for (unsigned k = 0; k < before; k++)
				strbuf_addch(&text, "1,22,"[(k + 5 - before % 5) % 5]);
			if (before && text.s[1] == ',')
				text.s[1] = '\n';
			strbuf_adds(&text, cases[i].text);
			for (unsigned k = 0; k < 40; k++)
				strbuf_adds(&text, k % 2 ? ",-1.5" : ", 20");
			strbuf_adds(&text, "]");
			ck_assert_msg(transcribe(&out, text.s, text.len, 0, NEXT, 0) == cases[i].good, "%s", text.s);
			ck_assert_msg(transcribe(&out, text.s, text.len, 0, SKIP, 0) == cases[i].good, "%s", text.s);
			check_values(text.s, text.len, cases[i].good);
		}
	strbuf_release(&text);
	strbuf_release(&out);
}

static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *bytes = xmalloc(4 << 20);

	ck_assert_ptr_nonnull(f);
	*n = fread(bytes, 1, 4 << 20, f);
	fclose(f);
	return bytes;
}

TEST(test_json_test_suite)
{
	/* i_: either is right; what we do with each is decided here, as the header says. */
	static const char *const refused[] = { "i_string_UTF-16LE_with_BOM.json", "i_string_utf16BE_no_BOM.json",
					       "i_string_utf16LE_no_BOM.json" };
	const char *shared = getenv("LABELAUDIT_SHARED");
	char folder[1024], path[2048];
	unsigned files = 0;

	snprintf(folder, sizeof(folder), "%s/hostile/jsontestsuite/test_parsing", shared ? shared : "../shared");
	DIR *dir = opendir(folder);

	if (!dir) {
		printf("skipped: no JSONTestSuite\n");
		return;
	}
	for (struct dirent *e; (e = readdir(dir));) {
		size_t n;
		bool expected = e->d_name[0] != 'n';

		if (!strchr("yni", e->d_name[0]) || e->d_name[1] != '_')
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
			if (!strcmp(e->d_name, refused[i]))
				expected = false;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		char *bytes = read_file(path, &n);

		ck_assert_msg(accepts(bytes, n, 0) == expected, "%s", e->d_name);
		free(bytes);
		files++;
	}
	closedir(dir);
	printf("JSONTestSuite: %u files, all as expected, each read in 3 ways and 6 buffers\n", files);
	ck_assert_uint_ge(files, 300);
}

TIMEOUT(120)
