/*
 * What it finds
 *   Datasets whose masks went through interpolation, though single files may show too little of it. Either a quarter of
 *   the files with enough borders are damaged (interpolated-mask); or, over all files, at least 12 % of what is between
 *   two classes are one-pixel gaps with an id in between, and a quarter of the files have some. If one id is in 95 % of
 *   the gaps it may be a boundary class, and the finding is a warning.
 *
 * Why it matters
 *   One line of code resizes all masks. Repairing only the files that show it leaves the others damaged.
 *
 * Example
 *   (dataset): error interpolated-dataset: 1087 of 1100 files with enough borders are damaged by interpolation; 13 more
 *   show weak signs of it, first masks/0031.png
 *
 * What to do
 *   Find where the masks are resized or warped, use nearest there, and make the whole set again from its source.
 */
#include "judge/check.h"
#include "judge/interpolation.h"

enum {
	FLAGGED_MIN = 2,
	FLAGGED_SHARE = 4, /* 1 in 4 */
	POOLED_FILES_MIN = 5,
	POOLED_OFFSET = 50, /* few borders prove little */
	POOLED_PART = 3,    /* 3/25 = 12 % */
	POOLED_WHOLE = 25,
	ONE_ID_PERCENT = 95,
};

/* Returns how many files must show damage. */
static uint64_t quarter(const struct dataset_stats *d)
{
	return MAX((uint64_t)FLAGGED_MIN, (d->informative_files + FLAGGED_SHARE - 1) / FLAGGED_SHARE);
}

/*
 * Returns whether the sums show damage: min over both directions of B / (B + K + X + 50) >= 0.12, and enough files show
 * signs, since one large damaged mask proves nothing about the others.
 */
static bool are_sums_damaged(const struct dataset_stats *d)
{
	for (int line = 0; line < 2; line++) {
		uint64_t all = d->between[line] + d->long_between[line] + d->wide_edges[line] + POOLED_OFFSET;

		/* 25 B < 3 all, without overflow */
		if (d->between[line] < all / POOLED_WHOLE * POOLED_PART +
					       (all % POOLED_WHOLE * POOLED_PART + POOLED_WHOLE - 1) / POOLED_WHOLE)
			return false;
	}
	return d->informative_files >= POOLED_FILES_MIN &&
	       d->informative_flagged + d->counted[COUNTED_INTERPOLATION_WEAK].files >= quarter(d);
}

/* Returns the id in at least 95 % of the gaps, or NULL. */
static const struct id_total *boundary_class(const struct dataset_stats *d)
{
	const struct id_total *most = NULL;
	uint64_t sum = 0, largest = 0;

	for (size_t i = 0; i < d->ids_count; i++) {
		uint64_t between = d->ids[i].between[0] + d->ids[i].between[1];

		sum += between;
		if (between > largest) {
			largest = between;
			most = &d->ids[i];
		}
	}
	return most && 100 * largest >= ONE_ID_PERCENT * sum ? most : NULL;
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	bool flagged = d->informative_flagged >= quarter(d), gaps = are_sums_damaged(d);
	const struct id_total *border = boundary_class(d);
	const struct file_count *weak = &d->counted[COUNTED_INTERPOLATION_WEAK];

	(void)settings;
	if (!flagged && !gaps)
		return false;
	f->details.count = flagged ? d->informative_flagged : MAX(d->between[0], d->between[1]);
	if (flagged) {
		say(f, "%" PRIu64 " of %" PRIu64 " files with enough borders to judge are damaged by interpolation",
		    d->informative_flagged, d->informative_files);
	} else {
		say(f,
		    "over %" PRIu64 " files with enough borders to judge, %" PRIu64
		    " one-pixel gaps in rows and %" PRIu64 " in columns hold an id between the classes on both sides",
		    d->informative_files, d->between[0], d->between[1]);
		if (border) {
			f->level = LEVEL_WARNING;
			finding_add_id(f, border->id, MAX(border->between[0], border->between[1]));
			say(f, ", nearly all of them id %" PRId64, border->id);
		}
	}
	f->example = weak->example;
	if (weak->files)
		say(f, "; %" PRIu64 " more %s weak signs of it, first %s", weak->files,
		    plural(weak->files, "file shows", "files show"), weak->example);
	if (!flagged && border)
		advise(f,
		       "unless id %" PRId64 " is a boundary class, the masks were resized or warped with "
		       "interpolation; make them again with nearest",
		       border->id);
	return true;
}

const struct rule rule_interpolated_dataset = {
	RULE("interpolated-dataset", "content", LEVEL_ERROR, "a set that was resized or warped with interpolation"),
	.repair = REPAIR_LOSSY,
	.check_dataset = check_dataset,
	.advice = "find where the masks are resized or warped, use nearest there (" INTERPOLATION_REMEDY
		  "), and make the whole set again",
};
