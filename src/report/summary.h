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
/* Appends "1 error and 1 warning in 2,914 files (1 could not be read completely), 532,014,112 labels"; where causes
 * have several findings, "1 cause (60 errors) in 30 files, ...". */
void summary_counts(const struct report *r, struct strbuf *out);
/* Appends the files of a cause, its share of the labels, and what it is: " in 30 files (32.05 % of the labels): ...".
 * Nothing is from outside. */
void summary_cause(const struct cause *c, struct strbuf *out);
/* Appends " (line 2, column 1)", the place in that file, unless the message has it. */
void summary_place(const struct cause *c, struct strbuf *out);
/*
 * Appends what to do, which is from outside, before the command of the cause, if it has one: "keep one channel; this
 * changes 3 files:". Returns whether the command follows: not if it is that of a cause before it.
 */
bool summary_remedy(const struct report *r, size_t cause, struct strbuf *out);

/* How a report for people writes findings: one; and a line about those that are left out. */
struct people {
	const struct report *r;
	void (*finding)(const struct report *r, const struct kept_finding *f, struct strbuf *out);
	void (*note)(const struct report *r, const char *text, struct strbuf *out);
};

/* A report for people has at most as many lines, its causes as many of them; --all: as they come. */
enum { LINES_MAX = 60, CAUSE_LINES = 32, CLASSES_MIN = 8 };

size_t text_lines(const struct strbuf *text);
/*
 * Appends the findings by rule: EXAMPLES_LISTED of each, and how many more, in at most `lines` lines. Those that the
 * first causes show, or explain, are left out.
 */
void people_findings(const struct people *p, size_t causes, size_t lines, struct strbuf *out);
/* Appends "path" or "path#member", inert, even for a CI log that obeys commands at the start of a line. */
void add_place(struct strbuf *out, const char *path, const char *member);
/* Does the same with another escape (base/escape.h). */
void add_place_escaped(struct strbuf *out, const char *path, const char *member,
		       void (*escape)(struct strbuf *out, const char *s, size_t n));
