/*
 * The summary of a step on GitHub: Markdown, appended to the file that the runner names in GITHUB_STEP_SUMMARY, when a
 * report of the form github is written. GitHub drops a step's summary that is over 1 MiB whole, so what does not fit
 * below that behind what the file holds already is left out.
 */
#ifndef OUTPUT_STEP_SUMMARY_H
#define OUTPUT_STEP_SUMMARY_H

#include "base/error.h"
#include "cli/options.h"
#include "report/report.h"

/* Does nothing if no report is of the form github, or there is no such runner. */
enum status step_summary_append(const struct options *options, const struct report *r, struct error *err);

#endif
