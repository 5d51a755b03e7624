/*
 * struct report_file: a JSON report, read back into what the reporters take: settings, sums, findings, run.
 *
 * A report holds all that any reporter shows: one that is read and written again is the same byte for byte. The report
 * of a shard holds more (report_partial.h), so that rules can judge the sums of all shards.
 *
 * The file is not trusted: it is refused with one line unless its lists are sorted and bounded and its sums add up.
 * Memory: the findings of one report and its tables. Owner: the caller; one thread.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "report/report.h"

struct report_file {
	struct settings settings;
	struct dataset_stats dataset;
	struct finding_list findings; /* sorted, not cut any further */
	struct diagnosis diagnosis;
	struct report report;   /* points at the four above */
	char version[32];       /* of the program that wrote it */
	bool partial;           /* of a shard, with all that a merge needs */
	uint64_t contents_last; /* contents of masks with a larger key were skipped */
};

/*
 * Reads the report at path ("-": standard input). contents_last: the largest key of a content that the caller keeps;
 * UINT64_MAX: all. Returns STATUS_FAILED if it cannot be read or is no report; then err is filled and *out is NULL.
 */
enum status report_file_read(struct report_file **out, const char *path, uint64_t contents_last, struct error *err);
/* f may be NULL. */
void report_file_free(struct report_file *f);
