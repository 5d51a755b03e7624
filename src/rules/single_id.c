/*
 * What it finds
 *   Masks that hold a single id, which is neither 0 nor ignored.
 *
 * Why it matters
 *   One class may fill an image (grass, sky, a crop). If there are many, an export may have filled the outline of the
 *   image.
 *
 * Example
 *   masks/0001.png: info single-id: all 187500 pixels have id 4
 *
 * What to do
 *   Compare one of them with its image.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->stats->ids_count != 1 || s->ids[0].id == 0 || settings_role(s->settings, s->ids[0].id) == ID_IGNORED)
		return false;
	finding_add_id(f, s->ids[0].id, s->ids[0].labels);
	return say(f, "all %" PRIu64 " %s have %s", s->stats->labels, sample_unit(s->sample, 2), text_finding_ids(f).s);
}

const struct rule rule_single_id = {
	RULE("single-id", "content", LEVEL_INFO, "one id fills the whole mask"),
	.facts_needed = FACTS_MASK,
	.check_file = check,
};
