/*
 * What it finds
 *   Declared classes without a label in the whole dataset. Ignored ids do not count. The finding says if no category
 *   of COCO files becomes these classes. With fewer than 30 masks, or 30 labels in lists, a class may be missing by
 *   chance, and with 16,384 classes or more, or in streams of tokens, they are a vocabulary, which has tokens that
 *   no text has: then the finding is an info.
 *
 * Why it matters
 *   Its IoU is 0 or NaN in every validation and lowers the mean; its class weight is a division by zero. Often the
 *   class list is that of another dataset, or an export merged two classes.
 *
 * Example
 *   (dataset): warning missing-class: classes 4-9 have no label in 1500 files
 *
 * What to do
 *   Compare the class list with the one the masks were made with; declare fewer classes, or add examples.
 *
 *   With --reduce-zero-label the finding names classes, whose ids in the files are higher by 1.
 */
#include <string.h>

#include "judge/check.h"
#include "judge/grey_levels.h"

/* 30 masks lack a class that is in every tenth with probability 0.9^30, 4 %. */
enum { SEEN_MIN = 30, VOCABULARY_MIN = 1 << 14 };

/* Counts masks, since the pixels of one say little about the next, but the single labels of lists. */
static bool is_sample_small(const struct dataset_stats *d)
{
	return (d->masks_with_ids ? d->files_with_ids : d->labels) < SEEN_MIN;
}

static bool are_tokens(const struct dataset_stats *d)
{
	return d->formats.count && d->formats.v[0].format == FORMAT_TOKENS;
}

static bool is_trained(const struct settings *settings, int64_t class_id)
{
	return settings_role(settings, settings_file_id(settings, class_id)) == ID_CLASS;
}

/*
 * Adds the classes first..last, none of which occurs, except those that are ignored. Ids that a finding cannot list are
 * only counted: there may be 2^31.
 */
static void add_gap(const struct settings *settings, struct finding *f, int64_t first, int64_t last)
{
	const struct id_ranges *ignored = &settings->classes.ignored;
	uint64_t missing = (uint64_t)last - (uint64_t)first + 1;

	for (size_t i = 0; i < ignored->count; i++) {
		int64_t from = MAX(first, ignored->v[i].first), to = MIN(last, ignored->v[i].last);

		if (from <= to)
			missing -= (uint64_t)to - (uint64_t)from + 1;
	}
	/* With the zero label reduced, 254 can be no class: 255, its id in the file, is ignored. */
	if (settings->reduce_zero_label && first <= REDUCED_ZERO - 1 && last >= REDUCED_ZERO - 1 &&
	    !id_ranges_contain(ignored, REDUCED_ZERO - 1))
		missing--;

	uint64_t listed = 0;

	for (int64_t id = first; listed < missing && f->details.ids_count < FINDING_IDS_MAX; id++) {
		if (!is_trained(settings, id))
			continue;
		finding_add_id(f, id, 0);
		listed++;
	}
	f->details.ids_total += missing - listed;
}

/* Returns whether only class 0 is missing because ids run from 1 to C, which one-based-ids reports. */
static bool is_one_based(const struct settings *settings, const struct dataset_stats *d, const struct finding *f)
{
	return f->details.ids_total == 1 && f->details.ids[0].id == 0 && !settings->reduce_zero_label &&
	       dataset_id(d, settings_class_count(settings));
}

static bool is_on(const struct settings *settings, const char *rule)
{
	return settings->rules.levels[rule_index(rule_find(rule))] != LEVEL_OFF;
}

/*
 * Returns whether the classes are there under other numbers, which other rules report: no class but 0 occurs, and ids
 * out of range do; or the ids are levels that spread the classes over 0..255, or multiples of one number that brings
 * the largest id into range (scaled-ids).
 */
static bool are_renumbered(const struct settings *settings, const struct dataset_stats *d)
{
	uint64_t divisor = 0;
	int64_t max = 0;
	bool invalid = false, used = false; /* a class other than 0 */
	bool below = false;
	bool on_levels[2] = { true, true }; /* rounded, cut */
	unsigned inner_levels = 0;          /* ids other than 0 and 255 */

	if (!d->masks_with_ids)
		return false;
	for (size_t i = 0; i < d->ids_count; i++) {
		int64_t id = d->ids[i].id;
		enum id_role role = settings_role(settings, id);

		if (role == ID_IGNORED || id == 0)
			continue;
		below |= id < 0;
		invalid |= role == ID_INVALID;
		used |= role == ID_CLASS;
		max = id;
		inner_levels += id != 255;
		for (int cut = 0; cut < 2; cut++)
			on_levels[cut] &= grey_level_class(id, settings_class_count(settings), cut) >= 0;
		divisor = common_divisor(divisor, (uint64_t)id);
	}
	if (!invalid)
		return false;
	if (!used && is_on(settings, "out-of-range-id"))
		return true;
	if (below || !is_on(settings, "scaled-ids"))
		return false;
	return (!used && (max == 255 || max == 65535)) ||
	       ((on_levels[0] || on_levels[1]) &&
		grey_levels_are_certain(settings_class_count(settings), inner_levels)) ||
	       (divisor >= 2 && divisor <= INT64_MAX && settings_role(settings, max / (int64_t)divisor) == ID_CLASS);
}

/* Returns whether the set is COCO files, and no category of any becomes one of the classes. */
static bool have_no_category(const struct dataset_stats *d, const struct finding *f)
{
	for (size_t i = 0; i < d->categories.count; i++)
		for (size_t k = 0; k < f->details.ids_count; k++)
			if (d->categories.v[i].class_id == f->details.ids[k].id)
				return false;
	return d->categories.count;
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct id_ranges *classes = &settings->classes.classes;
	size_t at = 0;

	if (!d->labels)
		return false;
	for (size_t i = 0; i < classes->count; i++) {
		int64_t next = classes->v[i].first;

		/* Both ids and ranges are sorted. */
		for (; at < d->ids_count; at++) {
			int64_t id = settings_trained_id(settings, d->ids[at].id);

			if (settings_role(settings, d->ids[at].id) != ID_CLASS || id < next)
				continue;
			if (id > classes->v[i].last)
				break;
			if (id > next)
				add_gap(settings, f, next, id - 1);
			next = id + 1;
		}
		if (next <= classes->v[i].last)
			add_gap(settings, f, next, classes->v[i].last);
	}
	if (!f->details.ids_total || is_one_based(settings, d, f) || are_renumbered(settings, d))
		return false;

	const bool unlisted = have_no_category(d, f);

	if ((is_sample_small(d) && !unlisted) || id_ranges_size(classes) >= VOCABULARY_MIN || are_tokens(d))
		f->level = LEVEL_INFO;

	const struct text ids = text_finding_ids(f);
	uint64_t n = f->details.ids_total;

	say(f, "%s%s %s no label in %" PRIu64 " %s", plural(n, "class", "classes"), strchr(ids.s, ' '),
	    plural(n, "has", "have"), d->files_with_ids, plural(d->files_with_ids, "file", "files"));
	if (n == 1 && class_set_get_name(&settings->classes, f->details.ids[0].id))
		say(f, " (%s)", class_set_get_name(&settings->classes, f->details.ids[0].id));
	if (unlisted) {
		say(f, ", nor a category: %" PRIu64 " classes are declared", id_ranges_size(classes));
		return advise(
			f, "declare as many classes as the files list categories, in the training, too, or export them "
			   "with the whole list");
	}
	return true;
}

const struct rule rule_missing_class = {
	RULE("missing-class", "content", LEVEL_WARNING, "a declared class without a label in the whole set"),
	.check_dataset = check_dataset,
	.advice =
		"compare the class list with the one the masks were made with; declare fewer classes, or add examples",
};
