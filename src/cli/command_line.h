/* The line that a message tells the user to type next: the one that was typed, with a change. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "cli/options.h"

/* Returns the index in argv of the first word after the command, if one was typed. */
int command_line_begin(const struct options *o);
/* Appends " --name value", quoted; value: NULL if the option takes none. */
void command_line_add_option(const char *name, const char *value, struct strbuf *out);

/*
 * Appends "labelaudit ADDED WORDS", quoted for a shell and inert on a terminal; WORDS are what was typed, but for
 * `from`, which `to` replaces. added begins with a space; it and from may be NULL.
 */
void command_line_add(const struct options *o, const char *added, const char *from, const char *to, struct strbuf *out);

/*
 * Appends what follows "labelaudit fix": " OPTIONS PATHs -o NAME-fixed/", with the options of this audit that were
 * typed and decide what is found. Returns false, and appends nothing, if it has no PATH, or standard input as one.
 */
bool command_line_add_fix(const struct options *o, struct strbuf *out);
