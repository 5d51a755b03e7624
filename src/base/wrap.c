#include "base/wrap.h"

#include <stdbool.h>
#include <string.h>

#include "base/guard.h"

static size_t count_columns(const char *s, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)s[i] & 0xc0) != 0x80;
	return columns;
}

size_t text_columns(const char *s)
{
	return count_columns(s, strlen(s));
}

/*
 * Returns whether a CI service would take a line that begins with the word for a command: GitHub obeys :: at the
 * beginning of a line, after any blanks of Unicode (all characters beyond ASCII are treated the same).
 */
static bool is_command(const char *word)
{
	while ((unsigned char)*word >= 0x80)
		word++;
	return word[0] == ':' && word[1] == ':';
}

size_t wrap_text(struct strbuf *out, const char *text, size_t at, size_t indent, size_t columns)
{
	for (bool first = true;; first = false) {
		size_t n = strcspn(text, " "), width = count_columns(text, n);
		size_t blank = first ? 0 : 1;

		bool fits = !columns || at <= indent || at + blank + width <= columns;

		if (!fits && !GUARD(command_on_a_new_line, is_command(text))) {
			strbuf_addf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (blank) {
			strbuf_addch(out, ' ');
			at++;
		}
		strbuf_add(out, text, n);
		at += width;
		if (!text[n])
			return at;
		text += n + 1;
	}
}
