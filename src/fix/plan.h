/*
 * struct fix_plan: what is to be changed, before anything is: one map of ids for all files, and the changes of
 * encoding; or why not. Made of the audit's facts (fix_set.h) alone. Read-only once made. Owner: the command, which
 * keeps the set and the options as long.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"
#include "fix/fix_set.h"
#include "judge/id_map.h"

/* A change of how a label file holds its ids, which changes none of those that are audited. */
enum recoding {
	RECODE_EXPAND,      /* grey of 1, 2, 4 bits becomes 8, with the samples as ids */
	RECODE_NARROW,      /* 16 bits or more become 8 */
	RECODE_ONE_CHANNEL, /* one of several equal channels is kept */
	RECODE_COLOURS,     /* colours become their ids */
	RECODE_STRIP,       /* a palette becomes grey */
	RECODE_INTEGERS,    /* an array of floats or bool becomes one of integers */
	RECODE_ONE_HOT,     /* a one-hot axis, or channels, become the index of the class */
	RECODE_CATEGORIES,  /* category ids of COCO become their classes */
	RECODINGS,
};

struct plan_file {
	uint64_t labels;    /* that get another id */
	uint16_t recodings; /* bits 1 << enum recoding */
	bool changes;
	bool mends;        /* with --lossy: pixels are guessed (mend.h), and are among `labels` */
	bool interpolated; /* then: pixels of interpolation, too, not only what is out of range */
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
	struct id_map map;               /* all ids stay if it was refused */
	struct fix_category *categories; /* with RECODE_CATEGORIES: of all COCO files, sorted by id; owned */
	size_t categories_count;
	bool categories_disagree;      /* they cannot become classes */
	bool by_category;              /* the map is of category ids, as of those of other files */
	bool unscaled;                 /* masks of few bits hold their ids as samples */
	bool narrow;                   /* all ids fit into 8 bits, once they are mapped */
	struct plan_file *files;       /* by the set's index; owned */
	uint64_t recoded[RECODINGS];   /* files */
	struct plan_refusal *refusals; /* owned */
	size_t refusals_count, refusals_cap;
	uint64_t files_changed, labels_changed;
	/* with --lossy: masks that are mended, their guessed pixels, and the mask with the largest share of these */
	uint64_t files_mended, labels_mended, worst_share; /* parts per million */
	const struct fix_file *worst;                      /* NULL: there is none */
};

struct saved_plan;

#define CATEGORIES_DISAGREE "COCO files disagree: one category id would become several classes"

/* Plans for a finished set. edited: its map takes the place of the rules' where it differs; NULL: there is none. */
void fix_plan_make(struct fix_plan *plan, const struct fix_set *set, const struct options *options,
		   const struct saved_plan *edited);
void fix_plan_release(struct fix_plan *plan);
/* Returns whether the plan cures all that it found wrong. */
static inline bool fix_plan_is_whole(const struct fix_plan *plan)
{
	return !plan->refusals_count;
}

/* Adds a file, if it is not NULL, to those that are refused for this reason. */
struct plan_refusal *fix_plan_refuse(struct fix_plan *plan, const struct fix_file *file, const char *why);
/*
 * Fills the map of the plan, or refuses it (plan_map.c). differ: categories have other ids than the classes that they
 * become, in all COCO files the same. lossy: what no map explains is guessed. edited: as for fix_plan_make().
 */
void fix_plan_map(struct fix_plan *plan, bool differ, bool lossy, const struct saved_plan *edited);
/* Returns whether the file has an id that is neither a class nor ignored. */
bool fix_plan_has_invalid(const struct fix_plan *plan, const struct fix_file *file);
/* Returns the number of an archive's members that change. */
size_t fix_plan_changing(const struct fix_plan *plan, const struct fix_archive *archive);
/* Returns the id that an id of the file, as the audit counted it, becomes. */
int64_t fix_plan_id(const struct fix_plan *plan, const struct fix_file *file, int64_t id);
/* Returns the id that a category of a COCO file gets. */
int64_t fix_plan_category(const struct fix_plan *plan, const struct fix_file *file, const struct fix_category *c);
/* Changes the settings to those that the result has: what was carried out is declared no more. */
void fix_plan_settle(const struct fix_plan *plan, struct settings *settings);
/* Returns the rule that reports what the recoding cures, and the recoding in words. */
const char *recoding_rule(enum recoding r);
const char *recoding_words(enum recoding r);
