/*
 * The cures that `labelaudit fix` has for a set. A finding about a file asks the file alone, since no set is known
 * before its last file; one about the set, and the command that a report names, ask the sums of the set. The plan has
 * the last word: it knows each file.
 */
#pragma once

#include <stdbool.h>

#include "judge/finding_list.h"
#include "judge/rule.h"

/* Adds to d->cures what decides whether one map could be for this file, too. input: NULL if it was not read now. */
void cure_add_file(struct dataset_stats *d, const struct rule_input *s, const struct input *input);
/* Fills whether the cure of the finding's rule fits this file. */
void cure_judge(struct finding *f, const struct rule_input *s);
/* Decides whether one map cures the set: fills findings->mapped, and which of the findings about the set it cures. */
void cure_decide(const struct settings *settings, const struct dataset_stats *d, struct finding_list *findings);
/* Returns what a corrected copy would cure: CURE_EXACT if it can do without guesses, CURE_LOSSY, or CURE_UNKNOWN. */
enum cure cure_of_set(const struct finding_list *findings);
/* Returns whether that cures findings of the rule, and these are more than an info. */
bool cure_is_of_rule(const struct finding_list *findings, enum cure cure, size_t rule);
