/* struct judge_stage: from the facts of a file to the findings of the rules. The third stage of a worker; one thread.
 */
#pragma once

#include "judge/one_channel.h"
#include "judge/path_rules.h"
#include "judge/rule.h"

struct judge_stage {
	const struct settings *settings;
	struct path_rules path_rules;
	/* the rules about files that need no more than facts_available; capacity: rule_count */
	size_t *rules;
	size_t rules_count;
	unsigned facts_available; /* of the last file judged; most files of a set have the same */
	/* of the last file */
	struct finding *findings; /* capacity: rule_count */
	size_t count;
	bool per_path;        /* --per-path leaves out rules of it ... */
	uint64_t left_out;    /* ... which would have found that many things */
	bool has_one_channel; /* it was judged as a mask of one channel, too */
	struct one_channel one_channel;
};

void judge_stage_init(struct judge_stage *j, const struct settings *settings);
void judge_stage_release(struct judge_stage *j);
/* Applies the rules to one file. */
void judge_file(struct judge_stage *j, const struct rule_input *s);
/* Judges nothing of a file that was left out. */
void judge_nothing(struct judge_stage *j);
