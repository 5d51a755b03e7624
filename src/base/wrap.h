/* Wraps text for a terminal. A column is a character of UTF-8: wide and combining ones are not looked up. Pure. */
#pragma once

#include <stddef.h>

#include "base/strbuf.h"

/* Returns the number of characters of s. */
size_t text_columns(const char *s);

/*
 * Appends text from column `at` on, and continues at column `indent` where a word would pass column `columns`; 0: no
 * limit. Never begins a line with what a CI service would obey. Only a blank becomes the end of a line: all others are
 * kept, and so are words that are too long for a line. Returns the column after the last word.
 */
size_t wrap_text(struct strbuf *out, const char *text, size_t at, size_t indent, size_t columns);
