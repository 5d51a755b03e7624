/* Notes what a judged file tells the plan of a corrected copy (fix_facts.h). */
#pragma once

#include "judge/fix_facts.h"
#include "judge/rule_input.h"

/* Adds a judged file. input: NULL if it was not read now. */
void fix_facts_add(struct fix_facts *f, const struct rule_input *s, const struct input *input);
/*
 * Fills whether a finding about a file knows that a corrected copy cures it: not where one map for the set must be
 * found first.
 */
void fix_judge_finding(struct finding *f, const struct rule_input *s);
