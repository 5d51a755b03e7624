/*
 * struct outputs: where reports go: standard output and each -o.
 *
 * Streaming formats get the text of each work unit in the order of the walk, though workers finish in any order. The
 * other formats are written once, at the end. Any worker may call outputs_wait_for_turn and outputs_submit, which lock;
 * one thread at a time calls the other functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/options.h"
#include "report/report.h"

struct outputs;

/* Opens the outputs, as temporary files beside them, and writes the head of streaming formats. */
enum status outputs_open(struct outputs **out, const struct options *options, const char *started, struct error *err);

/* Return the number of different streaming formats, and one of them: a worker formats a file once per format. */
size_t outputs_streams(const struct outputs *s);
const struct reporter *outputs_stream(const struct outputs *s, size_t i);

/*
 * Back-pressure: waits until unit `number` fits into the reorder window, if there is a streaming format. Returns false
 * if every output failed or the audit was stopped (outputs_stop).
 */
bool outputs_wait_for_turn(struct outputs *s, uint64_t number);
/* Takes the text of a finished unit, one strbuf per stream, and empties them. Writes all text that is due. */
void outputs_submit(struct outputs *s, uint64_t number, struct strbuf *texts);
/* Makes outputs_wait_for_turn return, now and from now on. */
void outputs_stop(struct outputs *s);

/*
 * Writes the finished report to every output, renames the temporary files, and prints the summary on standard error
 * unless -q. Returns the exit status of the report, or STATUS_FAILED and the first failure if an output failed.
 */
enum status outputs_report(struct outputs *s, const struct options *options, const struct report *report,
			   struct error *err);
/*
 * Opens the outputs, writes the report and closes them, for commands that read no data. *signal_number as
 * command_run's. Returns an error for a format that needs the files themselves (jsonl).
 */
enum status outputs_write(const struct options *options, const struct report *report, int *signal_number,
			  struct error *err);
/* Returns whether an output failed: the audit may have ended early, so its findings are incomplete. */
bool outputs_failed(const struct outputs *s);
/* Returns whether standard output was closed by its reader: an error of outputs_report needs no message then. */
bool outputs_pipe_closed(const struct outputs *s);
/* Frees s, and removes the temporary files that were not renamed. */
void outputs_close(struct outputs *s);

/*
 * Appends the report as Markdown to the file that GitHub's runner names in GITHUB_STEP_SUMMARY, if a report has the
 * format github. GitHub drops a summary of more than 1 MiB, so the text is cut to what is left of that.
 */
enum status step_summary_append(const struct options *options, const struct report *report, struct error *err);
