/*
 * What it finds
 *   Samples of a WebDataset whose members are not side by side in the tar. The members of a sample have the same path
 *   up to the first dot of the name; a tar of at least ten samples, most of several members, is taken for a
 *   WebDataset. One finding per archive.
 *
 * Why it matters
 *   WebDataset reads the tar as a stream and ends a sample where the name changes: members that come later are another
 *   sample, with an image and no label, or a label and no image. These are dropped, or break the batch.
 *
 * Example
 *   train-0001.tar: warning sample-not-contiguous: 3 of 1000 samples are in several pieces (the first: 000017)
 *
 * What to do
 *   Pack the files sorted by name: `tar --sort=name -cf set.tar folder`.
 */
#include "find/member.h"
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct archive_facts *a = s->sample->archive;

	if (!a || !a->scattered)
		return false;
	return say(f, "%" PRIu64 " of %" PRIu64 " samples %s in several pieces (the first: %s)", a->scattered,
		   a->samples, plural(a->scattered, "is", "are"), a->first_scattered.s);
}

const struct rule rule_sample_not_contiguous = {
	RULE("sample-not-contiguous", "file", LEVEL_WARNING, "a WebDataset sample whose members are not side by side"),
	.facts_needed = FACTS_ARCHIVE,
	.check_file = check,
	.advice = "pack the files sorted by name: tar --sort=name -cf set.tar folder",
};
