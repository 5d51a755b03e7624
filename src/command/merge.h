/*
 * `labelaudit merge PART...`: merges the reports of all shards of a set into the report that a single audit of the set
 * writes, to the byte except for `run`.
 *
 * One part at a time is in memory, beside the sums. Sums are integers; lists of findings are cut after they are merged;
 * rules about the data set are judged here, not in the shards. `run`: seconds and thread_seconds are sums, peak_memory
 * is the largest, started the earliest.
 */
#ifndef COMMAND_MERGE_H
#define COMMAND_MERGE_H

#include "base/error.h"
#include "cli/options.h"

/*
 * Returns the exit status of the merged report; STATUS_FAILED with err filled if the parts do not make up one set:
 * other settings, versions or numbers of shards, a shard twice, or one missing without --allow-missing.
 */
enum status merge_run(const struct options *options, int *signal_number, struct error *err);

#endif
