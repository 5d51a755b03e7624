/*
 * Error message
 *   loss: nan
 *
 * What it finds
 *   Masks and arrays in which every id is ignored; and lists with rows of labels that are all ignored, such as labels
 *   of -100 for a whole prompt: an error if there is no other row. A set in which nothing else occurs is an error.
 *
 * Why it matters
 *   Cross-entropy averages over the labels that are not ignored. Where there are none it is 0 / 0 = NaN, and the first
 *   NaN destroys all weights.
 *
 * Example
 *   masks/0001.png: warning all-ignored: all 187500 pixels are ignored (id 255)
 *
 * What to do
 *   Leave such files out of the training split, or batch them with others and guard the mean.
 */
#include "judge/check.h"

/* Rows of several labels: in a batch of such a row alone, or of several, there is nothing to learn. */
static bool check_rows(const struct rule_input *s, struct finding *f)
{
	const struct row_tally *tally = &s->stats->list.faults[LIST_ALL_IGNORED];
	const uint64_t lists = s->stats->list.lists;

	if (!tally->rows)
		return false;
	f->level = tally->rows == lists ? LEVEL_ERROR : LEVEL_WARNING;
	say(f, "of %" PRIu64 " %s, %" PRIu64 " %s ignored labels alone", lists,
	    plural(lists, "row of labels", "rows of labels"), tally->rows, plural(tally->rows, "has", "have"));
	finding_set_row(f, tally, tally->rows == 1 ? "it ends at " : "the first ends at ");
	finding_add_offenders(f, s->sample, LIST_ALL_IGNORED, tally->rows);
	return advise(f, "leave such rows out: the mean over no labels is NaN; where prompts are masked, see that "
			 "answers are not cut off");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const unsigned facts = rule_input_facts(s);

	if (facts & FACTS_LIST)
		return check_rows(s, f);
	if (!(facts & FACTS_IDS) || !(facts & (FACTS_MASK | FACTS_ARRAY)))
		return false;
	if (!s->stats->labels || finding_add_role(f, s, ID_IGNORED) < s->stats->labels)
		return false;
	return say(f, "all %" PRIu64 " %s are ignored (%s)", s->stats->labels, sample_unit(s->sample, 2),
		   text_finding_ids(f).s);
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	for (size_t i = 0; i < d->ids_count; i++) {
		if (settings_role(settings, d->ids[i].id) != ID_IGNORED)
			return false;
		finding_add_id(f, d->ids[i].id, d->ids[i].labels);
	}
	if (!d->ids_count || (d->masks_with_ids && d->files_with_ids == 1)) /* one mask is no set */
		return false;
	f->level = LEVEL_ERROR;
	say(f, "all %" PRIu64 " labels of %" PRIu64 " %s are ignored (%s)", d->labels, d->files_with_ids,
	    plural(d->files_with_ids, "file", "files"), text_finding_ids(f).s);
	return advise(f,
		      "see that --ignore does not name a class, and that these are the labels of a split that has any");
}

const struct rule rule_all_ignored = {
	RULE("all-ignored", "content", LEVEL_WARNING, "a mask, or a row of labels, in which every id is ignored"),
	.facts_needed = FACTS_NONE,
	.check_file = check,
	.check_dataset = check_dataset,
	.advice = "leave the file out of the training split: the mean over no pixels is NaN",
};
