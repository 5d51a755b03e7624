/*
 * What it finds
 *   Members of archives whose names could fool programs that unpack or print them: absolute paths, `..`, Windows drives
 *   and backslashes, control bytes, marks that reorder text, bytes that are not UTF-8, a NUL followed by more. If such
 *   members are not label files, there is one finding for the archive.
 *
 * Why it matters
 *   Unpacked, such a member lands outside the intended folder, or over another file; in a log it hides what it is.
 *   Datasets come from strangers. labelaudit unpacks nothing to disk, whatever the name of a member.
 *
 * Example
 *   set.tar#../../home/me/.bashrc: warning unsafe-member-name: the name of the member is a path that leaves
 *   its folder by ..
 *
 * What to do
 *   Check where the archive comes from before you unpack it; make it again with relative names.
 */
#include <string.h>

#include "find/member.h"
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct sample *sample = s->sample;
	const struct archive_facts *a = sample->archive;
	const char *flaw = NULL;

	if (a && a->unsafe_names)
		say(f, "unsafe names of %" PRIu64 " %s (the first: %s)", a->unsafe_names,
		    plural(a->unsafe_names, "member that is no label file", "members that are no label files"),
		    a->first_unsafe.s);
	else if (sample->member && sample->member_flaws.name_cut)
		say(f, "the name goes on after a NUL: programs disagree about what it is");
	else if (sample->member && (flaw = member_name_flaw(sample->member, strlen(sample->member))))
		say(f, "the name of the member %s", flaw);
	else
		return false;
	return true;
}

const struct rule rule_unsafe_member_name = {
	RULE("unsafe-member-name", "file", LEVEL_WARNING,
	     "an archive member whose name could fool programs that unpack it"),
	.facts_needed = FACTS_ARCHIVE,
	.check_file = check,
	.advice = "check where the archive comes from before you unpack it",
};
