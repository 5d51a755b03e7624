/*
 * Writes messages to standard error: `labelaudit: error: ...`, `labelaudit: warning: ...`. Each is one write, so that
 * lines of several threads or processes do not mix, and passes through escape_terminal, since it may contain file names
 * and data. Any thread.
 */
#pragma once

#include <stdbool.h>

/* Hides warnings if verbosity is below 0 (--quiet). Call before threads are started. */
void log_set_verbosity(int verbosity);

/* Shows the words error and warning in colours. Call before threads are started. */
void log_set_colour(bool colour);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Writes a finished text of any lines and colours, whose data the caller has escaped. */
void log_text(const char *text);
