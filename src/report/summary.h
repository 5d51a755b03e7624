/*
 * The short summary for standard error: the verdict, the counts, the next thing to do, in a few lines; and phrases that
 * it shares with the reports for people. Text from outside is made inert (base/escape.h).
 */
#pragma once

#include "base/strbuf.h"
#include "report/report.h"

/* ECMA-48 select graphic rendition */
#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define CYAN   "\033[36m"
#define BOLD   "\033[1m"
#define FAINT  "\033[2m"
#define PLAIN  "\033[0m"

/* A report for people lists as many causes, and findings of each rule. */
enum { CAUSES_LISTED = 10, EXAMPLES_LISTED = 5 };

/* Appends one to three lines. */
void report_summary(const struct report *r, struct strbuf *out);
/* Appends a line for -v: where the time went, and the peak memory. */
void report_run_summary(const struct report *r, struct strbuf *out);

/* Returns "PASS", "FAIL", "FINDINGS" for errors with --fail-on never, or "INCOMPLETE" if not everything was audited. */
const char *summary_verdict(const struct report *r);
/* Appends it, in its colour if r->colour. */
void summary_paint_verdict(const struct report *r, struct strbuf *out);
/* Appends what follows "not everything was audited: ", for a report that is not complete. */
void summary_why_incomplete(const struct report *r, struct strbuf *out);
/* Appends "2 errors and 1 warning in 2914 files (1 could not be read completely), 532014112 labels"; where a cause
 * explains others, "1 cause (60 errors) in 30 files, ...". */
void summary_counts(const struct report *r, struct strbuf *out);
/* Appends the files of a cause, " in 30 files", and what it is. Nothing is from outside. */
void summary_cause(const struct cause *c, struct strbuf *out);
/* Appends "path" or "path#member", inert, even for a CI log that obeys commands at the start of a line. */
void add_place(struct strbuf *out, const char *path, const char *member);
/* Does the same with another escape (base/escape.h). */
void add_place_escaped(struct strbuf *out, const char *path, const char *member,
		       void (*escape)(struct strbuf *out, const char *s, size_t n));
