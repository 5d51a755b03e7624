/*
 * The commands of the command line. command_run() runs the one that was typed. The audit is in audit/; merge, diff and
 * doctor have files of their own here; the short ones are in commands.c.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/options.h"

/*
 * Returns the exit status; if it is STATUS_FAILED, err has the reason unless a signal ended the command.
 * *signal_number: that signal, 0 otherwise; SIGPIPE if the reader of standard output has gone. The same holds for
 * merge_run and diff_run.
 */
enum status command_run(struct options *options, int *signal_number, struct error *err);

/*
 * `labelaudit merge PART...`: merges the reports of all shards of a set into the report that a single audit of the set
 * writes, to the byte except for `run`: there, seconds and thread_seconds are sums, peak_memory is the largest, started
 * the earliest. Fails if the parts do not make up one set: other settings, versions or numbers of shards, a shard
 * twice, or one missing without --allow missing.
 */
enum status merge_run(const struct options *options, int *signal_number, struct error *err);

/*
 * `labelaudit diff OLD NEW`: writes what changed between two JSON reports: shares of classes, new findings, fixed
 * findings. Returns STATUS_FINDINGS if something at or above --fail-on is new.
 */
enum status diff_run(const struct options *options, int *signal_number, struct error *err);

/*
 * `labelaudit fix PATH...`: audits, and writes which ids a corrected copy would have. Returns STATUS_FINDINGS if
 * something is wrong that no map cures.
 */
enum status fix_run(struct options *options, int *signal_number, struct error *err);

/*
 * `labelaudit init PATH...`, and audit --explain --write-config: writes labelaudit.yaml into the current folder, with
 * what was typed, the classes that the labels seem to have, and which files are audited.
 */
enum status init_run(struct options *options, int *signal_number, struct error *err);

/*
 * `labelaudit doctor`: appends the build, every library that is linked, the features of the processor, the devices, and
 * what --device auto stands for here.
 */
void doctor(const struct options *options, struct strbuf *out);
