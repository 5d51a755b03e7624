/* The escaping functions: known dangers one by one, then random bytes whose output must be inert and turn back. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "check_main.h"
#include "random.h"

static void expect(void (*escape)(struct strbuf *, const char *, size_t), const char *in, size_t n, const char *want)
{
	struct strbuf out = STRBUF_INIT;

	escape(&out, in, n);
	ck_assert_str_eq(out.s, want);
	strbuf_release(&out);
}
#define EXPECT(escape, in, want) expect(escape, in, sizeof(in) - 1, want)

TEST(dangers_on_a_terminal)
{
	EXPECT(escape_terminal, "", "");
	EXPECT(escape_terminal, "masks/a b.png", "masks/a b.png");
	EXPECT(escape_terminal, "caf\xc3\xa9 \xe7\x8c\xab \xf0\x9f\x90\x88",
	       "caf\xc3\xa9 \xe7\x8c\xab \xf0\x9f\x90\x88");
	EXPECT(escape_terminal, "a\nb\r\tc\0d", "a\\x0ab\\x0d\\x09c\\x00d");
	EXPECT(escape_terminal, "\033[2J\x7f", "\\x1b[2J\\x7f");
	EXPECT(escape_terminal,
	       "\xc2\x9b"
	       "31m",
	       "\\u{9b}31m");
	EXPECT(escape_terminal,
	       "\xe2\x80\xae"
	       "gnp.a",
	       "\\u{202e}gnp.a");
	EXPECT(escape_terminal, "\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8", "\\u{2066}\\u{061c}\\u{2028}");
	EXPECT(escape_terminal, "\xf3\xa0\x80\xa1", "\\u{e0021}");
	EXPECT(escape_terminal, "\xff\xe9t\xe9", "\\xff\\xe9t\\xe9");
	EXPECT(escape_terminal, "\xed\xa0\x80", "\\xed\\xa0\\x80");                      /* a surrogate */
	EXPECT(escape_terminal, "\xc0\x8a", "\\xc0\\x8a");                               /* an overlong newline */
	EXPECT(escape_terminal, "\xe2\x80", "\\xe2\\x80");                               /* cut */
	EXPECT(escape_terminal, "\\x1b", "\\x1b");                                       /* escaped already */
	EXPECT(escape_terminal, "\xef\xbf\xbe\xf4\x8f\xbf\xbf", "\\u{fffe}\\u{10ffff}"); /* noncharacters */
	/* A runner obeys these in the middle of a line. */
	EXPECT(escape_terminal, "a##[error]b", "a\\x23#[error]b");
	EXPECT(escape_terminal, "###[group]", "#\\x23#[group]");
	EXPECT(escape_terminal, "##vso[task.setvariable]", "\\x23#vso[task.setvariable]");
	EXPECT(escape_terminal, "##vso #1 ## #[", "##vso #1 ## #[");
}

/* An archive, the # before its member, and the member: what none of them has alone. */
TEST(commands_in_pieces)
{
	static const struct {
		const char *first, *second, *terminal, *json;
	} pieces[] = {
		{ "a.tar", "#[error]", "a.tar#\\x23[error]", "a.tar#\\u0023[error]" },
		{ "a.tar", "#vso[task]", "a.tar#\\x23vso[task]", "a.tar#\\u0023vso[task]" },
		{ "a#", "[error]", "a##\\x5berror]", "a##\\u005berror]" },
		{ "##", "vso[task]", "###\\x76so[task]", "###\\u0076so[task]" },
		{ "a.tar", "#vs", "a.tar##vs", "a.tar##vs" },
		{ "a.tar", "[1]", "a.tar#[1]", "a.tar#[1]" },
		{ "a.tar", "", "a.tar#", "a.tar#" },
	};
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		for (int json = 0; json < 2; json++) {
			void (*escape)(struct strbuf *, const char *, size_t) = json ? escape_json : escape_terminal;

			strbuf_clear(&out);
			escape(&out, pieces[i].first, strlen(pieces[i].first));
			strbuf_addch(&out, '#');
			escape(&out, pieces[i].second, strlen(pieces[i].second));
			ck_assert_str_eq(out.s, json ? pieces[i].json : pieces[i].terminal);
		}
	}
	strbuf_clear(&out);
	strbuf_adds(&out, "##vs");
	escape_terminal(&out, "o[", 2);
	ck_assert_str_eq(out.s, "##vs\\x6f[");
	strbuf_release(&out);
}

TEST(dangers_in_json)
{
	EXPECT(escape_json, "a\"b\\c/", "a\\\"b\\\\c/");
	EXPECT(escape_json, "\b\f\n\r\t\0\x01\x1f\x7f", "\\b\\f\\n\\r\\t\\u0000\\u0001\\u001f\\u007f");
	EXPECT(escape_json, "\xc2\x85\xe2\x80\xae\xf3\xa0\x80\xa1", "\\u0085\\u202e\\udb40\\udc21");
	EXPECT(escape_json, "\xf0\x9f\x90\x88", "\xf0\x9f\x90\x88");
	EXPECT(escape_json,
	       "a\xff"
	       "b",
	       "a\xef\xbf\xbd"
	       "b");
	EXPECT(escape_json, "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	EXPECT(escape_json, "\xf0\x9f\x90", "\xef\xbf\xbd");
	EXPECT(escape_json, "\xf0\x9f\x90x", "\xef\xbf\xbdx");
	EXPECT(escape_json, "##[x]##vso[#", "\\u0023#[x]\\u0023#vso[#");
}

/* A name that has something for everybody. */
#define NASTY "a\n\r\t\x1b[31m\xe2\x80\xae\xff\"'`|<script>]]>::error::=cmd|%0A,;&@x"

TEST(dangers_in_xml)
{
	EXPECT(escape_xml, "masks/a b.png", "masks/a b.png");
	EXPECT(escape_xml, "<script src=\"x\" y='z'>&amp;]]>",
	       "&lt;script src=&quot;x&quot; y=&#39;z&#39;&gt;&amp;amp;]]&gt;");
	EXPECT(escape_xml, "\0\x08\x0b\x1f\x7f\xc2\x85", "\\x00\\x08\\x0b\\x1f\\x7f\\u{85}");
	EXPECT(escape_xml, "\xef\xbf\xbe\xef\xbf\xbf\xed\xa0\x80", "\\u{fffe}\\u{ffff}\\xed\\xa0\\x80");
	EXPECT(escape_xml, NASTY,
	       "a\\x0a\\x0d\\x09\\x1b[31m\\u{202e}\\xff&quot;&#39;`|&lt;script&gt;]]&gt;::error::=cmd|%0A,;&amp;@x");
}

TEST(dangers_in_markdown)
{
	EXPECT(escape_markdown, "16-bit masks: 3.5 % (a/b.png)", "16-bit masks: 3.5 % (a/b.png)");
	EXPECT(escape_markdown, "*a* _b_ `c` [d](e) ![f](g) #1 \\x",
	       "\\*a\\* \\_b\\_ \\`c\\` \\[d\\](e) \\!\\[f\\](g) \\#1 \\\\x");
	EXPECT(escape_markdown, "a|b ~~c~~ $x$ {% y %}", "a&#124;b &#126;&#126;c&#126;&#126; &#36;x&#36; \\{% y %\\}");
	EXPECT(escape_markdown, "https://a.b www.a.b WWW.a @all a@b",
	       "https&#58;//a.b www&#46;a.b WWW&#46;a \\\\x40all a\\\\x40b");
	EXPECT(escape_markdown, NASTY,
	       "a\\x0a\\x0d\\x09\\x1b\\[31m\\u{202e}\\xff\"'\\`&#124;&lt;script&gt;\\]\\]&gt;::error::=cmd&#"
	       "124;%0A,;"
	       "&amp;\\\\x40x");
	EXPECT(escape_markdown_code, "a|b`c``<d>*e*\\", "a\\x7cb\\x60c\\x60\\x60<d>*e*\\");
	EXPECT(escape_markdown_code, "x\n\n# y", "x\\x0a\\x0a# y");
}

TEST(dangers_in_csv)
{
	EXPECT(escape_csv, "", "\"\"");
	EXPECT(escape_csv, "traffic light, red", "\"traffic light, red\"");
	EXPECT(escape_csv, "semi-trailer a=b", "\"semi-trailer a=b\"");
	EXPECT(escape_csv, "a\"b\nc", "\"a\"\"b\\x0ac\"");
	EXPECT(escape_csv, "=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\"");
	EXPECT(escape_csv, "+1", "\"'+1\"");
	EXPECT(escape_csv, "-1", "\"'-1\"");
	EXPECT(escape_csv, "@SUM(A1)", "\"'@SUM(A1)\"");
	EXPECT(escape_csv, " \"=1", "\" \"\"'=1\"");
	EXPECT(escape_csv, "\t=1\r=1", "\"\\x09=1\\x0d=1\""); /* a visible backslash is what the cell begins with */
	EXPECT(escape_csv,
	       "\xef\xbc\x9d"
	       "1",
	       "\"'\xef\xbc\x9d"
	       "1\"");
	/* Where ; or | separates. */
	EXPECT(escape_csv, "a;=1", "\"a;'=1\"");
	EXPECT(escape_csv, "a;\"=1", "\"a;\"\"'=1\"");
	EXPECT(escape_csv, "a| -1", "\"a| '-1\"");
}

TEST(dangers_in_workflow_commands)
{
	EXPECT(escape_github_data, "50%: a,b", "50%25: a,b");
	EXPECT(escape_github_data, "%0A::error::", "%250A::error::");
	EXPECT(escape_github_data, "a\n::error::b\r", "a\\x0a::error::b\\x0d");
	EXPECT(escape_github_property, "a:b,c%2C", "a%3Ab%2Cc%252C");
	EXPECT(escape_github_property, NASTY,
	       "a\\x0a\\x0d\\x09\\x1b[31m\\u{202e}\\xff\"'`|<script>]]>%3A%3Aerror%3A%3A=cmd|%250A%2C;&@x");
}

TEST(bytes_in_a_uri)
{
	EXPECT(escape_uri_path, "/a-b/c_d.e~f/0", "/a-b/c_d.e~f/0");
	EXPECT(escape_uri_path, "C:\\ ?#[]%+&=\"", "C%3A%5C%20%3F%23%5B%5D%25%2B%26%3D%22");
	EXPECT(escape_uri_path, "\0\n\x1b\x7f\xff\xc3\xa9", "%00%0A%1B%7F%FF%C3%A9");
}

TEST(base64)
{
	/* RFC 4648 section 10 */
	EXPECT(escape_base64, "", "");
	EXPECT(escape_base64, "f", "Zg==");
	EXPECT(escape_base64, "fo", "Zm8=");
	EXPECT(escape_base64, "foo", "Zm9v");
	EXPECT(escape_base64, "foobar", "Zm9vYmFy");
	EXPECT(escape_base64, "\xff\xfe\xfb", "//77");
}

TEST(validity)
{
	ck_assert(utf8_valid("", 0));
	ck_assert(utf8_valid("\xf4\x8f\xbf\xbf", 4));
	ck_assert(!utf8_valid("\xf4\x90\x80\x80", 4));
	ck_assert(!utf8_valid("\xe0\x9f\xbf", 3));
	ck_assert(!utf8_valid("\xf0\x8f\xbf\xbf", 4));
	ck_assert(!utf8_valid("a\x80", 2));
	ck_assert(!utf8_valid("\xc3\xa9", 1));
}

/* Returns whether stdout, stderr or a CI log may see it: without C0, DEL, C1, bidi controls and bytes that are no
 * UTF-8. */
static bool is_inert(const struct strbuf *text)
{
	for (size_t i = 0; i < text->len; i++) {
		unsigned char c = (unsigned char)text->s[i], next = (unsigned char)text->s[i + 1];
		unsigned char third = next ? (unsigned char)text->s[i + 2] : 0;

		if (c < 0x20 || c == 0x7f || (c == 0xc2 && next < 0xa0))
			return false;
		if (c == 0xe2 && next == 0x80 && third >= 0xa8 && third <= 0xae)
			return false;
		if (c == 0xe2 && next == 0x81 && third >= 0xa6 && third <= 0xa9)
			return false;
		if (c == '#' && next == '#' && third == '[')
			return false;
	}
	return utf8_valid(text->s, text->len);
}

TEST(random_bytes_become_inert)
{
	static const char nasty[] = "\xc2\xe2\x80\xae\xf0\x9f\xed##[\n\x85\xff\x81\xa6\xf3";
	uint64_t state = 1;

	static void (*const others[])(struct strbuf *, const char *, size_t) = {
		escape_xml,         escape_markdown,        escape_markdown_code, escape_csv,
		escape_github_data, escape_github_property, escape_uri_path,
	};

	for (int round = 0; round < 100000; round++) {
		struct strbuf terminal = STRBUF_INIT, json_text = STRBUF_INIT, again = STRBUF_INIT;
		char in[16];
		size_t n = 1 + random_below(&state, sizeof(in));

		/* Half of them from the bytes that dangerous characters are made of. */
		for (size_t i = 0; i < n; i++)
			in[i] = random_below(&state, 2) ? nasty[random_below(&state, sizeof(nasty) - 1)]
							: (char)random_below(&state, 256);
		escape_terminal(&terminal, in, n);
		if (!is_inert(&terminal))
			ck_abort_msg("round %d: %s", round, terminal.s);
		escape_terminal(&again, terminal.s, terminal.len);
		if (strcmp(again.s, terminal.s) != 0)
			ck_abort_msg("round %d: %s", round, terminal.s);
		escape_json(&json_text, in, n);
		if (!is_inert(&json_text))
			ck_abort_msg("round %d: %s", round, json_text.s);
		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
			strbuf_clear(&again);
			others[i](&again, in, n);
			if (!is_inert(&again))
				ck_abort_msg("round %d, escape %zu: %s", round, i, again.s);
		}
		strbuf_release(&terminal);
		strbuf_release(&json_text);
		strbuf_release(&again);
	}
}

static const char *ratio(uint64_t num, uint64_t den, unsigned decimals)
{
	static struct strbuf out = STRBUF_INIT;

	strbuf_clear(&out);
	decimal_ratio(&out, num, den, decimals);
	return out.s;
}

static const char *significant(decimal_wide num, decimal_wide den)
{
	static struct strbuf out = STRBUF_INIT;

	strbuf_clear(&out);
	decimal_significant(&out, num, den);
	return out.s;
}

static const char *of_double(double v)
{
	static struct strbuf out = STRBUF_INIT;

	strbuf_clear(&out);
	decimal_double(&out, v);
	return out.s;
}

TEST(decimals)
{
	ck_assert_str_eq(of_double(0), "0.0");
	ck_assert_str_eq(of_double(1), "1.0");
	ck_assert_str_eq(of_double(2.0 / 3), "0.666667");
	ck_assert_str_eq(of_double(123456.5), "123457.0");
	ck_assert_str_eq(of_double(0x1p64), "18446700000000000000.0");
	ck_assert_str_eq(of_double(0x1.5p-64), "0.0000000000000000000711508");

	ck_assert_str_eq(ratio(0, 0, 6), "0.000000");
	ck_assert_str_eq(ratio(1, 3, 6), "0.333333");
	ck_assert_str_eq(ratio(2, 3, 6), "0.666667");
	ck_assert_str_eq(ratio(1, 2000000, 6), "0.000001"); /* half up */
	ck_assert_str_eq(ratio(UINT64_MAX, UINT64_MAX, 6), "1.000000");
	ck_assert_str_eq(ratio(UINT64_MAX, 1, 0), "18446744073709551615");
	ck_assert_str_eq(ratio(4250, 1000, 1), "4.3");

	ck_assert_str_eq(significant(0, 1), "0.0");
	ck_assert_str_eq(significant(1, 1), "1.0");
	ck_assert_str_eq(significant(6, 100), "0.06");
	ck_assert_str_eq(significant(2, 3), "0.666667");
	ck_assert_str_eq(significant(1234565, 1000000), "1.23457"); /* half up */
	ck_assert_str_eq(significant(9999996, 10000000), "1.0");
	ck_assert_str_eq(significant(9999994, 10000000), "0.999999");
	ck_assert_str_eq(significant(1234567, 1), "1234570.0");
	ck_assert_str_eq(significant(9999999, 1), "10000000.0");
	ck_assert_str_eq(significant(123456, 1), "123456.0");
	ck_assert_str_eq(significant(UINT64_MAX, 1), "18446700000000000000.0");
	ck_assert_str_eq(significant(1, UINT64_MAX), "0.0000000000000000000542101");
	ck_assert_str_eq(significant((decimal_wide)UINT64_MAX, (decimal_wide)65536 * UINT64_MAX), "0.0000152588");
}

TIMEOUT(60)
