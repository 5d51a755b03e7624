/*
 * What reports for machines list of the findings, and how they name them: the worst first, every rule that fired heard,
 * the rest as a number; places as relative addresses; fingerprints that outlive a change of counts.
 *
 * Findings of a baseline are known and not listed. Owner: whoever called selection_init; borrows from the finding list.
 */
#ifndef REPORT_SELECTION_H
#define REPORT_SELECTION_H

#include <stddef.h>
#include <stdint.h>

#include "report/report.h"

/* Findings of one rule that a report for people lists; of the others it says how many there are. */
enum { LISTED_A_RULE = 20 };

struct selected {
	const struct kept_finding *finding;
	size_t at;       /* in the finding list */
	unsigned repeat; /* how many of the same rule and file come before it: a path that was given twice */
	bool first;      /* stands for its rule: one about the dataset if there is one, else the first file */
};

struct selection {
	struct selected *v; /* worst level first, then in the order of the report; owned */
	size_t count;
	uint64_t *more; /* findings that are not in v, indexed as rule_table; owned */
	size_t more_rules;
};

/*
 * max: entries, counting one for each rule that has more (no rule that fired goes unheard as long as there is room for
 * twice the rules); 0: no limit. max_a_level, max_a_rule: findings of each; 0: no limit.
 */
void selection_init(struct selection *l, const struct finding_list *findings, size_t max, size_t max_a_level,
		    size_t max_a_rule);
void selection_release(struct selection *l);

/* "2 more findings of this rule are not listed here; the JSON report has more (--max-findings)" */
void selection_add_more(const struct selection *l, size_t rule, struct strbuf *out);

/* Indices in rule_table of the rules that fired, worst level first, then the most findings; returns how many. */
size_t selection_rules(const struct finding_list *findings, size_t *order);

/* The path without ./ before it; never "". */
const char *plain_path(const char *path);
/* The same of a finding's, or of a finding about the dataset what was audited; never "". */
const char *finding_path(const struct report *r, const struct kept_finding *f);

/* The line that a finding is about, 1 if its file has none; *column 0 if it is about no column. */
uint64_t finding_line(const struct kept_finding *f, uint64_t *column);

enum { FINGERPRINT_SIZE = 33 };

/*
 * 32 hexadecimal digits of the rule, the path without ./, the member and `repeat`: unique in a report, the same as long
 * as the trouble stays where it is, whatever its extent. member and path may be NULL.
 */
void finding_fingerprint(const char *rule, const char *path, const char *member, unsigned repeat,
			 char out[FINGERPRINT_SIZE]);

#endif
