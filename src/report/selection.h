/*
 * struct selection: the findings that a report lists, the worst first and at least one of each rule that fired, and how
 * many it leaves out; and how reports identify a finding: a relative path, a line, and a fingerprint that does not
 * change with its counts.
 *
 * Findings of the baseline are left out. Owner: the caller of selection_init; borrows from the finding list.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "report/report.h"

struct selected {
	const struct kept_finding *finding;
	size_t at;       /* its index in the finding list */
	unsigned repeat; /* number of findings of the same rule and file before it: a path was given twice */
	bool first;      /* represents its rule: about the dataset if one is, else the first file */
};

struct selection {
	struct selected *v; /* worst level first, then in the order of the report; owned */
	size_t count;
	uint64_t *more; /* findings that are not in v, indexed as rule_table; owned */
	size_t more_rules;
	uint64_t total; /* findings in v and not in it */
};

/*
 * max: entries, including one for each rule that has more; each rule that fired is listed if max is at least twice the
 * number of rules. max_a_level, max_a_rule: findings of each level and rule. 0: no limit.
 */
void selection_init(struct selection *l, const struct finding_list *findings, size_t max, size_t max_a_level,
		    size_t max_a_rule);
void selection_release(struct selection *l);

/* Appends "2 more findings of this rule are not listed here; the JSON report has more (--max-findings)". */
void selection_add_more(const struct selection *l, size_t rule, struct strbuf *out);

/* Returns the indices in rule_table of the rules that fired, the worst level and most findings first; owned. */
size_t *selection_rules(const struct finding_list *findings, size_t *count);

/* Returns the plain path of the finding; if it is about the dataset, of its example, or of what was audited; never "".
 */
const char *finding_path(const struct report *r, const struct kept_finding *f);

/*
 * Appends that path as it is from the repository's root (r->repository). Returns false if it does not lie below the
 * root, or there is none: then the path is appended as it is.
 */
bool finding_repository_path(const struct report *r, const struct kept_finding *f, struct strbuf *out);

/* Appends "member: message. What to do: advice", each part by that function. */
void finding_describe(const struct kept_finding *f, void (*add)(struct strbuf *out, const char *s), struct strbuf *out);

/* Returns the line that a finding is about, 1 if its file has no lines; *column is 0 if it is about no column. */
uint64_t finding_line(const struct kept_finding *f, uint64_t *column);

enum { FINGERPRINT_SIZE = 33 };

/*
 * Writes 32 hexadecimal digits and a NUL that depend on rule, plain path, member and repeat: unique in a report, and
 * the same as long as the problem stays in that file, whatever its extent. path and member may be NULL.
 */
void finding_fingerprint(const char *rule, const char *path, const char *member, unsigned repeat,
			 char out[FINGERPRINT_SIZE]);
/*
 * Writes that of a selected finding, or of the findings of the rule that are left out if chosen is NULL. Its path is
 * relative to the repository's root, so that it does not depend on the folder that the audit ran in.
 */
void selection_identify(const struct report *r, size_t rule, const struct selected *chosen, char out[FINGERPRINT_SIZE]);
