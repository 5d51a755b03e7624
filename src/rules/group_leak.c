/*
 * What it finds
 *   With --group REGEX: groups, such as patients, scenes or videos, that are in two splits of the data. The group of a
 *   label file is what the first parentheses of REGEX match in its path, or all that REGEX matches if it has none; of a
 *   member, in its name in the archive. COCO files and lists have the groups of the images that they name, and belong
 *   to a split by their folder or by their own name (instances_train.json). Names without a match have no group. Splits
 *   are those of split-leak.
 *
 * Why it matters
 *   Two frames of a video, or two slices of a patient, are nearly the same image. A model that saw one of them in
 *   training knows the other: its score says little about new patients.
 *
 * Example
 *   (dataset): warning group-leak: 3 groups are in more than one of train, val: train/p01_004.png and val/p01_005.png
 *   are of one group
 *
 * What to do
 *   Split by group: with scikit-learn, `GroupShuffleSplit` or `GroupKFold`.
 */
#include "judge/check.h"
#include "judge/leak.h"

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	(void)settings;
	return leak_finding(f, d, CONTENT_GROUPS, "group", "of one group");
}

const struct rule rule_group_leak = {
	RULE("group-leak", "content", LEVEL_WARNING, "a patient, scene or video in two splits of the data"),
	.check_dataset = check_dataset,
	.advice = "split by group, not by file: sklearn.model_selection.GroupShuffleSplit",
};
