/* Text that is wrapped: where lines end, what is kept, and what never begins a line. */
#include <string.h>

#include "base/wrap.h"
#include "check_main.h"

static struct strbuf out = STRBUF_INIT;

static const char *wrap(const char *text, size_t at, size_t indent, size_t columns)
{
	strbuf_clear(&out);
	wrap_text(&out, text, at, indent, columns);
	return out.s;
}

TEST(lines_end_at_blanks)
{
	ck_assert_str_eq(wrap("one two three", 0, 2, 9), "one two\n  three");
	ck_assert_str_eq(wrap("one two three", 0, 2, 7), "one two\n  three");
	ck_assert_str_eq(wrap("one two three", 0, 2, 6), "one\n  two\n  three");
	ck_assert_str_eq(wrap("one two three", 0, 2, 0), "one two three");
	ck_assert_str_eq(wrap("two three", 6, 2, 9), "two\n  three"); /* after "one: " */
	ck_assert_str_eq(wrap("two", 8, 2, 9), "\n  two");
	ck_assert_str_eq(wrap("", 0, 2, 9), "");
}

TEST(all_else_is_kept)
{
	ck_assert_str_eq(wrap("a  b   c", 0, 2, 80), "a  b   c");
	ck_assert_str_eq(wrap("abc /a/very/long/path b", 0, 2, 8), "abc\n  /a/very/long/path\n  b");
	ck_assert_str_eq(wrap("\xc3\xa9\xc3\xa9 \xc3\xa9", 0, 2, 4),
			 "\xc3\xa9\xc3\xa9 \xc3\xa9"); /* 4 columns of 7 bytes */
	ck_assert_uint_eq(text_columns("\xc3\xa9t\xc3\xa9"), 3);
}

/* GitHub obeys a line that begins with ::, even after blanks, and wrapping must not make one. */
TEST(no_line_begins_with_a_command)
{
	ck_assert_str_eq(wrap("one two ::error::x y", 0, 2, 8), "one two ::error::x\n  y");
	ck_assert_str_eq(wrap("one two \xe3\x80\x80::error::x", 0, 2, 8), "one two \xe3\x80\x80::error::x");
}
