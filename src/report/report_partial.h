/*
 * "partial": what the report of a shard holds besides, so that rules can judge the sums of all shards: struct
 * dataset_stats whole, the levels of the rules, and the names of all classes. Rows instead of objects keep it compact.
 *
 * A new sum in struct dataset_stats needs a row in the table at the end of report_partial.c, whose columns both write
 * and read it.
 */
#pragma once

#include "report/json_values.h"
#include "report/json_writer.h"
#include "report/report.h"

/* Appends "partial" to the current object. */
void report_partial_write(struct json_writer *w, const struct report *r);
/* Reads the current value, that object. Skips contents of masks with a key larger than contents_last. */
bool report_partial_read(struct json_values *v, struct settings *settings, struct dataset_stats *dataset,
			 uint64_t contents_last);
/* Checks that what was read can be sums of an audit with these settings, which are whole by then. */
bool report_partial_check(struct json_values *v, const struct settings *settings, const struct dataset_stats *dataset);
