/*
 * What it finds
 *   Masks with more than 95 %, but not all, of their pixels ignored (for these see all-ignored). --max-ignored sets
 *   another share.
 *
 * Why it matters
 *   Most random crops of such a file have nothing to learn from, and in a mean over its few pixels each counts as much
 *   as thousands elsewhere.
 *
 * Example
 *   masks/0001.png: info mostly-ignored: 186001 pixels (99.2 %) are ignored (id 255)
 *
 * What to do
 *   Check whether the ignored id is meant to be there. If it is, there is nothing to do.
 */
#include "base/decimal.h"
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	uint64_t ignored = finding_add_role(f, s, ID_IGNORED), others = s->stats->labels - ignored;

	uint64_t most = s->settings->thresholds.max_ignored ? s->settings->thresholds.max_ignored : MAX_IGNORED_USUAL;

	if (!others || (decimal_wide)ignored * 1000000 <= (decimal_wide)s->stats->labels * most)
		return false;
	return say(f, "%" PRIu64 " %s%s %s ignored (%s)", ignored, sample_unit(s->sample, ignored),
		   text_percent(ignored, s->stats->labels).s, plural(ignored, "is", "are"), text_finding_ids(f).s);
}

const struct rule rule_mostly_ignored = {
	RULE("mostly-ignored", "content", LEVEL_INFO, "a mask with more than 95 % of its pixels ignored"),
	.facts_needed = FACTS_MASK,
	.check_file = check,
};
