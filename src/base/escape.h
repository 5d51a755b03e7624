/*
 * Makes bytes of file names and data inert: one function per output language. Every output passes bytes from outside
 * through one of them.
 *
 * The functions take arbitrary bytes, NULs included, and append to a strbuf. Dangerous are: control bytes and escape
 * sequences (C0, DEL, C1), line separators, characters that reorder or hide text on the screen (bidi controls,
 * zero-width and tag characters), noncharacters, bytes that are not UTF-8, and commands that CI runners obey anywhere
 * in a log (##[command], ##vso[command]), including one that began in the strbuf. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/*
 * Returns how many bytes continue a character that begins with this byte, and the range of the first of them (Unicode
 * 15, table 3-7); 0: none, or the byte begins no character.
 */
static inline unsigned utf8_continuations(uint8_t lead, uint8_t *low, uint8_t *high)
{
	*low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
	*high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
	return lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
}

#define NOT_UTF8 UINT32_MAX

/*
 * Decodes the first character of n > 0 bytes and returns its length. If it is ill-formed, *out is NOT_UTF8, and the
 * length is that of its maximal subpart (Unicode 15, section 3.9, "U+FFFD Substitution of Maximal Subparts").
 */
size_t utf8_decode(const unsigned char *s, size_t n, uint32_t *out);

/* Returns whether s is well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms, nothing past U+10FFFF). */
bool utf8_valid(const char *s, size_t n);
/* Returns the length of s[0..n) cut to at most max bytes, at the end of a character. */
static inline size_t utf8_cut(const char *s, size_t n, size_t max)
{
	size_t cut = n < max ? n : max;

	while (cut && cut < n && ((unsigned char)s[cut] & 0xc0) == 0x80)
		cut--;
	return cut;
}

/*
 * For a terminal or a log, on one line: dangerous bytes become \xHH, dangerous characters past U+007F \u{HEX}, the
 * first # of a command \x23. A backslash is kept, so escaping twice changes nothing.
 */
void escape_terminal(struct strbuf *out, const char *s, size_t n);

/*
 * The inside of a JSON string. Dangerous characters become \uHHHH, so the value is exact; each ill-formed part becomes
 * U+FFFD (with the parts of Python's errors="replace").
 */
void escape_json(struct strbuf *out, const char *s, size_t n);
/* A whole JSON string, in double quotes, which is a string of YAML, too. */
void escape_json_string(struct strbuf *out, const char *s, size_t n);

/* The functions below do what escape_terminal does, and also escape the syntax of their language. */

/* XML 1.0 and HTML: text, and attribute values in double quotes. No CDATA section is needed or opened. */
void escape_xml(struct strbuf *out, const char *s, size_t n);
/*
 * Markdown (CommonMark, GitHub's and GitLab's) within a line or a table cell: no markup, HTML, link or mathematics; @
 * becomes \x40, because it would notify the user of that name.
 */
void escape_markdown(struct strbuf *out, const char *s, size_t n);
/* The inside of a code span, also in a table: ` becomes \x60 and | becomes \x7c. */
void escape_markdown_code(struct strbuf *out, const char *s, size_t n);
/*
 * A whole CSV field, in double quotes (RFC 4180). A ' precedes each = + - @ that a spreadsheet could take for the
 * beginning of a formula, also where a cell would begin if ; or | were the separator.
 */
void escape_csv(struct strbuf *out, const char *s, size_t n);
/* GitHub's workflow commands (actions/toolkit, command.ts): the data after the second ::, and a property's value. */
void escape_github_data(struct strbuf *out, const char *s, size_t n);
void escape_github_property(struct strbuf *out, const char *s, size_t n);
/* The path of a URI (RFC 3986): every byte but unreserved characters and slashes becomes %HH. Exact for all bytes. */
void escape_uri_path(struct strbuf *out, const char *s, size_t n);

/* Base64 with padding (RFC 4648, section 4), for bytes that must be exact. */
void escape_base64(struct strbuf *out, const char *s, size_t n);
/* Decodes base64 of *n bytes in place and adds a NUL. Returns false unless escape_base64 could have written it. */
bool unescape_base64(char *s, size_t *n);
