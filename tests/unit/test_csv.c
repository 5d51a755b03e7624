/* read/csv.c: what RFC 4180 says, what files do beyond it, and a plain state machine that it must agree with. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "input_maker.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "random.h"
#include "read/csv.h"
#include "read/text_look.h"

/* Records as `line: field|field` lines; a fault as its text with line and column. separator 0: guessed. */
static void all_records(const char *bytes, size_t n, bool streamed, char separator, struct strbuf *out)
{
	struct input in;
	struct csv c;
	struct fault fault;

	fault_clear(&fault);
	make_input(&in, bytes, n, streamed);
	if (csv_open(&c, &in, &fault)) {
		struct text_look look;

		text_look_at_lines(c.text.at, (size_t)(c.text.end - c.text.at), c.text.last, &look);
		csv_begin(&c, separator ? separator : look.separator, look.json, look.counted, &fault);
		while (csv_next(&c, &fault)) {
			strbuf_addf(out, "%llu:", (unsigned long long)c.line);
			for (size_t i = 0; i < c.count; i++) {
				strbuf_addch(out, i ? '|' : ' ');
				if (c.fields[i].n > 60)
					strbuf_addf(out, "%zu bytes", c.fields[i].n);
				else
					strbuf_add(out, c.fields[i].s, c.fields[i].n);
			}
			strbuf_adds(out, c.stray_quote ? " stray\n" : "\n");
		}
	}
	if (fault.kind != FAULT_NONE)
		strbuf_addf(out, "%s (%llu, %llu)\n", fault.text, (unsigned long long)fault.line,
			    (unsigned long long)fault.column);
	csv_close(&c);
	input_release(&in);
}

static void expect(const char *bytes, size_t n, const char *wanted)
{
	for (int streamed = 0; streamed < 2; streamed++) {
		struct strbuf got = STRBUF_INIT;

		all_records(bytes, n, streamed, 0, &got);
		ck_assert_str_eq(got.s, wanted);
		strbuf_release(&got);
	}
}
#define EXPECT(bytes, wanted) expect(bytes, sizeof(bytes) - 1, wanted)

TEST(records)
{
	EXPECT("", "");
	EXPECT("\n \n\t\n", "");
	EXPECT("a,b\n1,2\n", "1: a|b\n2: 1|2\n");
	EXPECT("a,b\r\n1,2", "1: a|b\n2: 1|2\n");
	EXPECT("a,b\r1,2\r", "1: a|b\n2: 1|2\n");
	EXPECT("\xef\xbb\xbf"
	       "file,label\na.png,1\n",
	       "1: file|label\n2: a.png|1\n");
	EXPECT("a;b\n1,5;2\n", "1: a|b\n2: 1,5|2\n");
	EXPECT("a\tb c\n1\t2\n", "1: a|b c\n2: 1|2\n");
	EXPECT("a.png 1\nb.png   2 \n\tc.png\t3\n", "1: a.png|1\n2: b.png|2\n3: c.png|3\n");
	EXPECT("7\n8\n", "1: 7\n2: 8\n");
	EXPECT("a,,c\n,,\n", "1: a||c\n2: ||\n");
	EXPECT(" a , b \n", "1: a|b\n");
}

TEST(quotes)
{
	EXPECT("\"a\",\"b\"\n", "1: a|b\n");
	EXPECT("\"a,b\",c\n", "1: a,b|c\n");
	EXPECT("\"a\"\"b\",\"\"\"\"\n", "1: a\"b|\"\n");
	EXPECT("\"a\nb.png\",1\nc,2\n", "1: a\nb.png|1\n3: c|2\n");
	EXPECT("\"a\r\nb\" , 1\nc,2\n", "1: a\r\nb|1\n3: c|2\n");
	EXPECT("\"\"\n", "1: \n"); /* a field, not a blank line */
	EXPECT("a\"b\"c.png,1\n", "1: a\"b\"c.png|1 stray\n");
	EXPECT("\"a\"b,1\n", "1: ab|1 stray\n");
	EXPECT("\"a\"\"\"b,\"\"\"c\"\n", "1: a\"b|\"c stray\n");
	EXPECT("file,label\n\"a.png,1\nb.png,2\n", "1: file|label\nan opening quotation mark is never closed (2, 1)\n");
	EXPECT("a,b\n1,2\nx, \"y", "1: a|b\n2: 1|2\nan opening quotation mark is never closed (3, 4)\n");
}

TEST(limits)
{
	struct strbuf text = STRBUF_INIT;
	struct strbuf wanted = STRBUF_INIT;

	strbuf_adds(&text, "a,b\n\"");
	for (int i = 0; i < TEXT_LINE_MAX + 10; i++)
		strbuf_addch(&text, i % 60 ? 'x' : '\n');
	strbuf_adds(&text, "\",1\n");
	expect(text.s, text.len, "1: a|b\nan opening quotation mark is not closed within 262144 bytes (2, 1)\n");
	for (size_t i = 0; i < text.len; i++)
		if (text.s[i] == '"' || (text.s[i] == '\n' && i > 4))
			text.s[i] = 'x';
	expect(text.s, text.len, "1: a|b\nline 2 is longer than 262144 bytes, the most that is read (2, 1)\n");
	strbuf_clear(&text);
	for (int i = 1; i < CSV_FIELDS_MAX; i++)
		strbuf_addch(&text, ',');
	strbuf_addch(&text, '\n');
	strbuf_adds(&wanted, "1: ");
	for (int i = 1; i < CSV_FIELDS_MAX; i++)
		strbuf_addch(&wanted, '|');
	strbuf_addch(&wanted, '\n');
	expect(text.s, text.len, wanted.s);
	text.s[text.len - 1] = ',';
	expect(text.s, text.len, "line 1 has more than 8192 columns, the most that are read (1, 1)\n");
	strbuf_release(&text);
	strbuf_release(&wanted);
}

/* A mark in the middle of a sentence opens nothing, and hides no tab. */
TEST(marks_in_sentences)
{
	static const char text[] = "text\tlabel\nso, \"he said\t1\nthe 5\" disk, \"new\", he said\t2\n";

	expect(text, sizeof(text) - 1,
	       "1: text|label\n2: so, \"he said|1 stray\n3: the 5\" disk, \"new\", he said|2 stray\n");
}

TEST(places)
{
	static const char text[] = "a , \"b\n,\n\", c\n";
	struct input in;
	struct csv c;
	struct fault fault;

	fault_clear(&fault);
	make_input(&in, text, sizeof(text) - 1, false);
	ck_assert(csv_open(&c, &in, &fault) && csv_begin(&c, ',', false, false, &fault));
	ck_assert(csv_next(&c, &fault));
	ck_assert_uint_eq(c.count, 3);
	static const uint64_t expected[][2] = { { 1, 1 }, { 1, 5 }, { 3, 4 } };

	for (size_t i = 0; i < c.count; i++) {
		uint64_t line;

		ck_assert_uint_eq(csv_place(&c, c.fields[i].at, &line), expected[i][1]);
		ck_assert_uint_eq(line, expected[i][0]);
	}
	ck_assert_uint_eq(c.text.lines, 3);
	ck_assert(!csv_next(&c, &fault));
	ck_assert(csv_rewind(&c, &fault) && csv_next(&c, &fault));
	ck_assert_uint_eq(c.line, 1);
	csv_close(&c);
	input_release(&in);
}

/* ---- against a plain state machine ------------------------------------------------------------------------------ */

/* The same output as all_records gives with a comma, from single bytes and no windows. */
static void plain_records(const char *s, size_t n, struct strbuf *out)
{
	size_t i = 0;
	unsigned long long line = 1;

	while (i < n) {
		struct strbuf record = STRBUF_INIT;
		unsigned long long first_line = line;
		size_t fields = 0;
		bool stray = false, any_quoted = false, some = false;

		for (;;) {
			struct strbuf field = STRBUF_INIT;
			size_t open = i;

			while (i < n && is_blank(s[i]))
				i++;
			if (i < n && s[i] == '"') {
				unsigned long long quote_line = line;
				size_t column = i + 1;

				while (open > 0 && s[open - 1] != '\n' && s[open - 1] != '\r')
					open--;
				column -= open;
				any_quoted = true;
				for (i++;; i++) {
					if (i == n) {
						strbuf_addf(out,
							    "an opening quotation mark is never closed (%llu, %zu)\n",
							    quote_line, column);
						strbuf_release(&field);
						strbuf_release(&record);
						return;
					}
					if (s[i] == '"' && i + 1 < n && s[i + 1] == '"')
						i++;
					else if (s[i] == '"')
						break;
					else if (s[i] == '\n' || (s[i] == '\r' && (i + 1 == n || s[i + 1] != '\n')))
						line++;
					strbuf_addch(&field, s[i]);
				}
				size_t kept = field.len;

				for (i++; i < n && s[i] != ',' && s[i] != '\n' && s[i] != '\r'; i++) {
					strbuf_addch(&field, s[i]);
					if (!is_blank(s[i])) {
						kept = field.len;
						stray = true;
					}
				}
				strbuf_cut(&field, kept);
			} else {
				while (i < n && s[i] != ',' && s[i] != '\n' && s[i] != '\r') {
					stray = stray || s[i] == '"';
					strbuf_addch(&field, s[i++]);
				}
				while (field.len && is_blank(field.s[field.len - 1]))
					field.len--;
			}
			strbuf_addch(&record, fields++ ? '|' : ' ');
			some = some || field.len;
			if (field.len > 60)
				strbuf_addf(&record, "%zu bytes", field.len);
			else
				strbuf_add(&record, field.s, field.len);
			strbuf_release(&field);
			if (i == n || s[i] != ',')
				break;
			i++;
		}
		if (i < n) {
			i += s[i] == '\r' && i + 1 < n && s[i + 1] == '\n' ? 2 : 1;
			line++;
		}
		if (some || any_quoted || fields > 1)
			strbuf_addf(out, "%llu:%s%s\n", first_line, record.s, stray ? " stray" : "");
		strbuf_release(&record);
	}
}

TEST(against_a_plain_state_machine)
{
	static const char alphabet[] = "ab,,\n\"\" \r\txyz";
	uint64_t state = 99;

	for (int round = 0; round < 20000; round++) {
		struct strbuf got = STRBUF_INIT, wanted = STRBUF_INIT;
		char text[80];
		size_t n = random_below(&state, sizeof(text));

		for (size_t i = 0; i < n; i++)
			text[i] = alphabet[random_below(&state, sizeof(alphabet) - 1)];
		plain_records(text, n, &wanted);
		all_records(text, n, round % 16 == 0, ',', &got);
		if (strcmp(got.s, wanted.s) != 0) {
			for (size_t i = 0; i < n; i++)
				printf("%02x ", (unsigned char)text[i]);
			printf("\n%.*s\n", (int)n, text);
		}
		ck_assert_str_eq(got.s, wanted.s);
		strbuf_release(&got);
		strbuf_release(&wanted);
	}
}

TEST(windows_against_a_plain_state_machine)
{
	struct strbuf text = STRBUF_INIT, got = STRBUF_INIT, wanted = STRBUF_INIT;
	uint64_t state = 5;

	while (text.len < 3 * TEXT_WINDOW) {
		size_t n = random_below(&state, 3000);

		strbuf_addf(&text, "\"pa\"\"th\n%zu\",", n);
		for (size_t i = 0; i < n; i++)
			strbuf_addch(&text, 'x');
		strbuf_adds(&text, n % 2 ? ",7\r\n" : ",\"8\"\n");
	}
	plain_records(text.s, text.len, &wanted);
	all_records(text.s, text.len, true, ',', &got);
	ck_assert_str_eq(got.s, wanted.s);
	strbuf_release(&text);
	strbuf_release(&got);
	strbuf_release(&wanted);
}

TIMEOUT(60)
