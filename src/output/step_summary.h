/*
 * The step summary on GitHub: Markdown, appended to the file that the runner names in GITHUB_STEP_SUMMARY. GitHub drops
 * a summary of more than 1 MiB as a whole, so the text is cut to what is left of it in the file.
 */
#ifndef OUTPUT_STEP_SUMMARY_H
#define OUTPUT_STEP_SUMMARY_H

#include "base/error.h"
#include "cli/options.h"
#include "report/report.h"

/* Does nothing if no report has the format github, or if there is no such runner. */
enum status step_summary_append(const struct options *options, const struct report *r, struct error *err);

#endif
