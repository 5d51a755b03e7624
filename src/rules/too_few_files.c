/*
 * What it finds
 *   With --min-files: a set with fewer label files. Files that could not be read count. Without it the rule is silent.
 *
 * Why it matters
 *   A download that ended early, a mount that is not there, or a glob that no longer matches leaves a set that is
 *   smaller and passes.
 *
 * Example
 *   (dataset): error too-few-files: 2,100 label files; --min-files wants 2,913
 *
 * What to do
 *   Fetch the others (dvc pull, git lfs pull, rsync), or set the number anew.
 */
#include "judge/check.h"

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	uint64_t files = d->files_read + d->files_failed;

	if (files >= settings->thresholds.min_files)
		return false;
	f->details.count = settings->thresholds.min_files - files;
	return say(f, "%" PRIu64 " label %s; --min-files wants %" PRIu64, files, plural(files, "file", "files"),
		   settings->thresholds.min_files);
}

const struct rule rule_too_few_files = {
	RULE("too-few-files", "content", LEVEL_ERROR, "fewer label files than --min-files"),
	.check_dataset = check_dataset,
	.advice = "fetch the others (dvc pull, git lfs pull, rsync), or set --min-files anew",
};
