/* The line that a message tells the user to type next: the one that was typed, with a change. */
#pragma once

#include "cli/options.h"

/*
 * Appends "labelaudit ADDED WORDS", quoted for a shell and inert on a terminal; WORDS are what was typed, but for
 * `from`, which `to` replaces. added, from: may be NULL.
 */
void command_line_add(const struct options *o, const char *added, const char *from, const char *to, struct strbuf *out);
