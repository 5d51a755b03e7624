/*
 * `labelaudit diff OLD NEW`: what changed between two JSON reports: shares of classes, new findings, fixed findings.
 *
 * A finding is the same if rule, path and member are; one whose level rose counts as new. Where a report's list is cut
 * (--max-findings), the findings of files after its last one are unknown and left out; the counts of each rule are
 * exact all the same.
 */
#ifndef COMMAND_DIFF_H
#define COMMAND_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/options.h"
#include "report/report_file.h"

/* Fractions of the labels that are not ignored, in millionths. */
struct diff_class {
	int64_t id;
	const char *name; /* NULL if unknown */
	uint64_t labels[2], fraction[2];
};

enum { DIFF_OLD, DIFF_NEW };

struct diff {
	const char *paths[2];
	const struct report_file *reports[2]; /* by DIFF_OLD, DIFF_NEW; borrowed */
	enum level fail_on;
	struct diff_class *classes; /* of either report, sorted by id; owned */
	size_t classes_count, classes_cap;
	const struct kept_finding **appeared, **fixed; /* in the order of reports; arrays owned */
	size_t appeared_count, appeared_cap, fixed_count, fixed_cap;
	bool cut; /* a list of findings is cut */
	/* if cut: the last finding about a file that both lists reach; NULL if one lists none */
	const struct kept_finding *horizon;
	bool worse; /* something at or above fail_on is new */
};

void diff_text(const struct diff *d, bool colour, int verbosity, struct strbuf *out);
void diff_json(const struct diff *d, struct strbuf *out);

/*
 * Returns 0 if nothing is new at or above --fail-on, 1 if something is; STATUS_FAILED with err filled if the reports
 * cannot be compared or the comparison cannot be written.
 */
enum status diff_run(const struct options *options, int *signal_number, struct error *err);

#endif
