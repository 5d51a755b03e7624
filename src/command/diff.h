/*
 * `labelaudit diff OLD NEW`: what changed between two JSON reports: shares of classes, findings that are new, findings
 * that are gone.
 *
 * A finding is the same if rule, path and member are; one whose level rose counts as new. Where a report's list is cut
 * (--max-findings) nothing is known of the findings of files behind its last one: those are left out, and the counts of
 * each rule, which are exact, speak for them.
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
	bool cut; /* a list of findings is */
	/* then the last finding of a file that both lists reach; NULL if one has none at all */
	const struct kept_finding *horizon;
	bool worse; /* something at or above fail_on is new */
};

void diff_text(const struct diff *d, bool colour, int verbosity, struct strbuf *out);
void diff_json(const struct diff *d, struct strbuf *out);

/* 0: nothing new at or above --fail-on; 1: something; STATUS_FAILED with err filled: not comparable, or not written. */
enum status diff_run(const struct options *options, int *signal_number, struct error *err);

#endif
