/* The Markdown report where there is a limit on its size, as a step summary of GitHub has. */
#ifndef REPORT_REPORT_MARKDOWN_H
#define REPORT_REPORT_MARKDOWN_H

#include "report/report.h"

/*
 * Appends at most max bytes: findings make room first, then the classes, then the table of rules. Below a few hundred
 * bytes nothing may be left.
 */
void report_markdown(const struct report *r, size_t max, struct strbuf *out);

#endif
