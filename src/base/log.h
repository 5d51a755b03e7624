/*
 * Messages to standard error: `labelaudit: error: ...`, `labelaudit: warning: ...`, one write each, so that lines of
 * several threads or processes never mix.
 *
 * File names and data get into messages, and a terminal or a CI log must not obey them: all goes through
 * escape_terminal. Any thread.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

/* As options count it: below 0 (--quiet) warnings are not shown. Call before threads are started. */
void log_set_verbosity(int verbosity);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Writes a finished text as it is; it may have many lines and colours. The caller has escaped what came from outside.
 */
void log_text(const char *text);

#endif
