/* What the rules say of the sums of a data set, and at which level; for the audit, and for the merge of its parts. */
#ifndef JUDGE_VERDICT_H
#define JUDGE_VERDICT_H

#include "base/settings.h"
#include "judge/dataset.h"
#include "judge/finding.h"

/* --severity wins over what the rule (its index) thinks of this case; a rule's own choice wins over its default. */
enum level verdict_level(const struct settings *settings, size_t rule, enum level chosen);

/* Asks every rule that speaks of the whole set, and adds what they find. */
void verdict_dataset(const struct settings *settings, const struct dataset_stats *dataset,
		     struct finding_list *findings);

#endif
