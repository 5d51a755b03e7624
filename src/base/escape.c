#include "base/escape.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"

#define NOT_UTF8 UINT32_MAX

/*
 * Decodes the first character of n > 0 bytes and returns its length. If it is ill-formed, *out is NOT_UTF8, and the
 * length is that of its maximal subpart (Unicode 15, section 3.9, "U+FFFD Substitution of Maximal Subparts").
 */
static size_t decode(const unsigned char *s, size_t n, uint32_t *out)
{
	unsigned char lo = 0x80, hi = 0xbf; /* range of the second byte: Unicode 15, table 3-7 */
	size_t length;
	uint32_t c;

	if (s[0] < 0x80) {
		*out = s[0];
		return 1;
	}
	*out = NOT_UTF8;
	if (s[0] >= 0xc2 && s[0] <= 0xdf) {
		length = 2;
		c = s[0] & 0x1fU;
	} else if (s[0] >= 0xe0 && s[0] <= 0xef) {
		length = 3;
		c = s[0] & 0x0fU;
		if (s[0] == 0xe0)
			lo = 0xa0;
		else if (s[0] == 0xed)
			hi = 0x9f;
	} else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		length = 4;
		c = s[0] & 0x07U;
		if (s[0] == 0xf0)
			lo = 0x90;
		else if (s[0] == 0xf4)
			hi = 0x8f;
	} else {
		return 1;
	}
	for (size_t i = 1; i < length; i++) {
		if (i == n || s[i] < lo || s[i] > hi)
			return i;
		c = c << 6 | (s[i] & 0x3fU);
		lo = 0x80;
		hi = 0xbf;
	}
	*out = c;
	return length;
}

bool utf8_valid(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;

	for (size_t at = 0; at < n;) {
		uint32_t c;

		at += decode(p + at, n - at, &c);
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
 * Returns whether p begins a command that runners of GitHub and Azure obey anywhere on a line of a log (actions/runner,
 * ActionCommand.cs; azure-pipelines-agent, Command.cs). Escaping its first # is enough.
 */
static bool is_log_command(const unsigned char *p, size_t n)
{
	return n >= 3 && p[0] == '#' && p[1] == '#' && (p[2] == '[' || (n >= 6 && !memcmp(p + 2, "vso[", 4)));
}

/*
 * Returns whether the end of `out` and the n bytes at p form a command: an archive's path, the # before a member's
 * name, and that name. Escaping the first of the n bytes is enough.
 */
static bool ends_log_command(const struct strbuf *out, const unsigned char *p, size_t n)
{
	static const char *const commands[] = { "##[", "##vso[" };

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		size_t length = strlen(commands[i]);

		for (size_t there = 1; there < length && there <= out->len; there++)
			if (n >= length - there && !memcmp(out->s + out->len - there, commands[i], there) &&
			    !memcmp(p, commands[i] + there, length - there))
				return true;
	}
	return false;
}

static void add_hex(struct strbuf *out, uint32_t v, int digits)
{
	for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
		strbuf_addch(out, "0123456789abcdef"[v >> shift & 15]);
}

/* Returns the text that replaces the first of n > 0 bytes in a language, or NULL. first: of the whole string. */
typedef const char *substitute(const unsigned char *p, size_t n, bool first);

static const char *substitute_nothing(const unsigned char *p, size_t n, bool first)
{
	(void)p, (void)n, (void)first;
	return NULL;
}

/* Escapes dangerous bytes and characters as escape_terminal does, and replaces others as `instead` says. */
static void escape_with(struct strbuf *out, const char *s, size_t n, substitute *instead)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t start = 0; /* of the bytes to be copied next */

	if (ends_log_command(out, p, n)) {
		strbuf_adds(out, "\\x");
		add_hex(out, p[start++], 2);
	}
	for (size_t at = start; at < n;) {
		const char *text = NULL;
		uint32_t c;
		size_t length;

		if (p[at] >= 0x20 && p[at] < 0x7f) {
			text = is_log_command(p + at, n - at) ? "\\x23" : instead(p + at, n - at, !at);
			if (text) {
				strbuf_add(out, s + start, at - start);
				strbuf_adds(out, text);
				start = at + 1;
			}
			at++;
			continue;
		}
		length = decode(p + at, n - at, &c);
		if (c != NOT_UTF8 && c >= 0x80 && !is_dangerous(c)) {
			at += length;
			continue;
		}
		strbuf_add(out, s + start, at - start);
		if (c != NOT_UTF8 && c >= 0x80) {
			strbuf_adds(out, "\\u{");
			add_hex(out, c, c > 0xfffff ? 6 : c > 0xffff ? 5 : c > 0xff ? 4 : 2);
			strbuf_addch(out, '}');
		} else {
			for (size_t i = 0; i < length; i++) {
				strbuf_adds(out, "\\x");
				add_hex(out, p[at + i], 2);
			}
		}
		at += length;
		start = at;
	}
	strbuf_add(out, s + start, n - start);
}

void escape_terminal(struct strbuf *out, const char *s, size_t n)
{
	escape_with(out, s, n, substitute_nothing);
}

static void add_json_ascii(struct strbuf *out, unsigned char c)
{
	static const char short_names[] = "\"\"\\\\b\bf\fn\nr\rt\t"; /* pairs: after the backslash, and the byte */

	for (size_t i = 0; i + 1 < sizeof(short_names); i += 2) {
		if ((unsigned char)short_names[i + 1] == c) {
			strbuf_addch(out, '\\');
			strbuf_addch(out, short_names[i]);
			return;
		}
	}
	strbuf_adds(out, "\\u");
	add_hex(out, c, 4);
}

void escape_json(struct strbuf *out, const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t start = 0;

	if (ends_log_command(out, p, n))
		add_json_ascii(out, p[start++]);
	for (size_t at = start; at < n;) {
		uint32_t c;
		size_t length;

		if (p[at] >= 0x20 && p[at] < 0x7f && p[at] != '"' && p[at] != '\\' && !is_log_command(p + at, n - at)) {
			at++;
			continue;
		}
		length = decode(p + at, n - at, &c);
		if (c != NOT_UTF8 && c >= 0x80 && !is_dangerous(c)) {
			at += length;
			continue;
		}
		strbuf_add(out, s + start, at - start);
		if (c == NOT_UTF8) {
			strbuf_adds(out, "\xef\xbf\xbd"); /* U+FFFD */
		} else if (c < 0x80) {
			add_json_ascii(out, (unsigned char)c);
		} else if (c < 0x10000) {
			strbuf_adds(out, "\\u");
			add_hex(out, c, 4);
		} else {
			strbuf_adds(out, "\\u");
			add_hex(out, 0xd800 + ((c - 0x10000) >> 10), 4);
			strbuf_adds(out, "\\u");
			add_hex(out, 0xdc00 + ((c - 0x10000) & 0x3ff), 4);
		}
		at += length;
		start = at;
	}
	strbuf_add(out, s + start, n - start);
}

void escape_base64(struct strbuf *out, const char *s, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)s;

	for (size_t at = 0; at < n; at += 3) {
		size_t left = n - at;
		uint32_t v = (uint32_t)p[at] << 16;

		if (left > 1)
			v |= (uint32_t)p[at + 1] << 8;
		if (left > 2)
			v |= p[at + 2];
		char group[4] = {
			digits[v >> 18],
			digits[v >> 12 & 63],
			left > 1 ? digits[v >> 6 & 63] : '=',
			left > 2 ? digits[v & 63] : '=',
		};

		strbuf_add(out, group, sizeof(group));
	}
}

/* ---- marked-up text --------------------------------------------------------------------------------------------- */

static const char *substitute_xml(const unsigned char *p, size_t n, bool first)
{
	(void)n, (void)first;
	switch (*p) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>': /* text must not contain ]]> */
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;"; /* HTML 4 has no &apos; */
	default:
		return NULL;
	}
}

void escape_xml(struct strbuf *out, const char *s, size_t n)
{
	escape_with(out, s, n, substitute_xml);
}

/*
 * Uses backslashes where every Markdown knows them, else character references. A colon or dot is replaced only where it
 * would make a link of plain text (http:, www.): `a:b` stays readable. References do not help against @, since
 * renderers look for names after resolving them.
 */
static const char *substitute_markdown(const unsigned char *p, size_t n, bool first)
{
	static const char backslashed[][3] = { "\\\\", "\\`", "\\*", "\\_", "\\[", "\\]", "\\#", "\\!", "\\{", "\\}" };

	for (size_t i = 0; i < sizeof(backslashed) / sizeof(backslashed[0]); i++)
		if ((unsigned char)backslashed[i][1] == *p)
			return backslashed[i];
	switch (*p) {
	case '|':
		return "&#124;";
	case '~':
		return "&#126;";
	case '$': /* mathematics */
		return "&#36;";
	case '@':
		return "\\\\x40";
	case ':':
		return n > 1 && p[1] == '/' ? "&#58;" : NULL;
	case '.':
		/* of www. */
		return !first && ascii_tolower((char)p[-1]) == 'w' ? "&#46;" : NULL;
	case '"': /* harmless in Markdown */
	case '\'':
		return NULL;
	default:
		return substitute_xml(p, n, first);
	}
}

void escape_markdown(struct strbuf *out, const char *s, size_t n)
{
	escape_with(out, s, n, substitute_markdown);
}

static const char *substitute_code_span(const unsigned char *p, size_t n, bool first)
{
	(void)n, (void)first;
	return *p == '`' ? "\\x60" : *p == '|' ? "\\x7c" : NULL;
}

void escape_markdown_code(struct strbuf *out, const char *s, size_t n)
{
	escape_with(out, s, n, substitute_code_span);
}

/* ---- tables, commands, addresses -------------------------------------------------------------------------------- */

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

/* Returns the length of a = + - @ or its full-width form, which some locales treat alike; else 0. */
static size_t formula_length(const char *p, size_t n)
{
	static const char wide[][4] = { "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0" };

	if (*p == '=' || *p == '+' || *p == '-' || *p == '@')
		return 1;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		if (n >= 3 && !memcmp(p, wide[i], 3))
			return 3;
	return 0;
}

void escape_csv(struct strbuf *out, const char *s, size_t n)
{
	struct strbuf inert = STRBUF_INIT;

	escape_terminal(&inert, s, n);
	strbuf_addch(out, '"');
	for (size_t i = 0; i < inert.len; i++) {
		if (formula_length(inert.s + i, inert.len - i) && begins_cell(inert.s, i))
			strbuf_addch(out, '\'');
		if (inert.s[i] == '"')
			strbuf_addch(out, '"');
		strbuf_addch(out, inert.s[i]);
	}
	strbuf_addch(out, '"');
	strbuf_release(&inert);
}

static const char *substitute_github_data(const unsigned char *p, size_t n, bool first)
{
	(void)n, (void)first;
	return *p == '%' ? "%25" : NULL;
}

static const char *substitute_github_property(const unsigned char *p, size_t n, bool first)
{
	return *p == ':' ? "%3A" : *p == ',' ? "%2C" : substitute_github_data(p, n, first);
}

void escape_github_data(struct strbuf *out, const char *s, size_t n)
{
	escape_with(out, s, n, substitute_github_data);
}

void escape_github_property(struct strbuf *out, const char *s, size_t n)
{
	escape_with(out, s, n, substitute_github_property);
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
