/*
 * Making bytes from file names and data inert: one function an output language. Nothing that came from outside is
 * written to any output but through one of these.
 *
 * Every function takes arbitrary bytes (<pointer, length>; NULs allowed) and appends to a strbuf. What is dangerous:
 * control bytes and escape sequences (C0, DEL, C1), line separators, the marks that reorder or hide text on the
 * screen (bidi controls, zero-width and tag characters), and bytes that are not UTF-8. Pure, any thread.
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
 * dangerous characters past U+007F as \u{HEX}. A backslash stays as it is, so text that was escaped already is not
 * changed again.
 */
void escape_terminal(struct strbuf *out, const char *s, size_t n);

/*
 * What stands between the quotes of a JSON string. Dangerous characters become \uHHHH, which every parser turns back,
 * so the value is exact; each ill-formed part becomes U+FFFD (as Python's errors="replace" counts the parts).
 */
void escape_json(struct strbuf *out, const char *s, size_t n);

/* Base64, RFC 4648 section 4, with padding: for bytes that must survive exactly. */
void escape_base64(struct strbuf *out, const char *s, size_t n);

#endif
