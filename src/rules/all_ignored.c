/*
 * Error message
 *   loss: nan
 *
 * What it finds
 *   Masks in which every id is ignored.
 *
 * Why it matters
 *   Cross-entropy averages over the pixels that are not ignored. Where there are none it is 0 / 0 = NaN, and the first
 *   NaN destroys all weights.
 *
 * Example
 *   masks/0001.png: warning all-ignored: all 187500 pixels are ignored (id 255)
 *
 * What to do
 *   Leave such files out of the training split, or batch them with others and guard the mean.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (!s->stats->labels || finding_add_role(f, s, ID_IGNORED) < s->stats->labels)
		return false;
	return say(f, "all %" PRIu64 " %s are ignored (%s)", s->stats->labels, sample_unit(s->sample, 2),
		   text_finding_ids(f).s);
}

const struct rule rule_all_ignored = {
	RULE("all-ignored", "content", LEVEL_WARNING, "a mask in which every id is ignored"),
	.facts_needed = FACTS_MASK,
	.check_file = check,
	.advice = "leave the file out of the training split: the mean over no pixels is NaN",
};
