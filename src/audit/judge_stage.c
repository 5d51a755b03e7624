#include "audit/judge_stage.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/finding_list.h"
#include "judge/fix_note.h"

static void choose_rules(struct judge_stage *j, unsigned facts_available)
{
	const enum level *levels = j->settings->rules.levels;

	j->rules_count = 0;
	j->facts_available = facts_available;
	for (size_t i = 0; i < rule_count; i++)
		if ((levels[i] != LEVEL_OFF || rule_table[i]->tells_reading) &&
		    rule_applies(rule_table[i], facts_available))
			j->rules[j->rules_count++] = i;
}

void judge_stage_init(struct judge_stage *j, const struct settings *settings)
{
	memset(j, 0, sizeof(*j));
	j->settings = settings;
	path_rules_init(&j->path_rules, settings);
	j->rules = xcalloc(rule_count, sizeof(*j->rules));
	choose_rules(j, FACTS_NONE);
	j->findings = xcalloc(rule_count, sizeof(*j->findings));
}

void judge_stage_release(struct judge_stage *j)
{
	free(j->findings);
	free(j->rules);
	path_rules_release(&j->path_rules);
}

/*
 * Applies the rules to one file, but those that were applied already because they need only the facts `judged`. Appends
 * to the findings. off: by rule, or NULL.
 */
static void apply_rules(struct judge_stage *j, const struct rule_input *s, unsigned judged, const bool *off)
{
	const bool *unread_only = rule_input_unread(s) ? NULL : j->settings->rules.unread_only;
	unsigned facts_available = rule_input_facts(s);

	if (facts_available != j->facts_available)
		choose_rules(j, facts_available);
	for (size_t at = 0; at < j->rules_count; at++) {
		size_t i = j->rules[at];
		struct finding *f = &j->findings[j->count];

		if ((unread_only && unread_only[i]) || (judged && !(rule_table[i]->facts_needed & ~judged)))
			continue;
		finding_init(f, rule_table[i]);
		if (!rule_check_file(rule_table[i], s, f) ||
		    (j->settings->rules.levels[i] == LEVEL_OFF && !f->details.map.len))
			continue;
		if (off && off[i]) { /* the report counts what --per-path left out */
			j->left_out++;
			continue;
		}
		verdict_set_level(s->settings, i, f);
		fix_judge_finding(f, s);
		j->count++;
	}
}

void judge_nothing(struct judge_stage *j)
{
	j->count = 0;
	j->left_out = 0;
	j->per_path = j->has_one_channel = false;
}

void judge_file(struct judge_stage *j, const struct rule_input *s)
{
	const bool *off = path_rules_off(&j->path_rules, s->sample->path);

	judge_nothing(j);
	j->per_path = off != NULL;
	apply_rules(j, s, 0, off);
	j->has_one_channel = s->stats->colours && one_channel_init(&j->one_channel, s);
	if (j->has_one_channel)
		apply_rules(j, &j->one_channel.input, rule_input_facts(s), off);
}
