/*
 * What it finds
 *   Members of an archive that have the same name as an earlier member.
 *
 * Why it matters
 *   Unpacking keeps only the last of them; a program that reads the archive as a stream trains on each; a zip reader
 *   picks one. So the labels depend on the program. Appending to a tar creates such members.
 *
 * Example
 *   set.tar#masks/0001.png: warning repeated-member: an earlier member has the same name: unpacking keeps only the last
 *
 * What to do
 *   Unpack the archive, check that the last ones are right, and pack it again.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (!s->sample->member_flaws.repeated)
		return false;
	return say(f, "an earlier member has the same name: unpacking keeps only the last");
}

const struct rule rule_repeated_member = {
	RULE("repeated-member", "file", LEVEL_WARNING, "archive members with the same name"),
	.facts_needed = FACTS_ARCHIVE,
	.check_file = check,
	.advice = "unpack the archive, check that the last ones are right, and pack it again",
};
