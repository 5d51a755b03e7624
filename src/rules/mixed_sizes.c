/*
 * Error message
 *   RuntimeError: stack expects each tensor to be equal size, but got [512, 512] at entry 0 and [480, 640] at entry 1
 *
 * What it finds
 *   Datasets in which at least three masks and at least half of all masks have the same size, and others have not. If
 *   no size is that common (VOC, ADE20K) the masks have the sizes of their photographs, and the rule is silent.
 *
 * Why it matters
 *   A batch needs equal sizes. The exceptions stop a loader that does not resize; often they are thumbnails, crops, or
 *   masks rotated by 90 degrees that no longer fit their images.
 *
 * Example
 *   (dataset): info mixed-sizes: 698 of 701 masks are 480 x 360 (width x height), 3 are not: 360 x 480 (3)
 *
 * What to do
 *   Check the masks of other sizes; --format jsonl lists the size of each file.
 */
#include "judge/check.h"

enum {
	USUAL_MIN = 3, /* two may be equal by chance */
	SAID_MAX = 3,
};

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct size_total *most = d->sizes.v;
	uint64_t others = 0;

	(void)settings;
	if (d->sizes.count < 2)
		return false;
	for (size_t i = 1; i < d->sizes.count; i++)
		if (d->sizes.v[i].files > most->files)
			most = &d->sizes.v[i];
	if (most->files < USUAL_MIN || most->files < d->files_read - most->files)
		return false;

	f->details.count = d->files_read - most->files;
	say(f, "%" PRIu64 " of %" PRIu64 " masks are %" PRIu32 " x %" PRIu32 " (width x height), %" PRIu64 " %s not: ",
	    most->files, d->files_read, most->width, most->height, d->files_read - most->files,
	    d->files_read - most->files == 1 ? "is" : "are");
	for (size_t i = 0; i < d->sizes.count; i++) {
		const struct size_total *size = &d->sizes.v[i];

		if (size == most)
			continue;
		finding_add_key(f, key_of_numbers(size->width, size->height));
		if (others++ < SAID_MAX)
			say(f, "%s%" PRIu32 " x %" PRIu32 " (%" PRIu64 ")", others > 1 ? ", " : "", size->width,
			    size->height, size->files);
	}
	if (others > SAID_MAX)
		say(f, " and %" PRIu64 " more", others - SAID_MAX);
	return true;
}

const struct rule rule_mixed_sizes = {
	RULE("mixed-sizes", "shape", LEVEL_INFO, "masks whose size differs from most"),
	.check_dataset = check_dataset,
};
