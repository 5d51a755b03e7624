/*
 * What it finds
 *   Samples of a WebDataset that lack a member which at least nine of ten others have. A tar of at least ten samples,
 *   most of several members side by side, is taken for a WebDataset; where samples are in pieces, sample-not-contiguous
 *   reports so instead. One finding per archive.
 *
 * Why it matters
 *   `to_tuple("jpg", "cls")` fails on such a sample, hours into the training, or it is dropped in silence.
 *
 * Example
 *   train-0001.tar: warning sample-lacks-member: 2 of 1000 samples have no .cls (the first: 000017)
 *
 * What to do
 *   Add the members, or leave these samples out when the tar is packed.
 */
#include "find/member.h"
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (!s->sample->archive || !s->sample->archive->incomplete.len)
		return false;
	return say(f, "%s", s->sample->archive->incomplete.s);
}

const struct rule rule_sample_lacks_member = {
	RULE("sample-lacks-member", "file", LEVEL_WARNING, "a WebDataset sample without a member that others have"),
	.facts_needed = FACTS_ARCHIVE,
	.check_file = check,
	.advice = "add the members, or leave these samples out when the tar is packed",
};
