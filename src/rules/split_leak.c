/*
 * What it finds
 *   Masks of equal size whose ids are the same everywhere in two splits of the data, however they were compressed. If
 *   two to seven folders are named on the command line, these are the splits. Otherwise, folder names decide: train,
 *   training, val, valid, validation, test, testing, also as in train2017, val_labels, testannot, labelsTr. Masks that
 *   hold fewer than two ids that are not ignored are not compared.
 *
 * Why it matters
 *   A score on the training data says nothing: a model that memorised the data wins, and nobody notices until it is
 *   used.
 *
 * Example
 *   (dataset): warning split-leak: 90 masks are in more than one of train, val: train/0.png and val/17.png are the same
 *
 * What to do
 *   Remove them from one of the splits. Split by scene, patient or video instead of by file, and before augmenting. To
 *   compare folders that are not splits as one set, name the folder that holds them instead.
 *
 *   In sets of more than 131,072 different masks only some of them are compared; the finding states the share, and says
 *   "at least".
 */
#include "judge/check.h"
#include "judge/leak.h"

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	(void)settings;
	return leak_finding(f, d, CONTENT_MASKS, "mask", "the same");
}

const struct rule rule_split_leak = {
	RULE("split-leak", "content", LEVEL_WARNING, "the same mask in two splits of the data"),
	.check_dataset = check_dataset,
	.advice = "remove them from one of the splits; split by scene, patient or video, not by file, and before "
		  "augmenting",
};
