/*
 * struct finding_list: the findings of an audit, for its report.
 *
 * It keeps the findings that a sorted report would list first, new ones before those of the baseline, and exact counts
 * of all. It lists at most `max` of them, and at most bytes_max of texts, so that no data set takes more memory; it
 * holds twice as many on the way. Which ones are listed depends on no order. One thread at a time: the audit locks it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/finding.h"
#include "judge/rule.h"

enum { FINDINGS_BYTES_MAX = 32 << 20 }; /* some 80,000 findings */

/* A finding in the list: trimmed copies. path == NULL: it is about the dataset. */
struct kept_finding {
	const struct rule *rule;
	enum level level;
	bool baselined, unrepairable;
	const struct rule *explained_by; /* the cause of what it reports (judge/diagnosis.h); NULL: none is known */
	char *path, *member, *message, *advice; /* owned; advice may be NULL */
	char *example;                          /* of one about the dataset: a file that shows it; or NULL; owned */
	struct finding_details *details;        /* owned; NULL if empty */
};

struct finding_list {
	struct kept_finding *v;
	size_t count, cap;
	size_t bytes;           /* of the findings held, but for advice */
	size_t bytes_max;       /* 0: no limit */
	uint64_t max;           /* from settings; 0: no limit */
	uint64_t total;         /* all findings ever added */
	uint64_t baselined;     /* those of the baseline; the counts below leave them out */
	uint64_t lowered;       /* added with a level that --severity lowered */
	uint64_t by_level[4];   /* by enum level */
	uint64_t *by_rule;      /* indexed as rule_table; owned */
	enum level *rule_worst; /* the worst level of a rule's findings, indexed as rule_table; owned */
	/* Called before each finding is counted; may set f->baselined. NULL: there is no baseline. */
	void (*on_add)(void *context, struct finding *f, const char *path, const char *member);
	void *context;
};

void finding_list_init(struct finding_list *l, uint64_t max);
void finding_list_release(struct finding_list *l);
void finding_list_add(struct finding_list *l, struct finding *f, const char *path, const char *member);
/*
 * Keeps a finding of a report that was read back, whose counts were added already. Takes over the strings of it and
 * copies details.
 */
void finding_list_keep(struct finding_list *l, const struct kept_finding *one, const struct finding_details *details);
/* Returns the rule that explains a finding: its own, where no other does. */
const struct rule *finding_cause(const struct kept_finding *f);
/* Adds the findings and counts of `from`, and releases it. */
void finding_list_merge(struct finding_list *into, struct finding_list *from);
/*
 * Makes the provisional findings of a rule errors: all its warnings, n of which the baseline does not contain. Only for
 * a rule whose level --severity leaves alone.
 */
void finding_list_raise(struct finding_list *l, const struct rule *rule, uint64_t n);
/* Removes all findings of a rule, which must all have the same level. */
void finding_list_drop(struct finding_list *l, const struct rule *rule);
void kept_finding_release(struct kept_finding *one);
/* Compares in the order of a report: path, member, rule name; the dataset's findings come last. */
int kept_finding_compare(const struct kept_finding *a, const struct kept_finding *b);
/*
 * Sorts as kept_finding_compare() does, and cuts the list to its limits: it drops findings of files that the baseline
 * contains, then new ones of files, each from the end.
 */
void finding_list_finish(struct finding_list *l);

/* Applies every rule that checks the whole set, and adds the findings: for an audit, and for a merge of its shards. */
void verdict_dataset(const struct settings *settings, const struct dataset_stats *dataset,
		     struct finding_list *findings);
