/*
 * What it finds
 *   A dataset that uses every declared class and exactly one more id, the next after the last: 0 to C where 0 to C-1
 *   are declared.
 *
 * Why it matters
 *   Either the background was not counted among the classes, or the last id is a void that is not meant to be trained
 *   on. Training stops at the first mask with id C.
 *
 * Example
 *   (dataset): error background-off-by-one: all ids from 0 to 11 occur; valid ids are 0-10
 *
 * What to do
 *   If 0 is the background and a class of the model, declare one more class. If 0 must not be trained on, pass
 *   --reduce-zero-label. If id C is a void, pass it to --ignore.
 *
 *   If 2 is rare beside 0 and 1, the masks may have been JPEGs of 0 and 1: make them again from their source.
 *
 *   The rule is silent if id C is in one file of several, or has less than a tenth of the labels of the rarest class: a
 *   slip, which out-of-range-id reports.
 *
 *   It is silent, too, if interpolation damaged the masks and id C is only along borders, or rare: bicubic and Lanczos
 *   filters overshoot.
 */
#include "judge/check.h"

/*
 * Returns whether the id is in one file of several, or has a tenth of the labels of the rarest class: a slip, which
 * out-of-range-id reports.
 */
static bool is_stray(const struct settings *settings, const struct dataset_stats *d, const struct id_total *id)
{
	enum { SHARE = 10 };
	uint64_t files = UINT64_MAX, labels = UINT64_MAX;

	for (size_t i = 0; i < d->ids_count; i++)
		if (settings_role(settings, d->ids[i].id) == ID_CLASS) {
			files = MIN(files, d->ids[i].files);
			labels = MIN(labels, d->ids[i].labels);
		}
	if (id->files == 1 && d->files_with_ids > 1 && files > 1)
		return true;
	return id->labels <= (labels - 1) / SHARE;
}

/*
 * Returns whether the id may come from a bicubic or Lanczos filter, which overshoots the last class along its borders:
 * it has no regions, or next to no pixels. A JPEG of 0 and 1 has single pixels of 2, and no test finds that damage.
 */
static bool is_overshoot(const struct dataset_stats *d, const struct id_total *id)
{
	enum { SHARE = 1000, OF_BINARY = 2 };

	if (id->id == OF_BINARY && id->thin / 3 > id->labels / 2)
		return true;
	return d->informative_flagged >= 2 && (id->thin / 7 > id->labels / 10 || id->labels < d->labels / SHARE);
}

/* Returns whether 2 is so rare beside 0 and 1 that a JPEG may have made it: its blocks ring where 0 and 1 meet. */
static bool may_be_jpeg_of_binary(const struct dataset_stats *d, const struct id_total *extra)
{
	enum { OF_BINARY = 2, SHARE = 50 };
	const struct id_total *foreground = extra->id == OF_BINARY ? dataset_id(d, 1) : NULL;

	return foreground && d->masks_with_ids && extra->labels < foreground->labels / SHARE;
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct id_ranges *classes = &settings->classes.classes;
	int64_t count = settings_class_count(settings);
	uint64_t used = 0, declared_used = 0;
	const struct id_total *extra = NULL;

	/* hidden-class-folder reports one class folder too many */
	if (d->folders.count || settings->reduce_zero_label || !count || !id_ranges_contain(classes, 0))
		return false;
	for (size_t i = 0; i < d->ids_count; i++) {
		enum id_role role = settings_role(settings, d->ids[i].id);

		if (role == ID_IGNORED)
			continue;
		used++;
		declared_used += role == ID_CLASS;
		if (d->ids[i].id == count)
			extra = &d->ids[i];
	}
	if (!extra || is_stray(settings, d, extra) || is_overshoot(d, extra) ||
	    declared_used != id_ranges_size(classes) || used != declared_used + 1)
		return false;

	finding_add_id(f, count, extra->labels);
	f->example = extra->example;
	if (classes->count == 1)
		say(f, "all ids from 0 to %" PRId64 " occur", count);
	else
		say(f, "every declared id and %" PRId64 " occur", count);
	say(f, " (%" PRId64 " in %s); %s", count, text_files(extra->files, extra->example).s,
	    text_valid_ids(settings).s);
	if (may_be_jpeg_of_binary(d, extra))
		advise(f,
		       "so few pixels of 2 beside 0 and 1 are what JPEG makes of a mask of 0 and 1: if the masks were "
		       "JPEGs once, make them again from their source; if 2 is a class as rare as this, there are 3 "
		       "classes; if it is a void, pass --ignore=2");
	else if (d->masks_with_ids)
		advise(f,
		       "if 0 is the background and counts as a class, there are %" PRId64
		       " classes; if 0 is not trained on, pass --reduce-zero-label; if %" PRId64
		       " is a void, pass --ignore=%" PRId64,
		       count + 1, count, count);
	else
		advise(f,
		       "if there are %" PRId64 " classes, declare them; if %" PRId64
		       " is never trained on, pass --ignore=%" PRId64 "; else correct these labels",
		       count + 1, count, count);
	return true;
}

const struct rule rule_background_off_by_one = {
	RULE("background-off-by-one", "range", LEVEL_ERROR, "every declared class and exactly one more id"),
	.check_dataset = check_dataset,
};
