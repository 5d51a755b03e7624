#include "judge/verdict.h"

#include <stdlib.h>

#include "base/mem.h"
#include "judge/rule.h"

enum level verdict_level(const struct settings *settings, size_t rule, enum level chosen)
{
	enum level wanted = settings->rule_levels[rule];

	return wanted == rule_table[rule]->level ? chosen : wanted;
}

void verdict_dataset(const struct settings *settings, const struct dataset_stats *dataset,
		     struct finding_list *findings)
{
	struct finding *f = xmalloc(sizeof(*f));

	for (size_t i = 0; i < rule_count; i++) {
		const struct rule *rule = rule_table[i];

		if (!rule->check_dataset || settings->rule_levels[i] == LEVEL_OFF)
			continue;
		finding_init(f, rule);
		if (!rule->check_dataset(settings, dataset, f))
			continue;
		f->level = verdict_level(settings, i, f->level);
		finding_list_add(findings, f, NULL, NULL);
	}
	free(f);
}
