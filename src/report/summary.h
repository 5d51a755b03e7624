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
/* Calls add for each line beside the counts: of what the report is, what narrowed it, and what it lacks. */
void summary_remarks(const struct report *r, void (*add)(const struct report *r, const char *text, struct strbuf *out),
		     struct strbuf *out);

/* The words about a cause. The members of the cause, and the remedy, are from outside. */
struct cause_text {
	const struct cause *cause;
	size_t number;       /* from 1 */
	const char *what;    /* " in 30 files (32.05 % of the labels): an id that is ..." */
	const char *place;   /* after the example: " (x 3, y 7): "; NULL: the message names it, or there is none */
	const char *remedy;  /* "keep one channel; this corrects 3 files in a copy:"; "" if nothing is known */
	const char *command; /* NULL: there is none, or it is that of a cause before */
};

/* How a report for people writes a cause; a finding; and a line about those that are left out. */
struct people {
	const struct report *r;
	void (*cause)(const struct report *r, const struct cause_text *text, struct strbuf *out);
	void (*finding)(const struct report *r, const struct kept_finding *f, struct strbuf *out);
	void (*note)(const struct report *r, const char *text, struct strbuf *out);
};

/* A report for people has at most as many lines, its causes as many of them; --all: as they come. */
enum { LINES_MAX = 60, CAUSE_LINES = 32, CLASSES_MIN = 8 };

size_t text_lines(const struct strbuf *text);
/* Appends causes, CAUSES_LISTED at most, as long as `lines` are not full, and how many more. Returns how many it lists.
 */
size_t people_causes(const struct people *p, size_t lines, struct strbuf *out);
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
/* Appends "path#member: error rule: message" and a newline, wrapped at `columns`; 0: one line. */
void text_finding(const struct report *r, const struct kept_finding *f, size_t columns, struct strbuf *out);
