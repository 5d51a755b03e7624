/*
 * From the command that was typed to what does it: audit, merge, render and diff have files of their own; rule, doctor,
 * schema, completions, help, version and the list of presets are printed here.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "base/error.h"
#include "base/strbuf.h"
#include "options.h"

/*
 * Returns the exit status; STATUS_FAILED with err filled if there is something to say. *signal_number: the signal that
 * ended it, 0 otherwise; SIGPIPE if whoever read standard output has gone.
 */
enum status command_run(struct options *options, int *signal_number, struct error *err);

/* Everything or an error; a reader that went away is SIGPIPE, without words. */
enum status command_write_stdout(const struct strbuf *text, int *signal_number, struct error *err);

#endif
