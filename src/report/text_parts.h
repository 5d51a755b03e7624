/*
 * Parts that the reports for a terminal share: text and concise. All text from outside passes escape_terminal, whether
 * or not the output is a terminal.
 */
#pragma once

#include "report/report.h"
#include "report/summary.h"

/* Appends text in a colour if r->colour; "": in none. A level's name has its own. */
void text_paint(const struct report *r, struct strbuf *out, const char *colour, const char *text);
void text_paint_level(const struct report *r, struct strbuf *out, enum level level);
/* Appends "path#member: error rule: message" and a newline, wrapped at `columns`; 0: one line. */
void text_finding(const struct report *r, const struct kept_finding *f, size_t columns, struct strbuf *out);
/* Appends what narrowed the audit, why it is incomplete, and the verdict with the counts: a line each. */
void text_verdict(const struct report *r, struct strbuf *out);
