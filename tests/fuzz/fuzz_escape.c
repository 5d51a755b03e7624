/* Arbitrary bytes through every escaping function: the output is inert, valid for its language, and turns back. */
#include "base/escape.h"
#include "base/json_pull.h"
#include "base/mem.h"
#include "fuzz.h"

/* No control byte, no line break, nothing that is not UTF-8, no bidi control, no command of a CI service. */
static void expect_inert(const struct strbuf *out)
{
	FUZZ_CHECK(utf8_valid(out->s, out->len));
	for (size_t i = 0; i < out->len; i++) {
		const unsigned char *p = (const unsigned char *)out->s + i;

		FUZZ_CHECK(p[0] >= 0x20 && p[0] != 0x7f);
		FUZZ_CHECK(p[0] != 0xc2 || p[1] >= 0xa0);                               /* C1 */
		FUZZ_CHECK(p[0] != 0xe2 || p[1] != 0x80 || p[2] < 0xa8 || p[2] > 0xae); /* U+2028 to 202E */
		FUZZ_CHECK(p[0] != 0xe2 || p[1] != 0x81 || p[2] < 0xa6 || p[2] > 0xa9); /* U+2066 to 2069 */
	}
	FUZZ_CHECK(!strstr(out->s, "##[") && !strstr(out->s, "##vso["));
}

static void run(void (*escape)(struct strbuf *, const char *, size_t), const char *s, size_t n, struct strbuf *out)
{
	strbuf_clear(out);
	strbuf_adds(out, "before");
	escape(out, s, n);
	FUZZ_CHECK(!strncmp(out->s, "before", 6) && strlen(out->s) == out->len);
	memmove(out->s, out->s + 6, out->len - 5);
	out->len -= 6;
	expect_inert(out);
}

static void check_json(const char *s, size_t n, struct strbuf *out)
{
	struct strbuf quoted = STRBUF_INIT;
	struct json_pull p;

	run(escape_json, s, n, out);
	strbuf_addch(&quoted, '"');
	strbuf_add(&quoted, out->s, out->len);
	strbuf_addch(&quoted, '"');
	json_open_memory(&p, quoted.s, quoted.len, 0);
	json_set_text_max(&p, 6 * n + 8);
	FUZZ_CHECK(json_next(&p) == JSON_STRING && !p.text_flags);
	if (utf8_valid(s, n))
		FUZZ_CHECK(p.text_len == n && !memcmp(p.text, s, n));
	FUZZ_CHECK(json_next(&p) == JSON_END);
	json_close(&p);
	strbuf_release(&quoted);
}

static void check_markup(const char *s, size_t n, struct strbuf *out)
{
	run(escape_xml, s, n, out);
	FUZZ_CHECK(!strpbrk(out->s, "<>\"'"));
	for (const char *p = out->s; (p = strchr(p, '&')) != NULL; p++)
		FUZZ_CHECK(!strncmp(p, "&amp;", 5) || !strncmp(p, "&lt;", 4) || !strncmp(p, "&gt;", 4) ||
			   !strncmp(p, "&quot;", 6) || !strncmp(p, "&#39;", 5));
	run(escape_markdown, s, n, out);
	FUZZ_CHECK(!strpbrk(out->s, "<>|@$~"));
	run(escape_markdown_code, s, n, out);
	FUZZ_CHECK(!strpbrk(out->s, "`|"));
}

static void check_csv(const char *s, size_t n, struct strbuf *out)
{
	run(escape_csv, s, n, out);
	FUZZ_CHECK(out->len >= 2 && out->s[0] == '"' && out->s[out->len - 1] == '"');
	FUZZ_CHECK(!strchr("=+-@", out->s[1]));
	for (size_t i = 1; i < out->len - 1; i++)
		if (out->s[i] == '"') {
			FUZZ_CHECK(i + 1 < out->len - 1 && out->s[i + 1] == '"');
			i++;
		}
}

static void check_uri(const char *s, size_t n, struct strbuf *out)
{
	size_t at = 0;

	run(escape_uri_path, s, n, out);
	for (const char *p = out->s; *p; p++) {
		unsigned byte = (unsigned char)*p;

		if (*p == '%') {
			FUZZ_CHECK(sscanf(p + 1, "%2X", &byte) == 1);
			p += 2;
		}
		FUZZ_CHECK(at < n && (unsigned char)s[at] == byte);
		at++;
	}
	FUZZ_CHECK(at == n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct strbuf out = STRBUF_INIT;
	char *s = (char *)fuzz_copy(data, n);

	run(escape_terminal, s, n, &out);
	struct strbuf again = STRBUF_INIT;

	escape_terminal(&again, out.s, out.len); /* text that was escaped is not changed again */
	FUZZ_CHECK(again.len == out.len && !memcmp(again.s, out.s, out.len));
	strbuf_clear(&again); /* in two pieces, as an archive and its member are written */
	escape_terminal(&again, s, n / 2);
	strbuf_addch(&again, '#');
	escape_terminal(&again, s + n / 2, n - n / 2);
	expect_inert(&again);
	strbuf_release(&again);
	check_json(s, n, &out);
	check_markup(s, n, &out);
	check_csv(s, n, &out);
	run(escape_github_data, s, n, &out);
	FUZZ_CHECK(!strchr(out.s, '\r'));
	run(escape_github_property, s, n, &out);
	FUZZ_CHECK(!strpbrk(out.s, ":,"));
	check_uri(s, n, &out);
	run(escape_base64, s, n, &out);
	size_t back = out.len;

	FUZZ_CHECK(unescape_base64(out.s, &back) && back == n && !memcmp(out.s, s, n));
	char *text = xmemdup0(s, n);

	back = n;
	unescape_base64(text, &back); /* anything: refused or not, in its bounds */
	FUZZ_CHECK(back <= n);
	free(text);
	free(s);
	return 0;
}
