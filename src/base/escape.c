#include "base/escape.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"

size_t utf8_decode(const unsigned char *s, size_t n, uint32_t *out)
{
	unsigned char low, high;
	unsigned more = utf8_continuations(s[0], &low, &high);
	uint32_t c = s[0] & 0x3fU >> more;

	*out = s[0] < 0x80 ? s[0] : NOT_UTF8;
	for (size_t i = 1; i <= more; i++) {
		if (i == n || s[i] < low || s[i] > high)
			return i;
		c = c << 6 | (s[i] & 0x3fU);
		low = 0x80;
		high = 0xbf;
	}
	if (more)
		*out = c;
	return more + 1;
}

bool utf8_valid(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;

	for (size_t at = 0; at < n;) {
		uint32_t c;

		at += utf8_decode(p + at, n - at, &c);
		if (c == NOT_UTF8)
			return false;
	}
	return true;
}

/* Returns whether a character past ASCII controls the screen. */
static bool is_dangerous(uint32_t c)
{
	return (c >= 0x80 && c <= 0x9f) ||                    /* C1 */
	       c == 0xad || c == 0x61c ||                     /* soft hyphen; Arabic letter mark */
	       (c >= 0x200b && c <= 0x200f) ||                /* zero width, LRM, RLM */
	       (c >= 0x2028 && c <= 0x202e) ||                /* line and paragraph separators, bidi embeddings */
	       (c >= 0x2060 && c <= 0x206f) ||                /* invisible operators, bidi isolates */
	       c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) || /* BOM, annotations */
	       (c & 0xfffe) == 0xfffe ||                      /* noncharacters; XML 1.0 cannot write two */
	       (c >= 0xe0000 && c <= 0xe007f) /* tags */;
}

/*
 * Returns whether the last `before` bytes of `out` and the n bytes at p begin with a command that runners of GitHub and
 * Azure obey anywhere on a line of a log (actions/runner, ActionCommand.cs; azure-pipelines-agent, Command.cs).
 * Escaping the first byte at p is enough.
 */
static bool is_log_command(const struct strbuf *out, size_t before, const unsigned char *p, size_t n)
{
	static const char *const commands[] = { "##[", "##vso[" };

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		size_t length = strlen(commands[i]);

		if (before < length && n >= length - before &&
		    !memcmp(out->s + out->len - before, commands[i], before) &&
		    !memcmp(p, commands[i] + before, length - before))
			return true;
	}
	return false;
}

static void add_hex(struct strbuf *out, uint32_t v, int digits)
{
	for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
		strbuf_addch(out, "0123456789abcdef"[v >> shift & 15]);
}

/* The syntax of an output language. */
struct language {
	const char *ascii[128]; /* the text that replaces a character; NULL: none */
	/* Returns whether the character at p[at] of n bytes must be replaced by its text; NULL: all must. */
	bool (*applies)(const unsigned char *p, size_t at, size_t n);
	bool json; /* \u escapes, and U+FFFD for ill-formed parts, instead of \x and \u{} */
};

static void add_json(struct strbuf *out, uint32_t c)
{
	if (c == NOT_UTF8) {
		strbuf_adds(out, "\xef\xbf\xbd"); /* U+FFFD */
	} else if (c >= 0x10000) {
		add_json(out, 0xd800 + ((c - 0x10000) >> 10));
		add_json(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
	} else {
		strbuf_adds(out, "\\u");
		add_hex(out, c, 4);
	}
}

/* bytes: the n bytes of the character c. */
static void add_visible(struct strbuf *out, uint32_t c, const unsigned char *bytes, size_t n)
{
	if (c >= 0x80 && c != NOT_UTF8) {
		strbuf_adds(out, "\\u{");
		add_hex(out, c, c > 0xfffff ? 6 : c > 0xffff ? 5 : c > 0xff ? 4 : 2);
		strbuf_addch(out, '}');
		return;
	}
	for (size_t i = 0; i < n; i++) {
		strbuf_adds(out, "\\x");
		add_hex(out, bytes[i], 2);
	}
}

/* Escapes dangerous bytes and characters, commands of logs, and the syntax of the language. */
static void escape_with(struct strbuf *out, const char *s, size_t n, const struct language *language)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t start = 0, length; /* start: of the bytes to be copied next */
	bool is_command = false;

	/* A command may begin in `out`: an archive's path, the # before a member's name, and that name. */
	for (size_t before = 1; n && before <= MIN(out->len, (size_t)5); before++)
		is_command |= is_log_command(out, before, p, n);

	for (size_t at = 0; at < n; at += length) {
		const char *text = p[at] < 0x80 ? language->ascii[p[at]] : NULL;
		uint32_t c = p[at];

		length = 1;
		if (c >= 0x20 && c < 0x7f) {
			if (text && language->applies && !language->applies(p, at, n))
				text = NULL;
			is_command |= c == '#' && is_log_command(out, 0, p + at, n - at);
			if (!text && !is_command)
				continue;
			text = is_command ? NULL : text;
			is_command = false;
		} else {
			length = utf8_decode(p + at, n - at, &c);
			if (c != NOT_UTF8 && c >= 0x80 && !is_dangerous(c))
				continue;
		}
		strbuf_add(out, s + start, at - start);
		start = at + length;
		if (text)
			strbuf_adds(out, text);
		else if (language->json)
			add_json(out, c);
		else
			add_visible(out, c, p + at, length);
	}
	strbuf_add(out, s + start, n - start);
}

/* Defines the function of a language; the rest are members of struct language. */
#define DEFINE_ESCAPE(name, ...)                                         \
	void escape_##name(struct strbuf *out, const char *s, size_t n)  \
	{                                                                \
		static const struct language language = { __VA_ARGS__ }; \
                                                                         \
		escape_with(out, s, n, &language);                       \
	}

DEFINE_ESCAPE(terminal, .json = false)
DEFINE_ESCAPE(json, .json = true,
	      .ascii = { ['"'] = "\\\"",
			 ['\\'] = "\\\\",
			 ['\b'] = "\\b",
			 ['\f'] = "\\f",
			 ['\n'] = "\\n",
			 ['\r'] = "\\r",
			 ['\t'] = "\\t" })

/* HTML 4 has no &apos;, and text of XML must not contain ]]>. */
#define XML_SYNTAX ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;"

DEFINE_ESCAPE(xml, .ascii = { XML_SYNTAX, ['"'] = "&quot;", ['\''] = "&#39;" })

/* Returns false for a colon or dot that makes no link of plain text (http:, www.): `a:b` stays readable. */
static bool applies_in_markdown(const unsigned char *p, size_t at, size_t n)
{
	if (p[at] == ':')
		return at + 1 < n && p[at + 1] == '/';
	return p[at] != '.' || (at && ascii_tolower((char)p[at - 1]) == 'w');
}

/*
 * Uses backslashes where every Markdown knows them, else character references. These do not help against @, since
 * renderers look for names after resolving them. $ begins mathematics.
 */
DEFINE_ESCAPE(markdown, .applies = applies_in_markdown,
	      .ascii = { XML_SYNTAX, ['\\'] = "\\\\", ['`'] = "\\`", ['*'] = "\\*", ['_'] = "\\_", ['['] = "\\[",
			 [']'] = "\\]", ['#'] = "\\#", ['!'] = "\\!", ['{'] = "\\{", ['}'] = "\\}", ['|'] = "&#124;",
			 ['~'] = "&#126;", ['$'] = "&#36;", ['@'] = "\\\\x40", [':'] = "&#58;", ['.'] = "&#46;" })
DEFINE_ESCAPE(markdown_code, .ascii = { ['`'] = "\\x60", ['|'] = "\\x7c" })
DEFINE_ESCAPE(github_data, .ascii = { ['%'] = "%25" })
DEFINE_ESCAPE(github_property, .ascii = { ['%'] = "%25", [':'] = "%3A", [','] = "%2C" })

/*
 * Returns whether a cell begins after the first n bytes at p, also if another separator applies (Excel follows the
 * locale). Blanks and quotes before the cell do not count.
 */
static bool begins_cell(const char *p, size_t n)
{
	while (n && (p[n - 1] == ' ' || p[n - 1] == '"' || p[n - 1] == '\''))
		n--;
	return !n || p[n - 1] == ',' || p[n - 1] == ';' || p[n - 1] == '|';
}

/* Returns whether the text begins with = + - @ or a full-width form of them, which some locales treat alike. */
static bool begins_formula(const char *p, size_t n)
{
	static const char wide[][4] = { "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0" };

	for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
		if (n >= 3 && !memcmp(p, wide[i], 3))
			return true;
	return *p == '=' || *p == '+' || *p == '-' || *p == '@';
}

void escape_json_string(struct strbuf *out, const char *s, size_t n)
{
	strbuf_addch(out, '"');
	escape_json(out, s, n);
	strbuf_addch(out, '"');
}

void escape_csv(struct strbuf *out, const char *s, size_t n)
{
	RELEASED struct strbuf inert = STRBUF_INIT;

	escape_terminal(&inert, s, n);
	strbuf_addch(out, '"');
	for (size_t i = 0; i < inert.len; i++) {
		if (begins_formula(inert.s + i, inert.len - i) && begins_cell(inert.s, i))
			strbuf_addch(out, '\'');
		if (inert.s[i] == '"')
			strbuf_addch(out, '"');
		strbuf_addch(out, inert.s[i]);
	}
	strbuf_addch(out, '"');
}

void escape_uri_path(struct strbuf *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (ascii_isalnum(c) || (c && strchr("-._~/", c))) {
			strbuf_addch(out, (char)c);
		} else {
			strbuf_addch(out, '%');
			strbuf_addch(out, "0123456789ABCDEF"[c >> 4]);
			strbuf_addch(out, "0123456789ABCDEF"[c & 15]);
		}
	}
}

void escape_base64(struct strbuf *out, const char *s, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t at = 0; at < n; at += 3) {
		char group[] = "====";
		uint32_t v = 0;

		for (size_t i = 0; i < 3; i++)
			v = v << 8 | (at + i < n ? (unsigned char)s[at + i] : 0);
		for (size_t i = 0; i < 4 && i <= n - at; i++)
			group[i] = digits[v >> (18 - 6 * i) & 63];
		strbuf_adds(out, group);
	}
}

/* Returns the six bits of a digit, or -1. */
static int base64_value(char c)
{
	if (ascii_isupper(c))
		return c - 'A';
	if (ascii_islower(c))
		return c - 'a' + 26;
	if (ascii_isdigit(c))
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool unescape_base64(char *s, size_t *n)
{
	size_t out = 0;

	if (*n % 4)
		return false;
	for (size_t at = 0; at < *n; at += 4) {
		bool last = at + 4 == *n;
		unsigned pads = !last || s[at + 3] != '=' ? 0 : s[at + 2] == '=' ? 2 : 1;
		uint32_t v = 0;

		for (unsigned i = 0; i < 4; i++) {
			int digit = i >= 4 - pads ? 0 : base64_value(s[at + i]);

			if (digit < 0)
				return false;
			v = v << 6 | (uint32_t)digit;
		}
		if (pads && v & ((1u << 8 * pads) - 1))
			return false; /* bits beyond the last byte */
		for (unsigned i = 0; i < 3 - pads; i++)
			s[out++] = (char)(v >> (16 - 8 * i) & 0xff);
	}
	s[out] = '\0';
	*n = out;
	return true;
}
