/*
 * What it finds
 *   Masks of equal size whose ids are the same everywhere, under different names, however they were compressed. Masks
 *   that hold fewer than two ids that are not ignored are not compared. split-leak reports masks that are in two
 *   splits.
 *
 * Why it matters
 *   A mask that occurs twice counts twice in training and in every score. Often an export was copied into a second
 *   folder, a video had a still scene, an augmentation was written twice, or one mask was given to two images and fits
 *   only one of them.
 *
 * Example
 *   (dataset): info duplicate-mask: 30 masks occur more than once, in 60 files: mask/0_1.png and mask/0_9.png are the
 *   same
 *
 * What to do
 *   Remove the copies. If the images differ, check which of them the mask belongs to.
 *
 *   In sets of more than 131,072 different masks only some of them are compared; the finding states the share, and says
 *   "at least".
 */
#include <string.h>

#include "judge/check.h"

/* Returns whether some copies are no leak between splits: two in one split, or outside of any. */
static bool is_repeated(const struct content_total *c)
{
	unsigned splits = 0;

	for (unsigned s = 1; s < SPLITS_MAX; s++)
		splits += c->splits >> s & 1;
	return c->places && c->files > (splits ? splits : 1);
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct content_table *contents = d->contents[CONTENT_MASKS];
	const struct content_total *first = NULL;
	uint64_t masks = 0, files = 0;

	(void)settings;
	for (size_t i = 0; contents && i < contents->count; i++) {
		const struct content_total *c = &contents->v[i];

		if (!is_repeated(c))
			continue;
		masks++;
		files += c->files;
		finding_add_key(f, c->key[0] ^ c->key[1]);
		if (!first || strcmp(c->path, first->path) < 0)
			first = c;
	}
	if (!first)
		return false;
	f->details.count = files;
	return say(f, "%s%" PRIu64 " %s more than once, in %" PRIu64 " files: %s and %s are the same%s",
		   content_table_share(contents) > 1 ? "at least " : "", masks,
		   plural(masks, "mask occurs", "masks occur"), files, first->path, first->places->second,
		   text_compared(contents, "masks").s);
}

const struct rule rule_duplicate_mask = {
	RULE("duplicate-mask", "content", LEVEL_INFO, "the same mask under several names"),
	.repair = REPAIR_NEVER,
	.check_dataset = check_dataset,
	.advice = "remove the copies; if the images differ, check which of them the mask belongs to",
};
