/*
 * What it finds
 *   Archives that were read completely, although they break their format or contradict themselves: a missing end
 *   marker, members or other data after it, a zip directory that contradicts the local headers or its own count.
 *
 *   It is an error where what was not read holds members: headers after the end marker of a tar, a second directory
 *   or members that the directory of a zip does not list.
 *
 * Why it matters
 *   Readers disagree about such archives: one sees members that another does not, and neither reports it. A missing end
 *   marker may be the only sign of a transfer that was cut off between two members.
 *
 * Example
 *   set.tar: warning malformed-archive: the end marker is missing: it may have been cut off between two members
 *
 * What to do
 *   Compare its size or checksum with the source's, or unpack it and pack it again.
 */
#include "find/member.h"
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (!s->sample->archive || !s->sample->archive->flaws.len)
		return false;
	if (s->sample->archive->hides_members)
		f->level = LEVEL_ERROR;
	return say(f, "%s", s->sample->archive->flaws.s);
}

const struct rule rule_malformed_archive = {
	RULE("malformed-archive", "file", LEVEL_WARNING,
	     "an archive that breaks its format, so that readers disagree about it"),
	.facts_needed = FACTS_ARCHIVE,
	.check_file = check,
	.tells_unread = true,
	.advice = "compare its size or checksum with the source's, or pack it again",
};
