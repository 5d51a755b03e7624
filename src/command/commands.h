/*
 * Runs the command that was typed. audit is in audit/; merge, render, diff, rule and doctor have files of their own
 * here; schema, completions, help, version and the list of presets are printed by commands.c.
 */
#ifndef COMMAND_COMMANDS_H
#define COMMAND_COMMANDS_H

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/options.h"

/*
 * Returns the exit status; if it is STATUS_FAILED, err has the reason unless a signal ended the command.
 * *signal_number: that signal, 0 otherwise; SIGPIPE if the reader of standard output has gone.
 */
enum status command_run(struct options *options, int *signal_number, struct error *err);

#endif
