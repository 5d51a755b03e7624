/*
 * From the command that was typed to what does it: audit, merge, render and diff have files of their own; rule, doctor,
 * schema, completions, help, version and the list of presets are printed here.
 */
#ifndef COMMAND_COMMANDS_H
#define COMMAND_COMMANDS_H

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/options.h"

/*
 * Returns the exit status; STATUS_FAILED with err filled if there is something to say. *signal_number: the signal that
 * ended it, 0 otherwise; SIGPIPE if whoever read standard output has gone.
 */
enum status command_run(struct options *options, int *signal_number, struct error *err);

#endif
