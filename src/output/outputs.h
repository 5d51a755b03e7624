/*
 * Where reports go: standard output and each -o, fed by one pass. Streaming formats get each unit's text in the order
 * of the walk, though workers finish in any order; the others are written once, at the end.
 *
 * Any worker may call outputs_wait_for_turn and outputs_submit; a lock inside. The rest is main's.
 */
#ifndef OUTPUT_OUTPUTS_H
#define OUTPUT_OUTPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/options.h"
#include "report/report.h"

struct outputs;

/* Opens the outputs (temporaries beside them) and writes what streaming formats begin with. */
enum status outputs_open(struct outputs **out, const struct options *options, const char *started, struct error *err);

/* How many different streaming formats there are, and each of them: a worker formats a file once for each. */
size_t outputs_streams(const struct outputs *s);
const struct reporter *outputs_stream(const struct outputs *s, size_t i);

/*
 * Back-pressure: waits until unit `number` is near enough to the oldest unfinished one that its text may wait in
 * memory, if there is a streaming format. False: every output failed or the audit was stopped (outputs_stop).
 */
bool outputs_wait_for_turn(struct outputs *s, uint64_t number);
/* Takes the text of a finished unit, one strbuf a stream, and leaves them empty; writes what is due. */
void outputs_submit(struct outputs *s, uint64_t number, struct strbuf *texts);
/* Lets everybody who waits go on. */
void outputs_stop(struct outputs *s);

/*
 * Writes the finished report to every output and renames the temporaries; then the summary on standard error, unless
 * -q. Returns the exit status of the report, or STATUS_FAILED with the first failure in err if an output failed.
 */
enum status outputs_report(struct outputs *s, const struct options *options, const struct report *report,
			   struct error *err);
/*
 * For commands that read no data: opens the outputs, writes the report, closes them. *signal_number as command_run's.
 * A form that needs the files themselves (jsonl) fails.
 */
enum status outputs_write(const struct options *options, const struct report *report, int *signal_number,
			  struct error *err);
/* An output has failed: the audit may have been cut short, so what it found in the data is not worth reporting. */
bool outputs_failed(const struct outputs *s);
/* The reader of standard output has gone: an error that outputs_report returned needs no message. */
bool outputs_pipe_closed(const struct outputs *s);
/* Frees; removes the temporaries that were not renamed. */
void outputs_close(struct outputs *s);

#endif
