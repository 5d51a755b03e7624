/*
 * What it finds
 *   Members of archives that are not regular files: symbolic and hard links, devices, FIFOs. Links are never followed;
 *   all of them count as skipped. One finding per archive.
 *
 * Why it matters
 *   A mask that is a link is missing for a program that reads the archive as a stream; unpacked, a link can lead to any
 *   file of the machine. A dataset needs no devices.
 *
 * Example
 *   set.tar: warning special-member: members that are not read: 2 links (the first: masks/0007.png)
 *
 * What to do
 *   Pack the files themselves: `tar --dereference --hard-dereference`.
 */
#include "find/member.h"
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct archive_facts *a = s->sample->archive;

	if (!a || (!a->links && !a->devices))
		return false;
	say(f, "members that are not read: ");
	if (a->links)
		say(f, "%" PRIu64 " %s", a->links, plural(a->links, "link", "links"));
	if (a->devices)
		say(f, "%s%" PRIu64 " %s or similar", a->links ? " and " : "", a->devices,
		    plural(a->devices, "device", "devices"));
	return say(f, " (the first: %s)", a->first_special.s);
}

const struct rule rule_special_member = {
	RULE("special-member", "file", LEVEL_WARNING, "links and devices in an archive"),
	.facts_needed = FACTS_ARCHIVE,
	.check_file = check,
	.advice = "pack the files themselves: tar --dereference --hard-dereference",
};
