/*
 * What it finds
 *   Classes that are in at least 5 files of the other splits, but in none of a split that would have at least 5 such
 *   files if the class were as frequent there. Which folders are splits is decided as for split-leak. Only files
 *   that hold a class other than 0 count. A split with fewer than 20 of them, or with a single class, is not judged:
 *   a test set may have no labels. Ids that count instances are skipped. A class that train has nowhere and another
 *   split has is found in sets of any size; lists and COCO files are of the split that their name tells, too
 *   (train.csv).
 *
 * Why it matters
 *   A class that the training split lacks is never learned and always wrong in the score; one that the validation
 *   split lacks is never measured, and its IoU is NaN or 0.
 *
 * Example
 *   (dataset): warning split-drift: class 9 (bicycle) is in 124 of 367 files of train but in none of 101 of val
 *
 * What to do
 *   Split the data again so that every split has every class, or move files between them. Check whether one split
 *   was labelled with another class list.
 *
 *   With --reduce-zero-label the finding names the ids in the files.
 */
#include <string.h>

#include "judge/check.h"

enum {
	SPLIT_FILES_MIN = 20,
	FILES_MIN = 5, /* a split lacks what is in 5 of its files on average with probability e^-5, under 1 % */
	SAID_MAX = 3,
};

static bool is_judged(const struct split_totals *t, unsigned split)
{
	size_t classes = 0;

	for (size_t i = 0; i < t->count; i++)
		classes += t->v[i].files[split] > 0;
	return t->files[split] >= SPLIT_FILES_MIN && classes > 1;
}

static void add_class(const struct settings *settings, const struct dataset_stats *d, const struct split_total *total,
		      unsigned lacking, uint64_t files, const unsigned judged[SPLITS_MAX], struct finding *f)
{
	unsigned said = 0;
	uint64_t all = 0;

	for (unsigned s = 1; s < SPLITS_MAX; s++)
		all += judged[s] && s != lacking ? d->splits.files[s] : 0;
	say_also(f, "%s is in %" PRIu64 " of %" PRIu64 " files of ", text_class(settings, total->id).s, files, all);
	for (unsigned s = 1; s < SPLITS_MAX; s++)
		if (judged[s] && s != lacking)
			say(f, "%s%s", said++ ? ", " : "", d->split_names[s]);
	say(f, " but in none of %" PRIu64 " of %s", d->splits.files[lacking], d->split_names[lacking]);
}

/* Returns whether a split is that of training, by its name. */
static bool is_trained_on(const struct dataset_stats *d, unsigned split)
{
	return strcasestr(dataset_split_name(d, split), "train");
}

/* Reports classes that some split has, and that of training has not. */
static unsigned add_untrained(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct split_totals *t = &d->splits;
	uint64_t trained = 0;
	unsigned said = 0;

	for (unsigned s = 1; s < NAME_SPLITS; s++)
		trained += is_trained_on(d, s) ? t->files[s] : 0;
	for (size_t i = 0; trained && i < t->count; i++) {
		uint64_t files = 0, others = 0;
		unsigned of = 0;

		for (unsigned s = NAME_SPLITS - 1; s > 0; s--) {
			files += is_trained_on(d, s) ? t->v[i].files[s] : 0;
			others += is_trained_on(d, s) ? 0 : t->v[i].files[s];
			of = !is_trained_on(d, s) && t->v[i].files[s] ? s : of;
		}
		if (files || !others)
			continue;
		finding_add_key(f, key_of_numbers((uint64_t)t->v[i].id, NAME_SPLITS));
		finding_add_id(f, t->v[i].id, 0);
		if (said++ < SAID_MAX)
			say_also(f, "%s is in %" PRIu64 " %s of %s but in none of train",
				 text_class(settings, t->v[i].id).s, t->v[i].files[of],
				 plural(t->v[i].files[of], "file", "files"), dataset_split_name(d, of));
	}
	return said;
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct split_totals *t = &d->splits;
	unsigned judged[SPLITS_MAX] = { 0 }, splits = 0, said = 0;
	uint64_t all = 0;

	for (unsigned s = 1; s < SPLITS_MAX; s++) {
		judged[s] = d->split_names[s] && is_judged(t, s);
		splits += judged[s];
		all += judged[s] ? t->files[s] : 0;
	}
	if (dataset_numbers_instances(d))
		return false;
	said = add_untrained(settings, d, f);
	for (size_t i = 0; splits >= 2 && i < t->count; i++) {
		uint64_t files = 0;

		for (unsigned s = 1; s < SPLITS_MAX; s++)
			files += judged[s] ? t->v[i].files[s] : 0;
		if (files < FILES_MIN)
			continue;
		for (unsigned s = 1; s < SPLITS_MAX; s++) {
			/* It would expect files * own / (all - own) files; files < 2^40, so nothing overflows. */
			if (!judged[s] || is_trained_on(d, s) || t->v[i].files[s] ||
			    files * t->files[s] < FILES_MIN * (all - t->files[s]))
				continue;
			finding_add_key(f, key_of_numbers((uint64_t)t->v[i].id, s));
			if (said++ < SAID_MAX)
				add_class(settings, d, &t->v[i], s, files, judged, f);
			if (!f->details.ids_count || f->details.ids[f->details.ids_count - 1].id != t->v[i].id)
				finding_add_id(f, t->v[i].id, 0);
		}
	}
	if (!said)
		return false;
	f->details.count = f->keys_total;
	if (said > SAID_MAX)
		say(f, "; and %u more", said - SAID_MAX);
	return true;
}

const struct rule rule_split_drift = {
	RULE("split-drift", "content", LEVEL_WARNING, "a class that one split of the data lacks"),
	.check_dataset = check_dataset,
	.advice = "split the data again so that every split has every class; check whether one split was labelled with "
		  "another class list",
};
