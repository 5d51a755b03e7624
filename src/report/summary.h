/*
 * The short summary for standard error: the verdict, the counts, the next thing to do. A few lines, no colours, inert
 * (base/escape.h). And the phrases that it shares with the text report.
 */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "base/strbuf.h"
#include "report/report.h"

/* Of a report that is not complete: behind "not everything was audited: ". */
#define WHY_INCOMPLETE "some files could not be read, or the audit was interrupted"

/* One to three lines, each with its line break. */
void report_summary(const struct report *r, struct strbuf *out);

/* "PASS", "FAIL"; "INCOMPLETE" if not everything was audited */
const char *summary_verdict(const struct report *r);
/* "2 errors and 1 warning in 2914 files (1 could not be read whole), 532014112 labels" */
void summary_counts(const struct report *r, struct strbuf *out);
/* The finding to look at first, which mostly names the cause; it has advice. NULL if there is none. */
const struct kept_finding *report_diagnosis(const struct finding_list *l);
/* "./" if a line that begins with path would be taken for a command by a CI service, else "". */
const char *place_prefix(const char *path);
/* "path" or "path#member", inert, and never taken for a workflow command of a CI log at the start of a line. */
void add_place(struct strbuf *out, const char *path, const char *member);

#endif
