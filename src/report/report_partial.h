/*
 * "partial": what the report of a shard has besides, so that the rules about the data set can judge the sums of all
 * shards: struct dataset_stats whole, the levels of the rules, and the names of all classes. Compact (rows, not
 * objects) and as bounded as the sums are.
 *
 * Each member of it has one function that writes it and one that reads it, side by side; report_partial.c lists them
 * all. Whoever adds a sum to struct dataset_stats adds a member.
 */
#ifndef REPORT_REPORT_PARTIAL_H
#define REPORT_REPORT_PARTIAL_H

#include "report/json_values.h"
#include "report/json_writer.h"
#include "report/report_file.h"

/* "partial": inside an object. */
void report_partial_write(struct json_writer *w, const struct report *r);
/* The value at hand is that object; fills the settings and the sums of f. */
bool report_partial_read(struct json_values *v, struct report_file *f);
/* Whether what was read is what sums can be; the settings are whole by then. */
bool report_partial_check(struct json_values *v, const struct report_file *f);

#endif
