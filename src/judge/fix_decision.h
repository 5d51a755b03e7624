/*
 * struct fix_decision: whether a corrected copy of a set cures it, and how: one map of ids for all files, and changes
 * of encoding; or why there is no map. It is made of the sums of the set alone, so that the report of an audit that
 * names `labelaudit fix` and the plan that this prints are one decision. Owner: who asks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/dataset.h"
#include "judge/finding_list.h"
#include "judge/id_map.h"
#include "judge/rule.h"

struct id_pair {
	int64_t from, to; /* sorted by the first */
};

/* Says what the user declares instead of a guess; see the options of the same names. */
struct fix_declared {
	struct id_pair *map; /* sorted by `from`; owned by the options */
	size_t map_count;
	uint32_t threshold; /* 0: none; ids from it on become the second class */
	bool nearest, clip, drop_no_area;
	bool strip; /* --palette strip */
};

struct fix_decision {
	struct id_map map;        /* all ids stay if it was refused */
	struct text why;          /* it was refused; else empty */
	char *place;              /* the first file that `why` is about; or NULL; owned */
	bool unscaled;            /* masks of 2 and 4 bits hold their ids as samples */
	bool categories_disagree; /* those of COCO files cannot become classes */
	unsigned recodings;       /* bits 1 << enum recoding, which files get that can */
	uint64_t neither;         /* with a threshold: labels of other levels than the two of most labels */
	uint64_t files;           /* that change; at least, unless files_exact */
	bool files_exact;
	bool outlines;   /* the option is that of masks whose 1 outlines what another id fills */
	char option[24]; /* what is to be declared for it, " --threshold 128"; "" if nothing is */
	bool *repairs;   /* findings of a rule, indexed as rule_table; owned */
};

#define CATEGORIES_DISAGREE "COCO files disagree: one category id would become several classes"

/* declared: NULL: nothing is. */
void fix_decide(struct fix_decision *d, const struct settings *settings, const struct dataset_stats *dataset,
		const struct finding_list *findings, const struct fix_declared *declared);
void fix_decision_release(struct fix_decision *d);
/* Returns whether `fix` with that option changes files, and cures findings that are more than an info. */
bool fix_decision_repairs(const struct fix_decision *d);
/* Fills which of the findings about the set are repaired. */
void fix_decision_mark(const struct fix_decision *d, struct finding_list *findings);
/* Fills the map alone. Returns whether it explains the ids of all files, as far as their sums tell. */
bool fix_decision_find_map(const struct settings *settings, const struct dataset_stats *dataset,
			   const struct finding_list *findings, struct fix_decision *d);
/*
 * Gives the findings of ids that are out of range one remedy, where one map explains the ids of all files: not one a
 * file. It asks the sums that a merged set has, too, so that shards give the same. Returns the rule of that map, or
 * NULL.
 */
const char *fix_decision_explain(const struct settings *settings, const struct dataset_stats *dataset,
				 struct finding_list *findings);
/* Changes the settings to those that the result has: what was carried out is declared no more. */
void fix_decision_settle(const struct fix_decision *d, struct settings *settings);
/* Returns the rule that reports what the recoding cures. */
const char *recoding_rule(enum recoding r);
