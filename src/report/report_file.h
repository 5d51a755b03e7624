/*
 * struct report_file: a JSON report, read back into what the reporters take.
 *
 * A report shows less than an audit knows: of the settings what `settings` says, of the sums what its tables list.
 * That is all that any reporter shows, so a report that is read and written again comes out byte for byte. The partial
 * report of a shard has everything (report_partial.h), so that rules can judge the sums of all shards.
 *
 * Nothing in the file is trusted: lists are sorted and bounded, and books balance, or it is refused with one line.
 * Memory: the findings of one report and its tables. Owner: the caller; one thread.
 */
#ifndef REPORT_REPORT_FILE_H
#define REPORT_REPORT_FILE_H

#include <stdbool.h>

#include "base/error.h"
#include "report/report.h"

struct report_file {
	struct settings settings;
	struct dataset_stats dataset;
	struct finding_list findings; /* sorted, not cut any further */
	struct report report;         /* points at the three above */
	char version[32];             /* of the program that wrote it */
	bool partial;                 /* of a shard, with all that a merge needs */
	uint64_t contents_last;       /* contents of masks with a larger key were passed over */
};

/*
 * contents_last: UINT64_MAX; or, for a merge, the largest key of a content that its own table keeps: what is beyond
 * need not be read. path "-": standard input. Returns STATUS_FAILED with err filled if it cannot be read or is no
 * report; *out is NULL then.
 */
enum status report_file_read(struct report_file **out, const char *path, uint64_t contents_last, struct error *err);
/* NULL is fine. */
void report_file_free(struct report_file *r);

#endif
