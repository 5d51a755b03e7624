/*
 * struct diagnosis: the causes of what was found, for the whole set. Each rule that fired is a cause, unless another
 * one explains its findings: few and written reasons say which may (judge/diagnosis.c). It is made of the sums and the
 * findings alone, so that a merge of shards gives the same. Owner: the audit, the merge, or a report that was read.
 */
#pragma once

#include "judge/dataset.h"
#include "judge/finding_list.h"

#define DIAGNOSIS_UNCOUNTED UINT64_MAX

struct cause {
	const struct rule *rule; /* that names it */
	enum level level;        /* the worst of its findings and of those that it explains */
	uint64_t files;          /* with such findings; DIAGNOSIS_UNCOUNTED: it is about the set */
	uint64_t findings;       /* its own, and those that it explains */
	uint64_t labels;         /* out of range, of a cause that puts ids there; else DIAGNOSIS_UNCOUNTED */
	char *example, *member;  /* the first file, or NULL; owned, as all strings */
	char *message;           /* of that finding */
	char *remedy;            /* what to do; NULL: nothing is known */
};

struct diagnosis {
	struct cause *v; /* what stops a training first; owned */
	size_t count, cap;
};

enum { CAUSES_MAX = 256 };
_Static_assert(CAUSES_MAX > 128, "more than there are rules");

/*
 * Fills the causes, and of each finding that one explains which (kept_finding, explained_by). The list is finished.
 * map: the rule whose map explains the ids of all files (fix_decision_explain), or NULL.
 */
void diagnose(struct diagnosis *d, const struct dataset_stats *dataset, const struct settings *settings,
	      const char *map, struct finding_list *findings);
void diagnosis_release(struct diagnosis *d);
/* Returns whether some finding is explained by another rule's: then causes are counted, not findings. */
bool diagnosis_explains(const struct diagnosis *d, const struct finding_list *findings);
