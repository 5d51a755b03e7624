/* read/text_lines.c: the same lines whether the text is in memory or streamed, and those of a plain loop. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "input_maker.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "random.h"
#include "read/text_lines.h"

/* Each line as [number:length:first byte to last], and what ended it all. */
static void all_lines(const char *bytes, size_t n, bool streamed, struct strbuf *out)
{
	struct input in;
	struct text_lines t;
	struct text_line line;
	struct fault fault;

	fault_clear(&fault);
	make_input(&in, bytes, n, streamed);
	if (text_lines_open(&t, &in, &fault)) {
		if (t.bom)
			strbuf_adds(out, "bom ");
		while (text_lines_next(&t, &line, &fault)) {
			strbuf_addf(out, "[%llu:", (unsigned long long)line.number);
			if (line.n > 100)
				strbuf_addf(out, "%zu bytes", line.n);
			else
				strbuf_add(out, line.s, line.n);
			strbuf_adds(out, line.lone_cr ? "\\r]" : "]");
		}
	}
	if (fault.kind != FAULT_NONE)
		strbuf_addf(out, "%s", fault.text);
	text_lines_close(&t);
	input_release(&in);
}

static void expect(const char *bytes, size_t n, const char *wanted)
{
	for (int streamed = 0; streamed < 2; streamed++) {
		struct strbuf got = STRBUF_INIT;

		all_lines(bytes, n, streamed, &got);
		ck_assert_str_eq(got.s, wanted);
		strbuf_release(&got);
	}
}
#define EXPECT(bytes, wanted) expect(bytes, sizeof(bytes) - 1, wanted)

TEST(line_ends)
{
	EXPECT("", "");
	EXPECT("a", "[1:a]");
	EXPECT("a\n", "[1:a]");
	EXPECT("a\nb", "[1:a][2:b]");
	EXPECT("\n\na\n", "[1:][2:][3:a]");
	EXPECT("a\r\nb\r\n", "[1:a][2:b]");
	EXPECT("a\rb\r", "[1:a\\r][2:b\\r]");
	EXPECT("a\r\rb\n", "[1:a\\r][2:\\r][3:b]");
	EXPECT("a\n\rb", "[1:a][2:\\r][3:b]");
	EXPECT("\xef\xbb\xbf"
	       "a\n",
	       "bom [1:a]");
	EXPECT("\xef\xbb\xbf", "bom ");
	EXPECT("\xff\xfe"
	       "a\0\n\0",
	       "the text is in UTF-16; label files must be UTF-8");
	EXPECT("\xfe\xff\0a", "the text is in UTF-16; label files must be UTF-8");
	EXPECT("0\0 \0000\0.\0005\0\n\0", "the text is in UTF-16; label files must be UTF-8");
	EXPECT("\0000\0 \0000\0.\0005\0\n", "the text is in UTF-16; label files must be UTF-8");
	EXPECT("\xff\xfe\0\0a\0\0\0", "the text is in UTF-32; label files must be UTF-8");
}

TEST(the_longest_line)
{
	char *bytes = xmalloc(TEXT_LINE_MAX + 16);

	memset(bytes, 'x', TEXT_LINE_MAX + 16);
	bytes[0] = '\n';
	bytes[TEXT_LINE_MAX + 1] = '\n';
	expect(bytes, TEXT_LINE_MAX + 1, "[1:][2:262144 bytes]");
	expect(bytes, TEXT_LINE_MAX + 4, "[1:][2:262144 bytes][3:xx]");
	bytes[TEXT_LINE_MAX + 1] = 'x';
	expect(bytes, TEXT_LINE_MAX + 2, "[1:]line 2 is longer than 262144 bytes, the most that is read");
	free(bytes);
}

/* A CR LF on both sides of where a window ends is one line end. */
TEST(a_line_end_across_windows)
{
	enum { HALF = TEXT_WINDOW / 2 };
	char *bytes = xmalloc(TEXT_WINDOW + 16);

	for (size_t cr = TEXT_WINDOW - 3; cr < TEXT_WINDOW + 3; cr++) {
		memset(bytes, 'x', TEXT_WINDOW + 16);
		bytes[HALF] = bytes[HALF + 1000] = '\n';
		bytes[cr] = '\r';
		bytes[cr + 1] = '\n';
		struct strbuf wanted = STRBUF_INIT;

		strbuf_addf(&wanted, "[1:%d bytes][2:999 bytes][3:%zu bytes][4:xx]", HALF, cr - HALF - 1001);
		expect(bytes, cr + 4, wanted.s);
		strbuf_release(&wanted);
	}
	free(bytes);
}

/* Lines of all lengths, so that windows end everywhere, against a loop over single bytes. */
TEST(windows_against_a_plain_loop)
{
	for (unsigned round = 0; round < 6; round++) {
		struct strbuf text = STRBUF_INIT, streamed = STRBUF_INIT, wanted = STRBUF_INIT;
		static const char *const ends[] = { "\n", "\r\n", "\r" };
		uint64_t state = 12345 + round;
		size_t number = 0;

		while (text.len < 3 * TEXT_WINDOW) {
			size_t n = random_below(&state, round < 3 ? 60 : 9000);
			const char *end = ends[round % 3];

			if (round == 5)
				end = ends[random_below(&state, 2)]; /* mixed, but never an empty line after a CR */
			strbuf_addf(&wanted, "[%zu:", ++number);
			if (n > 100)
				strbuf_addf(&wanted, "%zu bytes", n);
			for (size_t i = 0; i < n; i++) {
				strbuf_addch(&text, (char)('a' + i % 26));
				if (n <= 100)
					strbuf_addch(&wanted, (char)('a' + i % 26));
			}
			strbuf_adds(&text, end);
			strbuf_adds(&wanted, !strcmp(end, "\r") ? "\\r]" : "]");
		}
		all_lines(text.s, text.len, true, &streamed);
		ck_assert_str_eq(streamed.s, wanted.s);
		strbuf_clear(&streamed);
		all_lines(text.s, text.len, false, &streamed);
		ck_assert_str_eq(streamed.s, wanted.s);
		strbuf_release(&text);
		strbuf_release(&streamed);
		strbuf_release(&wanted);
	}
}

TIMEOUT(60)
