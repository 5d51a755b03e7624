/*
 * Making bytes from file names and data inert: one function an output language. Nothing that came from outside is
 * written to any output but through one of these.
 *
 * Every function takes arbitrary bytes (<pointer, length>; NULs allowed) and appends to a strbuf. What is dangerous:
 * control bytes and escape sequences (C0, DEL, C1), line separators, the marks that reorder or hide text on the
 * screen (bidi controls, zero-width and tag characters), noncharacters, bytes that are not UTF-8, and what the runners
 * of CI services obey anywhere on a line of a log (##[command], ##vso[command]), also one that begins in what the
 * strbuf has already. Pure, any thread.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* Well-formed UTF-8 (RFC 3629: no surrogates, nothing overlong, nothing past U+10FFFF). */
bool utf8_valid(const char *s, size_t n);

/*
 * Text for a terminal or a log, never with a line break: dangerous bytes and bytes that are not UTF-8 as \xHH,
 * dangerous characters past U+007F as \u{HEX}, the first # of a command as \x23. A backslash stays as it is, so text
 * that was escaped already is not changed again.
 */
void escape_terminal(struct strbuf *out, const char *s, size_t n);

/*
 * What stands between the quotes of a JSON string. Dangerous characters become \uHHHH, which every parser turns back,
 * so the value is exact; each ill-formed part becomes U+FFFD (as Python's errors="replace" counts the parts).
 */
void escape_json(struct strbuf *out, const char *s, size_t n);

/*
 * The others begin with what escape_terminal does, so that no output has a control byte or a line break from outside,
 * whoever prints it; then comes what their language obeys.
 */

/* XML 1.0 and HTML: text, and attribute values in double quotes. No CDATA section is needed or opened. */
void escape_xml(struct strbuf *out, const char *s, size_t n);
/*
 * Markdown (CommonMark, GitHub's and GitLab's) within a line, a cell of a table too: no markup, HTML, link,
 * mathematics; @ is \x40, since whoever has the name behind it would be notified.
 */
void escape_markdown(struct strbuf *out, const char *s, size_t n);
/* What stands between the two ` of a code span, in a table too: ` is \x60 and | is \x7c. */
void escape_markdown_code(struct strbuf *out, const char *s, size_t n);
/*
 * A whole field of a CSV file, in double quotes (RFC 4180). A ' stands before every = + - @ that a spreadsheet could
 * take for the beginning of a formula, also one that would begin a cell if ; or | were the separator.
 */
void escape_csv(struct strbuf *out, const char *s, size_t n);
/* GitHub's workflow commands (actions/toolkit, command.ts): what follows the second ::, and the value of a property. */
void escape_github_data(struct strbuf *out, const char *s, size_t n);
void escape_github_property(struct strbuf *out, const char *s, size_t n);
/*
 * The path of a URI (RFC 3986): unreserved characters and slashes as they are, every other byte as %HH. Exact: decoding
 * gives the bytes back, whatever they were.
 */
void escape_uri_path(struct strbuf *out, const char *s, size_t n);

/* Base64, RFC 4648 section 4, with padding: for bytes that must survive exactly. */
void escape_base64(struct strbuf *out, const char *s, size_t n);
/* Turns base64 text of *n bytes back, in place, NUL-terminated; false if it is anything but what escape_base64 writes.
 */
bool unescape_base64(char *s, size_t *n);

#endif
