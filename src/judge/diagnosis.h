/*
 * struct diagnosis: the causes of what was found, for the whole set. Each rule that fired is a cause, unless another
 * one explains its findings. Owner: the audit, the merge, or a report that was read.
 *
 * Few rules say what explains what; all ask the sums and the findings alone, so that a merge of shards gives the same:
 *
 *   1. A map of ids that fits all files explains what is wrong with the ids (judge/fix_decision.h).
 *   2. A reason is written down for each pair of rules: the second is what the first looks like to it.
 *   3. A cause that a rule reports of the set explains all files. One that it reports of files must be in nine of ten
 *      of the files with the effect; if the effect is of the set, in nine of ten of all files.
 *   4. Readings, which each say what the ids of the set mean, contradict each other: the first that fits is given.
 *   5. One file of several is never a cause of the set, and what chance explains as well is no finding: the rules
 *      themselves see to that (background-off-by-one, scaled-ids).
 */
#pragma once

#include "judge/dataset.h"
#include "judge/finding_list.h"
#include "judge/fix_decision.h"

#define DIAGNOSIS_UNCOUNTED UINT64_MAX

struct cause {
	const struct rule *rule; /* that names it */
	enum level level;        /* the worst of its findings and of those that it explains */
	uint64_t files;          /* with such findings; DIAGNOSIS_UNCOUNTED: it is about the set */
	uint64_t findings;       /* its own, and those that it explains */
	uint64_t labels;         /* out of range, of a cause that puts ids there; else DIAGNOSIS_UNCOUNTED */
	uint64_t share;          /* of the labels that are not ignored, in parts per million; DIAGNOSIS_UNCOUNTED */
	char *example, *member;  /* a file that shows it, or NULL; owned, as all strings */
	char *place;             /* in it: "x 3, y 7", "line 2, column 1", "index 5, 0"; or NULL */
	char *message;           /* of the finding that shows it */
	char *remedy;            /* what to do; NULL: nothing is known */
	char *command;           /* that corrects it; or NULL */
	uint64_t changes;        /* files that the command changes; at least, if changes_at_least */
	bool changes_at_least;
};

struct diagnosis {
	struct cause *v; /* what stops a training first; owned */
	size_t count, cap;
};

enum { CAUSES_MAX = 256 };
_Static_assert(CAUSES_MAX > 128, "more than there are rules");

/*
 * Fills the causes, and of each finding that one explains which (kept_finding, explained_by). The list is finished.
 * map: the rule whose map explains the ids of all files (fix_decision_explain), or NULL. decision: of the same set;
 * NULL: none is known.
 */
void diagnose(struct diagnosis *d, const struct dataset_stats *dataset, const struct settings *settings,
	      const char *map, const struct fix_decision *decision, struct finding_list *findings);
void diagnosis_release(struct diagnosis *d);
/* Returns whether the message of a cause names the file of its example. */
bool cause_names_example(const struct cause *c);
/* Returns whether most files are images of the scene, which have no classes. */
bool diagnosis_of_images(const struct dataset_stats *dataset, const struct finding_list *findings);
