/*
 * struct fix_plan: what is to be changed, before anything is: the decision about the set (judge/fix_decision.h), and
 * what follows of it for each file. Read-only once made. Owner: the command, which keeps the set as long.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fix/fix_set.h"

struct plan_file {
	uint64_t labels;    /* that get another id */
	uint16_t recodings; /* bits 1 << enum recoding */
	bool changes;
};

enum { REFUSAL_PATHS = 5 };

/* Files that stay as they are though something is wrong. */
struct plan_refusal {
	struct text why;
	uint64_t files;
	const char *paths[REFUSAL_PATHS]; /* the first of them; borrowed from the set */
};

struct fix_plan {
	const struct fix_set *set;
	const struct fix_decision *decision; /* the set's */
	struct plan_file *files;             /* by the set's index; owned */
	uint64_t recoded[RECODINGS];         /* files */
	struct plan_refusal *refusals;       /* owned */
	size_t refusals_count, refusals_cap;
	uint64_t files_changed, labels_changed;
	/* with --nearest: pixels in no colour of the table, and the mask with the farthest of them */
	uint64_t guessed;
	const struct fix_file *worst; /* NULL: there is none */
	uint64_t clipped, dropped;    /* boxes */
};

/* Plans for a finished set. */
void fix_plan_make(struct fix_plan *plan, const struct fix_set *set);
void fix_plan_release(struct fix_plan *plan);
/* Returns whether the plan cures all that it found wrong. */
static inline bool fix_plan_is_whole(const struct fix_plan *plan)
{
	return !plan->refusals_count;
}
static inline const struct plan_file *fix_plan_file(const struct fix_plan *plan, const struct fix_file *file)
{
	return &plan->files[file - plan->set->files];
}
/* Returns whether some member of the archive of that path changes. */
bool fix_plan_changes_archive(const struct fix_plan *plan, const char *path);
/* Returns the id that an id of the file, as the audit counted it, becomes. */
int64_t fix_plan_id(const struct fix_plan *plan, const struct fix_file *file, int64_t id);
/* Returns the id that a category of a COCO file gets. */
int64_t fix_plan_category(const struct fix_plan *plan, const struct fix_file *file, const struct fix_category *c);
/* Returns the recoding in words. */
const char *recoding_words(enum recoding r);
