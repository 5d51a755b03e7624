#include "base/escape.h"

#include <stdint.h>

#define NOT_UTF8 UINT32_MAX

/*
 * Decodes one character of the n > 0 bytes at s. Returns how many bytes it takes; for an ill-formed one *out is
 * NOT_UTF8 and the length is that of its maximal subpart (Unicode 15, section 3.9, "U+FFFD Substitution of Maximal
 * Subparts").
 */
static size_t decode(const unsigned char *s, size_t n, uint32_t *out)
{
	unsigned char lo = 0x80, hi = 0xbf; /* what the second byte may be: Unicode 15, table 3-7 */
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

/* Characters past ASCII that control a screen instead of showing on it. */
static bool is_dangerous(uint32_t c)
{
	return (c >= 0x80 && c <= 0x9f) ||     /* C1 */
	       c == 0xad || c == 0x61c ||      /* soft hyphen; Arabic letter mark */
	       (c >= 0x200b && c <= 0x200f) || /* zero width, LRM, RLM */
	       (c >= 0x2028 && c <= 0x202e) || /* line and paragraph separators, bidi embeddings */
	       (c >= 0x2060 && c <= 0x206f) || /* invisible operators, bidi isolates */
	       c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
	       (c >= 0xe0000 && c <= 0xe007f) /* BOM, annotations, tags */;
}

static void add_hex(struct strbuf *out, uint32_t v, int digits)
{
	for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
		strbuf_addch(out, "0123456789abcdef"[v >> shift & 15]);
}

void escape_terminal(struct strbuf *out, const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t start = 0; /* of what is fit to be copied and is not copied yet */

	for (size_t at = 0; at < n;) {
		uint32_t c;
		size_t length;

		if (p[at] >= 0x20 && p[at] < 0x7f) {
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
			add_hex(out, c, c > 0xffff ? 5 : c > 0xff ? 4 : 2);
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

static void add_json_ascii(struct strbuf *out, unsigned char c)
{
	static const char short_names[] = "\"\"\\\\b\bf\fn\nr\rt\t"; /* what follows the backslash, and the byte */

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

	for (size_t at = 0; at < n;) {
		uint32_t c;
		size_t length;

		if (p[at] >= 0x20 && p[at] < 0x7f && p[at] != '"' && p[at] != '\\') {
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
